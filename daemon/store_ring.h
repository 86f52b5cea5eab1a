/* SPDX-License-Identifier: MIT */
/*
 * The rows that the store process has not answered yet: a ring of fixed size, numbered from 0
 * without end. Its memory is mapped once and touched as rows come, so that a daemon whose rows are
 * answered at once needs a page of it.
 */
#ifndef CONNWATCH_STORE_RING_H
#define CONNWATCH_STORE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_row {
	int64_t time;
	uint32_t slot; /* of the file */
	bool last;     /* the last of its round */
	double values[];
};

struct ring {
	uint8_t *rows;
	size_t capacity, n_values; /* rows; values there is room for in each */
	uint64_t origin, tail, next,
		head; /* numbers: at rows[0], the oldest, the next to be sent, the next to come */
};

/* Returns 0 or -ENOMEM. An all-zero struct ring is an empty one without room. */
int ring_init(struct ring *ring, size_t capacity, size_t n_values);
void ring_close(struct ring *ring);
/* Copy all rows, with their numbers; there is room for them. */
void ring_move(struct ring *to, const struct ring *from);

struct ring_row *ring_get(const struct ring *ring, uint64_t seq); /* tail <= seq < head */
/* The row to fill in for number head - 1, its values not initialised. Only when the ring is not
 * full. */
struct ring_row *ring_push(struct ring *ring);
/* Forget the oldest row. */
void ring_pop(struct ring *ring);
bool ring_is_full(const struct ring *ring);

#endif
