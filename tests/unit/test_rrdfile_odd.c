/* SPDX-License-Identifier: MIT */
/* Files that others made, hold, change or take away while they are looked at, and links in their place. */
#include <errno.h>
#include <fcntl.h>
#include <rrd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "daemon/util.h"
#include "tests/unit/rrd_world.h"

#define LARGE                                                                                      \
	100000 /* rows, more than a megabyte: there are signs of life while they are written */

static void assert_cause(const struct world *w, const char *what)
{
	assert_int_equal(w->answer.code, STORE_FAILED);
	if (!strstr(w->answer.cause, what))
		fail_msg("'%s' is not in '%s'", what, w->answer.cause);
}

static void assert_note(const struct world *w, const char *what)
{
	if (!strstr(w->answer.note, what))
		fail_msg("'%s' is not in '%s'", what, w->answer.note);
}

static void put_at(const char *path, off_t at, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, at), size);
	close(fd);
}

/* open_at() with something that happens at the first sign of life but `after`. */
static void open_while(struct world *w, int64_t clock, rrdfile_busy_fn *happens, unsigned after)
{
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_open(packet, 0, &w->spec);

	rrdfile_free(w->file);
	w->file = NULL;
	w->busy = after;
	assert_int_equal(rrdfile_new(packet, (size_t)len, &w->file), 0);
	rrdfile_on_busy(w->file, happens, w);
	rrdfile_open(w->file, clock, &w->answer);
}

static void damaged_file_that_cannot_be_moved_is_said_so(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	copy_file(DAMAGED "/text.rrd", w->path);
	chmod(w->root, 0755);
	assert_int_equal(chmod(w->path, 0666), 0);
	lose_rights(w->directory, 0555);
	open_at(w, BASE);
	assert_cause(w, "is damaged (");
	assert_cause(w, "), and cannot be moved aside: Permission denied; move it out of ");
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_FAILED);
	regain_rights(w->directory, 0755);
	assert_int_equal(row_at(w, BASE + 20, 1, 1), STORE_DONE);
	assert_int_equal(count_files(w, "*.bad-*"), 1);
}

static void damaged_file_for_which_no_name_is_left_stays(void **state)
{
	struct world *w = *state;
	char stamp[32], path[160];
	time_t clock = BASE;

	open_and_write(w, BASE, 1);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime(&clock));
	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), i ? "%s.bad-%s-%d" : "%s.bad-%s", w->path, stamp, i);
		assert_int_equal(mknod(path, S_IFREG | 0644, 0), 0);
	}
	copy_file(DAMAGED "/text.rrd", w->path);
	open_at(w, BASE);
	assert_cause(w, "cannot be moved aside: File exists");
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_DONE); /* of another second */
}

/* librrd divides by it. */
static void archive_of_no_steps_is_damage(void **state)
{
	const uint64_t zero = 0;
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	put_at(w->path, 128 + 120 * (2 + 1) + 32, &zero, sizeof(zero));
	open_at(w, BASE);
	assert_note(w, "conntrack.rrd is damaged, or older than RRDtool 1.3: moved aside as");
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_DONE);
}

static void file_spoilt_in_its_place_is_moved_aside_and_the_row_kept(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 3);
	put_at(w->path, 0, "nonsense", 8);
	assert_int_equal(row_at(w, BASE + 30, 8, 300), STORE_DONE);
	assert_note(w, "conntrack.rrd is damaged (");
	assert_int_equal(count_files(w, "*.bad-*"), 1);
	assert_number(fetch(w->path, "AVERAGE", BASE + 30, 10, 0), 8);
}

static void file_that_grew_is_looked_at_again(void **state)
{
	struct world *w = *state;
	struct stat st;

	open_and_write(w, BASE, 3);
	assert_int_equal(stat(w->path, &st), 0);
	put_at(w->path, st.st_size, "x", 1);
	assert_int_equal(row_at(w, BASE + 30, 8, 300), STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 30, 10, 0), 8);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), 1002);
}

/* Another process that holds the file, until it is killed. */
static pid_t hold(const char *path)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		int fd = open(path, O_RDWR | O_CLOEXEC);

		if (fcntl(fd, F_SETLK, &all) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void release(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Reader or not: the wait for it ends after a second. */
static void file_that_somebody_holds_costs_its_rows_and_no_more(void **state)
{
	struct world *w = *state;
	pid_t holder;

	open_and_write(w, BASE, 1);
	holder = hold(w->path);
	assert_int_equal(row_at(w, BASE + 10, 1, 50), STORE_FAILED);
	assert_string_equal(w->answer.cause, "could not lock RRD");
	assert_int_equal(w->answer.last, BASE); /* it is as good as before */
	open_at(w, BASE + 15);
	assert_cause(w, "could not lock RRD");
	release(holder);
	assert_int_equal(row_at(w, BASE + 20, 7, 100), STORE_DONE);
	assert_int_equal(count_files(w, "*"), 1);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), 7);
}

static void link_to_nowhere_is_said_so(void **state)
{
	struct world *w = *state;
	char elsewhere[128];

	open_at(w, BASE);
	snprintf(elsewhere, sizeof(elsewhere), "%s/unmounted", w->root);
	assert_int_equal(symlink(elsewhere, w->path), 0);
	assert_int_equal(row_at(w, BASE, 1, 1), STORE_FAILED);
	assert_cause(w, "a link in ");
	assert_cause(w, " leads nowhere; mount what it leads to, or remove it");
	assert_int_equal(access(elsewhere, F_OK), -1);
}

static void link_to_itself_is_said_so(void **state)
{
	struct world *w = *state;

	open_at(w, BASE);
	assert_int_equal(symlink("conntrack.rrd", w->path), 0);
	assert_int_equal(row_at(w, BASE, 1, 1), STORE_FAILED);
	assert_cause(w, "cannot look at the file in ");
	assert_cause(w, "Too many levels of symbolic links");
}

static void folder_that_may_not_be_made_is_said_so(void **state)
{
	struct world *w = *state;
	char directory[64];

	snprintf(directory, sizeof(directory), "%s/rrd", w->root);
	w->spec.directory = directory;
	chmod(w->root, 0755);
	lose_rights(w->root, 0555);
	open_at(w, BASE);
	assert_cause(w, "cannot make directory ");
	assert_cause(w, "Permission denied");
	regain_rights(w->root, 0755);
}

static void file_system_that_is_read_only_is_said_with_its_remedy(void **state)
{
	struct world *w = *state;

	open_at(w, BASE);
	if (mount("tmpfs", w->directory, "tmpfs", 0, "size=1m,mode=755") < 0)
		skip();
	open_and_write(w, BASE, 1);
	assert_int_equal(mount(NULL, w->directory, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	open_at(w, BASE + 5);
	assert_cause(w, "cannot be written in ");
	assert_cause(w, "Read-only file system; mount it writable");
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_FAILED);
	assert_int_equal(mount(NULL, w->directory, NULL, MS_REMOUNT, NULL), 0);
	assert_int_equal(row_at(w, BASE + 20, 1, 1), STORE_DONE);
	assert_int_equal(umount2(w->directory, MNT_DETACH), 0);
}

static void file_of_other_kinds_takes_no_row(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 1);
	w->spec.columns[0].kind = METRIC_COUNTER;
	w->spec.columns[1].kind = METRIC_GAUGE;
	open_at(w, BASE + 5);
	assert_note(w, "no such columns, their values are not stored: entries, drop");
	assert_int_equal(row_at(w, BASE + 10, 1, 1), STORE_FAILED);
	assert_cause(w, "has none of the columns; move the files out of ");
	assert_int_equal(rrd_last_r(w->path), BASE);
}

struct heard {
	size_t n;
	struct store_past past;
};

static void hear(void *arg, const struct store_past *past)
{
	struct heard *heard = arg;

	heard->n++;
	heard->past = *past;
}

static void past_is_that_of_the_file(void **state)
{
	struct heard heard = {0};
	struct world *w = *state;

	w->spec.past = 1;
	open_at(w, BASE);
	rrdfile_past(w->file, hear, &heard);
	assert_int_equal(heard.n, 0); /* there is none yet */
	open_and_write(w, BASE, 30);
	rrdfile_past(w->file, hear, &heard);
	assert_int_equal(heard.n, 1);
	assert_int_equal(heard.past.step, 60);
	assert_int_equal(heard.past.time, BASE + 60);
	assert_number(heard.past.values[0], 1006);
	assert_number(heard.past.values[3], 1024);
	w->spec.past = 0;
	open_at(w, BASE + 295);
	rrdfile_past(w->file, hear, &heard);
	assert_int_equal(heard.n, 1);
}

static void remove_file(void *arg)
{
	const struct world *w = arg;

	unlink(w->path);
}

static void file_deleted_while_it_is_converted_is_made_anew(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 3);
	w->spec.archives[0].rows = 400;
	open_while(w, BASE + 25, remove_file, 0);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_note(w, "tried again every hour (1 archive lengthened): No such file or directory; "
		       "look at ");
	assert_int_equal(row_at(w, BASE + 30, 8, 300), STORE_DONE);
	assert_number(fetch(w->path, "AVERAGE", BASE + 30, 10, 0), 8);
	assert_true(info_has(w->path, "rra[0].rows", "400"));
	assert_int_equal(count_files(w, ".*.new"), 0);
}

/* What is to be written, when some of it has been. */
static void spoil_new(void *arg)
{
	struct world *w = arg;
	char path[128];

	if (w->busy--)
		return;
	snprintf(path, sizeof(path), "%s/.conntrack.rrd.new", w->directory);
	put_at(path, 0, "nonsense", 8);
}

static void file_that_is_spoilt_when_converted_never_takes_the_old_ones_place(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 3);
	w->spec.archives[0].rows = LARGE;
	open_while(w, BASE + 25, spoil_new, 1);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_note(w, "conntrack.rrd stays as it is");
	assert_note(w, "is not an RRD file");
	assert_true(info_has(w->path, "rra[0].rows", "360"));
	assert_int_equal(row_at(w, BASE + 30, 8, 300), STORE_DONE);
	assert_int_equal(count_files(w, "*"), 1);
	assert_int_equal(count_files(w, ".*.new"), 0);
}

static void file_that_is_spoilt_when_made_is_no_file(void **state)
{
	struct world *w = *state;

	w->spec.archives[0].rows = LARGE;
	open_while(w, BASE, spoil_new, 1);
	assert_int_equal(row_at(w, BASE, 8, 300), STORE_FAILED);
	assert_cause(w, "cannot be made in ");
	assert_cause(w, "is not an RRD file");
	assert_int_equal(count_files(w, "*") + count_files(w, ".*.new"), 0);
	w->busy = 1000;
	assert_int_equal(row_at(w, BASE + 10, 8, 300), STORE_DONE);
}

/* Somebody who leads the name to another file each time. */
static void lead_elsewhere(void *arg)
{
	struct world *w = arg;

	assert_int_equal(unlink(w->path), 0);
	assert_int_equal(symlink(w->busy++ ? "a" : "b", w->path), 0);
}

static void file_that_is_another_each_time_is_given_up(void **state)
{
	struct world *w = *state;
	char path[128];

	open_and_write(w, BASE, 3);
	for (const char *name = "ab"; *name; name++) {
		snprintf(path, sizeof(path), "%s/%c", w->directory, *name);
		copy_file(w->path, path);
	}
	assert_int_equal(unlink(w->path), 0);
	assert_int_equal(symlink("a", w->path), 0);
	w->spec.archives[0].rows = 400;
	open_while(w, BASE + 25, lead_elsewhere, 0);
	assert_cause(w, "changes in ");
	assert_cause(w, " all the time");
	open_at(w, BASE + 25);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(row_at(w, BASE + 30, 8, 300), STORE_DONE);
}

static void owner_stays_the_owner(void **state)
{
	struct world *w = *state;
	struct stat st;

	if (geteuid() != 0)
		skip();
	open_and_write(w, BASE, 3);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(chown(w->path, i ? 0 : 65534, 65534), 0);
		w->spec.archives[0].rows += 10;
		open_at(w, BASE + 25);
		assert_note(w, "converted");
		assert_int_equal(stat(w->path, &st), 0);
		assert_int_equal(st.st_uid, i ? 0 : 65534);
		assert_int_equal(st.st_gid, 65534);
	}
}

/* It is converted all the same, and belongs to who did it. */
static void file_of_somebody_else_may_change_its_owner(void **state)
{
	struct world *w = *state;
	struct stat st;

	if (geteuid() != 0)
		skip();
	open_and_write(w, BASE, 3);
	assert_int_equal(
		chmod(w->root, 0755) | chmod(w->directory, 0777) | chmod(w->path, 0666), 0);
	w->spec.archives[0].rows = 400;
	lose_rights(w->path, 0);
	open_at(w, BASE + 25);
	regain_rights(w->path, 0);
	assert_note(w, "converted");
	assert_int_equal(stat(w->path, &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_mode & 07777, 0666);
	assert_number(fetch(w->path, "AVERAGE", BASE + 20, 10, 0), 1002);
}

/* As an administrator may have made it. */
static void make_by_librrd(struct world *w, int n, const char *const archives[])
{
	const char *arguments[256] = {"DS:entries:GAUGE:30:0:U", "DS:drop:DERIVE:30:0:U"};

	open_at(w, BASE); /* the folder */
	for (int i = 0; i < n; i++)
		arguments[2 + i] = archives[i];
	rrd_clear_error();
	if (rrd_create_r(w->path, 10, (time_t)BASE - 10, 2 + n, arguments) != 0)
		fail_msg("%s", rrd_get_error());
}

static void file_with_too_many_archives_is_used_as_it_is(void **state)
{
	static char text[130][32];
	static const char *archives[130];
	struct world *w = *state;

	for (int i = 0; i < 130; i++) {
		snprintf(text[i], sizeof(text[i]), "RRA:AVERAGE:0.5:%d:10", i + 1);
		archives[i] = text[i];
	}
	make_by_librrd(w, 130, archives);
	open_at(w, BASE);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_note(w, "(not looked into): it has too many columns or archives, or too large ones; "
		       "move it out of ");
	assert_int_equal(row_at(w, BASE, 8, 300), STORE_DONE);
}

/* Of the rows that one of 80 s is made of. */
static void assert_of_rows(const char *path, int64_t row)
{
	double min = 1e9, last = 0;

	for (int64_t at = row - 70; at <= row; at += 10) {
		last = (double)(1000 + at / 10 * 7 % 60);
		min = fmin(min, last);
	}
	assert_number(fetch(path, "MIN", BASE + row, 80, 0), min);
	assert_number(fetch(path, "LAST", BASE + row, 80, 0), last);
}

/* Minima stay minima, and the last ones the last, where rows become longer. */
static void each_function_is_kept(void **state)
{
	static const char *const archives[] = {"RRA:AVERAGE:0.5:1:360", "RRA:MIN:0.5:6:100",
		"RRA:LAST:0.5:6:100", "RRA:MAX:0.5:6:100", "RRA:AVERAGE:0.5:6:100"};
	struct world *w = *state;

	make_by_librrd(w, ARRAY_LEN(archives), archives);
	open_at(w, BASE);
	for (int i = 0; i < 90; i++)
		assert_int_equal(row_at(w, BASE + i * 10, 1000 + i * 7 % 60, 50 * i), STORE_DONE);
	w->spec.step = 40;
	w->spec.heartbeat = 120;
	w->spec.n_archives = 1;
	w->spec.archives[0] = (struct store_archive){40, 200};
	open_at(w, BASE + 895);
	assert_note(w, "converted");
	for (int64_t row = 160; row <= 800; row += 80)
		assert_of_rows(w->path, row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(damaged_file_that_cannot_be_moved_is_said_so),
		TEST(damaged_file_for_which_no_name_is_left_stays),
		TEST(archive_of_no_steps_is_damage),
		TEST(file_spoilt_in_its_place_is_moved_aside_and_the_row_kept),
		TEST(file_that_grew_is_looked_at_again),
		TEST(file_that_somebody_holds_costs_its_rows_and_no_more),
		TEST(link_to_nowhere_is_said_so),
		TEST(link_to_itself_is_said_so),
		TEST(folder_that_may_not_be_made_is_said_so),
		TEST(file_system_that_is_read_only_is_said_with_its_remedy),
		TEST(file_of_other_kinds_takes_no_row),
		TEST(past_is_that_of_the_file),
		TEST(file_deleted_while_it_is_converted_is_made_anew),
		TEST(file_that_is_spoilt_when_converted_never_takes_the_old_ones_place),
		TEST(file_that_is_spoilt_when_made_is_no_file),
		TEST(file_that_is_another_each_time_is_given_up),
		TEST(owner_stays_the_owner),
		TEST(file_of_somebody_else_may_change_its_owner),
		TEST(file_with_too_many_archives_is_used_as_it_is),
		TEST(each_function_is_kept),
	};

	return cmocka_run_group_tests_name("rrdfile, odd ones", tests, NULL, NULL);
}
