/* SPDX-License-Identifier: MIT */
#include "daemon/ct/tally.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FIRST_BITS = 8, LAST_BITS = 19, BATCH = 64 };
_Static_assert(1 << LAST_BITS == 2 * TALLY_KEYS, "half of the slots stay free");

/*
 * The items stand in order of arrival, slots find them. All the time goes where the cache misses,
 * which the kernel's dump empties again and again: hence few slots for few keys, and batches whose
 * memory is fetched ahead.
 */
struct tally {
	uint64_t multiplier[2]; /* secret: nobody can choose addresses that collide */
	unsigned bits;          /* slots in use: 1 << bits */
	uint32_t n, undercount;
	struct tally_item item[TALLY_KEYS];
	uint32_t n_waiting;
	struct tally_item waiting[BATCH]; /* not counted yet; neighbours differ */
	uint32_t slot[1 << LAST_BITS];    /* index of an item + 1; 0: free */
};

int tally_new(struct tally **out)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	if (getrandom(t->multiplier, sizeof(t->multiplier), 0) != sizeof(t->multiplier)) {
		free(t);
		return -EIO;
	}
	t->bits = FIRST_BITS;
	*out = t;
	return 0;
}

void tally_free(struct tally *t)
{
	free(t);
}

/* Multiply-shift hashing by Dietzfelbinger: universal with odd multipliers. */
static size_t first_slot(const struct tally *t, const uint8_t key[static 16])
{
	uint64_t half[2];

	memcpy(half, key, sizeof(half));
	return (half[0] * (t->multiplier[0] | 1) + half[1] * (t->multiplier[1] | 1)) >>
	       (64 - t->bits);
}

/* The slot that holds key, or the free one where it belongs. */
static uint32_t *find_slot(struct tally *t, const uint8_t key[static 16])
{
	size_t at = first_slot(t, key);

	while (t->slot[at] && memcmp(t->item[t->slot[at] - 1].key, key, 16) != 0)
		at = (at + 1) & ((1u << t->bits) - 1);
	return &t->slot[at];
}

static uint32_t keys_up_to(const struct tally *t, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		n += t->item[i].count <= count;
	return n;
}

/*
 * Lower every count by as much as frees a quarter of the keys, and drop those. Half the cut would
 * not have done, so three quarters of the keys lose at least half the cut each: the undercount
 * stays below keys added * 8/3 / TALLY_KEYS.
 */
static void lower_counts(struct tally *t)
{
	uint32_t cut = 1, n = t->n;

	while (keys_up_to(t, cut) < TALLY_KEYS / 4)
		cut *= 2;
	t->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (t->item[i].count <= cut)
			continue;
		t->item[t->n] = t->item[i];
		t->item[t->n++].count -= cut;
	}
	t->undercount += cut;
}

/* Room for one more key at least: twice the slots, or fewer keys. */
static void make_room(struct tally *t)
{
	if (t->bits < LAST_BITS)
		t->bits++;
	else
		lower_counts(t);
	memset(t->slot, 0, sizeof(t->slot[0]) << t->bits);
	for (uint32_t i = 0; i < t->n; i++) {
		if (i + BATCH < t->n)
			__builtin_prefetch(&t->slot[first_slot(t, t->item[i + BATCH].key)], 1);
		*find_slot(t, t->item[i].key) = i + 1;
	}
}

static void count_one(struct tally *t, const struct tally_item *one)
{
	uint32_t *slot = find_slot(t, one->key);

	if (*slot) {
		t->item[*slot - 1].count += one->count;
		return;
	}
	if (t->n == 1u << (t->bits - 1)) {
		make_room(t);
		slot = find_slot(t, one->key);
	}
	t->item[t->n] = *one;
	*slot = ++t->n;
}

static void count_waiting(struct tally *t)
{
	for (uint32_t i = 0; i < t->n_waiting; i++)
		__builtin_prefetch(&t->slot[first_slot(t, t->waiting[i].key)]);
	for (uint32_t i = 0; i < t->n_waiting; i++) {
		uint32_t index = t->slot[first_slot(t, t->waiting[i].key)];

		__builtin_prefetch(&t->item[index ? index - 1 : t->n], 1);
	}
	for (uint32_t i = 0; i < t->n_waiting; i++)
		count_one(t, &t->waiting[i]);
	t->n_waiting = 0;
}

void tally_add(struct tally *t, const uint8_t key[static 16])
{
	if (t->n_waiting > 0 && memcmp(t->waiting[t->n_waiting - 1].key, key, 16) == 0) {
		t->waiting[t->n_waiting - 1].count++;
		return;
	}
	if (t->n_waiting == BATCH)
		count_waiting(t);
	memcpy(t->waiting[t->n_waiting].key, key, 16);
	t->waiting[t->n_waiting++].count = 1;
}

/* Descending count, then ascending key. */
static bool comes_before(const struct tally_item *a, const struct tally_item *b)
{
	return a->count != b->count ? a->count > b->count : memcmp(a->key, b->key, 16) < 0;
}

size_t tally_top(struct tally *t, struct tally_item *out, size_t n)
{
	size_t have = 0;

	count_waiting(t);
	for (uint32_t i = 0; i < t->n; i++) {
		size_t at = have;

		if (have == n && (n == 0 || !comes_before(&t->item[i], &out[n - 1])))
			continue;
		if (have < n)
			have++;
		else
			at--;
		for (; at > 0 && comes_before(&t->item[i], &out[at - 1]); at--)
			out[at] = out[at - 1];
		out[at] = t->item[i];
	}
	return have;
}

size_t tally_keys(struct tally *t)
{
	count_waiting(t);
	return t->n;
}

uint32_t tally_undercount(struct tally *t)
{
	count_waiting(t);
	return t->undercount;
}
