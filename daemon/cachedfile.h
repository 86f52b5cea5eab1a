/* SPDX-License-Identifier: MIT */
/*
 * One RRD that an rrdcached keeps, on this machine or on another one: made, checked and written by its commands alone.
 * There is no command to convert a file or to move it aside.
 */
#ifndef CONNWATCH_CACHEDFILE_H
#define CONNWATCH_CACHEDFILE_H

#include "daemon/rrdcached.h"
#include "daemon/rrdfile.h"
#include "daemon/store_proto.h"

struct cachedfile;

/* Make one of an OPEN packet, which is copied; asks nobody. Returns 0, -EBADMSG or -ENOMEM. */
int cachedfile_new(const uint8_t *packet, size_t len, struct cachedfile **out);
void cachedfile_free(struct cachedfile *file);

/* As rrdfile_open(), rrdfile_update() and rrdfile_past(), through cached; they wait for it as long as it takes. */
void cachedfile_open(
	struct cachedfile *file, struct rrdcached *cached, struct store_answer *answer);
void cachedfile_update(struct cachedfile *file, struct rrdcached *cached,
	const struct store_row *row, struct store_answer *answer);
void cachedfile_past(
	const struct cachedfile *file, struct rrdcached *cached, rrdfile_past_fn *past, void *arg);

#endif
