/* SPDX-License-Identifier: MIT */
#include "daemon/rrdfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <rrd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "daemon/rrdcreate.h"
#include "daemon/util.h"

/* Of the past that is wanted: a week. */
#define PAST_SECONDS (7 * 24 * 3600)
/* How long a reader's lock is waited for: a second in all. */
#define LOCK_PAUSE_NSEC 20000000
#define LOCK_TRIES 50
/* A file ahead of the clock by more is not waited for. */
#define MAX_AHEAD (24 * 3600)
/* Rows refused one after the other before a file far ahead is moved aside. */
#define MAX_REFUSED 3
/* A double by %.17g has up to 24 characters, by %.0f up to 309. */
#define UPDATE_SIZE (STORE_MAX_COLUMNS * 312)

struct rrdfile {
	uint8_t *packet; /* what spec's strings point into */
	struct store_open spec;
	char *path;

	bool open; /* the rest is valid: the file stood the check */
	dev_t dev;
	ino_t ino;
	off_t size;
	int64_t step, last;          /* of the file: seconds; time of its newest row */
	int longest;                 /* index of the archive that reaches back furthest */
	unsigned refused;            /* rows older than last, one after the other */
	bool has[STORE_MAX_COLUMNS]; /* the file's columns, as far as they are ours */
};

/* Always false, for the caller to return. */
static bool __attribute__((format(printf, 2, 3)))
fail(struct store_answer *a, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(a->cause, sizeof(a->cause), format, ap);
	va_end(ap);
	a->code = STORE_FAILED;
	return false;
}

/* The first note of an answer stands: a file that is made anew need not be told after the reason
 * why. */
static void __attribute__((format(printf, 3, 4)))
note(struct store_answer *a, int priority, const char *format, ...)
{
	va_list ap;

	if (a->note[0])
		return;
	va_start(ap, format);
	vsnprintf(a->note, sizeof(a->note), format, ap);
	va_end(ap);
	a->priority = priority;
}

static void begin_answer(struct store_answer *a)
{
	*a = (struct store_answer){.code = STORE_DONE, .priority = LOG_DEBUG};
}

/* "20261130T120000Z" for a file's name, "2026-11-30 12:00:00 UTC" for a sentence. */
static void format_utc(char out[static 32], bool compact, int64_t t)
{
	time_t seconds = (time_t)t;
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		snprintf(out, 32, "%" PRId64, t);
	else if (compact)
		strftime(out, 32, "%Y%m%dT%H%M%SZ", &tm);
	else
		strftime(out, 32, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

int rrdfile_new(const uint8_t *packet, size_t len, struct rrdfile **out)
{
	struct rrdfile *f = calloc(1, sizeof(*f));
	int r = -ENOMEM;

	if (!f)
		return r;
	f->packet = malloc(len ? len : 1);
	if (!f->packet)
		goto fail;
	memcpy(f->packet, packet, len);
	r = store_parse_open(f->packet, len, &f->spec);
	if (r < 0)
		goto fail;
	if (asprintf(&f->path, "%s/%s.rrd", f->spec.directory, f->spec.name) < 0) {
		f->path = NULL;
		r = -ENOMEM;
		goto fail;
	}
	*out = f;
	return 0;
fail:
	rrdfile_free(f);
	return r;
}

void rrdfile_free(struct rrdfile *f)
{
	if (!f)
		return;
	free(f->path);
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

/* What helps depends on why. */
static const char *remedy(int error)
{
	if (error == EROFS)
		return "mount it writable; under systemd a folder of one's own needs "
		       "ReadWritePaths= in a "
		       "drop-in of the unit";
	return "give it to the daemon's user";
}

static bool check_directory(const struct rrdfile *f, struct store_answer *a)
{
	const char *directory = f->spec.directory;
	int r = make_directory(directory);

	if (r < 0)
		return fail(a, "cannot make directory %s: %s; make it and %s", directory,
			strerror(-r), remedy(-r));
	if (faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) < 0)
		return fail(a, "cannot write to directory %s: %s; %s", directory, strerror(errno),
			remedy(errno));
	return true;
}

/* Under another name that is not taken yet; there may be no file then, but none is lost. */
static bool move_aside(struct rrdfile *f, int64_t clock, const char *why, struct store_answer *a)
{
	char stamp[32], to[4096 + STORE_NAME_SIZE + 64], suffix[16] = "";

	f->open = false;
	f->refused = 0;
	format_utc(stamp, true, clock);
	for (unsigned i = 1;; i++) {
		snprintf(to, sizeof(to), "%s.bad-%s%s", f->path, stamp, suffix);
		if (renameat2(AT_FDCWD, f->path, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
			break;
		if (errno != EEXIST || i > 999)
			return fail(a, "%s, and cannot be moved aside: %s; move it out of %s", why,
				strerror(errno), f->spec.directory);
		snprintf(suffix, sizeof(suffix), "-%u", i);
	}
	note(a, LOG_WARNING, "%s.rrd %s: moved aside as %s, a new file begins", f->spec.name, why,
		strrchr(to, '/') + 1);
	return true;
}

/* What rrd_info says of one data source or archive: "ds[NAME].type", "rra[3].rows". */
static void take_column(struct rrdfile *f, const rrd_info_t *info)
{
	for (size_t i = 0; i < f->spec.n_columns; i++) {
		const struct store_column *c = &f->spec.columns[i];
		const char *type = c->kind == METRIC_COUNTER ? "DERIVE" : "GAUGE";
		char key[32];

		snprintf(key, sizeof(key), "ds[%s].type", c->name);
		if (!strcmp(info->key, key) && info->type == RD_I_STR &&
			!strcmp(info->value.u_str, type))
			f->has[i] = true;
	}
}

static void take_archive(
	struct rrdfile *f, const rrd_info_t *info, uint64_t *rows, uint64_t *longest)
{
	char *end;
	long index;

	if (info->type != RD_I_CNT || strncmp(info->key, "rra[", 4) != 0)
		return;
	index = strtol(info->key + 4, &end, 10);
	if (!strcmp(end, "].rows")) {
		*rows = info->value.u_cnt;
	} else if (!strcmp(end, "].pdp_per_row") && *rows * info->value.u_cnt > *longest) {
		*longest = *rows * info->value.u_cnt;
		f->longest = (int)index;
	}
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

	if (!error || !strstr(error, "could not lock") || ++*tries >= LOCK_TRIES)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/* Read the file's header. False with a->cause set, or with *damage set to librrd's words. */
static bool read_header(
	struct rrdfile *f, off_t size, char damage[static 256], struct store_answer *a)
{
	rrd_info_t *info;
	uint64_t rows = 0, longest = 0;
	int tries = 0;

	do {
		rrd_clear_error();
		info = rrd_info_r(f->path);
	} while (!info && locked_for_now(&tries));
	if (!info) {
		const char *error = rrd_get_error();

		if (is_system_error(error, size))
			return fail(a, "cannot be read: %s", error);
		snprintf(damage, 256, "is damaged (%s)", size ? error : "empty");
		return false;
	}
	memset(f->has, 0, sizeof(f->has));
	f->longest = 0;
	for (const rrd_info_t *i = info; i; i = i->next) {
		if (!strcmp(i->key, "step") && i->type == RD_I_CNT)
			f->step = (int64_t)i->value.u_cnt;
		else if (!strcmp(i->key, "last_update") && i->type == RD_I_CNT)
			f->last = (int64_t)i->value.u_cnt;
		take_column(f, i);
		take_archive(f, i, &rows, &longest);
	}
	rrd_info_free(info);
	return true;
}

/* Of a file that is far ahead of it, it may be the clock that is wrong: a machine without a battery
 * starts in 1970. */
static bool clock_is_right(const struct rrdfile *f, int64_t clock)
{
	time_t first;

	rrd_clear_error();
	first = rrd_first_r(f->path, f->longest);
	return first >= 0 && clock >= first && clock >= CONNWATCH_BUILD_DATE;
}

static bool is_far_ahead(const struct rrdfile *f, int64_t clock)
{
	return f->last - clock > MAX_AHEAD && clock_is_right(f, clock);
}

static bool move_ahead_aside(struct rrdfile *f, int64_t clock, struct store_answer *a)
{
	char last[32], now[32], why[128];

	format_utc(last, false, f->last);
	format_utc(now, false, clock);
	snprintf(why, sizeof(why), "holds rows up to %s but the clock stands at %s", last, now);
	return move_aside(f, clock, why, a);
}

static void note_missing_columns(const struct rrdfile *f, struct store_answer *a)
{
	char names[STORE_TEXT_SIZE - 160] = "";

	for (size_t i = 0; i < f->spec.n_columns; i++) {
		size_t len = strlen(names);

		if (!f->has[i])
			snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
				f->spec.columns[i].name);
	}
	if (names[0])
		note(a, LOG_WARNING, "%s.rrd has no such columns, their values are not stored: %s",
			f->spec.name, names);
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
		return fail(a, "no room for the file's holes in %s: %s; make room",
			f->spec.directory, strerror(error));
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

/* The file that stands at path, open as fd. True also when it was moved aside; f->open tells. */
static bool check_file(
	struct rrdfile *f, int fd, const struct stat *st, int64_t clock, struct store_answer *a)
{
	char damage[256] = "";

	if (f->spec.suspect) {
		f->spec.suspect = false;
		return move_aside(f, clock, "made librrd crash", a);
	}
	if (!read_header(f, st->st_size, damage, a))
		return damage[0] && move_aside(f, clock, damage, a);
	if (f->step != f->spec.step)
		return fail(a,
			"holds a row every %" PRId64 " s, not every %" PRId64
			" s; set interval = %" PRId64
			", or move the files out of %s for new ones to begin",
			f->step, f->spec.step, f->step, f->spec.directory);
	if (is_far_ahead(f, clock))
		return move_ahead_aside(f, clock, a);
	if (!fill_holes(f, fd, st, a))
		return false;
	note_missing_columns(f, a);
	drop_from_cache(fd);
	f->dev = st->st_dev;
	f->ino = st->st_ino;
	f->size = st->st_size;
	f->refused = 0;
	f->open = true;
	return true;
}

static bool open_file(struct rrdfile *f, int64_t clock, struct store_answer *a)
{
	CLEANUP_CLOSE int fd = -1;
	struct stat st;

	f->open = false;
	/* Looked at before it is opened: a FIFO or a device would be a trap. */
	if (stat(f->path, &st) < 0) {
		if (errno != ENOENT)
			return fail(a, "cannot look at the file in %s: %s; %s", f->spec.directory,
				strerror(errno), remedy(errno));
		if (lstat(f->path, &st) == 0)
			return fail(a,
				"a link in %s leads nowhere; mount what it leads to, or remove it",
				f->spec.directory);
		return check_directory(f, a);
	}
	if (!S_ISREG(st.st_mode))
		return fail(a, "not a regular file; move it out of %s", f->spec.directory);
	fd = open(f->path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fail(a, "cannot be written in %s: %s; %s", f->spec.directory,
			strerror(errno), remedy(errno));
	if (fstat(fd, &st) < 0)
		return fail(
			a, "cannot look at the file in %s: %s", f->spec.directory, strerror(errno));
	return check_file(f, fd, &st, clock, a);
}

void rrdfile_open(struct rrdfile *f, time_t clock, struct store_answer *a)
{
	begin_answer(a);
	if (open_file(f, clock, a) && f->open)
		a->last = f->last;
}

/* A file whose first row will be of time `first`. */
static bool create_file(struct rrdfile *f, int64_t first, struct store_answer *a)
{
	char why[STORE_TEXT_SIZE / 2];

	if (rrdcreate_file(f->path, &f->spec, first - f->spec.step, why) < 0)
		return fail(a, "cannot be made in %s: %s", f->spec.directory, why);
	note(a, LOG_DEBUG, "%s.rrd made in %s", f->spec.name, f->spec.directory);
	return open_file(f, first, a) &&
	       (f->open || fail(a, "vanishes from %s when made", f->spec.directory));
}

static bool is_still_there(const struct rrdfile *f)
{
	struct stat st;

	return f->open && stat(f->path, &st) == 0 && st.st_ino == f->ino && st.st_dev == f->dev &&
	       st.st_size == f->size;
}

/* Whole numbers stay whole, and nothing here asks a locale: the process never calls setlocale(). */
static void format_row(const struct rrdfile *f, const struct store_row *row,
	char names[static 2048], char update[static UPDATE_SIZE])
{
	size_t used = (size_t)snprintf(update, UPDATE_SIZE, "%" PRId64, row->time), named = 0;

	names[0] = 0;
	for (size_t i = 0; i < row->n; i++) {
		double value = row->values[i];

		if (!f->has[i])
			continue;
		named += (size_t)snprintf(names + named, 2048 - named, "%s%s", named ? ":" : "",
			f->spec.columns[i].name);
		if (!isfinite(value))
			used += (size_t)snprintf(update + used, UPDATE_SIZE - used, ":U");
		else if (f->spec.columns[i].kind == METRIC_COUNTER) /* DERIVE takes integers only */
			used += (size_t)snprintf(update + used, UPDATE_SIZE - used, ":%.0f", value);
		else
			used += (size_t)snprintf(
				update + used, UPDATE_SIZE - used, ":%.17g", value);
	}
}

static bool write_row(struct rrdfile *f, const struct store_row *row, struct store_answer *a)
{
	char names[2048], update[UPDATE_SIZE];
	const char *argument = update;
	int tries = 0, r;

	format_row(f, row, names, update);
	if (!names[0])
		return fail(
			a, "has none of the columns; move the files out of %s", f->spec.directory);
	do {
		rrd_clear_error();
		r = rrd_update_r(f->path, names, 1, &argument);
	} while (r != 0 && locked_for_now(&tries));
	if (r != 0) {
		f->open = false; /* whatever it is, the next row begins with a look at the file */
		return fail(a, "%s", rrdcreate_reason(f->path));
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

static void update_file(struct rrdfile *f, const struct store_row *row, struct store_answer *a)
{
	if (row->n != f->spec.n_columns) {
		fail(a, "a row of %zu values for %zu columns", row->n, f->spec.n_columns);
		return;
	}
	if (!is_still_there(f) && !open_file(f, row->time, a))
		return;
	if (f->open && row->time <= f->last && !refuse_row(f, row, a))
		return;
	if (!f->open && !create_file(f, row->time, a))
		return;
	write_row(f, row, a);
}

void rrdfile_update(struct rrdfile *f, const struct store_row *row, struct store_answer *a)
{
	begin_answer(a);
	update_file(f, row, a);
	a->last = f->open ? f->last : 0;
}

/* What librrd read of a file: rows of columns, oldest first. */
struct fetched {
	time_t start, end; /* start is a step before the first row */
	unsigned long step, n_columns;
	char **names;
	rrd_value_t *values;
};

/* The finest that covers it all. To librrd an archive of single steps is one of maxima as well. */
static bool fetch(const struct rrdfile *f, struct fetched *out)
{
	static const char *const functions[] = {"MAX", "AVERAGE"};

	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		*out = (struct fetched){.start = f->last - PAST_SECONDS,
			.end = f->last,
			.step = (unsigned long)f->step};
		rrd_clear_error();
		if (rrd_fetch_r(f->path, functions[i], &out->start, &out->end, &out->step,
			    &out->n_columns, &out->names, &out->values) == 0)
			return true;
	}
	return false;
}

static void fetched_free(struct fetched *fetched)
{
	for (unsigned long i = 0; i < fetched->n_columns; i++)
		rrd_freemem(fetched->names[i]);
	rrd_freemem(fetched->names);
	rrd_freemem(fetched->values);
}

static void hand_out(const struct fetched *fetched, uint32_t column, unsigned long at,
	rrdfile_past_fn *call, void *arg)
{
	size_t rows = (size_t)(fetched->end - fetched->start) / fetched->step, row = 0;
	struct store_past past = {.column = column, .step = (int64_t)fetched->step};

	while (row < rows && isnan(fetched->values[row * fetched->n_columns + at]))
		row++; /* before it began */
	while (row < rows) {
		past.time = fetched->start + (time_t)(row + 1) * past.step;
		for (past.n = 0; past.n < STORE_PAST_ROWS && row < rows; row++)
			past.values[past.n++] = fetched->values[row * fetched->n_columns + at];
		call(arg, &past);
	}
}

void rrdfile_past(struct rrdfile *f, rrdfile_past_fn *call, void *arg)
{
	struct fetched fetched;

	if (!f->open || !f->spec.past || !fetch(f, &fetched))
		return;
	for (uint32_t column = 0; column < 32 && column < f->spec.n_columns; column++)
		for (unsigned long at = 0; at < fetched.n_columns; at++)
			if ((f->spec.past >> column & 1) &&
				!strcmp(fetched.names[at], f->spec.columns[column].name))
				hand_out(&fetched, column, at, call, arg);
	fetched_free(&fetched);
	malloc_trim(0); /* a megabyte that is not needed again */
}
