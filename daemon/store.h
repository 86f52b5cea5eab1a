/* SPDX-License-Identifier: MIT */
/*
 * The loop's side of the store: rows go to a child process (daemon/store_main.c, `connwatchd:
 * store`), which is alone in calling librrd, over a SOCK_SEQPACKET that is never waited for.
 * Nothing here blocks, whatever the disk does.
 */
#ifndef CONNWATCH_STORE_H
#define CONNWATCH_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "daemon/collector.h"
#include "daemon/conf.h"

struct store;

/* Counts since store_new(), in rows (one row is one instance at one time). */
struct store_counts {
	uint64_t written,
		dropped;   /* dropped: queue overflow, refused by time, or an error of librrd */
	size_t waiting;    /* handed over, not yet answered */
	unsigned restarts; /* times the store process was replaced */
};

/*
 * Start the store process for conf's instances (borrowed; must outlive the store or the next
 * store_reconfigure()). Sources are attached to event, which is borrowed. Returns 0 or -errno.
 */
int store_new(sd_event *event, const struct conf *conf, struct store **out);
/*
 * Called from the event loop soon after the start with what the files of instances with a forecast hold: the maximum of a
 * column at a past time, oldest first. instance and metric as in conf.
 */
typedef void store_past_fn(void *arg, size_t instance, size_t metric, double time, double value);
void store_on_past(struct store *store, store_past_fn *past, void *arg);
/* Change over to another configuration; rows already queued for instances that go on to exist are
 * kept. */
int store_reconfigure(struct store *store, const struct conf *conf);
/* Queue one row: values[] of conf's instance number `instance`, stamped time (a multiple of the
 * interval). Never blocks; when the queue is full its oldest row is dropped and counted. last: the
 * last row of this round. */
void store_append(
	struct store *store, size_t instance, time_t time, const double values[], bool last);
/* Called at every look with CLOCK_MONOTONIC seconds: replaces a store that has not answered for 3
 * intervals, or, while it makes or converts a file, shown no life for 30 s. */
void store_check(struct store *store, double now);
void store_get_counts(const struct store *store, struct store_counts *out);
/* Hand over what is queued, wait for the answers until the deadline (milliseconds), then end the
 * child. */
void store_finish(struct store *store, int timeout_ms);
void store_free(struct store *store); /* kills the child if it still runs */

#endif
