/* SPDX-License-Identifier: MIT */
#include "daemon/store_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* More rows than are ever on their way to a store that works: their memory is given back. */
#define KEPT_ROWS 64

static size_t row_size(const struct ring *ring)
{
	return sizeof(struct ring_row) + ring->n_values * sizeof(double);
}

static size_t ring_size(const struct ring *ring)
{
	return ring->capacity * row_size(ring);
}

int ring_init(struct ring *ring, size_t capacity, size_t n_values)
{
	*ring = (struct ring){.capacity = capacity, .n_values = n_values};
	if (!capacity)
		return 0;
	ring->rows = mmap(NULL, ring_size(ring), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ring->rows != MAP_FAILED)
		return 0;
	*ring = (struct ring){0};
	return -ENOMEM;
}

void ring_close(struct ring *ring)
{
	if (ring->rows)
		munmap(ring->rows, ring_size(ring));
	*ring = (struct ring){0};
}

struct ring_row *ring_get(const struct ring *ring, uint64_t seq)
{
	uint8_t *at = ring->rows + (seq - ring->origin) % ring->capacity * row_size(ring);

	return (struct ring_row *)__builtin_assume_aligned(at, _Alignof(struct ring_row));
}

struct ring_row *ring_push(struct ring *ring)
{
	return ring_get(ring, ring->head++);
}

bool ring_is_full(const struct ring *ring)
{
	return ring->head - ring->tail >= ring->capacity;
}

void ring_pop(struct ring *ring)
{
	ring->tail++;
	if (ring->next < ring->tail)
		ring->next = ring->tail;
	if (ring->tail < ring->head)
		return;
	if (ring->head - ring->origin > KEPT_ROWS)
		madvise(ring->rows, ring_size(ring), MADV_DONTNEED);
	ring->origin = ring->head;
}

void ring_move(struct ring *to, const struct ring *from)
{
	size_t n_values = to->n_values < from->n_values ? to->n_values : from->n_values;

	to->origin = to->tail = to->head = from->tail;
	to->next = from->next;
	for (uint64_t seq = from->tail; seq < from->head; seq++)
		memcpy(ring_push(to), ring_get(from, seq),
			sizeof(struct ring_row) + n_values * sizeof(double));
}
