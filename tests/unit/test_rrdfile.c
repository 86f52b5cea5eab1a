/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <rrd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "tests/unit/rrd_world.h"

static void file_is_made_with_its_first_row_which_counts(void **state)
{
	struct world *w = *state;

	open_at(w, BASE - 5);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(access(w->directory, W_OK), 0);
	assert_int_equal(access(w->path, F_OK), -1);
	assert_int_equal(row_at(w, BASE, 214958, 7), STORE_DONE);
	assert_int_equal(w->answer.last, BASE);
	assert_number(fetch(w->path, "AVERAGE", BASE, 10, 0), 214958);
	assert_number(fetch(w->path, "AVERAGE", BASE - 10, 10, 0), UNKNOWN);
}

static void columns_and_archives_are_as_configured(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	assert_true(info_has(w->path, "step", "10"));
	assert_true(info_has(w->path, "ds[entries].index", "0"));
	assert_true(info_has(w->path, "ds[entries].type", "GAUGE"));
	assert_true(info_has(w->path, "ds[entries].min", "0"));
	assert_true(info_has(w->path, "ds[entries].max", "U"));
	assert_true(info_has(w->path, "ds[entries].minimal_heartbeat", "30"));
	assert_true(info_has(w->path, "ds[drop].index", "1"));
	assert_true(info_has(w->path, "ds[drop].type", "DERIVE"));
	assert_true(info_has(w->path, "ds[drop].min", "0"));
	assert_true(info_has(w->path, "rra[0].cf", "AVERAGE"));
	assert_true(info_has(w->path, "rra[0].rows", "360"));
	assert_true(info_has(w->path, "rra[0].pdp_per_row", "1"));
	assert_true(info_has(w->path, "rra[0].xff", "0.5"));
	assert_true(info_has(w->path, "rra[1].cf", "AVERAGE"));
	assert_true(info_has(w->path, "rra[1].pdp_per_row", "6"));
	assert_true(info_has(w->path, "rra[1].rows", "100"));
	assert_true(info_has(w->path, "rra[2].cf", "MAX"));
	assert_true(info_has(w->path, "rra[2].pdp_per_row", "6"));
	assert_true(info_has(w->path, "rra[3].cf", ""));
}

static void whole_numbers_stay_whole(void **state)
{
	struct world *w = *state;
	const double two53 = 9007199254740992.0;

	open_at(w, BASE);
	assert_int_equal(row_at(w, BASE, 4294967297.0, two53), STORE_DONE);
	assert_int_equal(row_at(w, BASE + 10, 262144, two53 + 70), STORE_DONE);
	assert_int_equal(row_at(w, BASE + 20, 0.25, two53 + 140), STORE_DONE);
	assert_true(fetch(w->path, "AVERAGE", BASE, 10, 0) == 4294967297.0);
	assert_true(fetch(w->path, "AVERAGE", BASE + 10, 10, 0) == 262144);
	assert_true(fetch(w->path, "AVERAGE", BASE + 20, 10, 0) == 0.25);
	assert_true(fetch(w->path, "AVERAGE", BASE + 10, 10, 1) == 7);
}

static void unknown_is_stored_as_unknown(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	assert_int_equal(row_at(w, BASE + 10, UNKNOWN, 10), STORE_DONE);
	assert_int_equal(row_at(w, BASE + 20, (double)INFINITY, UNKNOWN), STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 0), UNKNOWN);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 1), 1);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), UNKNOWN);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 1), UNKNOWN);
}

/* Case 19. */
static void counter_that_falls_is_one_unknown(void **state)
{
	struct world *w = *state;

	open_at(w, BASE);
	row_at(w, BASE, 1, 1000000);
	row_at(w, BASE + 10, 1, 1000100);
	row_at(w, BASE + 20, 1, 30);
	row_at(w, BASE + 30, 1, 80);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 1), 10);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 1), UNKNOWN);
	assert_number(fetch(w->path, "AVERAGE", BASE + 30, 10, 1), 5);
}

/* Case 27: the step is 60, and a round comes 61 to 100 s after the one before. */
static void late_row_leaves_no_gap(void **state)
{
	static const int late[] = {0, 60, 121, 180, 279, 300};
	struct world *w = *state;

	w->spec.step = 60;
	w->spec.heartbeat = 180;
	w->spec.n_archives = 1;
	w->spec.archives[0] = (struct store_archive){60, 100};
	open_at(w, BASE);
	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++)
		assert_int_equal(row_at(w, BASE + late[i], 5, 100 * late[i]), STORE_DONE);
	for (int t = 0; t <= 300; t += 60)
		assert_number(fetch(w->path, "AVERAGE", BASE + t, 60, 0), 5);
	for (int t = 60; t <= 300; t += 60)
		assert_number(fetch(w->path, "AVERAGE", BASE + t, 60, 1), 100);
}

/* Case 31; the directory is left to the umask of the process, which sets its own. */
static void file_is_readable_by_all_under_any_umask(void **state)
{
	struct world *w = *state;
	struct stat st;
	mode_t old = umask(077);

	open_and_write(w, BASE, 1);
	umask(old);
	assert_int_equal(stat(w->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
}

/* Case 37, where the machine has such a locale: neither we nor librrd may take it from the
 * environment. */
static void comma_of_a_locale_does_no_harm(void **state)
{
	struct world *w = *state;
	locale_t there = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);

	if (!there)
		skip();
	freelocale(there);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	open_at(w, BASE);
	row_at(w, BASE, 80.5, 7);
	unsetenv("LC_ALL");
	assert_number(fetch(w->path, "AVERAGE", BASE, 10, 0), 80.5);
}

static void existing_file_is_gone_on_with(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 2);
	open_at(w, BASE + 15);
	assert_int_equal(w->answer.last, BASE + 10);
	assert_string_equal(w->answer.note, "");
	assert_int_equal(row_at(w, BASE + 20, 7, 100), STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 0), 1001);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), 7);
}

static void file_without_permission_is_left_alone(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	chmod(w->root, 0755);
	lose_rights(w->path, 0444);
	open_at(w, BASE + 5);
	assert_int_equal(w->answer.code, STORE_FAILED);
	assert_non_null(strstr(w->answer.cause, "Permission denied"));
	assert_non_null(strstr(w->answer.cause, w->directory));
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_FAILED);
	regain_rights(w->path, 0644);
	assert_int_equal(count_files(w, "*"), 1);
	assert_int_equal(row_at(w, BASE + 20, 1, 1), STORE_DONE);
}

static void directory_without_permission_is_said_with_its_path(void **state)
{
	struct world *w = *state;

	chmod(w->root, 0755);
	lose_rights(w->root, 0555);
	open_at(w, BASE);
	assert_int_equal(w->answer.code, STORE_FAILED);
	assert_non_null(strstr(w->answer.cause, "cannot make directory"));
	assert_non_null(strstr(w->answer.cause, w->directory));
	regain_rights(w->root, 0755);
	open_and_write(w, BASE, 1);
	lose_rights(w->directory, 0555);
	assert_int_equal(unlink(w->path), -1);
	regain_rights(w->directory, 0755);
	assert_int_equal(unlink(w->path), 0);
	lose_rights(w->directory, 0555);
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_FAILED);
	assert_non_null(strstr(w->answer.cause, "cannot write to directory"));
	regain_rights(w->directory, 0755);
	assert_int_equal(row_at(w, BASE + 20, 1, 1), STORE_DONE);
}

static void file_that_was_deleted_is_made_anew(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 2);
	assert_int_equal(unlink(w->path), 0);
	assert_int_equal(row_at(w, BASE + 20, 9, 1), STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), 9);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 0), UNKNOWN);
	assert_int_equal(remove_tree(w->directory), 0);
	assert_int_equal(row_at(w, BASE + 30, 9, 1), STORE_DONE);
	assert_int_equal(access(w->path, F_OK), 0);
}

static void file_that_was_replaced_is_looked_at_again(void **state)
{
	struct world *w = *state;
	char other[128];

	open_and_write(w, BASE, 2);
	snprintf(other, sizeof(other), "%s.copy", w->path);
	copy_file(w->path, other);
	assert_int_equal(row_at(w, BASE + 20, 1, 1), STORE_DONE);
	assert_int_equal(rename(other, w->path), 0);
	assert_int_equal(row_at(w, BASE + 20, 4, 1), STORE_DONE); /* the copy ends at BASE + 10 */
	copy_file(DAMAGED "/zeros.rrd", w->path);
	assert_int_equal(row_at(w, BASE + 30, 4, 1), STORE_DONE);
	assert_int_equal(count_files(w, "*.bad-*"), 1);
}

static void holes_are_filled_on_opening(void **state)
{
	struct world *w = *state;
	struct stat st;
	int fd;

	open_and_write(w, BASE, 1);
	fd = open(w->path, O_RDWR);
	assert_true(fd >= 0);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096) < 0) {
		close(fd);
		skip();
	}
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_blocks * 512 < st.st_size);
	open_at(w, BASE);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_blocks * 512 >= st.st_size);
	close(fd);
}

static void what_is_no_file_is_left_alone_and_not_waited_for(void **state)
{
	struct world *w = *state;

	open_at(w, BASE);
	assert_int_equal(mkfifo(w->path, 0644), 0);
	assert_int_equal(row_at(w, BASE, 1, 1), STORE_FAILED);
	assert_non_null(strstr(w->answer.cause, "not a regular file"));
	assert_int_equal(unlink(w->path), 0);
	assert_int_equal(mkdir(w->path, 0755), 0);
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_FAILED);
	assert_int_equal(rmdir(w->path), 0);
	assert_int_equal(row_at(w, BASE + 20, 1, 1), STORE_DONE);
}

static void row_of_another_width_is_refused(void **state)
{
	struct world *w = *state;
	struct store_row row = {.time = BASE, .n = 3};

	open_at(w, BASE);
	rrdfile_update(w->file, &row, &w->answer);
	assert_int_equal(w->answer.code, STORE_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(file_is_made_with_its_first_row_which_counts),
		TEST(columns_and_archives_are_as_configured),
		TEST(whole_numbers_stay_whole),
		TEST(unknown_is_stored_as_unknown),
		TEST(counter_that_falls_is_one_unknown),
		TEST(late_row_leaves_no_gap),
		TEST(file_is_readable_by_all_under_any_umask),
		TEST(comma_of_a_locale_does_no_harm),
		TEST(existing_file_is_gone_on_with),
		TEST(file_without_permission_is_left_alone),
		TEST(directory_without_permission_is_said_with_its_path),
		TEST(file_that_was_deleted_is_made_anew),
		TEST(file_that_was_replaced_is_looked_at_again),
		TEST(holes_are_filled_on_opening),
		TEST(what_is_no_file_is_left_alone_and_not_waited_for),
		TEST(row_of_another_width_is_refused),
	};

	return cmocka_run_group_tests_name("rrdfile", tests, NULL, NULL);
}
