/* SPDX-License-Identifier: MIT */
/* What store.c (queue, life of the process) and store_link.c (packets and their answers) share. */
#ifndef CONNWATCH_STORE_INTERNAL_H
#define CONNWATCH_STORE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "daemon/store.h"
#include "daemon/store_files.h"
#include "daemon/store_ring.h"

/* Packets on their way: an hour's rows need not lie in the socket. */
#define MAX_FLIGHT 64
/* Deaths over one file, by a signal that speaks of its contents, before it is moved aside unread.
 */
#define MAX_CRASHES 3

/* A packet that was sent and is not answered; answers come in this order. */
struct flight {
	bool open, last; /* OPEN, else a ROW; the last of its round */
	uint32_t slot;
	uint64_t seq;
	int64_t time;
};

struct store {
	sd_event *event;
	double interval;
	struct files files;
	struct ring ring;
	struct store_counts counts; /* waiting is made up when asked */

	struct flight flight[MAX_FLIGHT];
	size_t first, n_flight;
	double since; /* CLOCK_MONOTONIC of the last sign of life, or of the sending after a pause */
	bool busy;    /* it writes a whole file, by its last sign of life */

	pid_t pid; /* 0: none runs */
	int fd;
	sd_event_source *io, *death;
	double started;  /* CLOCK_MONOTONIC */
	bool killed;     /* by us; not reaped yet */
	bool answered;   /* it did, since it was started */
	uint64_t spared; /* number + 1 of a row that got a second chance after no answer */

	store_past_fn *past;
	void *past_arg;

	bool failing; /* from a death until it has worked for a while */
	unsigned failing_restarts;
	uint64_t failing_dropped;
	bool overflowing;
	uint64_t overflow_rows;
};

/* CLOCK_MONOTONIC in seconds. */
double store_clock(void);
/* Says (at err) the first of what may be a long series of failures of the process. */
void store_say_failing(struct store *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Send what can be sent without waiting. */
void link_send(struct store *s);
/* Take the answers that have come. False when no more will. */
bool link_receive(struct store *s);
/* Forget what was sent: the process is gone. Rows without an answer will be sent to the next one.
 */
void link_reset(struct store *s);
/* The oldest packet without an answer; NULL if there is none. */
const struct flight *link_oldest(const struct store *s);
/* The oldest row leaves the queue unwritten. */
void link_drop_oldest(struct store *s);

#endif
