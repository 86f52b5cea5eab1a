/* SPDX-License-Identifier: MIT */
#include "tests/backtest/draft.h"

#include <math.h>
#include <stdlib.h>

static uint64_t next(struct draft *d)
{
	uint64_t z = d->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

double draft_uniform(struct draft *d, double lo, double hi)
{
	return lo + (hi - lo) * ((double)(next(d) >> 11) / 9007199254740992.0);
}

/* Evenly over the orders of magnitude. */
double draft_spread(struct draft *d, double lo, double hi)
{
	return lo * pow(hi / lo, draft_uniform(d, 0, 1));
}

double draft_normal(struct draft *d)
{
	double size = sqrt(-2 * log(draft_uniform(d, 1e-12, 1)));

	return size * cos(2 * M_PI * draft_uniform(d, 0, 1));
}

void draft_begin(struct draft *d, long seconds, double level)
{
	struct trace *t = d->t;

	t->n = seconds;
	t->used = calloc(3 * (size_t)seconds, sizeof(double));
	if (!t->used)
		abort();
	t->entries = t->used + seconds;
	t->max = t->entries + seconds;
	for (long i = 0; i < seconds; i++) {
		t->used[i] = level;
		t->max[i] = d->size;
	}
}

/* Noise, whole entries, and the kernel's refusal above the maximum. */
void draft_finish(struct draft *d)
{
	struct trace *t = d->t;
	double slow = 0, keep = d->slow > 0 ? exp(-1 / d->slow_tau) : 0;

	for (long i = 0; i < t->n; i++) {
		double noise = d->white > 0 ? d->white * draft_normal(d) : 0, top;

		if (d->slow > 0) {
			slow = slow * keep + d->slow * sqrt(1 - keep * keep) * draft_normal(d);
			noise += slow;
		}
		top = fmax(t->max[i], t->used[i] * d->size / 100);
		t->entries[i] += fmin(fmax(0, round((t->used[i] + noise) * d->size / 100)), top);
		if (t->max[i] > 0)
			t->used[i] *= d->size / t->max[i];
	}
}

void draft_mark(struct draft *d, enum incident_kind kind, long onset, long end)
{
	d->t->incidents[d->t->n_incidents++] =
		(struct incident){kind, onset, end < d->t->n ? end : d->t->n};
}

void draft_gaps(struct draft *d, long from, long to, double longest, int n)
{
	for (int i = 0; i < n; i++) {
		long at = (long)draft_uniform(d, (double)from, (double)to);
		long length = (long)draft_spread(d, 2, longest);

		for (long j = at; j < at + length && j < d->t->n; j++)
			d->t->entries[j] = (double)NAN;
	}
}

long draft_resolve(struct draft *d, long at, double top, double level)
{
	double tau = draft_uniform(d, 0, 1) < 0.4 ? 1 : draft_spread(d, 30, 400);
	long calm = at;

	for (long i = at; i < d->t->n; i++) {
		d->t->used[i] = level + (top - level) * exp(-(double)(i - at) / tau);
		if (d->t->used[i] > fmax(60, level + 5))
			calm = i;
	}
	return calm + 15 * MINUTE;
}

/* 0 at x = 0, 1 at x = 1. */
static double shape_at(enum shape shape, double x, double bend, long steps)
{
	switch (shape) {
	case CONCAVE:
		return -expm1(-bend * x) / -expm1(-bend);
	case CONVEX:
		return expm1(bend * x) / expm1(bend);
	case STAIRS:
		return floor(x * (double)steps) / (double)steps;
	case STRAIGHT:
		break;
	}
	return x;
}

/* A rise from level to full within `length` seconds that begins at `at`, full for a while, and
 * over. */
void draft_fill_up(struct draft *d, enum incident_kind kind, enum shape shape, long at, long length)
{
	struct trace *t = d->t;
	double level = t->used[at], bend = draft_uniform(d, 0.4, 1.6);
	long steps = (long)fmax(15, (double)length / draft_uniform(d, 60, 300));
	long full = at + length, stay = full + (long)draft_spread(d, 60, 20 * MINUTE);

	for (long i = at; i < stay && i < t->n; i++)
		t->used[i] = i < full ? level + (100 - level) *
							shape_at(shape,
								(double)(i - at) / (double)length,
								bend, steps)
				      : 100;
	draft_mark(d, kind, at, draft_resolve(d, stay, 100, level));
}
