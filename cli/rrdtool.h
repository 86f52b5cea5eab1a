/* SPDX-License-Identifier: MIT */
/* The history in an RRD, asked of rrdtool(1): connwatch itself links no librrd. */
#ifndef CONNWATCH_RRDTOOL_H
#define CONNWATCH_RRDTOOL_H

#include <stdbool.h>
#include <stddef.h>

#define RRDTOOL_ARCHIVES 64

struct rrdtool_archive {
	bool average, max;       /* its consolidation; neither for others */
	double resolution, rows; /* resolution in seconds */
};

struct rrdtool_info {
	double step, last; /* seconds; UNIX seconds of the newest row */
	size_t n;
	struct rrdtool_archive archives[RRDTOOL_ARCHIVES];
};

/* Takes a line of output, without its newline, and may write into it. */
typedef void rrdtool_line_fn(void *arg, char *line);

/*
 * What path is. Returns 0 or -errno: -ENOENT if rrdtool is not installed, -EIO if it failed (and
 * said why on stderr).
 */
int rrdtool_info(const char *path, struct rrdtool_info *out);

/* The finest archive of averages, or NULL. */
const struct rrdtool_archive *rrdtool_finest(const struct rrdtool_info *info);

/*
 * Hand each line that `rrdtool fetch` prints of this archive to take: the names of the columns, an
 * empty one, then "TIME: VALUE...", where what is not known is nan. Returns as rrdtool_info().
 */
int rrdtool_fetch(const char *path, const struct rrdtool_info *info,
	const struct rrdtool_archive *archive, rrdtool_line_fn *take, void *arg);

#endif
