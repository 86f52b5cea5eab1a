/* SPDX-License-Identifier: MIT */
/* The loop's side with the real store process, which stands in the folder of this program. */
#include "daemon/store.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "daemon/store_child.h"
#include "daemon/store_internal.h"
#include "daemon/store_proto.h"
#include "daemon/util.h"
#include "tests/unit/ear.h"
#include "tests/unit/test.h"

#define START 1800000000 /* a multiple of 10 in the year 2027 */
#define INTERVAL 10
#define PATIENCE_MS 30000 /* for what takes milliseconds on an idle machine */

static const struct metric metrics[] = {
	{.name = "entries", .kind = METRIC_GAUGE}, {.name = "drop", .kind = METRIC_COUNTER}};
static const struct collector fake = {.name = "fake", .metrics = metrics, .n_metrics = 2};
static const struct archive archives[] = {{10, 1000}, {60, 100}};
static const struct conf_instance two[] = {{.collector = &fake, .name = "conntrack", .title = ""},
	{.collector = &fake, .name = "tcp", .title = ""}};
static const struct conf_instance changed[] = {
	{.collector = &fake, .name = "sockets-http", .title = "http"},
	{.collector = &fake, .name = "tcp", .title = ""}};

struct world {
	char root[32], directory[64];
	struct ear ear;
	sd_event *event;
	struct conf conf;
	struct store *store;
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	strcpy(w->root, "/tmp/store-XXXXXX");
	if (!mkdtemp(w->root) || sd_event_new(&w->event) < 0)
		return -1;
	snprintf(w->directory, sizeof(w->directory), "%s/rrd", w->root);
	ear_open(&w->ear);
	w->conf = (struct conf){.interval = INTERVAL,
		.rrd_directory = w->directory,
		.rrd_daemon = "",
		.rrd_queue = 3600,
		.archives = archives,
		.n_archives = 2,
		.instances = two,
		.n_instances = 2};
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	store_free(w->store);
	sd_event_unref(w->event);
	ear_close(&w->ear);
	umount2(w->directory, MNT_DETACH);
	nftw(w->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(w);
	return 0;
}

static int said(const struct world *w, const char *text)
{
	return ear_count(&w->ear, text);
}

static int lines(const struct world *w)
{
	return said(w, "\n");
}

static struct store_counts counts(const struct world *w)
{
	struct store_counts c;

	store_get_counts(w->store, &c);
	return c;
}

typedef bool condition(const struct world *w);

static bool is_idle(const struct world *w)
{
	return w->store->pid && !w->store->n_flight && counts(w).waiting == 0;
}

static bool is_dead(const struct world *w)
{
	return !w->store->pid;
}

static bool was_replaced(const struct world *w)
{
	return counts(w).restarts > 0 && is_idle(w);
}

static void wait_for(struct world *w, condition *is_met)
{
	const double end = store_clock() + PATIENCE_MS / 1000.0;

	while (!is_met(w)) {
		if (store_clock() > end) {
			char log[EAR_SIZE];

			ear_read(&w->ear, log);
			fail_msg("nothing happens; log: %s", log);
		}
		assert_true(sd_event_run(w->event, 10000) >= 0);
	}
}

/* Time passes only between processes: how quick one of them is is not looked at. */
static void restart_until_idle(struct world *w, double *now)
{
	while (!is_idle(w)) {
		assert_true(sd_event_run(w->event, 10000) >= 0);
		if (is_dead(w))
			store_check(w->store, *now += INTERVAL / 10.0);
	}
}

static void start(struct world *w)
{
	assert_int_equal(store_new(w->event, &w->conf, &w->store), 0);
	wait_for(w, is_idle);
}

/* Row number i of every instance. */
static void append_at(struct world *w, int64_t time)
{
	const double values[] = {fabs((double)(time - START)), 7};

	for (size_t i = 0; i < w->conf.n_instances; i++)
		store_append(w->store, i, (time_t)time, values, i == w->conf.n_instances - 1);
}

static void append(struct world *w, int i)
{
	append_at(w, START + i * INTERVAL);
}

/* Time of the newest row, 0 where there is no such file. librrd's live head begins after the
 * definitions. */
static int64_t newest(const struct world *w, const char *name)
{
	char path[128];
	uint64_t head[16], columns, archives_in_file;
	int64_t last = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.rrd", w->directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	assert_int_equal(pread(fd, head, sizeof(head), 0), sizeof(head));
	columns = head[3];
	archives_in_file = head[4];
	assert_int_equal(
		pread(fd, &last, sizeof(last), (off_t)(128 + 120 * (columns + archives_in_file))),
		sizeof(last));
	close(fd);
	return last;
}

static void assert_newest(const struct world *w, int i)
{
	assert_int_equal(newest(w, "conntrack"), START + i * INTERVAL);
	assert_int_equal(newest(w, "tcp"), START + i * INTERVAL);
}

static void stop_child(struct world *w)
{
	siginfo_t si;

	kill(w->store->pid, SIGSTOP);
	assert_int_equal(waitid(P_PID, (id_t)w->store->pid, &si, WSTOPPED | WNOWAIT), 0);
}

static void rows_arrive_in_their_files(void **state)
{
	struct world *w = *state;

	start(w);
	for (int i = 0; i < 20; i++)
		append(w, i);
	wait_for(w, is_idle);
	assert_newest(w, 19);
	assert_int_equal(counts(w).written, 40);
	assert_int_equal(counts(w).dropped, 0);
	assert_int_equal(counts(w).restarts, 0);
	assert_int_equal(lines(w), 0);
}

/* Case 31. */
static const struct rule forecast[] = {{.name = "full",
	.value = "conntrack.entries",
	.limit = "conntrack.drop",
	.forecast_warning = 60,
	.enabled = true}};

/* What was heard of the past. */
static struct {
	size_t known;
	double time, value; /* of the newest that is known */
} heard;

static void hear(void *arg, size_t instance, size_t metric, double time, double value)
{
	(void)arg;
	assert_int_equal(instance, 0);
	assert_int_equal(metric, 0);
	assert_true(time > heard.time);
	if (isnan(value))
		return;
	heard.known++;
	heard.time = time;
	heard.value = value;
}

static bool has_heard(const struct world *w)
{
	(void)w;
	return heard.known == 31;
}

static void past_is_told_to_forecasts_oldest_first(void **state)
{
	struct world *w = *state;
	int64_t first =
		time(NULL) / 60 * 60 - 600; /* a file of the far future would be moved aside */

	start(w);
	for (int i = 0; i <= 30; i++)
		append_at(w, first + i * INTERVAL);
	wait_for(w, is_idle);
	store_finish(w->store, PATIENCE_MS);
	store_free(w->store);
	w->conf.rules = forecast;
	w->conf.n_rules = 1;
	assert_int_equal(store_new(w->event, &w->conf, &w->store), 0);
	store_on_past(w->store, hear, NULL);
	wait_for(w, has_heard);
	assert_int_equal(heard.time, first + 300);
	assert_int_equal(heard.value, START - (first + 300));
}

static void files_and_folder_are_readable_by_all_under_any_umask(void **state)
{
	struct world *w = *state;
	mode_t old = umask(077);
	char path[128];
	struct stat st;

	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	umask(old);
	assert_int_equal(stat(w->directory, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	snprintf(path, sizeof(path), "%s/tcp.rrd", w->directory);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
}

static void process_has_its_name_and_no_signal_ends_it(void **state)
{
	struct world *w = *state;
	char path[64], text[64] = "";
	int fd;

	start(w);
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)w->store->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_string_equal(text, "connwatchd: store");
	kill(w->store->pid, SIGTERM);
	kill(w->store->pid, SIGINT);
	kill(w->store->pid, SIGHUP);
	append(w, 0);
	wait_for(w, is_idle);
	assert_newest(w, 0);
	assert_int_equal(counts(w).restarts, 0);
}

static void killed_process_is_replaced_at_once_and_said_once(void **state)
{
	struct world *w = *state;
	double now;

	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	kill(w->store->pid, SIGKILL);
	wait_for(w, was_replaced);
	append(w, 1);
	wait_for(w, is_idle);
	assert_newest(w, 1);
	assert_int_equal(
		said(w, "<3>connwatchd: store: ended by signal 9 (Killed); starting it anew"), 1);
	now = store_clock();
	store_check(w->store, now + 3 * INTERVAL - 1);
	assert_int_equal(lines(w), 1);
	store_check(w->store, now + 3 * INTERVAL + 1);
	assert_int_equal(
		said(w, "<5>connwatchd: store: works again after 1 restart, 0 rows were lost"), 1);
	store_check(w->store, now + 9 * INTERVAL);
	assert_int_equal(lines(w), 2);
}

static void second_death_is_followed_by_a_pause(void **state)
{
	struct world *w = *state;

	start(w);
	kill(w->store->pid, SIGKILL);
	wait_for(w, was_replaced);
	kill(w->store->pid, SIGKILL);
	wait_for(w, is_dead);
	append(w, 0);
	store_check(w->store, store_clock());
	assert_true(is_dead(w));
	assert_int_equal(counts(w).waiting, 2);
	store_check(w->store, store_clock() + INTERVAL);
	wait_for(w, is_idle);
	assert_newest(w, 0);
	assert_int_equal(counts(w).restarts, 2);
	assert_int_equal(lines(w), 1);
}

static void stopped_process_is_replaced_after_three_intervals(void **state)
{
	struct world *w = *state;
	double now;

	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	stop_child(w);
	append(w, 1);
	now = store_clock();
	append(w, 2);
	store_check(w->store, now + 3 * INTERVAL - 1);
	assert_int_equal(lines(w), 0);
	assert_int_equal(counts(w).waiting, 4);
	store_check(w->store, now + 3 * INTERVAL + 1);
	store_check(w->store, now + 3 * INTERVAL + 2);
	wait_for(w, was_replaced);
	assert_newest(w, 2);
	assert_int_equal(counts(w).written, 6);
	assert_int_equal(counts(w).dropped, 0);
	assert_int_equal(said(w, " s while writing conntrack.rrd; its process is replaced"), 1);
	assert_int_equal(lines(w), 1);
}

static void idle_stopped_process_is_no_concern(void **state)
{
	struct world *w = *state;

	start(w);
	stop_child(w);
	store_check(w->store, store_clock() + 100 * INTERVAL);
	assert_int_equal(lines(w), 0);
	kill(w->store->pid, SIGCONT);
}

static void row_that_gets_no_answer_twice_is_dropped(void **state)
{
	struct world *w = *state;

	start(w);
	stop_child(w);
	append(w, 0);
	store_check(w->store, store_clock() + 4 * INTERVAL);
	while (!counts(w).restarts)
		assert_true(sd_event_run(w->event, 10000) >= 0);
	/* OPEN and the rows are sent, none is answered yet, or all are: stop it at the first row
	 * once more. */
	wait_for(w, is_idle);
	assert_int_equal(counts(w).written, 2);
	w->store->spared = w->store->ring.head + 1;
	stop_child(w);
	append(w, 1);
	store_check(w->store, store_clock() + 4 * INTERVAL);
	wait_for(w, is_dead);
	store_check(w->store, store_clock() + 2 * INTERVAL);
	wait_for(w, is_idle);
	assert_int_equal(counts(w).dropped, 1);
	assert_int_equal(newest(w, "conntrack"), START);
	assert_int_equal(newest(w, "tcp"), START + INTERVAL);
}

static void full_queue_drops_its_oldest_rows_and_counts_them(void **state)
{
	struct world *w = *state;
	const int rounds = 360 + 100;

	start(w);
	stop_child(w);
	for (int i = 0; i < rounds; i++)
		append(w, i);
	assert_int_equal(counts(w).waiting, 720);
	assert_int_equal(counts(w).dropped, 200);
	assert_int_equal(said(w, "<4>connwatchd: store: queue is full"), 1);
	kill(w->store->pid, SIGCONT);
	wait_for(w, is_idle);
	/* 64 rows were with the process already when the queue gave them up. */
	assert_int_equal(counts(w).dropped, 200 - 64);
	assert_int_equal(counts(w).written, 2 * rounds - 200 + 64);
	assert_newest(w, rounds - 1);
	assert_int_equal(said(w, "<5>connwatchd: store: queue is empty again: 136 rows were "
				 "dropped from it"),
		1);
	assert_int_equal(lines(w), 2);
}

/* An archive of 0 steps a row, which librrd divides by. */
static void poison(const struct world *w, const char *name)
{
	const uint64_t zero = 0;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.rrd", w->directory, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &zero, sizeof(zero), 128 + 120 * (2 + 1) + 32), sizeof(zero));
	close(fd);
}

static void assert_moved_aside(const struct world *w)
{
	char pattern[128];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/conntrack.rrd.bad-*", w->directory);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	globfree(&found);
}

static void poisoned_file_stops_no_other_and_is_moved_aside(void **state)
{
	struct world *w = *state;
	double now;

	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	poison(w, "conntrack");
	now = store_clock();
	for (int i = 1; i < 6; i++) {
		append(w, i);
		restart_until_idle(w, &now);
		assert_int_equal(newest(w, "tcp"), START + i * INTERVAL);
	}
	assert_int_equal(newest(w, "conntrack"), START + 5 * INTERVAL);
	assert_int_equal(counts(w).dropped, 1);
	assert_int_equal(counts(w).restarts, 1);
	assert_int_equal(said(w, "<3>connwatchd: store: ended by signal 8 (Floating point "
				 "exception) while writing conntrack.rrd"),
		1);
	assert_int_equal(said(w, "<4>connwatchd: store: conntrack.rrd is damaged, or older than "
				 "RRDtool 1.3: moved aside as conntrack.rrd.bad-"),
		1);
	assert_int_equal(said(w, "<3>"), 1);
	assert_moved_aside(w);
}

/* Nobody knows why, but librrd dies over this file again and again. */
static void file_that_ends_the_store_thrice_is_moved_aside_unread(void **state)
{
	struct world *w = *state;
	double now;

	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	now = store_clock();
	for (int i = 1; i < 6; i++) {
		stop_child(w);
		append(w, i);
		if (i <= MAX_CRASHES)
			kill(w->store->pid, SIGFPE);
		kill(w->store->pid, SIGCONT);
		restart_until_idle(w, &now);
		assert_int_equal(newest(w, "tcp"), START + i * INTERVAL);
	}
	assert_int_equal(newest(w, "conntrack"), START + 5 * INTERVAL);
	assert_int_equal(counts(w).dropped, MAX_CRASHES);
	assert_int_equal(said(w, "<4>connwatchd: store: conntrack.rrd made librrd crash: moved "
				 "aside as conntrack.rrd.bad-"),
		1);
	assert_moved_aside(w);
}

/* Its signs of life are handled in every test that has a file made. */
static void store_that_writes_a_whole_file_is_waited_for_half_a_minute(void **state)
{
	struct world *w = *state;

	w->conf.interval = 1;
	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	assert_false(w->store->busy);
	stop_child(w);
	append(w, 1);
	w->store->busy = true;
	store_check(w->store, w->store->since + 29);
	assert_int_equal(lines(w), 0);
	store_check(w->store, w->store->since + 31);
	assert_int_equal(said(w, "no answer for 31 s while writing conntrack.rrd"), 1);
	wait_for(w, was_replaced);
	assert_false(w->store->busy);
	assert_newest(w, 1);
}

static void finish_hands_over_what_is_queued(void **state)
{
	struct world *w = *state;

	assert_int_equal(store_new(w->event, &w->conf, &w->store), 0);
	for (int i = 0; i < 100; i++)
		append(w, i);
	store_finish(w->store, PATIENCE_MS);
	assert_newest(w, 99);
	assert_int_equal(counts(w).written, 200);
	assert_int_equal(w->store->pid, 0);
	assert_int_equal(lines(w), 0);
}

static void finish_does_not_wait_beyond_its_deadline(void **state)
{
	struct world *w = *state;

	start(w);
	stop_child(w);
	append(w, 0);
	store_finish(w->store, 50);
	assert_int_equal(counts(w).dropped, 2);
	assert_int_equal(counts(w).waiting, 0);
	assert_int_equal(said(w, "<4>connwatchd: store: 2 rows are not written"), 1);
	assert_true(w->store->killed);
}

static void reconfiguring_keeps_rows_of_names_that_go_on_and_of_those_that_go(void **state)
{
	struct world *w = *state;

	start(w);
	stop_child(w);
	for (int i = 0; i < 50; i++)
		append(w, i);
	w->conf.instances = changed;
	assert_int_equal(store_reconfigure(w->store, &w->conf), 0);
	append(w, 50);
	kill(w->store->pid, SIGCONT);
	wait_for(w, is_idle);
	assert_int_equal(newest(w, "conntrack"), START + 49 * INTERVAL);
	assert_int_equal(newest(w, "tcp"), START + 50 * INTERVAL);
	assert_int_equal(newest(w, "sockets-http"), START + 50 * INTERVAL);
	assert_int_equal(counts(w).written, 102);
	assert_int_equal(w->store->files.n, 3);
	w->conf.instances = two; /* the slot that conntrack left is used again */
	assert_int_equal(store_reconfigure(w->store, &w->conf), 0);
	append(w, 51);
	wait_for(w, is_idle);
	assert_newest(w, 51);
	assert_int_equal(w->store->files.n, 3);
	assert_int_equal(lines(w), 0);
}

static void reconfiguring_to_another_step_writes_the_old_rows_first(void **state)
{
	struct world *w = *state;

	start(w);
	stop_child(w);
	append(w, 0);
	w->conf.interval = 5;
	assert_int_equal(store_reconfigure(w->store, &w->conf), 0);
	kill(w->store->pid, SIGCONT);
	wait_for(w, is_idle);
	assert_newest(w, 0);
	assert_int_equal(said(w, "<5>connwatchd: store: conntrack.rrd converted, its history kept: "
				 "a row every 5 s instead of every 10 s, 1 archive added\n"),
		1);
	assert_int_equal(said(w, "<5>connwatchd: store: tcp.rrd converted"), 1);
	assert_int_equal(lines(w), 2);
	append_at(w, START + 5);
	wait_for(w, is_idle);
	assert_int_equal(newest(w, "conntrack"), START + 5);
}

/* Case 21. */
static void rows_behind_the_files_are_said_once_with_both_times_and_the_count(void **state)
{
	struct world *w = *state;
	FILE *f = fopen(SRCDIR "/tests/fixtures/cases/21-clock-back/times.txt", "re");
	long time;

	assert_non_null(f);
	start(w);
	while (fscanf(f, "%ld", &time) == 1) {
		append_at(w, time);
		wait_for(w, is_idle);
	}
	fclose(f);
	assert_int_equal(said(w, "<4>connwatchd: store: clock stands at 2023-11-14 22:18:50 UTC "
				 "but conntrack.rrd and 1 other hold "
				 "rows up to 2023-11-14 22:30:20 UTC: rows are dropped until the "
				 "clock gets there"),
		1);
	assert_int_equal(said(w, "<5>connwatchd: store: storing again in conntrack.rrd and 1 "
				 "other: 4 rounds (8 rows) were dropped"),
		1);
	assert_int_equal(lines(w), 2);
	assert_int_equal(counts(w).dropped, 8);
	assert_int_equal(counts(w).written, 8);
}

/* Case 23. */
static void same_second_again_is_passed_over_in_silence(void **state)
{
	struct world *w = *state;

	start(w);
	append(w, 0);
	append(w, 0);
	wait_for(w, is_idle);
	store_finish(w->store, PATIENCE_MS);
	store_free(w->store);
	w->store = NULL;
	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	assert_int_equal(counts(w).dropped, 0);
	append(w, 1);
	wait_for(w, is_idle);
	assert_newest(w, 1);
	assert_int_equal(lines(w), 0);
}

static void trouble_common_to_the_files_is_one_sentence(void **state)
{
	struct world *w = *state;
	FILE *f = fopen(w->directory, "we");

	assert_non_null(f);
	fclose(f);
	start(w);
	for (int i = 0; i < 3; i++)
		append(w, i);
	wait_for(w, is_idle);
	assert_int_equal(said(w, "<3>connwatchd: store: conntrack.rrd and 1 other: cannot"), 1);
	assert_int_equal(said(w, w->directory), 1);
	assert_int_equal(lines(w), 1);
	assert_int_equal(counts(w).dropped, 6);
	assert_int_equal(unlink(w->directory), 0);
	append(w, 3);
	append(w, 4);
	wait_for(w, is_idle);
	assert_newest(w, 4);
	assert_int_equal(said(w, "<5>connwatchd: store: storing again in conntrack.rrd and 1 "
				 "other: 3 rounds (6 rows) were dropped"),
		1);
	assert_int_equal(lines(w), 2);
}

static void fill_disk(const char *path, off_t keep)
{
	static const char block[4096] = {1};
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	off_t len = 0;

	assert_true(fd >= 0);
	while (write(fd, block, sizeof(block)) > 0)
		len += (off_t)sizeof(block);
	assert_true(len >= keep);
	assert_int_equal(ftruncate(fd, len - keep), 0);
	close(fd);
}

/* The files get a file system of their own, of 1 MiB; skips where that needs rights one has not. */
static void mount_small_disk(const struct world *w)
{
	assert_int_equal(mkdir(w->directory, 0755), 0);
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", w->directory, "tmpfs", 0, "size=1m") < 0)
		skip();
}

static void full_disk_is_said_once_and_rows_go_on_with_room(void **state)
{
	struct world *w = *state;
	char filler[128];

	mount_small_disk(w);
	snprintf(filler, sizeof(filler), "%s/filler", w->directory);
	fill_disk(filler, 8192);
	start(w);
	for (int i = 0; i < 5; i++)
		append(w, i);
	wait_for(w, is_idle);
	assert_int_equal(counts(w).dropped, 10);
	assert_int_equal(said(w, "No space left on device"), 1);
	assert_int_equal(lines(w), 1);
	assert_int_equal(unlink(filler), 0);
	append(w, 5);
	append(w, 6);
	wait_for(w, is_idle);
	assert_newest(w, 6);
	assert_int_equal(counts(w).restarts, 0);
	assert_int_equal(lines(w), 2);
}

static void punch_hole(const struct world *w, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.rrd", w->directory, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 8192), 0);
	close(fd);
}

/* librrd's store into a hole that there is no room for would be a SIGBUS. */
static void holes_on_a_full_disk_are_an_error_and_no_death(void **state)
{
	struct world *w = *state;
	char filler[128];

	mount_small_disk(w);
	start(w);
	append(w, 0);
	store_finish(w->store, PATIENCE_MS);
	store_free(w->store);
	w->store = NULL;
	punch_hole(w, "conntrack");
	punch_hole(w, "tcp");
	snprintf(filler, sizeof(filler), "%s/filler", w->directory);
	fill_disk(filler, 0);
	start(w);
	for (int i = 1; i < 5; i++)
		append(w, i);
	wait_for(w, is_idle);
	assert_int_equal(counts(w).dropped, 8);
	assert_int_equal(said(w, "<3>connwatchd: store: conntrack.rrd and 1 other: no room"), 1);
	assert_int_equal(lines(w), 1);
	assert_int_equal(unlink(filler), 0);
	append(w, 5);
	wait_for(w, is_idle);
	assert_newest(w, 5);
	assert_int_equal(counts(w).restarts, 0);
	assert_int_equal(lines(w), 2);
}

static void process_that_gives_up_is_replaced(void **state)
{
	struct world *w = *state;

	start(w);
	assert_int_equal(send(w->store->fd, "nonsense", 8, 0), 8);
	wait_for(w, was_replaced);
	assert_int_equal(said(w, "store: ended by exit status 1; starting it anew"), 1);
	append(w, 0);
	wait_for(w, is_idle);
	assert_newest(w, 0);
}

/* Two files are to be opened, the process dies at the first of them. */
static void die_opening(struct world *w, int signal)
{
	stop_child(w);
	for (uint32_t i = 0; i < w->store->files.n; i++)
		w->store->files.file[i].opened = false; /* as after an OPEN that was lost */
	assert_int_equal(store_reconfigure(w->store, &w->conf), 0);
	assert_true(link_oldest(w->store)->open);
	kill(w->store->pid, signal);
	kill(w->store->pid, SIGCONT);
}

static void death_at_opening_is_said_so_and_costs_no_row(void **state)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGILL, SIGFPE};
	struct world *w = *state;
	double now;

	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	now = store_clock();
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		die_opening(w, signals[i]);
		restart_until_idle(w, &now);
		assert_int_equal(counts(w).restarts, i + 1);
	}
	assert_int_equal(said(w, "store: ended by signal 11 (Segmentation fault) while opening "
				 "conntrack.rrd"),
		1);
	assert_int_equal(said(w, "conntrack.rrd made librrd crash: moved aside"), 1);
	assert_int_equal(counts(w).dropped, 0);
	append(w, 1);
	wait_for(w, is_idle);
	assert_newest(w, 1);
	store_check(w->store, store_clock() + 4 * INTERVAL);
	assert_int_equal(said(w, "store: works again after 4 restarts, 0 rows were lost"), 1);
}

static void no_answer_to_an_open_is_said_so(void **state)
{
	struct world *w = *state;

	start(w);
	die_opening(w, 0);
	stop_child(w);
	store_check(w->store, store_clock() + 4 * INTERVAL);
	assert_int_equal(said(w, " s while opening conntrack.rrd; its process is replaced"), 1);
	wait_for(w, was_replaced);
}

static void death_long_after_another_is_followed_at_once(void **state)
{
	struct world *w = *state;

	start(w);
	kill(w->store->pid, SIGKILL);
	wait_for(w, was_replaced);
	w->store->started -= INTERVAL;
	kill(w->store->pid, SIGKILL);
	while (counts(w).restarts < 2)
		assert_true(sd_event_run(w->event, 10000) >= 0);
	wait_for(w, is_idle);
	assert_int_equal(lines(w), 1);
}

/* Rows that the queue had given up already are not dropped twice. */
static void death_behind_a_full_queue_drops_no_row_twice(void **state)
{
	struct world *w = *state;

	start(w);
	stop_child(w);
	for (int i = 0; i < 361; i++)
		append(w, i);
	assert_int_equal(counts(w).dropped, 2);
	kill(w->store->pid, SIGKILL);
	wait_for(w, was_replaced);
	assert_int_equal(counts(w).dropped, 2);
	assert_int_equal(counts(w).written, 720);
	assert_newest(w, 360);
	assert_int_equal(said(w, "store: queue is empty again: 2 rows were dropped from it"), 1);
}

/* A row of the one that is dropped is lost, which is said at the end. */
static void one_row_and_one_restart_are_said_as_one(void **state)
{
	struct world *w = *state;

	start(w);
	append(w, 0);
	wait_for(w, is_idle);
	stop_child(w);
	append(w, 1);
	kill(w->store->pid, SIGABRT);
	kill(w->store->pid, SIGCONT);
	wait_for(w, was_replaced);
	assert_int_equal(said(w, "ended by signal 6 (Aborted) while writing conntrack.rrd"), 1);
	store_check(w->store, store_clock() + 4 * INTERVAL);
	assert_int_equal(said(w, "store: works again after 1 restart, 1 row was lost"), 1);
}

static void shorter_queue_drops_the_oldest_rows(void **state)
{
	struct world *w = *state;

	start(w);
	stop_child(w);
	for (int i = 0; i < 10; i++)
		append(w, i);
	w->conf.rrd_queue = 4 * INTERVAL;
	assert_int_equal(store_reconfigure(w->store, &w->conf), 0);
	assert_int_equal(counts(w).waiting, 8);
	assert_int_equal(counts(w).dropped, 12);
	kill(w->store->pid, SIGKILL);
	wait_for(w, was_replaced);
	assert_newest(w, 9);
	assert_int_equal(counts(w).written, 8);
	assert_int_equal(counts(w).dropped, 12);
}

static void wider_rows_go_behind_those_that_wait(void **state)
{
	static const struct metric more[] = {{.name = "entries", .kind = METRIC_GAUGE},
		{.name = "drop", .kind = METRIC_COUNTER}, {.name = "peak", .kind = METRIC_GAUGE}};
	static const struct collector wide = {.name = "fake", .metrics = more, .n_metrics = 3};
	static const struct conf_instance wider[] = {
		{.collector = &wide, .name = "conntrack", .title = ""},
		{.collector = &fake, .name = "tcp", .title = ""}};
	const double values[] = {1, 2, 3};
	struct world *w = *state;

	start(w);
	stop_child(w);
	append(w, 0);
	w->conf.instances = wider;
	assert_int_equal(store_reconfigure(w->store, &w->conf), 0);
	store_append(w->store, 0, START + INTERVAL, values, false);
	store_append(w->store, 1, START + INTERVAL, values, true);
	kill(w->store->pid, SIGCONT);
	wait_for(w, is_idle);
	assert_newest(w, 1);
	assert_int_equal(counts(w).written, 4);
	assert_int_equal(
		said(w, "conntrack.rrd converted, its history kept: column added: peak"), 1);
}

static void no_instance_is_no_trouble(void **state)
{
	struct world *w = *state;

	w->conf.n_instances = 0;
	start(w);
	store_check(w->store, store_clock() + 4 * INTERVAL);
	w->conf.n_instances = 2;
	assert_int_equal(store_reconfigure(w->store, &w->conf), 0);
	append(w, 0);
	wait_for(w, is_idle);
	w->conf.n_instances = 0;
	assert_int_equal(store_reconfigure(w->store, &w->conf), 0);
	store_check(w->store, store_clock() + 4 * INTERVAL);
	store_finish(w->store, PATIENCE_MS);
	assert_newest(w, 0);
	assert_int_equal(lines(w), 0);
	assert_int_equal(w->store->pid, 0);
}

static void more_than_a_packet_or_the_slots_hold_is_refused(void **state)
{
	static struct metric many[STORE_MAX_COLUMNS + 1];
	static const struct collector wide = {
		.name = "fake", .metrics = many, .n_metrics = ARRAY_LEN(many)};
	static const struct conf_instance one[] = {
		{.collector = &wide, .name = "wide", .title = ""}};
	struct world *w = *state;
	char *names = calloc(STORE_MAX_SLOTS + 1, 8);
	struct conf_instance *all = calloc(STORE_MAX_SLOTS + 1, sizeof(*all));

	assert_true(names && all);
	start(w);
	w->conf.instances = one;
	w->conf.n_instances = 1;
	assert_int_equal(store_reconfigure(w->store, &w->conf), -E2BIG);
	for (size_t i = 0; i <= STORE_MAX_SLOTS; i++) {
		snprintf(names + 8 * i, 8, "i%zu", i);
		all[i] = (struct conf_instance){
			.collector = &fake, .name = names + 8 * i, .title = ""};
	}
	w->conf.instances = all;
	w->conf.n_instances = STORE_MAX_SLOTS + 1;
	assert_int_equal(store_reconfigure(w->store, &w->conf), -E2BIG);
	w->conf.instances = two;
	w->conf.n_instances = 2;
	append(w, 0); /* the old configuration is in force */
	wait_for(w, is_idle);
	assert_newest(w, 0);
	free(all);
	free(names);
}

/* Its event loop has ended: nobody but store_finish() waits for the answers. */
static void finish_starts_a_process_that_is_missing(void **state)
{
	struct world *w = *state;

	start(w);
	kill(w->store->pid, SIGKILL);
	wait_for(w, was_replaced);
	kill(w->store->pid, SIGKILL);
	wait_for(w, is_dead);
	append(w, 0);
	append(w, 1);
	assert_int_equal(sd_event_exit(w->event, 0), 0);
	assert_int_equal(sd_event_loop(w->event), 0);
	store_finish(w->store, PATIENCE_MS);
	assert_newest(w, 1);
	assert_int_equal(counts(w).dropped, 0);
	assert_int_equal(w->store->pid, 0);
}

static void finish_without_process_or_rows_is_done_at_once(void **state)
{
	struct world *w = *state;

	start(w);
	kill(w->store->pid, SIGKILL);
	wait_for(w, was_replaced);
	kill(w->store->pid, SIGKILL);
	wait_for(w, is_dead);
	store_finish(w->store, PATIENCE_MS);
	assert_int_equal(w->store->pid, 0);
	assert_int_equal(said(w, "not written"), 0);
}

static void finish_gives_up_with_the_process(void **state)
{
	struct world *w = *state;

	start(w);
	stop_child(w);
	append(w, 0);
	kill(w->store->pid, SIGKILL);
	store_finish(w->store, PATIENCE_MS);
	assert_int_equal(counts(w).dropped, 2);
	assert_int_equal(
		said(w, "<4>connwatchd: store: 2 rows are not written: no answer in time"), 1);
}

/* Reaped by somebody else, say. */
static void child_that_is_not_there_is_not_waited_for(void **state)
{
	(void)state;
	assert_true(child_wait(getpid(), PATIENCE_MS));
}

/* Its end of the socket is then number 3 from the beginning. */
static void process_runs_where_there_is_no_standard_input(void **state)
{
	pid_t pid = fork(), store;
	siginfo_t si;
	int fd;

	(void)state;
	if (pid == 0) {
		uint8_t byte;

		close_range(STORE_FD, ~0U, 0);
		close(STDIN_FILENO);
		if (child_start(&store, &fd) < 0 || fd != STDIN_FILENO || fcntl(fd, F_SETFL, 0) < 0)
			_exit(1);
		shutdown(fd, SHUT_WR); /* the store ends, and says nothing */
		if (recv(fd, &byte, 1, 0) != 0 || waitid(P_PID, (id_t)store, &si, WEXITED) < 0)
			_exit(2);
		_exit(si.si_code == CLD_EXITED ? si.si_status : 3);
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &si, WEXITED), 0);
	assert_int_equal(si.si_status, 0);
}

/* A child of this program that has no store beside it; see main(). */
static void missing_program_is_said_once_and_rows_wait(void **state)
{
	struct world *w = *state;
	double now;

	assert_int_equal(store_new(w->event, &w->conf, &w->store), 0);
	append(w, 0);
	wait_for(w, is_dead);
	now = store_clock();
	for (int i = 1; i < 4; i++) {
		append(w, i);
		store_check(w->store, now += INTERVAL);
		wait_for(w, is_dead);
	}
	assert_int_equal(counts(w).waiting, 8);
	assert_int_equal(counts(w).dropped, 0);
	assert_int_equal(said(w, "connwatchd-store: No such file or directory"), 1);
	assert_int_equal(lines(w), 1);
	store_finish(w->store, 1000);
	assert_int_equal(counts(w).dropped, 8);
}

static void copy_program(const char *to)
{
	char buf[65536];
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		assert_int_equal(write(out, buf, (size_t)n), n);
	close(in);
	close(out);
}

static void missing_program_is_told_by_its_path(void **state)
{
	struct world *w = *state;
	char program[64];
	siginfo_t si;
	pid_t pid;

	if (access(CONNWATCH_LIBEXECDIR "/connwatchd-store", F_OK) == 0)
		skip();
	snprintf(program, sizeof(program), "%s/test_store", w->root);
	copy_program(program);
	pid = fork();
	if (pid == 0) {
		dup2(w->ear.terminal, STDERR_FILENO);
		execl(program, program, "missing", (char *)NULL);
		_exit(126);
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &si, WEXITED), 0);
	assert_int_equal(si.si_status, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest without_program[] = {
		TEST(missing_program_is_said_once_and_rows_wait)};
	const struct CMUnitTest tests[] = {
		TEST(rows_arrive_in_their_files),
		TEST(past_is_told_to_forecasts_oldest_first),
		TEST(files_and_folder_are_readable_by_all_under_any_umask),
		TEST(process_has_its_name_and_no_signal_ends_it),
		TEST(killed_process_is_replaced_at_once_and_said_once),
		TEST(second_death_is_followed_by_a_pause),
		TEST(stopped_process_is_replaced_after_three_intervals),
		TEST(idle_stopped_process_is_no_concern),
		TEST(row_that_gets_no_answer_twice_is_dropped),
		TEST(full_queue_drops_its_oldest_rows_and_counts_them),
		TEST(poisoned_file_stops_no_other_and_is_moved_aside),
		TEST(file_that_ends_the_store_thrice_is_moved_aside_unread),
		TEST(store_that_writes_a_whole_file_is_waited_for_half_a_minute),
		TEST(finish_hands_over_what_is_queued),
		TEST(finish_does_not_wait_beyond_its_deadline),
		TEST(reconfiguring_keeps_rows_of_names_that_go_on_and_of_those_that_go),
		TEST(reconfiguring_to_another_step_writes_the_old_rows_first),
		TEST(rows_behind_the_files_are_said_once_with_both_times_and_the_count),
		TEST(same_second_again_is_passed_over_in_silence),
		TEST(trouble_common_to_the_files_is_one_sentence),
		TEST(process_that_gives_up_is_replaced),
		TEST(death_at_opening_is_said_so_and_costs_no_row),
		TEST(no_answer_to_an_open_is_said_so),
		TEST(death_long_after_another_is_followed_at_once),
		TEST(death_behind_a_full_queue_drops_no_row_twice),
		TEST(one_row_and_one_restart_are_said_as_one),
		TEST(shorter_queue_drops_the_oldest_rows),
		TEST(wider_rows_go_behind_those_that_wait),
		TEST(no_instance_is_no_trouble),
		TEST(more_than_a_packet_or_the_slots_hold_is_refused),
		TEST(finish_starts_a_process_that_is_missing),
		TEST(finish_without_process_or_rows_is_done_at_once),
		TEST(finish_gives_up_with_the_process),
		TEST(child_that_is_not_there_is_not_waited_for),
		TEST(process_runs_where_there_is_no_standard_input),
		TEST(missing_program_is_told_by_its_path),
		TEST(holes_on_a_full_disk_are_an_error_and_no_death),
		TEST(full_disk_is_said_once_and_rows_go_on_with_room),
	};
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	/* In a store with a sanitizer a crash is to stay the signal it is. */
	setenv("ASAN_OPTIONS", "handle_sigfpe=0:handle_segv=0:handle_sigill=0:detect_leaks=0", 1);
	if (argc > 1 && !strcmp(argv[1], "missing"))
		return cmocka_run_group_tests_name(
			"store without its program", without_program, NULL, NULL);
	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
