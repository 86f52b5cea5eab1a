/* SPDX-License-Identifier: MIT */
/*
 * Count how often each of many keys was seen, in memory that is bounded whatever comes: exact up to
 * TALLY_KEYS different keys, beyond that the frequent ones with an error that is known (Misra and
 * Gries, in batches).
 */
#ifndef CONNWATCH_TALLY_H
#define CONNWATCH_TALLY_H

#include <stddef.h>
#include <stdint.h>

/* Different keys counted exactly: more than the entries of a sample. 7 MiB at most. */
enum { TALLY_KEYS = 262144 };

struct tally_item {
	uint8_t key[16];
	uint32_t count;
};

struct tally;

/* Returns 0 and an empty tally for tally_free(), or -errno. */
int tally_new(struct tally **out);
void tally_free(struct tally *t);

void tally_add(struct tally *t, const uint8_t key[static 16]);

/* Up to n items of the highest counts, descending, equal counts by key; returns how many. */
size_t tally_top(struct tally *t, struct tally_item *out, size_t n);

/* Different keys held now; all that were seen as long as the undercount is 0. */
size_t tally_keys(struct tally *t);

/* No count is too high; none is too low by more than this. Below 3 in TALLY_KEYS of all keys added,
 * 0 while exact. */
uint32_t tally_undercount(struct tally *t);

#endif
