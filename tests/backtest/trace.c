/* SPDX-License-Identifier: MIT */
#include "tests/backtest/trace.h"

#include <math.h>
#include <stdlib.h>

#include "tests/backtest/draft.h"

static void leak(struct draft *d, enum shape shape)
{
	long at = (long)draft_uniform(d, 40 * MINUTE, 2 * HOUR),
	     length = (long)draft_spread(d, 25 * MINUTE, 5 * HOUR);

	draft_begin(d, at + length + 2 * HOUR, draft_uniform(d, 8, 42));
	draft_fill_up(d, INCIDENT_LEAK, shape, at, length);
}

static void leak_straight(struct draft *d)
{
	leak(d, STRAIGHT);
}

static void leak_concave(struct draft *d)
{
	leak(d, CONCAVE);
}

static void leak_convex(struct draft *d)
{
	leak(d, CONVEX);
}

static void leak_stairs(struct draft *d)
{
	leak(d, STAIRS);
}

static void leak_noisy(struct draft *d)
{
	d->white = draft_uniform(d, 1, 2);
	d->slow = draft_uniform(d, 0.5, 1.5);
	d->slow_tau = draft_spread(d, 20, 300);
	leak(d, draft_uniform(d, 0, 1) < 0.5 ? STRAIGHT : CONVEX);
}

static void leak_gaps(struct draft *d)
{
	leak(d, STRAIGHT);
	draft_gaps(d, d->t->incidents[0].onset, d->t->incidents[0].end, 240, 15);
}

/* Entries counted one by one in a small table are noisy in themselves. */
static void leak_small(struct draft *d)
{
	d->size = 512;
	d->white = 0.4;
	d->slow = draft_uniform(d, 1, 2);
	d->slow_tau = 60;
	leak(d, STRAIGHT);
}

static void flood(struct draft *d, enum shape shape, double shortest, double longest)
{
	long at = (long)draft_uniform(d, 40 * MINUTE, 2 * HOUR);

	draft_begin(d, at + 2 * HOUR, draft_uniform(d, 5, 40));
	draft_fill_up(d, INCIDENT_FLOOD, shape, at, (long)draft_spread(d, shortest, longest));
}

static void flood_short(struct draft *d)
{
	flood(d, STRAIGHT, 5, 30);
}

static void flood_straight(struct draft *d)
{
	flood(d, STRAIGHT, 15, 300);
}

static void flood_concave(struct draft *d)
{
	flood(d, CONCAVE, 20, 300);
}

static void flood_convex(struct draft *d)
{
	flood(d, CONVEX, 20, 300);
}

static void flood_huge(struct draft *d)
{
	d->size = 4194304;
	flood(d, STRAIGHT, 30, 300);
}

/* How much of a steady stream of entries is there after x mean lifetimes. */
enum lifetime { EXPONENTIAL, FIXED, PARETO };

static double settled(enum lifetime lifetime, double x)
{
	switch (lifetime) {
	case FIXED:
		return fmin(x, 1);
	case PARETO: /* alpha 1.5, mean 1 */
		return x < 1.0 / 3 ? x : 1 - 2.0 / 3 * pow(3 * x, -0.5);
	case EXPONENTIAL:
		break;
	}
	return -expm1(-x);
}

/* A flood whose entries expire: it comes to rest at `rest` percent, stays, and is over. */
static void come_to_rest(struct draft *d, enum lifetime lifetime, double rest, double mean)
{
	long at = (long)draft_uniform(d, 40 * MINUTE, 2 * HOUR);
	long stay = at + (long)draft_spread(d, fmax(10 * MINUTE, 12 * mean), 3 * HOUR);
	double level = draft_uniform(d, 5, 30);
	long calm;

	draft_begin(d, stay + 2 * HOUR, level);
	for (long i = at; i < stay; i++)
		d->t->used[i] = level + (rest - level) * settled(lifetime, (double)(i - at) / mean);
	calm = draft_resolve(d, stay, d->t->used[stay - 1], level);
	if (rest > 80)
		draft_mark(d, INCIDENT_PLATEAU, at, calm);
}

static void rest_below(struct draft *d)
{
	double rest = draft_uniform(d, 55, 78), mean = draft_spread(d, 20, 180);

	come_to_rest(d, EXPONENTIAL, rest, mean);
}

static void rest_below_fixed(struct draft *d)
{
	static const double timeouts[] = {30, 60, 120, 120, 120, 180};

	double rest = draft_uniform(d, 55, 78), mean = timeouts[(size_t)draft_uniform(d, 0, 6)];

	come_to_rest(d, FIXED, rest, mean);
}

static void rest_above(struct draft *d)
{
	double rest = draft_uniform(d, 82, 88.5), mean = draft_spread(d, 20, 180);

	come_to_rest(d, EXPONENTIAL, rest, mean);
}

static void rest_critical(struct draft *d)
{
	double rest = draft_uniform(d, 91.5, 98), mean = draft_spread(d, 20, 180);

	come_to_rest(d, EXPONENTIAL, rest, mean);
}

static void rest_above_fixed(struct draft *d)
{
	come_to_rest(d, FIXED, draft_uniform(d, 83, 88), 120);
}

static void heavy_below(struct draft *d)
{
	double rest = draft_uniform(d, 60, 78), mean = draft_spread(d, 30, 200);

	come_to_rest(d, PARETO, rest, mean);
}

static void heavy_above(struct draft *d)
{
	double rest = draft_uniform(d, 86, 89), mean = draft_spread(d, 30, 100);

	come_to_rest(d, PARETO, rest, mean);
}

/* A daily breath between levels up to 13 points below lo and hi, whose hours and heights vary a
 * little from day to day. */
static void breathe(struct draft *d, long days, double lo_end, double hi_end)
{
	double lo = lo_end - draft_uniform(d, 0, 13), hi = hi_end - draft_uniform(d, 0, 13);
	double phase = draft_uniform(d, 10, 16), sharp = draft_uniform(d, 0.7, 1.6);

	draft_begin(d, days * DAY, lo);
	for (long day = 0; day < days; day++) {
		double top = hi - draft_uniform(d, 0, 0.12) * (hi - lo),
		       shift = draft_uniform(d, -0.3, 0.3);

		for (long i = day * DAY; i < (day + 1) * DAY; i++) {
			double hour = (double)(i % DAY) / HOUR - phase - shift;

			d->t->used[i] =
				lo + (top - lo) * pow((1 + cos(hour / 12 * M_PI)) / 2, sharp);
		}
	}
}

static void breath_week(struct draft *d)
{
	d->white = draft_uniform(d, 0.2, 1.5);
	d->slow = draft_uniform(d, 0.2, 1.2);
	d->slow_tau = draft_spread(d, 20, 600);
	breathe(d, 7, 25, 74);
}

/* A leak in the middle of a busy day, when the machine has a habit of being three quarters full. */
static void breath_leak(struct draft *d)
{
	long at = (long)(5 * DAY + draft_uniform(d, 0, 16) * HOUR);

	d->white = draft_uniform(d, 0.2, 1);
	breathe(d, 6, 25, 70);
	draft_fill_up(d, INCIDENT_LEAK, STRAIGHT, at, (long)draft_spread(d, 30 * MINUTE, 2 * HOUR));
}

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

/* People come at eight, go to lunch, come back and go home: S-shaped rises within minutes. */
static void shift_week(struct draft *d)
{
	double lo = draft_uniform(d, 10, 25), hi = draft_uniform(d, 60, 74),
	       wide = draft_uniform(d, 3, 9) * 60;
	static const double hours[] = {8, 12, 13, 17.5};
	static const double steps[] = {1, -0.4, 0.35, -0.95};

	d->white = draft_uniform(d, 0.2, 1);
	draft_begin(d, 7 * DAY, lo);
	for (long day = 0; day < 7; day++) {
		for (int s = 0; s < 4; s++) {
			double at = (double)(day * DAY) + hours[s] * HOUR +
				    draft_uniform(d, -5, 5) * 60;
			double high = (hi - lo) * steps[s] * draft_uniform(d, 0.93, 1);

			for (long i = day * DAY; i < (day + 1) * DAY; i++)
				d->t->used[i] += high * logistic(((double)i - at) / wide);
		}
		d->t->used[(day + 1) * DAY - 1] = lo;
	}
}

/* Restarts: clients reconnect within seconds and the old entries linger for a while. */
static void deploys(struct draft *d)
{
	double level = draft_uniform(d, 25, 40), top = draft_uniform(d, 55, 75),
	       slowness = draft_spread(d, 1, 20);

	d->white = draft_uniform(d, 0.1, 0.8);
	draft_begin(d, 3 * DAY, level);
	for (int n = 0; n < 12; n++) {
		long at = (long)((double)(n / 4 * DAY) + draft_uniform(d, 9, 18) * HOUR);
		double high = (top - level) * draft_uniform(d, 0.5, 1);
		double rise = slowness * draft_uniform(d, 0.8, 1.25),
		       tau = draft_spread(d, 60, 400);

		for (long i = at; i < at + HOUR; i++) {
			double age = (double)(i - at);
			double add = high * (age < rise ? age / rise : exp(-(age - rise) / tau));

			d->t->used[i] = fmax(d->t->used[i], level + add);
		}
	}
}

static void add_job(struct draft *d, long at, double rise, double top)
{
	long stay = (long)draft_uniform(d, 2, 12) * MINUTE;
	double level = d->t->used[at], tau = draft_uniform(d, 30, 200);

	for (long i = at; i < at + 45 * MINUTE && i < d->t->n; i++) {
		double age = (double)(i - at);

		if (age < rise)
			d->t->used[i] = level + (top - level) * age / rise;
		else
			d->t->used[i] =
				level +
				(top - level) * exp(-fmax(0, age - rise - (double)stay) / tau);
	}
}

static void hourly_jobs(struct draft *d, long hours)
{
	double top = draft_uniform(d, 62, 75), rise = draft_spread(d, 60, 500);
	long minute = (long)draft_uniform(d, 0, 14) * MINUTE;

	d->white = draft_uniform(d, 0.1, 1);
	draft_begin(d, hours * HOUR, draft_uniform(d, 15, 35));
	for (long hour = 0; hour < hours; hour++) {
		long at = hour * HOUR + minute + (long)draft_uniform(d, 0, 90);
		double length = rise * draft_uniform(d, 0.85, 1.15);

		add_job(d, at, length, top * draft_uniform(d, 0.94, 1));
	}
}

static void job_days(struct draft *d)
{
	hourly_jobs(d, 7 * 24);
}

/* A job that runs once a night. */
static void nightly_job(struct draft *d)
{
	double top = draft_uniform(d, 65, 75), rise = draft_spread(d, 60, 900);

	d->white = draft_uniform(d, 0.1, 1);
	draft_begin(d, 7 * DAY, draft_uniform(d, 15, 35));
	for (long day = 0; day < 7; day++) {
		long at = day * DAY + 3 * HOUR + (long)draft_uniform(d, 0, 600);
		double length = rise * draft_uniform(d, 0.8, 1.2);

		add_job(d, at, length, top * draft_uniform(d, 0.93, 1));
	}
}

static void job_flood(struct draft *d)
{
	long at = 40 * HOUR + 47 * MINUTE + (long)draft_uniform(d, 0, 600);

	hourly_jobs(d, 48);
	d->t->n = at + 2 * HOUR < d->t->n ? at + 2 * HOUR : d->t->n;
	draft_fill_up(d, INCIDENT_FLOOD, STRAIGHT, at, (long)draft_spread(d, 20, 300));
}

static void around(struct draft *d)
{
	static const double levels[] = {74, 75, 78, 80, 80, 85, 90};
	double level = levels[(size_t)draft_uniform(d, 0, 7)];

	d->white = draft_uniform(d, 0.5, 1.5);
	d->slow = draft_uniform(d, 0, 0.6);
	d->slow_tau = 60;
	draft_begin(d, 3 * HOUR, 40);
	for (long i = HOUR; i < 2 * HOUR; i++)
		d->t->used[i] = level;
	if (level > 77)
		draft_mark(d, INCIDENT_PLATEAU, HOUR - 1, 2 * HOUR + 15 * MINUTE);
}

static void max_raised(struct draft *d)
{
	long at;

	leak(d, STRAIGHT);
	at = d->t->incidents[0].onset;
	while (d->t->used[at] < 88)
		at++;
	for (long i = at; i < d->t->n; i++) {
		d->t->max[i] = d->size * 2;
		d->t->used[i] = fmin(d->t->used[i], 100);
	}
	d->t->incidents[0].end = at + 15 * MINUTE;
}

static void max_lowered(struct draft *d)
{
	double over = draft_uniform(d, 103, 160); /* percent of the new maximum */

	draft_begin(d, 4 * HOUR, draft_uniform(d, 35, 60));
	for (long i = HOUR; i < 2 * HOUR; i++)
		d->t->max[i] = round(d->size * d->t->used[0] / over);
	draft_mark(d, INCIDENT_PLATEAU, HOUR, 2 * HOUR + 15 * MINUTE);
}

static void max_zero(struct draft *d)
{
	breathe(d, 1, 20, 70);
	for (long i = 0; i < d->t->n; i++)
		d->t->max[i] = i < DAY / 2 ? 0 : (double)NAN;
}

static void unknown_day(struct draft *d)
{
	d->white = 0.5;
	breathe(d, 1, 25, 74);
	draft_gaps(d, 0, DAY, 1800, 60);
}

static void small_day(struct draft *d)
{
	d->size = 512;
	d->slow = draft_uniform(d, 1, 2.2);
	d->slow_tau = draft_spread(d, 20, 200);
	breathe(d, 2, 20, 68);
}

static void two_incidents(struct draft *d)
{
	long at = (long)draft_uniform(d, 40 * MINUTE, 90 * MINUTE);
	double from = draft_uniform(d, 8, 35);

	draft_begin(d, at + 9 * HOUR, from);
	draft_fill_up(d, INCIDENT_LEAK, STRAIGHT, at, (long)draft_spread(d, 30 * MINUTE, 2 * HOUR));
	draft_fill_up(d, INCIDENT_FLOOD, STRAIGHT, d->t->incidents[0].end + 30 * MINUTE,
		(long)draft_spread(d, 20, 300));
}

static const struct {
	const char *name;
	void (*make)(struct draft *d);
} kinds[] = {
	{"leak-straight", leak_straight},
	{"leak-straight-2", leak_straight},
	{"leak-concave", leak_concave},
	{"leak-concave-2", leak_concave},
	{"leak-convex", leak_convex},
	{"leak-convex-2", leak_convex},
	{"leak-stairs", leak_stairs},
	{"leak-stairs-2", leak_stairs},
	{"leak-noisy", leak_noisy},
	{"leak-noisy-2", leak_noisy},
	{"leak-gaps", leak_gaps},
	{"leak-small", leak_small},
	{"flood-short", flood_short},
	{"flood-straight", flood_straight},
	{"flood-straight-2", flood_straight},
	{"flood-concave", flood_concave},
	{"flood-convex", flood_convex},
	{"flood-huge", flood_huge},
	{"rest-below", rest_below},
	{"rest-below-2", rest_below},
	{"rest-below-fixed", rest_below_fixed},
	{"rest-above", rest_above},
	{"rest-critical", rest_critical},
	{"rest-above-fixed", rest_above_fixed},
	{"heavy-below", heavy_below},
	{"heavy-above", heavy_above},
	{"breath-week", breath_week},
	{"breath-leak", breath_leak},
	{"shift-week", shift_week},
	{"deploys", deploys},
	{"job-days", job_days},
	{"nightly-job", nightly_job},
	{"job-flood", job_flood},
	{"around", around},
	{"around-2", around},
	{"max-raised", max_raised},
	{"max-lowered", max_lowered},
	{"max-zero", max_zero},
	{"unknown-day", unknown_day},
	{"small-day", small_day},
	{"two-incidents", two_incidents},
};

size_t trace_kinds(void)
{
	return sizeof(kinds) / sizeof(kinds[0]);
}

const char *trace_kind_name(size_t kind)
{
	return kinds[kind].name;
}

void trace_make(size_t kind, uint64_t seed, struct trace *out)
{
	struct draft d = {.t = out, .random = seed * 1000003 + kind * 7919, .size = 262144};

	*out = (struct trace){.name = kinds[kind].name, .start = MIDNIGHT};
	d.white = draft_uniform(&d, 0, 1) < 0.3 ? 0 : draft_spread(&d, 0.02, 0.6);
	kinds[kind].make(&d);
	draft_finish(&d);
}

void trace_free(struct trace *trace)
{
	free(trace->used);
	*trace = (struct trace){0};
}
