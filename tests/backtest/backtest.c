/* SPDX-License-Identifier: MIT */
#include "tests/backtest/backtest.h"

#include <math.h>

#include "tests/backtest/draft.h"

static long rise(struct draft *d, double from, long seconds, long before)
{
	draft_begin(d, before + seconds + 10 * MINUTE, from);
	for (long i = before; i < d->t->n; i++)
		d->t->used[i] =
			fmin(100, from + (100 - from) * (double)(i - before) / (double)seconds);
	return before + seconds;
}

static long leak(struct draft *d)
{
	return rise(d, 10, HOUR, (long)draft_uniform(d, 0, 2) * 20 * MINUTE);
}

static long flood(struct draft *d)
{
	return rise(d, 5, 30, (long)draft_uniform(d, 0, 3) * 60);
}

static long breath(struct draft *d)
{
	double phase = draft_uniform(d, 0, 24);

	draft_begin(d, DAY, 0);
	for (long i = 0; i < DAY; i++)
		d->t->used[i] = 47.5 + 27.5 * cos(((double)i / HOUR - phase) / 12 * M_PI);
	return 0;
}

/* Even noise of up to 1.5 points either way. */
static long around(struct draft *d)
{
	d->white = 0;
	draft_begin(d, HOUR, 80);
	for (long i = 0; i < HOUR; i++)
		d->t->used[i] += draft_uniform(d, -1.5, 1.5);
	return 0;
}

/* The plateau is there at once, or comes as a step, or as entries that expire after a minute reach
 * it. */
static long plateau(struct draft *d)
{
	long shape = (long)draft_uniform(d, 0, 3);

	draft_begin(d, 3 * HOUR, 85);
	for (long i = 0; i < 3 * HOUR && shape > 0; i++)
		d->t->used[i] = i < 30 * MINUTE ? 40
				: shape == 1    ? 85
						: 85 - 45 * exp(-(double)(i - 30 * MINUTE) / 60);
	return 0;
}

static long lowered(struct draft *d)
{
	draft_begin(d, 30 * MINUTE, draft_uniform(d, 20, 70));
	for (long i = 10 * MINUTE; i < d->t->n; i++)
		d->t->max[i] = round(d->size * d->t->used[0] / 110);
	return 10 * MINUTE;
}

static long no_limit(struct draft *d)
{
	draft_begin(d, 30 * MINUTE, 95);
	for (long i = 0; i < d->t->n; i++)
		d->t->max[i] = 0;
	return 0;
}

static long flushed(struct draft *d)
{
	draft_begin(d, HOUR, 30);
	for (long i = 10 * MINUTE; i < 30 * MINUTE; i++)
		d->t->used[i] = 95;
	for (long i = 30 * MINUTE; i < HOUR; i++)
		d->t->used[i] = 2;
	return 30 * MINUTE;
}

static long with_gaps(struct draft *d)
{
	draft_begin(d, 2 * HOUR, 30);
	for (long i = 10 * MINUTE; i < 2 * HOUR; i++)
		d->t->used[i] = fmin(86, 30 + (double)(i - 10 * MINUTE) / 30);
	for (long i = 30 * MINUTE; i < 2 * HOUR; i++)
		if (i / 240 % 3 == 0)
			d->t->entries[i] = (double)NAN;
	return 30 * MINUTE;
}

static long step(struct draft *d)
{
	draft_begin(d, 4 * HOUR, 30);
	for (long i = HOUR; i < 4 * HOUR; i++)
		d->t->used[i] = 70;
	return HOUR;
}

/* Entries that expire after 120 s: each after exactly so long, or on average. */
static long levels_off(struct draft *d)
{
	int exact = draft_uniform(d, 0, 2) < 1;

	draft_begin(d, 2 * HOUR, 5);
	for (long i = 10 * MINUTE; i < 2 * HOUR; i++) {
		double x = (double)(i - 10 * MINUTE) / 120;

		d->t->used[i] = 5 + 65 * (exact ? fmin(1, x) : -expm1(-x));
	}
	return 0;
}

long backtest_make(char letter, uint64_t seed, struct trace *out)
{
	static long (*const makers[])(struct draft *) = {leak, flood, breath, around, plateau,
		lowered, no_limit, flushed, with_gaps, step, levels_off};
	static const char *const names[] = {"(a) leak in 60 min", "(b) flood in 30 s",
		"(c) breath, 2 % noise", "(d) 80 % +-1.5 %", "(e) plateau at 85 %",
		"(f) maximum lowered", "(g) maximum 0", "(h) flushed", "(i) gaps",
		"(j) step to 70 %", "(k) rests at 70 %"};
	struct draft d = {.t = out, .random = seed * 69069 + (uint64_t)letter, .size = 262144};
	long turn;

	*out = (struct trace){.name = names[letter - 'a'], .start = MIDNIGHT};
	d.white = letter == 'c' ? 2 / 2.6 : draft_uniform(&d, 0, 0.4);
	turn = makers[letter - 'a'](&d);
	draft_finish(&d);
	return turn;
}
