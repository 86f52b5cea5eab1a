/* SPDX-License-Identifier: MIT */
#include "daemon/increase.h"

#include <math.h>
#include <stdbool.h>

static size_t slot(const struct increase *in, size_t i)
{
	return (in->first + i) % INCREASE_POINTS;
}

static void push(struct increase *in, double now, double value)
{
	if (in->n == INCREASE_POINTS) {
		in->first = slot(in, 1);
		in->n--;
	}
	in->point[slot(in, in->n)].time = now;
	in->point[slot(in, in->n)].value = value;
	in->n++;
}

/* Points that a younger one, itself as old as the window, makes superfluous. */
static void forget(struct increase *in, double before)
{
	while (in->n > 1 && in->point[slot(in, 1)].time <= before) {
		in->first = slot(in, 1);
		in->n--;
	}
}

double increase_add(struct increase *in, double now, double value, double over)
{
	double spacing = over / (INCREASE_POINTS - 2);
	bool reset = in->n && value < in->last;

	if (isnan(value))
		return (double)NAN;
	if (reset)
		in->n = 0;
	in->last = value;
	if (in->n == 0) {
		push(in, now, value);
		return (double)NAN;
	}
	forget(in, now - over);
	in->amount = value - in->point[in->first].value;
	in->seconds = fmax(now - in->point[in->first].time, over);
	if (now - in->point[slot(in, in->n - 1)].time >= spacing)
		push(in, now, value);
	return in->seconds > 0 ? in->amount / in->seconds : (double)NAN;
}
