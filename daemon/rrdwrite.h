/* SPDX-License-Identifier: MIT */
/*
 * Writing a whole RRD, beside the place it is meant for, in librrd's format. Neither of librrd's
 * ways to convert a file would do (1.7.2): `create --source` counts the time since the last whole
 * step as zeros, so that the next row of every column is too low, and `tune` knows no other step.
 */
#ifndef CONNWATCH_RRDWRITE_H
#define CONNWATCH_RRDWRITE_H

#include "daemon/rrdplan.h"

/* Called now and then while the work goes on: a sign of life. */
struct rrdwrite_busy {
	void (*call)(void *arg);
	void *arg;
};

/* Remove what a try that was killed has left beside path. */
void rrdwrite_sweep(const char *path);

/*
 * Write path as planned, with the history of old (NULL: a new file, and path must not exist),
 * synced and renamed over it when it is whole. Returns 0, -EBADMSG if librrd does not like it,
 * -ENOSPC, or -errno; path is as it was then.
 */
int rrdwrite_file(const char *path, const struct rrdplan *plan, const struct rrdmap *old,
	const struct rrdwrite_busy *busy);

#endif
