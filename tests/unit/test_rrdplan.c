/* SPDX-License-Identifier: MIT */
/* What becomes of a file that is not as it is wanted, by its head alone. */
#include "daemon/rrdplan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/util.h"
#include "tests/unit/test.h"

#define LAST INT64_C(1800000000)

/* A file of columns entries and drop, a row every 10 s. */
struct bench {
	stat_head_t head;
	ds_def_t columns[RRDPLAN_COLUMNS + 1];
	rra_def_t archives[RRDPLAN_ARCHIVES + 1];
	live_head_t live;
	struct rrdmap old;
	struct store_open spec;
	struct rrdplan plan;
	char text[256];
};

static void put_column(struct bench *b, const char *name, const char *type)
{
	ds_def_t *ds = &b->columns[b->head.ds_cnt++];

	snprintf(ds->ds_nam, sizeof(ds->ds_nam), "%s", name);
	snprintf(ds->dst, sizeof(ds->dst), "%s", type);
	ds->par[DS_mrhb_cnt].u_cnt = 30;
}

static void put_archive(
	struct bench *b, const char *function, unsigned long steps, unsigned long rows)
{
	rra_def_t *rra = &b->archives[b->head.rra_cnt++];

	snprintf(rra->cf_nam, sizeof(rra->cf_nam), "%s", function);
	rra->pdp_cnt = steps;
	rra->row_cnt = rows;
}

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		return -1;
	b->head.pdp_step = 10;
	b->live.last_up = LAST;
	b->old = (struct rrdmap){
		.head = &b->head, .columns = b->columns, .archives = b->archives, .live = &b->live};
	put_column(b, "entries", "GAUGE");
	put_column(b, "drop", "DERIVE");
	put_archive(b, "AVERAGE", 1, 360);
	put_archive(b, "AVERAGE", 6, 100);
	put_archive(b, "MAX", 6, 100);
	b->spec = (struct store_open){.name = "conntrack",
		.step = 10,
		.heartbeat = 30,
		.n_columns = 2,
		.n_archives = 2,
		.columns = {{"entries", METRIC_GAUGE}, {"drop", METRIC_COUNTER}},
		.archives = {{10, 360}, {60, 100}}};
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

static int change(struct bench *b)
{
	return rrdplan_change(&b->plan, &b->spec, &b->old);
}

static void assert_described(struct bench *b, const char *what)
{
	assert_int_equal(change(b), 1);
	rrdplan_describe(&b->plan, &b->old, b->text, sizeof(b->text));
	assert_string_equal(b->text, what);
}

static void file_that_has_all_is_left_alone(void **state)
{
	struct bench *b = *state;

	assert_int_equal(change(b), 0);
	put_column(b, "other", "COUNTER");
	put_archive(b, "MIN", 6, 10);
	put_archive(b, "LAST", 60, 10);
	assert_int_equal(change(b), 0);
	b->spec.archives[0].rows = 1;
	b->spec.heartbeat = 20;
	assert_int_equal(change(b), 0);
}

static void each_change_is_described(void **state)
{
	struct bench *b = *state;

	b->spec.heartbeat = 50;
	assert_described(b, "heartbeat lengthened");
	b->spec.columns[b->spec.n_columns++] = (struct store_column){"peak", METRIC_GAUGE};
	assert_described(b, "heartbeat lengthened, column added: peak");
	b->spec.archives[0].rows = 361;
	assert_described(b, "1 archive lengthened, heartbeat lengthened, column added: peak");
	b->spec.archives[b->spec.n_archives++] = (struct store_archive){600, 10};
	b->spec.columns[b->spec.n_columns++] = (struct store_column){"tw", METRIC_GAUGE};
	assert_described(b, "2 archives added, 1 archive lengthened, heartbeat lengthened, columns "
			    "added: peak, tw");
	b->spec.heartbeat = 30;
	b->spec.step = 5;
	b->spec.archives[0].step = 5;
	assert_described(b,
		"a row every 5 s instead of every 10 s, 3 archives added, columns added: peak, tw");
}

static void description_ends_where_its_room_does(void **state)
{
	struct bench *b = *state;
	char whole[256];

	b->spec.columns[b->spec.n_columns++] = (struct store_column){"peak", METRIC_GAUGE};
	b->spec.columns[b->spec.n_columns++] = (struct store_column){"tw", METRIC_GAUGE};
	assert_described(b, "columns added: peak, tw");
	snprintf(whole, sizeof(whole), "%s", b->text);
	for (size_t size = 1; size <= sizeof("columns added: peak, tw"); size++) {
		memset(b->text, '#', sizeof(b->text));
		rrdplan_describe(&b->plan, &b->old, b->text, size);
		assert_int_equal(strlen(b->text), size - 1);
		assert_memory_equal(b->text, whole, size - 1);
		assert_int_equal(b->text[size], '#');
	}
}

/* librrd keeps no heartbeat for them, but a program, in the same place. */
static void computed_column_stays_as_it_is(void **state)
{
	struct bench *b = *state;

	put_column(b, "share", "COMPUTE");
	b->spec.heartbeat = 60;
	assert_int_equal(change(b), 1);
	assert_int_equal(b->plan.columns[0].par[DS_mrhb_cnt].u_cnt, 60);
	assert_int_equal(b->plan.columns[2].par[DS_mrhb_cnt].u_cnt, 30);
}

static void heartbeat_is_not_shortened_but_by_another_step(void **state)
{
	struct bench *b = *state;

	b->columns[0].par[DS_mrhb_cnt].u_cnt = 90;
	b->spec.archives[0].rows = 400;
	assert_int_equal(change(b), 1);
	assert_int_equal(b->plan.columns[0].par[DS_mrhb_cnt].u_cnt, 90);
	b->spec.step = 5;
	b->spec.archives[0].step = 5;
	assert_int_equal(change(b), 1);
	assert_int_equal(b->plan.columns[0].par[DS_mrhb_cnt].u_cnt, 30);
	assert_false(b->plan.heartbeat);
}

static void averages_come_first_and_the_finest_of_all(void **state)
{
	struct bench *b = *state;

	put_archive(b, "MAX", 1, 10);
	put_archive(b, "MIN", 1, 10);
	b->spec.archives[b->spec.n_archives++] = (struct store_archive){120, 10};
	assert_int_equal(change(b), 1);
	for (size_t i = 1; i < b->plan.n_archives; i++)
		assert_true(b->plan.archives[i - 1].pdp_cnt <= b->plan.archives[i].pdp_cnt);
	assert_string_equal(b->plan.archives[0].cf_nam, "AVERAGE");
	assert_int_equal(b->plan.archives[0].pdp_cnt, 1);
	assert_int_equal(b->plan.added, 2);
}

static void predictions_are_refused(void **state)
{
	struct bench *b = *state;

	put_archive(b, "HWPREDICT", 1, 10);
	assert_int_equal(change(b), -EXDEV);
}

static void too_many_columns_or_archives_are_refused(void **state)
{
	struct bench *b = *state;

	while (b->head.ds_cnt < RRDPLAN_COLUMNS - STORE_MAX_COLUMNS)
		put_column(b, "x", "GAUGE");
	while (b->head.rra_cnt < RRDPLAN_ARCHIVES - 2 * STORE_MAX_ARCHIVES)
		put_archive(b, "MIN", b->head.rra_cnt, 1);
	assert_int_equal(change(b), 0);
	put_archive(b, "MIN", 200, 1);
	assert_int_equal(change(b), -E2BIG);
	b->head.rra_cnt--;
	put_column(b, "x", "GAUGE");
	assert_int_equal(change(b), -E2BIG);
}

static void rows_too_long_for_the_new_step_are_refused(void **state)
{
	struct bench *b = *state;

	b->head.pdp_step = 1;
	put_archive(b, "MIN", RRDMAP_MAX_SECONDS, 1);
	assert_int_equal(change(b), -E2BIG);
	b->archives[3].pdp_cnt = RRDMAP_MAX_SECONDS / 10 * 10;
	assert_int_equal(change(b), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(file_that_has_all_is_left_alone),
		TEST(each_change_is_described),
		TEST(description_ends_where_its_room_does),
		TEST(computed_column_stays_as_it_is),
		TEST(heartbeat_is_not_shortened_but_by_another_step),
		TEST(averages_come_first_and_the_finest_of_all),
		TEST(predictions_are_refused),
		TEST(too_many_columns_or_archives_are_refused),
		TEST(rows_too_long_for_the_new_step_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
