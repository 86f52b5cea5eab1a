/* SPDX-License-Identifier: MIT */
/* Each trouble and each end of one is a single sentence, whatever number of files it is about. */
#include "daemon/store_report.h"

#include "daemon/util.h"
#include "tests/unit/ear.h"

#define CLOCK INT64_C(1800000000)

static const char *const names[] = {"conntrack", "tcp", NULL, "limits"};

static struct ear ear;
static struct trouble troubles[ARRAY_LEN(names)];

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		troubles[i] = (struct trouble){0};
	ear_open(&ear);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ear_close(&ear);
	return 0;
}

static void report(void)
{
	trouble_report(troubles, names, ARRAY_LEN(names));
}

static void assert_said(const char *text)
{
	char log[EAR_SIZE];

	ear_read(&ear, log);
	if (!strstr(log, text))
		fail_msg("'%s' is not in '%s'", text, log);
}

static void cause(size_t i, const char *text)
{
	trouble_cause(&troubles[i], text);
	troubles[i].rows++;
}

static void no_trouble_is_no_word(void **state)
{
	(void)state;
	report();
	assert_int_equal(ear_count(&ear, "\n"), 0);
}

static void files_with_one_cause_are_one_sentence_and_each_other_cause_its_own(void **state)
{
	(void)state;
	cause(0, "no room");
	cause(1, "not ours");
	cause(3, "no room");
	report();
	assert_said("<3>connwatchd: store: conntrack.rrd and 1 other: no room\n");
	assert_said("<3>connwatchd: store: tcp.rrd: not ours\n");
	report();
	assert_int_equal(ear_count(&ear, "\n"), 2);
}

static void another_cause_of_the_same_file_is_said(void **state)
{
	(void)state;
	cause(1, "no room");
	report();
	cause(1, "no room");
	report();
	cause(1, "not ours");
	report();
	assert_said("tcp.rrd: no room\n");
	assert_said("tcp.rrd: not ours\n");
	assert_int_equal(ear_count(&ear, "\n"), 2);
}

static void three_files_are_one_and_others(void **state)
{
	(void)state;
	cause(0, "no room");
	cause(1, "no room");
	cause(3, "no room");
	report();
	assert_said("store: conntrack.rrd and 2 others: no room\n");
	assert_int_equal(ear_count(&ear, "\n"), 1);
}

static void the_end_is_said_with_what_was_lost(void **state)
{
	(void)state;
	cause(1, "no room");
	report();
	troubles[1].over = true;
	report();
	assert_said(
		"<5>connwatchd: store: storing again in tcp.rrd: 1 round (1 row) were dropped\n");
	cause(0, "no room");
	cause(0, "no room");
	cause(1, "no room");
	report();
	troubles[0].over = troubles[1].over = true;
	report();
	assert_said("storing again in conntrack.rrd and 1 other: 2 rounds (3 rows) were dropped\n");
	report();
	assert_int_equal(ear_count(&ear, "\n"), 4);
}

/* An OPEN that fails, and then a row that is written. */
static void the_end_of_what_cost_no_row_is_said_without(void **state)
{
	(void)state;
	trouble_cause(&troubles[0], "no room");
	report();
	troubles[0].over = true;
	report();
	assert_said("storing again in conntrack.rrd\n");
}

static void what_was_over_before_it_was_said_is_not_said(void **state)
{
	(void)state;
	cause(0, "no room");
	trouble_clock(&troubles[1], CLOCK, CLOCK + 5);
	troubles[0].over = troubles[1].over = true;
	report();
	assert_int_equal(ear_count(&ear, "\n"), 0);
	assert_int_equal(troubles[0].kind, TROUBLE_NONE);
}

static void what_begins_again_before_its_end_was_said_goes_on(void **state)
{
	(void)state;
	cause(0, "no room");
	report();
	troubles[0].over = true;
	cause(0, "no room");
	report();
	assert_int_equal(ear_count(&ear, "\n"), 1);
}

static void a_clock_that_is_behind_is_one_sentence_with_the_latest_times(void **state)
{
	(void)state;
	trouble_clock(&troubles[0], CLOCK, CLOCK + 600);
	trouble_clock(&troubles[1], CLOCK - 5, CLOCK + 700);
	report();
	assert_said("<4>connwatchd: store: clock stands at 2027-01-15 08:00:00 UTC but "
		    "conntrack.rrd and 1 other hold "
		    "rows up to 2027-01-15 08:11:40 UTC: rows are dropped until the clock gets "
		    "there\n");
	trouble_clock(&troubles[0], CLOCK + 10, CLOCK + 600);
	trouble_clock(&troubles[3], CLOCK + 10, CLOCK + 600);
	report();
	assert_said("but limits.rrd holds rows up to 2027-01-15 08:10:00 UTC");
	assert_int_equal(ear_count(&ear, "\n"), 2);
}

/* Its name is gone with the slot. */
static void a_file_that_is_no_longer_there_is_not_spoken_of(void **state)
{
	(void)state;
	cause(2, "no room");
	report();
	troubles[2].said = troubles[2].over = true;
	report();
	assert_int_equal(ear_count(&ear, "\n"), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_trouble_is_no_word),
		TEST(files_with_one_cause_are_one_sentence_and_each_other_cause_its_own),
		TEST(another_cause_of_the_same_file_is_said),
		TEST(three_files_are_one_and_others),
		TEST(the_end_is_said_with_what_was_lost),
		TEST(the_end_of_what_cost_no_row_is_said_without),
		TEST(what_was_over_before_it_was_said_is_not_said),
		TEST(what_begins_again_before_its_end_was_said_goes_on),
		TEST(a_clock_that_is_behind_is_one_sentence_with_the_latest_times),
		TEST(a_file_that_is_no_longer_there_is_not_spoken_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
