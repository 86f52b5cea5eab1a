/* SPDX-License-Identifier: MIT */
#include "daemon/store_proto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "daemon/util.h"
#include "tests/unit/test.h"

static struct store_open sample_open(void)
{
	return (struct store_open){.name = "sockets-http",
		.directory = "/var/lib/connwatchd/rrd",
		.daemon = "unix:/run/rrdcached.sock",
		.step = 10,
		.heartbeat = 30,
		.n_columns = 2,
		.n_archives = 2,
		.columns = {{"entries", METRIC_GAUGE}, {"drop", METRIC_COUNTER}},
		.archives = {{10, 17280}, {60, 20160}}};
}

static size_t put_open(uint8_t buf[static STORE_PACKET_SIZE], const struct store_open *open)
{
	ssize_t len = store_put_open(buf, 3, open);

	assert_true(len > 0);
	return (size_t)len;
}

/* Parse a copy on the heap that ends where the packet ends, so that a sanitizer sees what is read
 * beyond. */
static int parse_open(const uint8_t *buf, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct store_open out;
	int r;

	assert_non_null(copy);
	memcpy(copy, buf, len);
	r = store_parse_open(copy, len, &out);
	free(copy);
	return r;
}

static void open_comes_back_as_it_was_put(void **state)
{
	struct store_open open = sample_open(), out;
	uint8_t buf[STORE_PACKET_SIZE];
	struct store_packet head;
	size_t len = put_open(buf, &open);

	(void)state;
	assert_int_equal(store_parse_packet(buf, len, &head), 0);
	assert_int_equal(head.type, STORE_OPEN);
	assert_int_equal(head.slot, 3);
	store_mark_suspect(buf, true);
	assert_int_equal(store_parse_open(buf, len, &out), 0);
	assert_string_equal(out.name, "sockets-http");
	assert_string_equal(out.directory, "/var/lib/connwatchd/rrd");
	assert_int_equal(out.step, 10);
	assert_int_equal(out.heartbeat, 30);
	assert_true(out.suspect);
	assert_int_equal(out.n_columns, 2);
	assert_string_equal(out.columns[1].name, "drop");
	assert_int_equal(out.columns[1].kind, METRIC_COUNTER);
	assert_int_equal(out.n_archives, 2);
	assert_int_equal(out.archives[1].step, 60);
	assert_int_equal(out.archives[1].rows, 20160);
}

static void open_that_is_cut_or_longer_is_refused(void **state)
{
	struct store_open open = sample_open();
	uint8_t buf[STORE_PACKET_SIZE] = {0};
	size_t len = put_open(buf, &open);

	(void)state;
	assert_int_equal(parse_open(buf, len), 0);
	for (size_t n = 0; n < len; n++)
		assert_int_equal(parse_open(buf, n), -EBADMSG);
	assert_int_equal(parse_open(buf, len + 1), -EBADMSG);
	assert_int_equal(parse_open(buf, STORE_PACKET_SIZE), -EBADMSG);
}

static void open_with_a_flipped_byte_is_refused_or_sane(void **state)
{
	struct store_open open = sample_open(), out;
	uint8_t buf[STORE_PACKET_SIZE];
	size_t len = put_open(buf, &open);

	(void)state;
	for (size_t i = 0; i < len * 8; i++) {
		buf[i / 8] ^= (uint8_t)(1U << i % 8);
		if (store_parse_open(buf, len, &out) == 0) {
			assert_in_range(out.n_columns, 1, STORE_MAX_COLUMNS);
			assert_in_range(out.n_archives, 1, STORE_MAX_ARCHIVES);
			assert_true(out.step > 0 && out.archives[0].step % out.step == 0);
			assert_null(strchr(out.name, '/'));
		}
		buf[i / 8] ^= (uint8_t)(1U << i % 8);
	}
}

static void refused(struct store_open open)
{
	uint8_t buf[STORE_PACKET_SIZE];

	assert_int_equal(parse_open(buf, put_open(buf, &open)), -EBADMSG);
}

static void open_with_hostile_contents_is_refused(void **state)
{
	static const char *const names[] = {"", "../x", "a/b", ".x", "-x", "A", "a b", "a\nb",
		"0123456789012345678901234567890123456789012345678901234567890123"};
	static const char *const columns[] = {
		"", "a:b", "a b", "a123456789012345678901", "_a", "A"};
	struct store_open open;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		open = sample_open();
		open.name = names[i];
		refused(open);
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		open = sample_open();
		open.columns[1].name = columns[i];
		refused(open);
	}
	open = sample_open();
	open.columns[1].name = open.columns[0].name;
	refused(open);
	open = sample_open();
	open.columns[0].kind = (enum metric_kind)2;
	refused(open);
	open = sample_open();
	open.directory = "";
	refused(open);
}

static void open_with_numbers_out_of_range_is_refused(void **state)
{
	static char endless[1025];
	struct store_open open;

	(void)state;
	memset(endless, 'x', sizeof(endless) - 1);
	for (int i = 0; i < 16; i++) {
		open = sample_open();
		switch (i) {
		case 0:
			open.step = 0;
			break;
		case 1:
			open.step = -10;
			break;
		case 2:
			open.step = INT64_MAX;
			break;
		case 3:
			open.heartbeat = 9;
			break;
		case 4:
			open.n_columns = 0;
			break;
		case 5:
			open.n_archives = 0;
			break;
		case 6:
			open.archives[0].step = 5;
			break;
		case 7:
			open.archives[0].step = 15;
			break;
		case 8:
			open.archives[1].step = 10;
			break;
		case 9:
			open.archives[1].rows = 0;
			break;
		case 10:
			open.archives[1].rows = INT64_MAX;
			break;
		case 11:
			open.archives[1].step = INT64_MAX / 10 * 10;
			break;
		case 12:
			open.heartbeat = INT64_MAX;
			break;
		case 13:
			open.columns[0].name = "a_name_of_20_letters";
			break;
		case 14:
			open.n_columns = 1;
			open.n_archives = 1;
			open.archives[0].rows = -1;
			break;
		case 15:
			open.daemon = endless;
			break;
		}
		refused(open);
	}
}

static void open_too_long_for_a_packet_is_not_put(void **state)
{
	static char path[STORE_PACKET_SIZE + 1];
	struct store_open open = sample_open();
	uint8_t buf[STORE_PACKET_SIZE];

	(void)state;
	memset(path, 'x', STORE_PACKET_SIZE);
	open.directory = path;
	assert_int_equal(store_put_open(buf, 0, &open), -EMSGSIZE);
}

static void row_comes_back_as_it_was_put(void **state)
{
	static const double values[] = {1, UNKNOWN, 18446744073709551615.0};
	struct store_packet head = {.type = STORE_ROW, .slot = 4095, .seq = UINT64_MAX}, back;
	uint8_t buf[STORE_PACKET_SIZE];
	struct store_row row;
	ssize_t len = store_put_row(buf, &head, 1796068800, values, 3);

	(void)state;
	assert_true(len > 0);
	assert_int_equal(store_parse_packet(buf, (size_t)len, &back), 0);
	assert_true(back.seq == UINT64_MAX);
	assert_int_equal(store_parse_row(buf, (size_t)len, &row), 0);
	assert_int_equal(row.time, 1796068800);
	assert_int_equal(row.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_number(row.values[i], values[i]);
}

static void row_of_wrong_length_or_time_is_refused(void **state)
{
	static double values[STORE_MAX_COLUMNS + 1];
	struct store_packet head = {.type = STORE_ROW};
	uint8_t buf[STORE_PACKET_SIZE];
	struct store_row row;
	size_t len = (size_t)store_put_row(buf, &head, 1, values, 2);

	(void)state;
	for (size_t n = 0; n < len; n++)
		assert_int_equal(store_parse_row(buf, n, &row), n == len - 8 ? 0 : -EBADMSG);
	len = (size_t)store_put_row(buf, &head, 1, values, STORE_MAX_COLUMNS + 1);
	assert_int_equal(store_parse_row(buf, len, &row), -EBADMSG);
	for (int64_t time = -1; time < 1; time++) {
		len = (size_t)store_put_row(buf, &head, time, values, 2);
		assert_int_equal(store_parse_row(buf, len, &row), -EBADMSG);
	}
	len = (size_t)store_put_row(buf, &head, INT64_MAX, values, 2);
	assert_int_equal(store_parse_row(buf, len, &row), -EBADMSG);
}

static void past_comes_back_and_nothing_but_it(void **state)
{
	static struct store_past past = {.column = 2,
					 .time = 1796068800,
					 .step = 60,
					 .n = STORE_PAST_ROWS},
				 out;
	uint8_t buf[STORE_PACKET_SIZE];
	struct store_packet head;
	size_t len;

	(void)state;
	past.values[0] = 7;
	past.values[STORE_PAST_ROWS - 1] = 9;
	len = (size_t)store_put_past(buf, 3, &past);
	assert_int_equal(store_parse_packet(buf, len, &head), 0);
	assert_int_equal(head.slot, 3);
	assert_int_equal(store_parse_past(buf, len, &out), 0);
	assert_int_equal(out.n, STORE_PAST_ROWS);
	assert_int_equal(out.time, past.time);
	assert_number(out.values[STORE_PAST_ROWS - 1], 9);
	for (size_t cut = 0; cut < 48; cut++)
		assert_int_equal(store_parse_past(buf, cut, &out), -EBADMSG);
	assert_int_equal(store_parse_past(buf, len - 1, &out), -EBADMSG);
}

static void past_with_numbers_out_of_range_is_refused(void **state)
{
	static const struct {
		uint32_t column;
		int64_t time, step;
		size_t n;
	} wrong[] = {{STORE_MAX_COLUMNS, 1796068800, 60, 2}, {0, 0, 60, 2}, {0, INT64_MAX, 60, 2},
		{0, 1796068800, 0, 2}, {0, 1796068800, INT64_MAX, 2}, {0, 1796068800, 60, 0}};
	static struct store_past past, out;
	uint8_t buf[STORE_PACKET_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		size_t len;

		past.column = wrong[i].column;
		past.time = wrong[i].time;
		past.step = wrong[i].step;
		past.n = wrong[i].n;
		len = (size_t)store_put_past(buf, 0, &past);
		assert_int_equal(store_parse_past(buf, len, &out), -EBADMSG);
	}
	past = (struct store_past){.time = 1, .step = 1, .n = 1};
	store_put_past(buf, 0, &past);
	assert_int_equal(store_parse_past(buf, 48, &out), 0);
	buf[20] = 1; /* what is 0 beside the column */
	assert_int_equal(store_parse_past(buf, 48, &out), -EBADMSG);
}

/* As many values as a packet holds and the parser refuses. */
static void past_of_too_many_rows_is_refused(void **state)
{
	static struct store_past past = {.time = 1796068800, .step = 60, .n = STORE_PAST_ROWS}, out;
	uint8_t buf[STORE_PACKET_SIZE] = {0};
	size_t len = (size_t)store_put_past(buf, 0, &past);

	(void)state;
	assert_int_equal(store_parse_past(buf, len, &out), 0);
	assert_int_equal(store_parse_past(buf, len + 8, &out), -EBADMSG);
}

static void word_comes_back_without_control_characters(void **state)
{
	char text[STORE_TEXT_SIZE];
	uint8_t buf[STORE_PACKET_SIZE] = {0};
	size_t len = (size_t)store_put_say(buf, LOG_NOTICE, "rrdcached\nis\x7f\xc3\xa4 back");
	int priority = -1;

	(void)state;
	assert_int_equal(store_parse_say(buf, len, &priority, text), 0);
	assert_int_equal(priority, LOG_NOTICE);
	assert_string_equal(text, "rrdcached is \xc3\xa4 back");
	for (size_t n = 0; n < len; n++)
		assert_int_equal(store_parse_say(buf, n, &priority, text), -EBADMSG);
	assert_int_equal(store_parse_say(buf, len + 1, &priority, text), -EBADMSG);
}

static void word_of_another_urgency_or_length_is_refused(void **state)
{
	static char longest[STORE_TEXT_SIZE + 1];
	char text[STORE_TEXT_SIZE];
	uint8_t buf[STORE_PACKET_SIZE];
	int priority;
	size_t len;

	(void)state;
	for (int i = LOG_EMERG; i <= LOG_DEBUG + 1; i++) {
		len = (size_t)store_put_say(buf, i, "x");
		assert_int_equal(store_parse_say(buf, len, &priority, text),
			i >= LOG_ERR && i <= LOG_DEBUG ? 0 : -EBADMSG);
	}
	memset(longest, 'x', STORE_TEXT_SIZE);
	len = (size_t)store_put_say(buf, LOG_ERR, longest);
	assert_int_equal(store_parse_say(buf, len, &priority, text), -EBADMSG);
	len = (size_t)store_put_say(buf, LOG_ERR, longest + 1);
	assert_int_equal(store_parse_say(buf, len, &priority, text), 0);
	assert_int_equal(store_parse_answer(buf, len, &(struct store_answer){0}), -EBADMSG);
}

static void copy_of_an_open_outlives_its_packet(void **state)
{
	struct store_open open = sample_open(), out;
	uint8_t buf[STORE_PACKET_SIZE], *copy;
	size_t len = put_open(buf, &open);
	char *path;

	(void)state;
	assert_int_equal(store_copy_open(buf, len, &copy, &out, &path), 0);
	memset(buf, 0xff, sizeof(buf));
	assert_string_equal(path, "/var/lib/connwatchd/rrd/sockets-http.rrd");
	assert_string_equal(out.name, "sockets-http");
	assert_string_equal(out.columns[1].name, "drop");
	free(path);
	free(copy);
	for (size_t n = 0; n < 2; n++) {
		assert_int_equal(store_copy_open(buf, n, &copy, &out, &path), -EBADMSG);
		assert_null(path);
		free(copy);
	}
}

static void unknown_type_or_slot_is_refused(void **state)
{
	struct store_packet head = {.type = 0}, out;
	uint8_t buf[STORE_PACKET_SIZE];
	double value = 1;

	(void)state;
	for (uint32_t type = 0; type < 8; type++) {
		head.type = type;
		store_put_row(buf, &head, 1, &value, 1);
		assert_int_equal(store_parse_packet(buf, 32, &out),
			type >= STORE_OPEN && type <= STORE_SAY ? 0 : -EBADMSG);
	}
	head = (struct store_packet){.type = STORE_ROW, .slot = STORE_MAX_SLOTS};
	store_put_row(buf, &head, 1, &value, 1);
	assert_int_equal(store_parse_packet(buf, 32, &out), -EBADMSG);
	assert_int_equal(store_parse_packet(buf, STORE_PACKET_SIZE + 1, &out), -EBADMSG);
	assert_int_equal(store_parse_packet(buf, 15, &out), -EBADMSG);
}

static void answer_comes_back_without_control_characters(void **state)
{
	struct store_packet head = {.type = STORE_ANSWER, .slot = 1, .seq = 2};
	struct store_answer answer = {.code = STORE_FAILED,
		.last = 99,
		.priority = LOG_WARNING,
		.cause = "no room\n<0>forged",
		.note = "x\033[31m"};
	struct store_answer out;
	uint8_t buf[STORE_PACKET_SIZE];
	size_t len = (size_t)store_put_answer(buf, &head, &answer);

	(void)state;
	assert_int_equal(store_parse_answer(buf, len, &out), 0);
	assert_int_equal(out.code, STORE_FAILED);
	assert_int_equal(out.last, 99);
	assert_int_equal(out.priority, LOG_WARNING);
	assert_string_equal(out.cause, "no room <0>forged");
	assert_string_equal(out.note, "x [31m");
	for (size_t n = 0; n < len; n++)
		assert_int_equal(store_parse_answer(buf, n, &out), -EBADMSG);
	assert_int_equal(store_parse_answer(buf, len + 1, &out), -EBADMSG);
}

static void answer_that_contradicts_itself_is_refused(void **state)
{
	struct store_packet head = {.type = STORE_ANSWER};
	struct store_answer answers[] = {{.code = STORE_FAILED, .priority = LOG_ERR},
		{.code = STORE_DONE, .priority = LOG_ERR, .cause = "x"},
		{.code = (enum store_code)5, .priority = LOG_ERR},
		{.code = STORE_DONE, .priority = LOG_EMERG}, {.code = STORE_DONE, .priority = 8}};
	uint8_t buf[STORE_PACKET_SIZE];
	struct store_answer out;

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		size_t len = (size_t)store_put_answer(buf, &head, &answers[i]);

		assert_int_equal(store_parse_answer(buf, len, &out), -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_comes_back_as_it_was_put),
		cmocka_unit_test(open_that_is_cut_or_longer_is_refused),
		cmocka_unit_test(open_with_a_flipped_byte_is_refused_or_sane),
		cmocka_unit_test(open_with_hostile_contents_is_refused),
		cmocka_unit_test(open_with_numbers_out_of_range_is_refused),
		cmocka_unit_test(open_too_long_for_a_packet_is_not_put),
		cmocka_unit_test(row_comes_back_as_it_was_put),
		cmocka_unit_test(row_of_wrong_length_or_time_is_refused),
		cmocka_unit_test(past_comes_back_and_nothing_but_it),
		cmocka_unit_test(past_with_numbers_out_of_range_is_refused),
		cmocka_unit_test(past_of_too_many_rows_is_refused),
		cmocka_unit_test(word_comes_back_without_control_characters),
		cmocka_unit_test(word_of_another_urgency_or_length_is_refused),
		cmocka_unit_test(copy_of_an_open_outlives_its_packet),
		cmocka_unit_test(unknown_type_or_slot_is_refused),
		cmocka_unit_test(answer_comes_back_without_control_characters),
		cmocka_unit_test(answer_that_contradicts_itself_is_refused),
	};

	return cmocka_run_group_tests_name("store_proto", tests, NULL, NULL);
}
