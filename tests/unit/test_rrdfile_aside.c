/* SPDX-License-Identifier: MIT */
/* Files that cannot be gone on with, and clocks that are wrong. */
#include <rrd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/rrd_world.h"

/* Case 25 and files cut short in the header and in the rows. */
static void damaged_file_is_moved_aside_and_made_anew(void **state)
{
	static const char *const names[] = {"empty", "text", "zeros"};
	struct world *w = *state;
	struct stat st;

	open_and_write(w, BASE, 1);
	for (size_t i = 0; i < 3; i++) {
		char from[256];

		snprintf(from, sizeof(from), DAMAGED "/%s.rrd", names[i]);
		copy_file(from, w->path);
		open_at(w, BASE);
		assert_int_equal(w->answer.code, STORE_DONE);
		assert_int_equal(w->answer.priority, LOG_WARNING);
		assert_non_null(strstr(w->answer.note, "conntrack.rrd is damaged"));
		assert_non_null(strstr(w->answer.note, "conntrack.rrd.bad-"));
		assert_int_equal(count_files(w, "conntrack.rrd.bad-*"), i + 1);
		assert_int_equal(row_at(w, BASE + 10, 5, 5), STORE_DONE);
	}
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(stat(w->path, &st), 0);
		assert_int_equal(truncate(w->path, i ? st.st_size - 1 : 500), 0);
		open_at(w, BASE);
		assert_int_equal(w->answer.code, STORE_DONE);
		assert_int_equal(count_files(w, "conntrack.rrd.bad-*"), i + 4);
		assert_int_equal(row_at(w, BASE + 20, 5, 5), STORE_DONE);
	}
}

static void name_that_is_taken_gets_a_number(void **state)
{
	struct world *w = *state;
	char stamp[32];
	time_t clock = BASE;

	strftime(stamp, sizeof(stamp), "*.bad-%Y%m%dT%H%M%SZ", gmtime(&clock));
	open_and_write(w, BASE, 1);
	for (int i = 0; i < 3; i++) {
		copy_file(DAMAGED "/text.rrd", w->path);
		open_at(w, BASE);
	}
	assert_int_equal(count_files(w, stamp), 1);
	strcat(stamp, "-1");
	assert_int_equal(count_files(w, stamp), 1);
	assert_int_equal(count_files(w, "*.bad-*Z-2"), 1);
}

/* Case 21: 700 s ahead. */
static void file_ahead_by_less_than_a_day_is_kept_until_its_time(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 3);
	open_at(w, BASE - 680);
	assert_int_equal(w->answer.code, STORE_DONE);
	for (int t = -670; t < 20; t += 10) {
		assert_int_equal(row_at(w, BASE + t, 1, 1), STORE_OLDER);
		assert_int_equal(w->answer.last, BASE + 20);
	}
	assert_int_equal(row_at(w, BASE + 20, 1, 1), STORE_SAME);
	assert_int_equal(row_at(w, BASE + 30, 1, 1), STORE_DONE);
	assert_int_equal(count_files(w, "*"), 1);
}

static void file_ahead_by_a_day_to_the_second_is_kept(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE + DAY, 1);
	open_at(w, BASE);
	assert_string_equal(w->answer.note, "");
	assert_int_equal(row_at(w, BASE, 1, 1), STORE_OLDER);
}

/* Four days of rows, so that a clock of the day before yesterday is after the first of them. */
static void write_long_file(struct world *w)
{
	w->spec.archives[1] = (struct store_archive){3600, 24 * 10};
	open_and_write(w, BASE + 4 * DAY, 1);
}

static void file_far_ahead_is_moved_aside_at_start(void **state)
{
	struct world *w = *state;

	write_long_file(w);
	open_at(w, BASE + 2 * DAY);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->answer.priority, LOG_WARNING);
	assert_non_null(strstr(w->answer.note, "conntrack.rrd holds rows up to "));
	assert_non_null(strstr(w->answer.note, " but the clock stands at "));
	assert_int_equal(count_files(w, "*.bad-*"), 1);
	assert_int_equal(row_at(w, BASE + 2 * DAY, 1, 1), STORE_DONE);
}

static void file_far_ahead_is_moved_aside_after_three_rows(void **state)
{
	struct world *w = *state;

	write_long_file(w);
	assert_int_equal(row_at(w, BASE + 2 * DAY, 1, 1), STORE_OLDER);
	assert_int_equal(row_at(w, BASE + 2 * DAY + 10, 1, 1), STORE_OLDER);
	assert_int_equal(row_at(w, BASE + 2 * DAY + 20, 3, 1), STORE_DONE);
	assert_non_null(strstr(w->answer.note, "moved aside as"));
	assert_int_equal(count_files(w, "*.bad-*"), 1);
	assert_number(fetch(w->path, "AVERAGE", BASE + 2 * DAY + 20, 10, 0), 3);
}

static void rows_in_between_begin_the_count_anew(void **state)
{
	struct world *w = *state;

	write_long_file(w);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(row_at(w, BASE + 2 * DAY, 1, 1), STORE_OLDER);
		assert_int_equal(row_at(w, BASE + 2 * DAY + 10, 1, 1), STORE_OLDER);
		assert_int_equal(row_at(w, BASE + 4 * DAY + 10 + 10 * i, 1, 1), STORE_DONE);
	}
	assert_int_equal(count_files(w, "*"), 1);
}

static void clock_before_the_build_is_wrong_and_the_file_kept(void **state)
{
	const int64_t early = (int64_t)CONNWATCH_BUILD_DATE / 10 * 10 - 10;
	struct world *w = *state;

	w->spec.archives[1] = (struct store_archive){3600, 24 * 365};
	open_and_write(w, BASE, 1);
	open_at(w, early);
	assert_string_equal(w->answer.note, "");
	for (int i = 0; i < 5; i++)
		assert_int_equal(row_at(w, early - 100 + i * 10, 1, 1), STORE_OLDER);
	assert_int_equal(count_files(w, "*"), 1);
}

static void clock_before_the_first_row_is_wrong_and_the_file_kept(void **state)
{
	struct world *w = *state;

	/* The longest archive spans 100 minutes. */
	open_and_write(w, BASE + 2 * DAY, 1);
	open_at(w, BASE);
	assert_string_equal(w->answer.note, "");
	for (int i = 0; i < 5; i++)
		assert_int_equal(row_at(w, BASE + i * 10, 1, 1), STORE_OLDER);
	assert_int_equal(count_files(w, "*"), 1);
}

static void file_that_crashed_librrd_is_moved_aside_unread(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	w->spec.suspect = true;
	open_at(w, BASE);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(count_files(w, "*.bad-*"), 1);
	assert_int_equal(row_at(w, BASE, 1, 1), STORE_DONE);
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_DONE);
	assert_int_equal(count_files(w, "*.bad-*"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(damaged_file_is_moved_aside_and_made_anew),
		TEST(name_that_is_taken_gets_a_number),
		TEST(file_ahead_by_less_than_a_day_is_kept_until_its_time),
		TEST(file_ahead_by_a_day_to_the_second_is_kept),
		TEST(file_far_ahead_is_moved_aside_at_start),
		TEST(file_far_ahead_is_moved_aside_after_three_rows),
		TEST(rows_in_between_begin_the_count_anew),
		TEST(clock_before_the_build_is_wrong_and_the_file_kept),
		TEST(clock_before_the_first_row_is_wrong_and_the_file_kept),
		TEST(file_that_crashed_librrd_is_moved_aside_unread),
	};

	return cmocka_run_group_tests_name("rrdfile, moved aside", tests, NULL, NULL);
}
