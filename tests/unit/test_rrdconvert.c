/* SPDX-License-Identifier: MIT */
/* Files that are not as the configuration wants them any more. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "tests/unit/rrd_world.h"

#define NEW ".conntrack.rrd.new"

/* Waves, so that no two rows are alike; whole numbers. */
static double gauge(int64_t time)
{
	int64_t t = (time - BASE) / 10;

	return (double)(1000 + t % 97 * 13 + t % 7);
}

static double counter(int64_t time)
{
	int64_t t = (time - BASE) / 10;

	return (double)(50 * t + 3 * (t % 11));
}

static void write_waves(struct world *w, int64_t first, int64_t last)
{
	for (int64_t t = first; t <= last; t += w->spec.step)
		if (row_at(w, t, gauge(t), counter(t)) != STORE_DONE)
			fail_msg("row of %ld: %s", (long)(t - BASE), w->answer.cause);
}

static void set_step(struct world *w, int64_t step)
{
	w->spec.step = step;
	w->spec.heartbeat = 3 * step;
	w->spec.n_archives = 2;
	w->spec.archives[0] = (struct store_archive){step, step == 10 ? 360 : 100};
	w->spec.archives[1] =
		step == 10 ? (struct store_archive){60, 100} : (struct store_archive){600, 50};
}

/* Open it as converted to what is said, with nothing lost in time. */
static void convert_to(struct world *w, int64_t last, const char *what)
{
	open_at(w, last + 1);
	assert_string_equal(w->answer.cause, "");
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->answer.priority, LOG_NOTICE);
	assert_int_equal(w->answer.last, last);
	if (!strstr(w->answer.note, what))
		fail_msg("'%s', not '%s'", w->answer.note, what);
	assert_int_equal(
		strncmp(w->answer.note, "conntrack.rrd converted, its history kept: ", 43), 0);
	assert_int_equal(count_files(w, "*") + count_files(w, ".c*"), 1);
	assert_true(w->busy > 0);
}

/* The rows of a file from here to there. */
struct rows {
	size_t n;
	double values[1000];
};

static void take_rows(struct rows *rows, const char *path, const char *cf, unsigned long step,
	const int64_t span[2], size_t column)
{
	rows->n = 0;
	for (int64_t t = span[0]; t <= span[1]; t += (int64_t)step)
		rows->values[rows->n++] = fetch(path, cf, t, step, column);
}

static void assert_rows(const struct rows *is, const struct rows *expected, bool exactly)
{
	size_t known = 0;

	assert_int_equal(is->n, expected->n);
	for (size_t i = 0; i < is->n; i++) {
		known += isnan(is->values[i]) ? 0 : 1;
		if (exactly && !isnan(expected->values[i]) && is->values[i] != expected->values[i])
			fail_msg("row %zu of %zu is %.17g, was %.17g", i, is->n, is->values[i],
				expected->values[i]);
		assert_number(is->values[i], expected->values[i]);
	}
	assert_true(known * 2 > is->n); /* or nothing is compared */
}

/* Two files hold the same in this span. */
static void assert_alike(const char *path, const char *other, const char *cf, unsigned long step,
	const int64_t span[2])
{
	struct rows is, expected;

	for (size_t column = 0; column < 2; column++) {
		take_rows(&is, path, cf, step, span, column);
		take_rows(&expected, other, cf, step, span, column);
		assert_rows(&is, &expected, false);
	}
}

static void missing_columns_are_added_with_the_history_kept(void **state)
{
	const int64_t span[] = {BASE - 590, BASE + 3000};
	struct world *w = *state;
	struct store_row row = {.time = BASE + 3010, .n = 4, .values = {11, 0, 13, 14}};
	struct rows before[2], after;

	open_at(w, BASE);
	write_waves(w, BASE, BASE + 3000);
	for (size_t i = 0; i < 2; i++)
		take_rows(&before[i], w->path, "AVERAGE", 10, span, i);
	w->spec.n_columns = 4;
	w->spec.columns[2] = (struct store_column){"early_drop", METRIC_COUNTER};
	w->spec.columns[3] = (struct store_column){"peak", METRIC_GAUGE};
	convert_to(w, BASE + 3000, "kept: columns added: early_drop, peak");
	for (size_t i = 0; i < 2; i++) {
		take_rows(&after, w->path, "AVERAGE", 10, span, i);
		assert_rows(&after, &before[i], true);
	}
	row.values[1] = counter(BASE + 3000) + 70;
	for (int i = 0; i < 2; i++) {
		rrdfile_update(w->file, &row, &w->answer);
		assert_int_equal(w->answer.code, STORE_DONE);
		row.time += 10;
		row.values[1] += 70;
		row.values[2] += 20;
	}
	for (int64_t t = BASE + 3010; t <= BASE + 3020; t += 10) {
		assert_number(fetch(w->path, "AVERAGE", t, 10, 0), 11);
		assert_number(fetch(w->path, "AVERAGE", t, 10, 1), 7);
		assert_number(fetch(w->path, "AVERAGE", t, 10, 3), 14);
	}
	assert_number(fetch(w->path, "AVERAGE", BASE + 3010, 10, 2), UNKNOWN);
	assert_number(fetch(w->path, "AVERAGE", BASE + 3020, 10, 2), 2);
	assert_true(info_has(w->path, "ds[early_drop].type", "DERIVE"));
	assert_true(info_has(w->path, "ds[early_drop].minimal_heartbeat", "30"));
	assert_true(info_has(w->path, "ds[peak].max", "U"));
}

/*
 * Against a file that had them from the first row on; the conversion falls into rows of all of
 * them.
 */
static void added_archives_are_as_if_they_had_always_been_there(void **state)
{
	const int64_t span[] = {BASE, BASE + 3600};
	struct world *w = *state, *other;
	void *other_state;

	assert_int_equal(set_up(&other_state), 0);
	other = other_state;
	for (int i = 0; i < 2; i++)
		(i ? w : other)->spec.archives[1] = (struct store_archive){i ? 120 : 60, 100};
	other->spec.n_archives = 4;
	other->spec.archives[2] = (struct store_archive){120, 100};
	other->spec.archives[3] = (struct store_archive){600, 20};
	open_at(w, BASE);
	open_at(other, BASE);
	write_waves(w, BASE, BASE + 2950);
	write_waves(other, BASE, BASE + 3600);
	w->spec = other->spec;
	w->spec.directory = w->directory;
	convert_to(w, BASE + 2950, "4 archives added");
	write_waves(w, BASE + 2960, BASE + 3600);
	assert_alike(w->path, other->path, "AVERAGE", 10, span);
	for (int i = 0; i < 2; i++) {
		assert_alike(w->path, other->path, i ? "MAX" : "AVERAGE", 60, span);
		assert_alike(w->path, other->path, i ? "MAX" : "AVERAGE", 120, span);
		assert_alike(w->path, other->path, i ? "MAX" : "AVERAGE", 600, span);
	}
	tear_down(&other_state);
}

/* 1 h of single rows: what is older is there every 60 s only. */
static void longer_archive_takes_from_a_coarser_one_where_only_that_existed(void **state)
{
	const int64_t span[] = {BASE + 1410, BASE + 5000};
	struct world *w = *state;
	struct rows before, after;

	open_at(w, BASE);
	write_waves(w, BASE, BASE + 5000);
	take_rows(&before, w->path, "AVERAGE", 10, span, 0);
	w->spec.archives[0].rows = 700;
	convert_to(w, BASE + 5000, "1 archive lengthened");
	take_rows(&after, w->path, "AVERAGE", 10, span, 0);
	assert_rows(&after, &before, true);
	for (int64_t t = BASE + 60; t <= BASE + 1380; t += 60)
		for (int64_t part = 0; part < 60; part += 10)
			assert_number(fetch(w->path, "AVERAGE", t - part, 10, 0),
				fetch(w->path, "AVERAGE", t, 60, 0));
	assert_number(fetch(w->path, "AVERAGE", BASE - 60, 10, 0), UNKNOWN);
}

static void archives_that_are_shorter_or_not_listed_any_more_are_kept(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 100);
	w->spec.n_archives = 1;
	w->spec.archives[0].rows = 10;
	open_at(w, BASE + 995);
	assert_string_equal(w->answer.note, "");
	w->spec.archives[0] = (struct store_archive){20, 10};
	convert_to(w, BASE + 990, "2 archives added");
	assert_true(info_has(w->path, "rra[0].pdp_per_row", "1"));
	assert_true(info_has(w->path, "rra[0].rows", "360"));
	assert_true(info_has(w->path, "rra[1].pdp_per_row", "2"));
	assert_true(info_has(w->path, "rra[1].rows", "10"));
	assert_true(info_has(w->path, "rra[2].cf", "MAX"));
	assert_true(info_has(w->path, "rra[3].pdp_per_row", "6"));
	assert_true(info_has(w->path, "rra[3].rows", "100"));
	assert_true(info_has(w->path, "rra[4].cf", "MAX"));
	assert_true(info_has(w->path, "rra[5].cf", ""));
}

/* Where fewer rows are made than before, as by the census of the sockets. A shorter one is none that a file is remade for. */
static void longer_heartbeat_is_taken_over_into_older_files(void **state)
{
	const int64_t span[] = {BASE, BASE + 1000};
	struct world *w = *state;
	struct rows before[2], after;

	open_at(w, BASE);
	write_waves(w, BASE, BASE + 1000);
	for (size_t i = 0; i < 2; i++)
		take_rows(&before[i], w->path, "AVERAGE", 10, span, i);
	w->spec.heartbeat = 120;
	convert_to(w, BASE + 1000, "kept: heartbeat lengthened");
	assert_true(info_has(w->path, "ds[entries].minimal_heartbeat", "120"));
	assert_true(info_has(w->path, "ds[drop].minimal_heartbeat", "120"));
	for (size_t i = 0; i < 2; i++) {
		take_rows(&after, w->path, "AVERAGE", 10, span, i);
		assert_rows(&after, &before[i], true);
	}
	assert_int_equal(row_at(w, BASE + 1120, 5, counter(BASE + 1000) + 840), STORE_DONE);
	assert_int_equal(row_at(w, BASE + 1250, 6, counter(BASE + 1000) + 2000), STORE_DONE);
	for (int64_t t = BASE + 1010; t <= BASE + 1250; t += 10) {
		assert_number(fetch(w->path, "AVERAGE", t, 10, 0), t <= BASE + 1120 ? 5 : UNKNOWN);
		assert_number(fetch(w->path, "AVERAGE", t, 10, 1), t <= BASE + 1120 ? 7 : UNKNOWN);
	}
	w->spec.heartbeat = 30;
	open_at(w, BASE + 1255);
	assert_string_equal(w->answer.note, "");
	assert_true(info_has(w->path, "ds[entries].minimal_heartbeat", "120"));
}

/*
 * Against a file that had that step from the first row on. 30 s of the last minute are in the file
 * already.
 */
static void coarser_step_goes_on_as_if_it_had_always_been_so(void **state)
{
	const int64_t span[] = {BASE + 60, BASE + 3300}, ten[] = {BASE + 600, BASE + 4800};
	struct world *w = *state, *other;
	void *other_state;

	assert_int_equal(set_up(&other_state), 0);
	other = other_state;
	w->spec.n_archives = 3;
	w->spec.archives[2] = (struct store_archive){600, 50};
	open_at(w, BASE);
	write_waves(w, BASE, BASE + 3330);
	set_step(other, 60);
	open_at(other, BASE);
	other->spec.step = 10; /* of the rows only */
	write_waves(other, BASE, BASE + 3330);
	set_step(w, 60);
	convert_to(w, BASE + 3330, "kept: a row every 60 s instead of every 10 s");
	assert_true(info_has(w->path, "ds[entries].minimal_heartbeat", "180"));
	assert_alike(w->path, other->path, "AVERAGE", 60, span);
	other->spec.step = 60;
	write_waves(w, BASE + 3360, BASE + 4800);
	write_waves(other, BASE + 3360, BASE + 4800);
	assert_alike(w->path, other->path, "AVERAGE", 60, (int64_t[]){BASE + 60, BASE + 4800});
	assert_alike(w->path, other->path, "AVERAGE", 600, ten);
	tear_down(&other_state);
}

static void maxima_stay_those_of_the_finer_step(void **state)
{
	struct world *w = *state;

	open_at(w, BASE);
	write_waves(w, BASE, BASE + 1230);
	set_step(w, 60);
	convert_to(w, BASE + 1230, "every 60 s");
	for (int64_t end = BASE + 600; end <= BASE + 1200; end += 600) {
		double max = 0;

		for (int64_t t = end - 590; t <= end; t += 10)
			max = fmax(max, gauge(t));
		assert_number(fetch(w->path, "MAX", end, 600, 0), max);
	}
}

static void finer_step_repeats_what_was_there(void **state)
{
	struct world *w = *state;

	set_step(w, 60);
	open_at(w, BASE);
	write_waves(w, BASE, BASE + 3000);
	set_step(w, 10);
	convert_to(w, BASE + 3000, "kept: a row every 10 s instead of every 60 s");
	assert_true(info_has(w->path, "ds[drop].minimal_heartbeat", "30"));
	for (int64_t t = BASE + 60; t <= BASE + 3000; t += 10) {
		int64_t minute = BASE + (t - BASE + 59) / 60 * 60;

		assert_number(fetch(w->path, "AVERAGE", t, 10, 0), gauge(minute));
		assert_number(fetch(w->path, "AVERAGE", t, 10, 1),
			(counter(minute) - counter(minute - 60)) / 60);
	}
	assert_int_equal(row_at(w, BASE + 3010, 5, counter(BASE + 3000) + 40), STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 3010, 10, 0), 5);
	assert_number(fetch(w->path, "AVERAGE", BASE + 3010, 10, 1), 4);
}

/* To a minute and back, off the full minute. */
static void step_there_and_back_keeps_minutes_and_their_maxima(void **state)
{
	const int64_t span[] = {BASE + 60, BASE + 3000};
	struct world *w = *state;
	struct rows before[4], after;

	open_at(w, BASE);
	write_waves(w, BASE, BASE + 3030);
	for (size_t i = 0; i < 4; i++)
		take_rows(&before[i], w->path, i & 1 ? "MAX" : "AVERAGE", 60, span, i / 2);
	set_step(w, 60);
	convert_to(w, BASE + 3030, "every 60 s instead of every 10 s");
	set_step(w, 10);
	convert_to(w, BASE + 3030, "every 10 s instead of every 60 s");
	for (size_t i = 0; i < 4; i++) {
		take_rows(&after, w->path, i & 1 ? "MAX" : "AVERAGE", 60, span, i / 2);
		assert_rows(&after, &before[i], true);
	}
	/* The unfinished minute: its 30 s are one average. */
	for (int64_t t = BASE + 3010; t <= BASE + 3030; t += 10)
		assert_number(fetch(w->path, "AVERAGE", t, 10, 0),
			(gauge(BASE + 3010) + gauge(BASE + 3020) + gauge(BASE + 3030)) / 3);
	write_waves(w, BASE + 3040, BASE + 3120);
	assert_number(fetch(w->path, "AVERAGE", BASE + 3060, 60, 1),
		(counter(BASE + 3060) - counter(BASE + 3000)) / 60);
	assert_number(fetch(w->path, "AVERAGE", BASE + 3120, 10, 0), gauge(BASE + 3120));
}

static void step_that_fits_no_archive_keeps_their_spans(void **state)
{
	struct world *w = *state;

	w->spec.archives[1] = (struct store_archive){90, 1000};
	open_at(w, BASE);
	write_waves(w, BASE, BASE + 3600);
	set_step(w, 60);
	convert_to(w, BASE + 3600, "every 60 s");
	assert_true(info_has(w->path, "rra[1].pdp_per_row", "2"));
	assert_true(info_has(w->path, "rra[1].rows", "750"));
	assert_number(fetch(w->path, "AVERAGE", BASE + 120, 120, 0),
		fetch(w->path, "AVERAGE", BASE + 120, 60, 0) / 2 +
			fetch(w->path, "AVERAGE", BASE + 60, 60, 0) / 2);
}

static void gaps_stay_gaps(void **state)
{
	struct world *w = *state;

	w->spec.n_archives = 3;
	w->spec.archives[2] = (struct store_archive){600, 20};
	open_at(w, BASE);
	write_waves(w, BASE, BASE + 1200);
	write_waves(w, BASE + 1320, BASE + 1810); /* 2 minutes of 10 are missing */
	w->spec.archives[0].rows = 400;
	w->spec.archives[1].rows = 101;
	convert_to(w, BASE + 1810, "3 archives lengthened");
	for (int64_t t = BASE + 1210; t <= BASE + 1320; t += 10)
		assert_number(fetch(w->path, "AVERAGE", t, 10, 0), UNKNOWN);
	assert_number(fetch(w->path, "AVERAGE", BASE + 1330, 10, 0), gauge(BASE + 1330));
	assert_number(fetch(w->path, "AVERAGE", BASE + 1260, 60, 0), UNKNOWN);
	assert_true(fetch(w->path, "AVERAGE", BASE + 1800, 600, 0) > 0);
}

/* After a downgrade. */
static void columns_nobody_knows_stay_and_get_unknown(void **state)
{
	struct world *w = *state;
	struct store_row row = {.time = BASE + 20, .n = 1, .values = {7}};

	open_and_write(w, BASE, 2);
	w->spec.n_columns = 1;
	open_at(w, BASE + 15);
	assert_string_equal(w->answer.note, "");
	rrdfile_update(w->file, &row, &w->answer);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), 7);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 1), 5);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 1), UNKNOWN);
	w->spec.n_archives = 3;
	w->spec.archives[2] = (struct store_archive){120, 10};
	convert_to(w, BASE + 20, "2 archives added");
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 1), 5);
}

static void column_of_another_type_is_named_and_not_written(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	w->spec.columns[1].kind = METRIC_GAUGE;
	open_at(w, BASE + 5);
	assert_non_null(
		strstr(w->answer.note, "no such columns, their values are not stored: drop"));
	assert_int_equal(row_at(w, BASE + 10, 11, 100), STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 10, 10, 0), 11);
}

static void file_ahead_of_the_clock_is_converted_as_it_is(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 100);
	set_step(w, 60);
	open_at(w, BASE - 7000);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->answer.last, BASE + 990);
	assert_int_equal(row_at(w, BASE + 960, 1, 1), STORE_OLDER);
	assert_int_equal(row_at(w, BASE + 1020, 1, 9000), STORE_DONE);
}

static void mode_and_a_link_to_the_file_stay(void **state)
{
	struct world *w = *state;
	char elsewhere[128];
	struct stat st;

	open_and_write(w, BASE, 2);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", w->root);
	assert_int_equal(rename(w->path, elsewhere), 0);
	assert_int_equal(chmod(elsewhere, 0640), 0);
	assert_int_equal(symlink(elsewhere, w->path), 0);
	w->spec.archives[0].rows = 400;
	convert_to(w, BASE + 10, "1 archive lengthened");
	assert_int_equal(lstat(w->path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(elsewhere, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_true(info_has(elsewhere, "rra[0].rows", "400"));
}

static void file_that_cannot_be_converted_is_used_and_tried_again_after_an_hour(void **state)
{
	struct world *w = *state;

	w->spec.archives[0].rows = 400;
	open_and_write(w, BASE, 2);
	chmod(w->root, 0755);
	assert_int_equal(chmod(w->path, 0666), 0);
	w->spec.n_archives = 1;
	w->spec.archives[0] = (struct store_archive){20, 400};
	lose_rights(w->directory, 0555);
	open_at(w, BASE + 15);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->answer.priority, LOG_WARNING);
	assert_non_null(strstr(w->answer.note, "conntrack.rrd stays as it is"));
	assert_non_null(strstr(w->answer.note, "(2 archives added)"));
	assert_non_null(strstr(w->answer.note, "give it to the daemon's user"));
	assert_int_equal(row_at(w, BASE + 20, 7, 100), STORE_DONE);
	regain_rights(w->directory, 0755);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), 7);
	assert_int_equal(row_at(w, BASE + 3610, 8, 100), STORE_DONE);
	assert_string_equal(w->answer.note, "");
	assert_int_equal(row_at(w, BASE + 3620, 9, 110), STORE_DONE);
	assert_non_null(strstr(w->answer.note, "converted"));
	assert_number(fetch(w->path, "AVERAGE", BASE + 3620, 10, 0), 9);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 20, 0), (1001 + 7) / 2.0);
}

static void archives_of_predictions_are_left_alone(void **state)
{
	struct world *w = *state;
	int fd;

	open_and_write(w, BASE, 2);
	fd = open(w->path, O_RDWR | O_CLOEXEC);
	/* The function of the third archive in librrd's format. */
	assert_int_equal(pwrite(fd, "HWPREDICT", 10, 128 + 120 * (2 + 2)), 10);
	close(fd);
	open_at(w, BASE + 15);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->answer.priority, LOG_WARNING);
	assert_non_null(strstr(w->answer.note, "archives of predictions"));
	set_step(w, 60);
	open_at(w, BASE + 15);
	assert_int_equal(w->answer.code, STORE_FAILED);
	assert_non_null(strstr(w->answer.cause, "holds a row every 10 s"));
	assert_int_equal(rrd_last_r(w->path), BASE + 10);
}

static void vanish(void *arg)
{
	unsigned *lives = arg;

	if (!(*lives)--)
		_exit(0);
}

/* At its first sign of life, and after some of the rows. */
static void death_while_converting_leaves_the_old_file_and_nothing_for_long(void **state)
{
	struct world *w = *state;
	uint8_t packet[STORE_PACKET_SIZE];
	struct stat before, after;
	ssize_t len;

	open_and_write(w, BASE, 100);
	assert_int_equal(stat(w->path, &before), 0);
	w->spec.archives[0].rows = 200000;
	len = store_put_open(packet, 0, &w->spec);
	for (unsigned lives = 0; lives < 3; lives++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			rrdfile_free(w->file);
			rrdfile_new(packet, (size_t)len, &w->file);
			rrdfile_on_busy(w->file, vanish, &lives);
			rrdfile_open(w->file, BASE + 995, &w->answer);
			_exit(1);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		assert_int_equal(count_files(w, NEW), 1);
		assert_int_equal(stat(w->path, &after), 0);
		assert_int_equal(after.st_ino, before.st_ino);
		assert_number(fetch(w->path, "AVERAGE", BASE + 990, 10, 0), 1099);
	}
	convert_to(w, BASE + 990, "1 archive lengthened");
	assert_number(fetch(w->path, "AVERAGE", BASE + 990, 10, 0), 1099);
}

static void what_a_death_left_over_is_removed_when_nothing_is_to_be_done(void **state)
{
	struct world *w = *state;
	char path[128];

	open_and_write(w, BASE, 1);
	snprintf(path, sizeof(path), "%s/" NEW, w->directory);
	copy_file(w->path, path);
	open_at(w, BASE + 5);
	assert_string_equal(w->answer.note, "");
	assert_int_equal(count_files(w, NEW), 0);
}

static void fill_disk(const struct world *w, char path[static 128])
{
	static const char zeros[4096];
	int fd;

	snprintf(path, 128, "%s/filler", w->directory);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	close(fd);
}

static void full_disk_leaves_the_file_as_it_is(void **state)
{
	struct world *w = *state;
	char path[128], copy[128];

	open_at(w, BASE);
	if (mount("tmpfs", w->directory, "tmpfs", 0, "size=256k,mode=755") < 0)
		skip();
	open_and_write(w, BASE, 100);
	snprintf(copy, sizeof(copy), "%s/copy", w->root);
	copy_file(w->path, copy);
	fill_disk(w, path);
	w->spec.archives[0].rows = 400;
	open_at(w, BASE + 995);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_non_null(strstr(w->answer.note, "stays as it is"));
	assert_non_null(strstr(w->answer.note, "make room"));
	assert_int_equal(count_files(w, NEW), 0);
	assert_int_equal(row_at(w, BASE + 1000, 5, 6000), STORE_DONE);
	assert_alike(w->path, copy, "AVERAGE", 10, (int64_t[]){BASE, BASE + 990});
	set_step(w, 60);
	open_at(w, BASE + 1005);
	assert_int_equal(w->answer.code, STORE_FAILED);
	assert_non_null(strstr(w->answer.cause, "make room"));
	assert_int_equal(row_at(w, BASE + 1020, 5, 6000), STORE_FAILED);
	assert_int_equal(rrd_last_r(w->path), BASE + 1000);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(row_at(w, BASE + 1080, 5, 6000), STORE_DONE);
	assert_non_null(strstr(w->answer.note, "every 60 s instead of every 10 s"));
	assert_int_equal(umount2(w->directory, MNT_DETACH), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(missing_columns_are_added_with_the_history_kept),
		TEST(added_archives_are_as_if_they_had_always_been_there),
		TEST(longer_archive_takes_from_a_coarser_one_where_only_that_existed),
		TEST(archives_that_are_shorter_or_not_listed_any_more_are_kept),
		TEST(longer_heartbeat_is_taken_over_into_older_files),
		TEST(coarser_step_goes_on_as_if_it_had_always_been_so),
		TEST(maxima_stay_those_of_the_finer_step),
		TEST(finer_step_repeats_what_was_there),
		TEST(step_there_and_back_keeps_minutes_and_their_maxima),
		TEST(step_that_fits_no_archive_keeps_their_spans),
		TEST(gaps_stay_gaps),
		TEST(columns_nobody_knows_stay_and_get_unknown),
		TEST(column_of_another_type_is_named_and_not_written),
		TEST(file_ahead_of_the_clock_is_converted_as_it_is),
		TEST(mode_and_a_link_to_the_file_stay),
		TEST(file_that_cannot_be_converted_is_used_and_tried_again_after_an_hour),
		TEST(archives_of_predictions_are_left_alone),
		TEST(death_while_converting_leaves_the_old_file_and_nothing_for_long),
		TEST(what_a_death_left_over_is_removed_when_nothing_is_to_be_done),
		TEST(full_disk_leaves_the_file_as_it_is),
	};

	return cmocka_run_group_tests_name("rrdconvert", tests, NULL, NULL);
}
