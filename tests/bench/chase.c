/* SPDX-License-Identifier: MIT */
/*
 * chase N - the floor of a walk over N sockets: memory of the size and layout of sockets, in random order, of which 16
 * chains are followed at once, reading of each record what a count has to read, in two cache lines. See serve.h.
 */
#include <err.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/bench/serve.h"

#define LANES 16
#define HUGE_PAGE (2UL << 20)

struct record {
	unsigned char before[18], state;
	unsigned char between[85];
	struct record *next;
	unsigned char after[2320];
};
_Static_assert(sizeof(struct record) == 2432, "that of a TCP socket");
_Static_assert(offsetof(struct record, next) == 104, "of another cache line than the state");

struct chase {
	struct record *record;
	size_t *order; /* of all records; each lane has a part of it */
	size_t per_lane;
	char sum[32];
};

static void shuffle(size_t *order, size_t n)
{
	unsigned long long random = 88172645463325252ULL; /* xorshift, always the same */

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t other, value = order[i];

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		other = (size_t)(random % (i + 1));
		order[i] = order[other];
		order[other] = value;
	}
}

static void make_chains(struct chase *c, size_t n)
{
	size_t size = (n * sizeof(*c->record) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;

	c->per_lane = n / LANES;
	c->record = aligned_alloc(HUGE_PAGE, size);
	c->order = calloc(n, sizeof(*c->order));
	if (!c->record || !c->order)
		err(1, "memory of %zu records", n);
	madvise(c->record, size, MADV_HUGEPAGE); /* as the kernel maps its own */
	memset(c->record, 1, size);
	shuffle(c->order, n);
	for (size_t i = 0; i + 1 < n; i++)
		c->record[c->order[i]].next = &c->record[c->order[i + 1]];
}

static const char *follow(void *arg)
{
	struct chase *c = arg;
	const struct record *at[LANES];
	unsigned long sum = 0;

	for (size_t lane = 0; lane < LANES; lane++)
		at[lane] = &c->record[c->order[lane * c->per_lane]];
	for (size_t i = 1; i < c->per_lane; i++)
		for (size_t lane = 0; lane < LANES; lane++) {
			sum += at[lane]->state;
			at[lane] = at[lane]->next;
		}
	snprintf(c->sum, sizeof(c->sum), "%lu", sum);
	return c->sum;
}

int main(int argc, char **argv)
{
	struct chase c;
	size_t n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (n < LANES || n > 10000000) {
		fputs("usage: chase N\n", stderr);
		return 2;
	}
	make_chains(&c, n);
	serve_runs(follow, &c);
	free(c.record);
	free(c.order);
	return 0;
}
