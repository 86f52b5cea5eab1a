/* SPDX-License-Identifier: MIT */
#include "daemon/rise.h"

#include <math.h>

/* Everything in here is in points (percent of the limit). */
static const double real_errors = 5;    /* standard errors that make a rise real */
static const double loose_errors = 3;   /* that it may shrink to before it counts as over */
static const double bend_errors = 1;    /* that a bend is allowed to hide in */
static const double rest_errors = 2;    /* that make a bend to a rest certain */
static const double least_noise = 0.01; /* of a table so quiet that the residual is rounding */
/* Share of the rise that comes in the first half: a straight one has 0.5. Outside of these it is a
 * step. */
static const double least_share = 0.2, most_share = 0.9;
static const double even_share = 0.45;

/* The three medians of a window (Tukey's resistant line) and what follows from them. */
struct thirds {
	double left, middle, right;
	double inner;      /* how much the left third rises in itself */
	double apart;      /* seconds between their centres */
	double rise, bend; /* right - left; how much the second half rises more than the first */
	double rise_error, bend_error;
};

/* Of 1 to RISE_BINS values, which it sorts. */
static double median(float *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		float x = v[i];
		size_t j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
	/* The analyzer loses track of what was sorted. NOLINTNEXTLINE(clang-analyzer-core.*) */
	return ((double)v[(n - 1) / 2] + (double)v[n / 2]) / 2;
}

/* Median of what is known of n means; false if that is less than two of three. */
static bool third_of(const float *means, size_t n, double scale, double *out)
{
	float known[RISE_BINS];
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(means[i]))
			known[count++] = means[i];
	if (count == 0 || count * 3 < n * 2)
		return false;
	*out = median(known, count) * scale;
	return true;
}

/* By how much the later half of a third is above the earlier one, 0 where that is not known. */
static double inner_rise(const float *means, size_t n, double scale)
{
	double early, late;
	size_t half = n / 2;

	if (!third_of(means, half, scale, &early) ||
		!third_of(means + n - half, half, scale, &late))
		return 0;
	return late - early;
}

/* Standard deviation of the means around the broken line through the thirds, from the median of
 * what is off. */
static double residual(const float *means, size_t n, double scale, const struct thirds *t)
{
	float off[RISE_BINS];
	size_t count = 0;
	double third = (double)n / 3, centre = (third - 1) / 2 + third;

	for (size_t i = 0; i < n; i++) {
		double x = ((double)i - centre) / third;
		double line = t->middle + x * (x < 0 ? t->middle - t->left : t->right - t->middle);

		if (!isnan(means[i]))
			off[count++] = (float)fabs((double)means[i] * scale - line);
	}
	/* 0.6745: median of a normal deviate; three of the n were spent on the thirds */
	return median(off, count) / 0.6745 * sqrt((double)n / (double)(n - 3));
}

/* A median that follows without memory: up or down by a small factor, faster while it is young. */
static void learn_bend(struct rise_noise *noise, double bend)
{
	double step = fmax(0.03, 1 / (double)(noise->count + 1));
	double now = fmax((double)noise->bend, least_noise);

	noise->bend = (float)(fabs(bend) > now ? now * (1 + step) : now / (1 + step));
	if (noise->count < 1000)
		noise->count++;
}

/* Seconds from the centre of the last third until gap is bridged by a rise that bends so; UNKNOWN:
 * it comes to rest. */
static double seconds_to(const struct thirds *t, double bend, double gap)
{
	double first = (t->rise - bend) / 2, second = (t->rise + bend) / 2, ratio = second / first,
	       share;

	if (second <= 0)
		return (double)NAN;
	if (bend >= 0 || first <= 0) /* of a rise that gets faster only the speed is believed */
		return gap / ((t->rise + fmax(0, bend - 2 * t->bend_error)) / 2) * t->apart;
	share = gap * (1 - ratio) / (second * ratio);
	if (share >= 1)
		return (double)NAN;
	return log1p(-share) / log(ratio) * t->apart;
}

static void conclude(const struct thirds *t, double limit_gap, double tail, struct rise *out)
{
	double slope = t->rise / 2 / t->apart;
	double first = (t->rise - t->bend) / 2;
	double likely = seconds_to(t, t->bend, limit_gap);

	out->slope = t->bend < 0 ? fmax(0, (t->rise + 2 * t->bend) / 2 / t->apart) : slope;
	out->most = (t->rise + 2 * t->rise_error) / 2 / t->apart;
	out->seconds = isnan(likely) ? likely : fmax(0, likely - tail);
	out->real = t->rise > real_errors * t->rise_error && first > least_share * t->rise &&
		    first < most_share * t->rise;
	out->even = out->real && first > even_share * t->rise;
	/* Half of the way to the middle lies in the left third, unless the rise began in there. */
	out->full = out->real && t->inner > 0.2 * first - 0.5 * t->rise_error &&
		    !isnan(seconds_to(t, t->bend - bend_errors * t->bend_error, limit_gap));
	if (t->rise > loose_errors * t->rise_error && first > least_share / 2 * t->rise)
		out->soonest = seconds_to(t, t->bend + t->bend_error, limit_gap) - tail;
	out->rest = t->bend < -rest_errors * t->bend_error && isnan(likely);
}

void rise_judge(const struct rise_window *window, struct rise_noise *noise, struct rise *out)
{
	const float *means = window->means;
	size_t n = window->n, third = n / 3;
	double scale = 100 / window->limit, error;
	struct thirds t = {.apart = (double)third * window->bin_seconds};

	*out = (struct rise){.seconds = (double)NAN, .soonest = (double)NAN};
	if (!third_of(means, third, scale, &t.left) ||
		!third_of(means + third, third, scale, &t.middle) ||
		!third_of(means + 2 * third, third, scale, &t.right))
		return;
	t.inner = inner_rise(means, third, scale);
	t.rise = t.right - t.left;
	t.bend = t.right - 2 * t.middle + t.left;
	/* 0.84: the median |bend| of thirds of six means with noise of 1 */
	error = fmax(fmax(residual(means, n, scale, &t), (double)noise->bend / 0.84),
		fmax(least_noise, 0.3 * scale));
	learn_bend(noise, t.bend);
	/* a median of k values has 1.25 / sqrt(k) of their deviation */
	t.rise_error = error * 1.25 / sqrt((double)third) * M_SQRT2;
	t.bend_error = t.rise_error * sqrt(3);
	out->valid = true;
	conclude(&t, 100 - t.right, t.apart / 2, out);
	out->slope /= scale;
	out->most /= scale;
}
