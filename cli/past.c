/* SPDX-License-Identifier: MIT */
#include "cli/past.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/rrdtool.h"
#include "collectors/registry.h"
#include "daemon/util.h"

#define CSV_HEADER "time,entries,max"
#define RRD_COOKIE "RRD"

/* Everything while a past is read. */
struct reader {
	past_row_fn *row;
	void *arg;
	struct past_row past;
	char names[2048];
	/* Of an RRD. */
	bool counter[PAST_COLUMNS];
	double sum[PAST_COLUMNS];
	double resolution, last; /* seconds, UNIX seconds */
	bool table;              /* there is a column entries */
};

/* UNIX seconds, or a time in UTC as ISO 8601 writes it. */
static bool parse_time(const char *text, double *out)
{
	struct tm tm = {0};
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	char *rest;

	if (end && !*end) {
		*out = (double)timegm(&tm);
		return true;
	}
	*out = strtod(text, &rest);
	return rest != text && !*rest && *out >= 0 && *out < 1e12;
}

/* Empty is unknown. */
static bool parse_count(const char *text, double *out)
{
	char *rest;

	*out = UNKNOWN;
	if (!*text)
		return true;
	*out = strtod(text, &rest);
	return rest != text && !*rest && isfinite(*out) && *out >= 0;
}

int past_parse_csv(const char *line, struct past_row *out)
{
	char copy[128], *at = copy, *time, *entries, *max;

	if (snprintf(copy, sizeof(copy), "%s", line) >= (int)sizeof(copy))
		return -EBADMSG;
	copy[strcspn(copy, "\r")] = '\0';
	time = strsep(&at, ",");
	entries = strsep(&at, ",");
	max = strsep(&at, ",");
	if (!max || at || !parse_time(time, &out->time) || !parse_count(entries, &out->values[0]) ||
		!parse_count(max, &out->values[1]))
		return -EBADMSG;
	return 0;
}

static int read_csv(
	const char *path, FILE *f, struct reader *reader, char error[static PAST_ERROR_SIZE])
{
	CLEANUP_FREE char *line = NULL;
	size_t size = 0, number = 0;
	double before = -1;

	reader->past.n = 2;
	reader->past.names[0] = "entries";
	reader->past.names[1] = "max";
	while (getline(&line, &size, f) > 0) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (number == 1 && strcmp(line + (strncmp(line, "\xef\xbb\xbf", 3) ? 0 : 3),
					   CSV_HEADER) != 0) {
			snprintf(error, PAST_ERROR_SIZE, "%s:1: the header must be " CSV_HEADER,
				path);
			return -EBADMSG;
		}
		if (number == 1 || !*line)
			continue;
		if (past_parse_csv(line, &reader->past) < 0) {
			snprintf(error, PAST_ERROR_SIZE, "%s:%zu: not TIME,ENTRIES,MAX: \"%.60s\"",
				path, number, line);
			return -EBADMSG;
		}
		if (reader->past.time < before) {
			snprintf(error, PAST_ERROR_SIZE,
				"%s:%zu: the time is before that of the line above", path, number);
			return -EBADMSG;
		}
		before = reader->past.time;
		reader->row(reader->arg, &reader->past);
	}
	if (number == 0)
		snprintf(error, PAST_ERROR_SIZE, "%s: is empty; its first line must be " CSV_HEADER,
			path);
	else if (before < 0)
		snprintf(error, PAST_ERROR_SIZE, "%s: has no rows below its header", path);
	return before < 0 ? -EBADMSG : 0;
}

static bool is_counter(const char *name)
{
	for (size_t i = 0; i < registry_len; i++)
		for (size_t m = 0; m < registry[i]->n_metrics; m++)
			if (strcmp(registry[i]->name, "conntrack") == 0 &&
				strcmp(registry[i]->metrics[m].name, name) == 0)
				return registry[i]->metrics[m].kind == METRIC_COUNTER;
	return false;
}

static void take_names(struct reader *r, const char *line)
{
	char *at = r->names, *name;

	snprintf(r->names, sizeof(r->names), "%s", line);
	while ((name = strsep(&at, " ")))
		if (*name && r->past.n < PAST_COLUMNS) {
			r->table |= strcmp(name, "entries") == 0;
			r->counter[r->past.n] = is_counter(name);
			r->past.names[r->past.n++] = name;
		}
}

/* A line of `rrdtool fetch`: the names, or "TIME: value value". */
static void take_fetched(void *arg, char *line)
{
	struct reader *r = arg;
	char *end;

	if (r->past.n == 0) {
		take_names(r, line);
		return;
	}
	r->past.time = strtod(line, &end);
	if (end == line || *end++ != ':')
		return;
	for (size_t i = 0; i < r->past.n; i++) {
		double value = strtod(end, &end);

		/* What is recorded of a counter is its increase per second. */
		if (r->counter[i] && !isnan(value))
			r->sum[i] += value * r->resolution;
		r->past.values[i] = r->counter[i] && !isnan(value) ? r->sum[i] : value;
	}
	if (r->past.time <= r->last)
		r->row(r->arg, &r->past);
}

static int read_rrd(const char *path, struct reader *reader, char error[static PAST_ERROR_SIZE])
{
	const struct rrdtool_archive *archive;
	struct rrdtool_info info;
	int r = rrdtool_info(path, &info);

	archive = rrdtool_finest(&info);
	if (r == 0 && archive) {
		reader->last = info.last;
		reader->resolution = archive->resolution;
		r = rrdtool_fetch(path, &info, archive, take_fetched, reader);
	}
	if (r == 0 && !reader->table) {
		snprintf(error, PAST_ERROR_SIZE,
			"%s: holds no averages of entries; is it a conntrack.rrd?", path);
		return -EBADMSG;
	}
	if (r == -ENOENT)
		snprintf(error, PAST_ERROR_SIZE,
			"cannot read %s without rrdtool; install the package rrdtool", path);
	else if (r < 0)
		snprintf(error, PAST_ERROR_SIZE, "cannot read %s: %s", path,
			r == -EIO ? "rrdtool failed" : strerror(-r));
	return r;
}

/* NULL with *error set: a pipe or a device could keep it for ever. */
static FILE *open_regular(const char *path, int *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *f = NULL;

	if (fd < 0 || fstat(fd, &st) < 0)
		*error = -errno;
	else if (!S_ISREG(st.st_mode))
		*error = -ENOTSUP;
	else
		f = fdopen(fd, "r");
	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* An RRD begins with its cookie, NUL included. */
static bool is_rrd(FILE *f)
{
	char cookie[sizeof(RRD_COOKIE)] = "";
	bool is = fread(cookie, 1, sizeof(cookie), f) == sizeof(cookie) &&
		  memcmp(cookie, RRD_COOKIE, sizeof(cookie)) == 0;

	rewind(f);
	return is;
}

int past_read(const char *path, past_row_fn *row, void *arg, char error[static PAST_ERROR_SIZE])
{
	struct reader reader = {.row = row, .arg = arg};
	int r = 0;
	FILE *f = open_regular(path, &r);

	if (!f) {
		snprintf(error, PAST_ERROR_SIZE, "cannot open %s: %s", path,
			r == -ENOTSUP ? "not a regular file" : strerror(-r));
		return r;
	}
	r = is_rrd(f) ? read_rrd(path, &reader, error) : read_csv(path, f, &reader, error);
	fclose(f);
	return r;
}
