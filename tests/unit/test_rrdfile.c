/* SPDX-License-Identifier: MIT */
#include "daemon/rrdfile.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <locale.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "tests/unit/test.h"

#define DAY 86400
/* A multiple of every archive's step, later than the build: an earlier clock is taken for a wrong
 * one. */
#define BASE (((int64_t)CONNWATCH_BUILD_DATE / DAY + 30) * DAY)
#define DAMAGED SRCDIR "/tests/fixtures/cases/25-rrd-damaged"

struct world {
	char root[32], directory[64], path[96];
	struct store_open spec;
	struct rrdfile *file;
	struct store_answer answer;
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* The directory of the files does not exist yet. */
static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	strcpy(w->root, "/tmp/rrdfile-XXXXXX");
	if (!mkdtemp(w->root))
		return -1;
	snprintf(w->directory, sizeof(w->directory), "%s/a/rrd", w->root);
	snprintf(w->path, sizeof(w->path), "%s/conntrack.rrd", w->directory);
	w->spec = (struct store_open){.name = "conntrack",
		.directory = w->directory,
		.step = 10,
		.heartbeat = 30,
		.n_columns = 2,
		.n_archives = 2,
		.columns = {{"entries", METRIC_GAUGE}, {"drop", METRIC_COUNTER}},
		.archives = {{10, 360}, {60, 100}}};
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	rrdfile_free(w->file);
	nftw(w->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(w);
	return 0;
}

/* What the store process does with an OPEN. */
static void open_at(struct world *w, int64_t clock)
{
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_open(packet, 0, &w->spec);

	rrdfile_free(w->file);
	w->file = NULL;
	assert_int_equal(rrdfile_new(packet, (size_t)len, &w->file), 0);
	rrdfile_open(w->file, clock, &w->answer);
}

static enum store_code row_at(struct world *w, int64_t time, double gauge, double counter)
{
	struct store_row row = {.time = time, .n = w->spec.n_columns, .values = {gauge, counter}};

	rrdfile_update(w->file, &row, &w->answer);
	return w->answer.code;
}

static void open_and_write(struct world *w, int64_t first, int n)
{
	open_at(w, first);
	assert_string_equal(w->answer.cause, "");
	for (int i = 0; i < n; i++)
		if (row_at(w, first + i * w->spec.step, 1000 + i, 50 * i) != STORE_DONE)
			fail_msg("row %d: %s", i, w->answer.cause);
}

/* The average of a column over the step that ends at time. */
static double fetch(
	const char *path, const char *cf, int64_t time, unsigned long step, size_t column)
{
	time_t start = (time_t)time - (time_t)step, end = (time_t)time - 1;
	unsigned long n;
	char **names;
	double *data, value;

	rrd_clear_error();
	if (rrd_fetch_r(path, cf, &start, &end, &step, &n, &names, &data) != 0)
		fail_msg("%s", rrd_get_error());
	assert_int_equal(start + (time_t)step, time);
	value = data[column];
	for (size_t i = 0; i < n; i++)
		rrd_freemem(names[i]);
	rrd_freemem(names);
	rrd_freemem(data);
	return value;
}

static bool info_has(const char *path, const char *key, const char *value)
{
	rrd_info_t *info = rrd_info_r(path);
	char text[64] = "";

	assert_non_null(info);
	for (rrd_info_t *i = info; i; i = i->next) {
		if (strcmp(i->key, key))
			continue;
		if (i->type == RD_I_STR)
			snprintf(text, sizeof(text), "%s", i->value.u_str);
		else if (i->type == RD_I_CNT)
			snprintf(text, sizeof(text), "%lu", i->value.u_cnt);
		else if (i->type == RD_I_VAL && isnan(i->value.u_val))
			strcpy(text, "U");
		else if (i->type == RD_I_VAL)
			snprintf(text, sizeof(text), "%g", i->value.u_val);
	}
	rrd_info_free(info);
	return !strcmp(text, value);
}

static size_t count_files(const struct world *w, const char *pattern)
{
	char path[128];
	glob_t found;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", w->directory, pattern);
	n = glob(path, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
	globfree(&found);
	return n;
}

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

static void copy_file(const char *from, const char *to)
{
	char buf[8192];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		assert_int_equal(write(out, buf, (size_t)n), n);
	close(in);
	close(out);
}

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

/* Be somebody who may not write what root owns; an ordinary user takes the permission away from
 * itself. */
static void lose_rights(const char *path, mode_t mode)
{
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	else
		assert_int_equal(chmod(path, mode), 0);
}

static void regain_rights(const char *path, mode_t mode)
{
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	else
		assert_int_equal(chmod(path, mode), 0);
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

static void file_that_was_deleted_is_made_anew(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 2);
	assert_int_equal(unlink(w->path), 0);
	assert_int_equal(row_at(w, BASE + 20, 9, 1), STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), 9);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 0), UNKNOWN);
	assert_int_equal(nftw(w->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
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

static void file_with_another_step_is_refused_and_untouched(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	w->spec.step = 20;
	w->spec.heartbeat = 60;
	w->spec.archives[0] = (struct store_archive){20, 100};
	open_at(w, BASE + 20);
	assert_int_equal(w->answer.code, STORE_FAILED);
	assert_non_null(strstr(w->answer.cause, "set interval = 10"));
	assert_int_equal(row_at(w, BASE + 40, 1, 1), STORE_FAILED);
	assert_int_equal(rrd_last_r(w->path), BASE);
	assert_int_equal(count_files(w, "*"), 1);
}

static void columns_the_file_lacks_are_named_and_the_others_written(void **state)
{
	struct world *w = *state;
	struct store_row row = {.time = BASE + 10, .n = 4, .values = {11, 100, 13, 14}};

	open_and_write(w, BASE, 1);
	w->spec.n_columns = 4;
	w->spec.columns[2] = (struct store_column){"early_drop", METRIC_COUNTER};
	w->spec.columns[3] = (struct store_column){"peak", METRIC_GAUGE};
	open_at(w, BASE + 5);
	assert_non_null(strstr(w->answer.note, "early_drop, peak"));
	rrdfile_update(w->file, &row, &w->answer);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 0), 11);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 1), 10);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

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
		TEST(damaged_file_is_moved_aside_and_made_anew),
		TEST(name_that_is_taken_gets_a_number),
		TEST(file_without_permission_is_left_alone),
		TEST(directory_without_permission_is_said_with_its_path),
		TEST(file_ahead_by_less_than_a_day_is_kept_until_its_time),
		TEST(file_ahead_by_a_day_to_the_second_is_kept),
		TEST(file_far_ahead_is_moved_aside_at_start),
		TEST(file_far_ahead_is_moved_aside_after_three_rows),
		TEST(rows_in_between_begin_the_count_anew),
		TEST(clock_before_the_build_is_wrong_and_the_file_kept),
		TEST(clock_before_the_first_row_is_wrong_and_the_file_kept),
		TEST(file_that_was_deleted_is_made_anew),
		TEST(file_that_was_replaced_is_looked_at_again),
		TEST(holes_are_filled_on_opening),
		TEST(file_with_another_step_is_refused_and_untouched),
		TEST(columns_the_file_lacks_are_named_and_the_others_written),
		TEST(file_that_crashed_librrd_is_moved_aside_unread),
		TEST(what_is_no_file_is_left_alone_and_not_waited_for),
		TEST(row_of_another_width_is_refused),
	};

	return cmocka_run_group_tests_name("rrdfile", tests, NULL, NULL);
}
