/* SPDX-License-Identifier: MIT */
#include "daemon/rrdfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "daemon/rrdanswer.h"
#include "daemon/rrdconvert.h"
#include "daemon/rrdmap.h"
#include "daemon/rrdpast.h"
#include "daemon/rrdrow.h"
#include "daemon/rrdundo.h"
#include "daemon/rrdwrite.h"
#include "daemon/util.h"

/* How long a reader's lock is waited for: a second in all. */
#define LOCK_PAUSE_NSEC 20000000
#define LOCK_TRIES 50
/* A file ahead of the clock by more is not waited for. */
#define MAX_AHEAD (24 * 3600)
/* Rows refused one after the other before a file far ahead is moved aside. */
#define MAX_REFUSED 3
/* Seconds after which a file that could not be converted is tried again. */
#define RETRY_SECONDS 3600

struct rrdfile {
	uint8_t *packet; /* what to.spec's strings point into */
	struct rrdconvert to;
	const int *undo; /* lent; see rrdundo.h */

	bool open; /* the rest is valid: the file stood the check */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct rrdundo_head head;
	int64_t last;                /* time of the file's newest row */
	int64_t retry_at;            /* 0: it has all that is asked for */
	int longest;                 /* index of the archive that reaches back furthest */
	unsigned refused;            /* rows older than last, one after the other */
	bool has[STORE_MAX_COLUMNS]; /* the file's columns, as far as they are ours */
};

static const int no_undo = -1;

static void no_busy(void *arg)
{
	(void)arg;
}

int rrdfile_new(const uint8_t *packet, size_t len, struct rrdfile **out)
{
	struct rrdfile *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return -ENOMEM;
	f->to.busy.call = no_busy;
	f->undo = &no_undo;
	r = store_copy_open(packet, len, &f->packet, &f->to.spec, &f->to.path);
	if (r < 0) {
		rrdfile_free(f);
		return r;
	}
	*out = f;
	return 0;
}

void rrdfile_on_busy(struct rrdfile *f, rrdfile_busy_fn *busy, void *arg)
{
	f->to.busy = (struct rrdwrite_busy){busy, arg};
}

void rrdfile_use_undo(struct rrdfile *f, int *undo)
{
	if (*undo < 0)
		*undo = rrdundo_open(f->to.spec.directory);
	f->undo = undo;
}

void rrdfile_free(struct rrdfile *f)
{
	if (!f)
		return;
	free(f->to.path);
	free(f->packet);
	free(f);
}

/* mkdir -p with mode 0755. */
static int make_directory(const char *path)
{
	char copy[4096];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(copy, 0755) < 0 && errno != EEXIST && access(copy, F_OK) < 0)
			return -errno;
		*slash = '/';
	}
	return mkdir(copy, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static bool check_directory(const struct rrdfile *f, struct store_answer *a)
{
	const char *directory = f->to.spec.directory;
	int r = make_directory(directory);

	if (r < 0)
		return answer_fail(a, "cannot make directory %s: %s; make it and %s", directory,
			strerror(-r), answer_remedy(-r));
	if (faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) < 0)
		return answer_fail(a, "cannot write to directory %s: %s; %s", directory,
			strerror(errno), answer_remedy(errno));
	return true;
}

/* Under another name that is not taken yet; there may be no file then, but none is lost. */
static bool move_aside(struct rrdfile *f, int64_t clock, const char *why, struct store_answer *a)
{
	char stamp[32], to[4096 + STORE_NAME_SIZE + 64], suffix[16] = "";

	f->open = false;
	f->refused = 0;
	answer_utc(stamp, true, clock);
	for (unsigned i = 1;; i++) {
		snprintf(to, sizeof(to), "%s.bad-%s%s", f->to.path, stamp, suffix);
		if (renameat2(AT_FDCWD, f->to.path, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
			break;
		if (errno != EEXIST || i > 999)
			return answer_fail(a,
				"%s, and cannot be moved aside: %s; move it out of %s", why,
				strerror(errno), f->to.spec.directory);
		snprintf(suffix, sizeof(suffix), "-%u", i);
	}
	answer_note(a, LOG_WARNING, "%s.rrd %s: moved aside as %s, a new file begins",
		f->to.spec.name, why, strrchr(to, '/') + 1);
	return true;
}

/* librrd maps a file to read it: only these messages of its are about the system and not about the
 * contents. */
static bool is_system_error(const char *error, off_t size)
{
	return !strncmp(error, "opening '", 9) || strstr(error, "lock") ||
	       (size > 0 && !strncmp(error, "mmaping file", 12)) || strstr(error, "memory");
}

/* librrd 1.7 fails at once while an rrdtool reads the file, and graphs are drawn all the time: wait
 * for it. */
static bool locked_for_now(int *tries)
{
	static const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NSEC};
	const char *error = rrd_get_error();

	if (!strstr(error, "could not lock") || ++*tries >= LOCK_TRIES)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/* Whether librrd takes it for an RRD. Else *damage is set to its words, or a->cause. */
static bool is_whole(
	const struct rrdfile *f, off_t size, char damage[static 256], struct store_answer *a)
{
	const char *error;
	int tries = 0;

	do {
		rrd_clear_error();
		if (rrd_last_r(f->to.path) != -1)
			return true;
	} while (locked_for_now(&tries));
	error = rrd_get_error();
	if (is_system_error(error, size))
		return answer_fail(a, "cannot be read: %s", rrdconvert_reason(f->to.path));
	snprintf(damage, 256, "is damaged (%s)", size ? error : "empty");
	return false;
}

static void take_header(struct rrdfile *f, const struct rrdmap *map)
{
	f->head = (struct rrdundo_head){
		.size = (size_t)((const char *)map->rows - (const char *)map->base),
		.last_at = (size_t)((const char *)&map->live->last_up - (const char *)map->base)};
	f->last = rrdmap_last(map);
	f->longest = rrdmap_longest(map);
	for (size_t i = 0; i < f->to.spec.n_columns; i++) {
		const struct store_column *c = &f->to.spec.columns[i];
		size_t at = rrdmap_column(map, c->name);

		f->has[i] = at < map->head->ds_cnt &&
			    !strncmp(map->columns[at].dst, rrdmap_type(c->kind), DST_SIZE);
	}
}

/* Of a file that is far ahead of it, it may be the clock that is wrong: a machine without a battery
 * starts in 1970. */
static bool clock_is_right(const struct rrdfile *f, int64_t clock)
{
	time_t first;

	rrd_clear_error();
	first = rrd_first_r(f->to.path, f->longest);
	return first >= 0 && clock >= first && clock >= CONNWATCH_BUILD_DATE;
}

static bool is_far_ahead(const struct rrdfile *f, int64_t clock)
{
	return f->last - clock > MAX_AHEAD && clock_is_right(f, clock);
}

static bool move_ahead_aside(struct rrdfile *f, int64_t clock, struct store_answer *a)
{
	char last[32], now[32], why[128];

	answer_utc(last, false, f->last);
	answer_utc(now, false, clock);
	snprintf(why, sizeof(why), "holds rows up to %s but the clock stands at %s", last, now);
	return move_aside(f, clock, why, a);
}

/* librrd writes through a map: a hole that the disk has no room for would be SIGBUS in the middle
 * of a row. */
static bool fill_holes(
	const struct rrdfile *f, int fd, const struct stat *st, struct store_answer *a)
{
	int error;

	if (st->st_blocks * 512 >= st->st_size)
		return true;
	error = posix_fallocate(fd, 0, st->st_size);
	if (error == ENOSPC || error == EDQUOT)
		return answer_fail(a, "no room for the file's holes in %s: %s; make room",
			f->to.spec.directory, strerror(error));
	return true;
}

/*
 * A file that was written or read whole lies in the page cache in folios of up to megabytes, and a
 * store into a map dirties its whole folio; what is read back a page at a time comes in small ones:
 * 53 KB instead of 2.4 MB written a round of six files.
 */
static void drop_from_cache(int fd)
{
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* What becomes of a look at the file that stands there. */
enum look {
	LOOK_FAILED, /* a->cause is set */
	LOOK_DONE,   /* it is open, or there is none */
	LOOK_AGAIN,  /* it is no longer that file */
};

static enum look after_moving(bool moved)
{
	return moved ? LOOK_AGAIN : LOOK_FAILED;
}

/* The file as librrd and the clock see it, before anything is written to it. */
static enum look check_contents(
	struct rrdfile *f, int fd, off_t size, int64_t clock, struct store_answer *a)
{
	enum converted converted;
	char damage[256] = "";
	struct rrdmap map;
	int r;

	if (!is_whole(f, size, damage, a))
		return after_moving(damage[0] && move_aside(f, clock, damage, a));
	r = rrdmap_open(fd, &map);
	if (r == -EBADMSG)
		return after_moving(
			move_aside(f, clock, "is damaged, or older than RRDtool 1.3", a));
	if (r < 0) {
		answer_fail(a, "cannot be read: %s", strerror(-r));
		return LOOK_FAILED;
	}
	take_header(f, &map);
	if (is_far_ahead(f, clock)) {
		rrdmap_close(&map);
		return after_moving(move_ahead_aside(f, clock, a));
	}
	converted = rrdconvert_file(&f->to, &map, a);
	rrdmap_close(&map);
	if (converted == CONVERT_LATER)
		f->retry_at = clock + RETRY_SECONDS;
	if (converted == CONVERT_DONE)
		return LOOK_AGAIN;
	return converted == CONVERT_FAILED ? LOOK_FAILED : LOOK_DONE;
}

/* The file that stands at path, open as fd. */
static enum look check_file(
	struct rrdfile *f, int fd, const struct stat *st, int64_t clock, struct store_answer *a)
{
	enum look look;

	if (f->to.spec.suspect) {
		f->to.spec.suspect = false;
		return after_moving(move_aside(f, clock, "made librrd crash", a));
	}
	look = check_contents(f, fd, st->st_size, clock, a);
	if (look != LOOK_DONE)
		return look;
	if (!fill_holes(f, fd, st, a))
		return LOOK_FAILED;
	answer_missing(a, &f->to.spec, f->has, "");
	drop_from_cache(fd);
	f->dev = st->st_dev;
	f->ino = st->st_ino;
	f->size = st->st_size;
	f->refused = 0;
	f->open = true;
	return LOOK_DONE;
}

static enum look look_at_file(struct rrdfile *f, int64_t clock, struct store_answer *a)
{
	const char *directory = f->to.spec.directory;
	CLEANUP_CLOSE int fd = -1;
	struct stat st;

	/* Looked at before it is opened: a FIFO or a device would be a trap. */
	if (stat(f->to.path, &st) < 0 && errno == ENOENT && lstat(f->to.path, &st) < 0)
		return check_directory(f, a) ? LOOK_DONE : LOOK_FAILED;
	if (stat(f->to.path, &st) < 0 && errno == ENOENT)
		answer_fail(a, "a link in %s leads nowhere; mount what it leads to, or remove it",
			directory);
	else if (stat(f->to.path, &st) < 0)
		answer_fail(a, "cannot look at the file in %s: %s; %s", directory, strerror(errno),
			answer_remedy(errno));
	else if (!S_ISREG(st.st_mode))
		answer_fail(a, "not a regular file; move it out of %s", directory);
	else if ((fd = open(f->to.path, O_RDWR | O_CLOEXEC | O_NONBLOCK)) < 0 || fstat(fd, &st) < 0)
		answer_fail(a, "cannot be written in %s: %s; %s", directory, strerror(errno),
			answer_remedy(errno));
	else
		return check_file(f, fd, &st, clock, a);
	return LOOK_FAILED;
}

/* True also where there is no file; f->open tells. */
static bool open_file(struct rrdfile *f, int64_t clock, struct store_answer *a)
{
	enum look look;

	f->open = false;
	f->retry_at = 0;
	rrdwrite_sweep(f->to.path);
	look = look_at_file(f, clock, a);
	if (look == LOOK_AGAIN)
		look = look_at_file(f, clock, a);
	if (look == LOOK_AGAIN)
		return answer_fail(a, "changes in %s all the time", f->to.spec.directory);
	return look == LOOK_DONE;
}

void rrdfile_open(struct rrdfile *f, time_t clock, struct store_answer *a)
{
	answer_begin(a);
	if (open_file(f, clock, a) && f->open)
		a->last = f->last;
}

static bool create_file(struct rrdfile *f, int64_t first, struct store_answer *a)
{
	if (!rrdconvert_create(&f->to, first, a) || !open_file(f, first, a))
		return false;
	return f->open || answer_fail(a, "vanishes from %s when made", f->to.spec.directory);
}

/* The file that was checked, which need not be looked at again. */
static bool is_still_there(const struct rrdfile *f, int64_t clock)
{
	struct stat st;

	if (f->retry_at && clock >= f->retry_at)
		return false;
	return f->open && stat(f->to.path, &st) == 0 && st.st_ino == f->ino &&
	       st.st_dev == f->dev && st.st_size == f->size;
}

static bool write_row(struct rrdfile *f, const struct store_row *row, struct store_answer *a)
{
	struct rrdrow text;
	const char *argument = text.update;
	int tries = 0, r;

	rrdrow_format(&text, &f->to.spec, f->has, row);
	if (!text.names[0])
		return answer_fail(a, "has none of the columns; move the files out of %s",
			f->to.spec.directory);
	rrdundo_keep(*f->undo, f->to.path, &f->head, row->time);
	do {
		rrd_clear_error();
		r = rrd_update_r(f->to.path, text.names, 1, &argument);
	} while (r != 0 && locked_for_now(&tries));
	rrdundo_forget(*f->undo);
	if (r != 0) {
		f->open = tries >= LOCK_TRIES; /* unless that was it, the file is not what it was */
		return answer_fail(a, "%s", rrdconvert_reason(f->to.path));
	}
	f->last = row->time;
	f->refused = 0;
	return true;
}

/* A row that is not newer. True if the file was moved out of its way. */
static bool refuse_row(struct rrdfile *f, const struct store_row *row, struct store_answer *a)
{
	if (row->time == f->last) {
		a->code = STORE_SAME;
		return false;
	}
	f->refused++;
	if (f->refused >= MAX_REFUSED && is_far_ahead(f, row->time))
		return move_ahead_aside(f, row->time, a);
	a->code = STORE_OLDER;
	return false;
}

/* known: it is the file that was checked. */
static void put_row(
	struct rrdfile *f, const struct store_row *row, bool known, struct store_answer *a)
{
	if (!known && !open_file(f, row->time, a))
		return;
	if (f->open && row->time <= f->last && !refuse_row(f, row, a))
		return;
	if (!f->open && !create_file(f, row->time, a))
		return;
	write_row(f, row, a);
}

static void update_file(struct rrdfile *f, const struct store_row *row, struct store_answer *a)
{
	bool known = is_still_there(f, row->time);

	if (row->n != f->to.spec.n_columns) {
		answer_fail(a, "a row of %zu values for %zu columns", row->n, f->to.spec.n_columns);
		return;
	}
	put_row(f, row, known, a);
	if (a->code != STORE_FAILED || !known || f->open)
		return;
	/* Spoilt since its last row: another look says how, or moves it out of the way. */
	answer_begin(a);
	put_row(f, row, false, a);
}

void rrdfile_update(struct rrdfile *f, const struct store_row *row, struct store_answer *a)
{
	answer_begin(a);
	update_file(f, row, a);
	a->last = f->open ? f->last : 0;
}

static int fetch(void *path, struct rrdpast_range *r)
{
	return rrd_fetch_r(path, r->function, &r->start, &r->end, &r->step, &r->n_columns,
		&r->names, &r->values);
}

void rrdfile_past(struct rrdfile *f, rrdfile_past_fn *past, void *arg)
{
	if (f->open && f->to.spec.past)
		rrdpast_read(&f->to.spec, f->last, &(struct rrdpast_source){fetch, f->to.path},
			&(struct rrdpast_sink){past, arg});
}
