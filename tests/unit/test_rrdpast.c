/* SPDX-License-Identifier: MIT */
/* What is told of the past, whatever a fetch gives. */
#include "daemon/rrdpast.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/util.h"
#include "tests/unit/test.h"

#define LAST INT64_C(1800000000)
#define STEP 10

/* What a fetch finds, by what it is asked for. */
struct file {
	const char *function; /* that it has */
	const char *const *names;
	size_t n_columns, rows, unknown; /* rows that begin it */
	const char *asked[4];
	size_t n_asked;
};

static int fetch(void *arg, struct rrdpast_range *range)
{
	struct file *f = arg;

	f->asked[f->n_asked++] = range->function;
	assert_int_equal(range->end, LAST);
	assert_int_equal(range->start, LAST - 7 * 24 * 3600);
	if (strcmp(range->function, f->function) != 0)
		return -1;
	range->start = LAST - (time_t)(f->rows * STEP);
	range->step = STEP;
	range->n_columns = f->n_columns;
	range->names = calloc(f->n_columns, sizeof(char *));
	range->values = calloc(f->rows * f->n_columns + 1, sizeof(double));
	for (size_t i = 0; i < f->n_columns; i++) {
		range->names[i] = strdup(f->names[i]);
		for (size_t k = 0; k < f->rows; k++)
			range->values[k * f->n_columns + i] =
				k < f->unknown ? UNKNOWN : (double)(100000 * i + k);
	}
	return 0;
}

static struct {
	size_t n;
	struct {
		uint32_t column;
		int64_t time;
		size_t n;
		double first, last;
	} past[8];
} heard;

static void hear(void *arg, const struct store_past *past)
{
	(void)arg;
	assert_true(heard.n < ARRAY_LEN(heard.past));
	assert_int_equal(past->step, STEP);
	heard.past[heard.n].column = past->column;
	heard.past[heard.n].time = past->time;
	heard.past[heard.n].n = past->n;
	heard.past[heard.n].first = past->values[0];
	heard.past[heard.n].last = past->values[past->n - 1];
	heard.n++;
}

static const char *const names[] = {"other", "entries", "drop"};

static void read_past(struct file *f, uint32_t wanted)
{
	struct store_open spec = {.step = STEP,
		.past = wanted,
		.n_columns = 2,
		.columns = {{"drop", METRIC_COUNTER}, {"entries", METRIC_GAUGE}}};

	heard.n = 0;
	f->n_asked = 0;
	rrdpast_read(&spec, LAST, &(struct rrdpast_source){fetch, f},
		&(struct rrdpast_sink){hear, NULL});
}

static void a_wanted_column_is_told_by_its_name(void **state)
{
	struct file f = {
		.function = "MAX", .names = names, .n_columns = 3, .rows = 5, .unknown = 2};

	(void)state;
	read_past(&f, 1 << 1);
	assert_int_equal(f.n_asked, 1);
	assert_int_equal(heard.n, 1);
	assert_int_equal(heard.past[0].column, 1);
	assert_int_equal(heard.past[0].n, 3);
	assert_int_equal(heard.past[0].time, LAST - 2 * STEP);
	assert_number(heard.past[0].first, 100002);
	assert_number(heard.past[0].last, 100004);
	read_past(&f, 3);
	assert_int_equal(heard.n, 2);
	assert_int_equal(heard.past[0].column, 0);
	assert_number(heard.past[0].last, 200004);
}

static void averages_stand_in_for_maxima(void **state)
{
	struct file f = {.function = "AVERAGE", .names = names, .n_columns = 3, .rows = 1};

	(void)state;
	read_past(&f, 1);
	assert_int_equal(f.n_asked, 2);
	assert_string_equal(f.asked[0], "MAX");
	assert_int_equal(heard.n, 1);
	assert_int_equal(heard.past[0].time, LAST);
}

static void a_file_with_neither_has_no_past(void **state)
{
	struct file f = {.function = "MIN", .names = names, .n_columns = 3, .rows = 1};

	(void)state;
	read_past(&f, 3);
	assert_int_equal(f.n_asked, 2);
	assert_int_equal(heard.n, 0);
}

static void nothing_known_is_nothing_told(void **state)
{
	struct file f = {
		.function = "MAX", .names = names, .n_columns = 3, .rows = 5, .unknown = 5};

	(void)state;
	read_past(&f, 3);
	assert_int_equal(heard.n, 0);
	f.rows = f.unknown = 0;
	read_past(&f, 3);
	assert_int_equal(heard.n, 0);
}

static void more_than_a_packet_holds_is_told_in_several(void **state)
{
	struct file f = {
		.function = "MAX", .names = names, .n_columns = 2, .rows = 2 * STORE_PAST_ROWS + 1};

	(void)state;
	read_past(&f, 3);
	assert_int_equal(heard.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(heard.past[i].n, i < 2 ? STORE_PAST_ROWS : 1);
		assert_number(heard.past[i].first, (double)(100000 + i * STORE_PAST_ROWS));
		assert_int_equal(
			heard.past[i].time, LAST - (int64_t)((2 - i) * STORE_PAST_ROWS * STEP));
	}
}

/* There is a bit for each of the first 32. */
static void a_column_beyond_the_bits_is_never_wanted(void **state)
{
	static char letters[STORE_MAX_COLUMNS][3];
	static const char *many[STORE_MAX_COLUMNS];
	struct store_open spec = {.step = STEP, .past = UINT32_MAX, .n_columns = STORE_MAX_COLUMNS};
	struct file f = {.function = "MAX",
		.names = many + 31,
		.n_columns = STORE_MAX_COLUMNS - 31,
		.rows = 1};

	(void)state;
	for (size_t i = 0; i < STORE_MAX_COLUMNS; i++) {
		letters[i][0] = (char)('a' + i / 26);
		letters[i][1] = (char)('a' + i % 26);
		many[i] = spec.columns[i].name = letters[i];
	}
	heard.n = 0;
	rrdpast_read(&spec, LAST, &(struct rrdpast_source){fetch, &f},
		&(struct rrdpast_sink){hear, NULL});
	assert_int_equal(heard.n, 1);
	assert_int_equal(heard.past[0].column, 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wanted_column_is_told_by_its_name),
		cmocka_unit_test(averages_stand_in_for_maxima),
		cmocka_unit_test(a_file_with_neither_has_no_past),
		cmocka_unit_test(nothing_known_is_nothing_told),
		cmocka_unit_test(more_than_a_packet_holds_is_told_in_several),
		cmocka_unit_test(a_column_beyond_the_bits_is_never_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
