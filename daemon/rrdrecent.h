/* SPDX-License-Identifier: MIT */
/*
 * The updates that an rrdcached took last. Its journal is written in blocks of a file system, so that a death takes some
 * of what it has answered: that much is kept here, to be told again.
 */
#ifndef CONNWATCH_RRDRECENT_H
#define CONNWATCH_RRDRECENT_H

#include <stdbool.h>
#include <stddef.h>

/* Twice the usual block, in which what is kept takes less than a line of the journal. */
#define RRDRECENT_SIZE 8192

/* All zero: none. */
struct rrdrecent {
	size_t used;
	char text[RRDRECENT_SIZE]; /* "PATH\0UPDATE\0", the oldest first */
};

/* Keep an update, copied, instead of as many of the oldest as take its room. */
void rrdrecent_put(struct rrdrecent *recent, const char *path, const char *update);
/* The next one, from *at = 0 on, the oldest first; false: none is left. Lent until the next rrdrecent_put(). */
bool rrdrecent_next(
	const struct rrdrecent *recent, size_t *at, const char **path, const char **update);

#endif
