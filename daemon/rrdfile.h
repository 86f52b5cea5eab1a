/* SPDX-License-Identifier: MIT */
/*
 * One RRD as the store process keeps it: checked on opening, created without overwriting, converted
 * to what the configuration asks for, moved aside where it is damaged or stamped far ahead of the
 * clock, and never deleted. It may block for as long as a disk does, and a write into a file's map
 * may end the process with SIGBUS.
 */
#ifndef CONNWATCH_RRDFILE_H
#define CONNWATCH_RRDFILE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "daemon/store_proto.h"

struct rrdfile;

/* Make one of an OPEN packet, which is copied; touches no disk. Returns 0, -EBADMSG or -ENOMEM. */
int rrdfile_new(const uint8_t *packet, size_t len, struct rrdfile **out);
void rrdfile_free(struct rrdfile *file);
/*
 * Called now and then while a file is made or converted, which takes as long as writing it whole.
 */
typedef void rrdfile_busy_fn(void *arg);
void rrdfile_on_busy(struct rrdfile *file, rrdfile_busy_fn *busy, void *arg);
/*
 * Before it is opened: *undo is one for all files of the process, lent for good, -1 for the first; see rrdundo.h. Without,
 * a death may spoil a file.
 */
void rrdfile_use_undo(struct rrdfile *file, int *undo);

/*
 * Check the file, or, where there is none, that its directory (made with 0755 if missing) can take
 * one: it is created with the first row, so that it can begin one step before it. A file of another
 * step, or without some of the columns or archives, is converted; where that fails, one of the
 * right step is used as it is, and tried again every hour. clock: the time now. *answer is filled
 * in whole: STORE_DONE, or STORE_FAILED with the cause; tried again at every row.
 */
void rrdfile_open(struct rrdfile *file, time_t clock, struct store_answer *answer);

/*
 * Write a row; its own time is the clock. Notices that the file was replaced or deleted since.
 * *answer is filled in whole: STORE_DONE, STORE_SAME, STORE_OLDER (with last) or STORE_FAILED.
 */
void rrdfile_update(struct rrdfile *file, const struct store_row *row, struct store_answer *answer);

/*
 * Hand out the maxima of the columns that the OPEN packet wants the past of: the last seven days,
 * as finely as the file has them. Nothing where there is no file yet, or it cannot be read.
 */
typedef void rrdfile_past_fn(void *arg, const struct store_past *past);
void rrdfile_past(struct rrdfile *file, rrdfile_past_fn *past, void *arg);

#endif
