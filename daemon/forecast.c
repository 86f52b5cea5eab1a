/* SPDX-License-Identifier: MIT */
#include "daemon/forecast.h"

#include <math.h>
#include <string.h>

static const double longest_window = 1950; /* seconds */
static const double sight = 4;             /* window lengths that are looked ahead */
static const double least_used = 50;       /* percent: below it nothing is said */
static const double rush_step = 2;         /* percent of the limit that each look of a rush adds */
static const double rush_share = 0.5;      /* of what is left, that the rush has risen */
static const double rush_speed = 0.75;     /* three looks tell less of a speed than a window does */
static const double critical_age = 6;      /* times what is left that a critical rise has lasted */
static const double timeout = 250; /* seconds: a younger flood may yet expire as fast as it comes */
static const double close_points = 2;    /* below the threshold */
static const double least_patience = 20; /* seconds a forecast goes without support */
static const double most_patience = 600;

void forecast_init(struct forecast *f, double look_seconds)
{
	double bin = look_seconds;

	*f = (struct forecast){.start = (double)NAN};
	f->windows[0].bin_seconds = bin;
	f->n_windows = 1;
	do {
		double left = longest_window / RISE_BINS;

		f->windows[f->n_windows++].bin_seconds = bin;
		bin = bin < left && 2 * bin > left ? left : 2 * bin;
	} while (f->n_windows <= FORECAST_WINDOWS && bin <= longest_window / RISE_BINS);
	for (unsigned w = 0; w < f->n_windows; w++)
		for (unsigned i = 0; i < RISE_BINS; i++)
			f->windows[w].means[i] = NAN;
}

static double window_seconds(const struct forecast_window *w, bool half)
{
	return w->bin_seconds * RISE_BINS / (half ? 2 : 1);
}

static void push_mean(struct forecast_window *w, float mean)
{
	w->means[w->head] = mean;
	w->head = (w->head + 1) % RISE_BINS;
}

static void judge(struct forecast_window *w, bool half, double limit, double now)
{
	float ordered[RISE_BINS];
	size_t n = half ? RISE_BINS / 2 : RISE_BINS;
	struct rise_window window = {
		.means = ordered, .n = n, .bin_seconds = w->bin_seconds, .limit = limit};

	for (size_t i = 0; i < n; i++)
		ordered[i] = w->means[(w->head + RISE_BINS - n + i) % RISE_BINS];
	rise_judge(&window, &w->noise, &w->rise);
	w->judged = now;
	if (w->rise.full)
		w->agree++;
	else
		w->agree = 0;
}

/* Adds a look; a window whose bin it ends is judged. */
static void feed(struct forecast *f, struct forecast_window *w, const struct alert_sample *s)
{
	/* Looks lie in the middle of the shortest bins, so that a timer's jitter never puts two
	 * into one. */
	int64_t bin = (int64_t)floor((s->now - f->start) / w->bin_seconds +
				     0.5 * f->windows[0].bin_seconds / w->bin_seconds);
	bool half = w == &f->windows[0];

	if (bin != w->bin) {
		push_mean(w, w->count > 0 ? (float)(w->sum / w->count) : NAN);
		for (int64_t i = w->bin + 1; i < bin && i <= w->bin + RISE_BINS; i++)
			push_mean(w, NAN);
		w->bin = bin;
		w->sum = 0;
		w->count = 0;
		judge(w, half, s->limit, s->now - f->windows[0].bin_seconds);
	}
	w->sum += s->value;
	w->count++;
}

/* A shorter window knows better: it bends to a rest, or does not rise any more. Asks the next so
 * many that know. */
static bool vetoed(const struct forecast *f, unsigned w, unsigned witnesses)
{
	for (unsigned v = w; v-- > 0 && witnesses > 0;) {
		const struct rise *r = &f->windows[v].rise;

		if (!r->valid)
			continue;
		if (r->rest || r->most < 0.3 * f->windows[w].rise.slope)
			return true;
		witnesses--;
	}
	return false;
}

/* UNKNOWN where the window was last judged before a gap. */
static double seconds_left(const struct forecast_window *w, double now)
{
	double age = now - w->judged;

	return age > 2 * w->bin_seconds + 2 ? (double)NAN : fmax(0, w->rise.seconds - age);
}

/* The window that supports a forecast within `horizon` seconds, NULL if none does. */
static const struct forecast_window *best(const struct forecast *f, double now, double horizon)
{
	for (unsigned i = 0; i < f->n_windows; i++) {
		const struct forecast_window *w = &f->windows[i];
		double left = seconds_left(w, now);

		if (w->agree >= 2 && left <= fmin(horizon, sight * window_seconds(w, i == 0)) &&
			!vetoed(f, i, 2))
			return w;
	}
	return NULL;
}

static bool critical_now(const struct forecast *f, double now, double horizon)
{
	for (unsigned i = 0; i < f->n_windows; i++) {
		const struct forecast_window *w = &f->windows[i];
		double left = seconds_left(w, now);

		if (window_seconds(w, i == 0) > timeout && w->agree >= 2 && w->rise.even &&
			left <= horizon && left * critical_age <= window_seconds(w, i == 0) &&
			!vetoed(f, i, 4))
			return true;
	}
	return false;
}

/* Windows much shorter than the one that raised it see every trifle, so they have no say. */
static bool loosely_supported(const struct forecast *f, double horizon)
{
	for (unsigned i = f->raised_by > 2 ? f->raised_by - 2 : 0; i < f->n_windows; i++) {
		const struct rise *r = &f->windows[i].rise;

		if (r->valid && r->soonest <= 1.5 * horizon && !vetoed(f, i, 2))
			return true;
	}
	return false;
}

/* Begins a forecast that windows[by] or, with 0, a rush asks for. */
static void raise_forecast(struct forecast *f, const struct alert_sample *s, unsigned by)
{
	f->level = LEVEL_WARNING;
	f->raised_by = by;
	f->supported = s->now;
	f->patience = fmin(
		most_patience, fmax(least_patience, window_seconds(&f->windows[by], by == 0) / 2));
	f->rising = (struct habit_slot){0, 0};
	f->confirmed = false;
}

static void withdraw(struct forecast *f, const struct alert_sample *s)
{
	f->level = LEVEL_OK;
	if (!f->confirmed)
		habit_lesson(&f->habit, s->wall, (double)f->rising.value, (double)f->rising.slope);
}

static double fastest(const struct forecast *f)
{
	double slope = 0;

	for (unsigned i = 0; i < f->n_windows; i++)
		if (f->windows[i].rise.real)
			slope = fmax(slope, f->windows[i].rise.slope);
	return slope;
}

static double middle_of_last(const struct forecast *f)
{
	float a = f->last[1], b = f->last[2], c = f->last[3];

	return (double)fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

/* Growth per second of three looks that rise steeply without slowing, half as much as what is left;
 * else 0. */
static double rush(const struct forecast *f, double limit)
{
	double first = (double)(f->last[1] - f->last[0]),
	       second = (double)(f->last[2] - f->last[1]);
	double third = (double)(f->last[3] - f->last[2]), rise = first + second + third;
	double noise = (double)f->windows[1].noise.bend * limit / 100;

	if (f->known < 4 || fmin(first, fmin(second, third)) < rush_step * limit / 100 ||
		third < 0.7 * first)
		return 0;
	if (rise < 8 * noise || rise < rush_share * (limit - (double)f->last[3]))
		return 0;
	return rise / 3 / f->windows[0].bin_seconds;
}

/* The longest look ahead that the rule asks for, in seconds; 0: the forecast is off. */
static double horizon_of(const struct rule *rule)
{
	return (double)(rule->forecast_warning > rule->forecast_critical ? rule->forecast_warning
									 : rule->forecast_critical);
}

/* The percentage at which a threshold takes over. */
static double threshold_of(const struct rule *rule)
{
	if (rule->warning > 0)
		return rule->warning;
	return rule->critical > 0 ? rule->critical : 100;
}

/* An open forecast: is it still supported, has it become critical? */
static void hold(
	struct forecast *f, const struct rule *rule, const struct alert_sample *s, double used)
{
	f->rising.value = fmaxf(f->rising.value, (float)s->value);
	f->rising.slope = fmaxf(f->rising.slope, (float)fastest(f));
	if (used >= threshold_of(rule))
		f->confirmed = true;
	if (loosely_supported(f, horizon_of(rule)))
		f->supported = s->now;
	if (rule->forecast_critical > 0 && critical_now(f, s->now, (double)rule->forecast_critical))
		f->level = LEVEL_CRITICAL;
	if (s->now - f->supported > f->patience || used < least_used - 5)
		withdraw(f, s);
}

static void learn(
	struct forecast *f, const struct rule *rule, const struct alert_sample *s, double used)
{
	if (used >= threshold_of(rule))
		habit_forget(&f->habit, s->wall);
	else if (f->level == LEVEL_OK)
		habit_learn(&f->habit, s->wall, s->value, fastest(f));
}

/* Close to the threshold no habit is an excuse. */
static bool explained(const struct forecast *f, const struct rule *rule,
	const struct alert_sample *s, double slope)
{
	return s->value * 100 / s->limit < threshold_of(rule) - close_points &&
	       habit_explains(&f->habit, s->wall, s->value, slope);
}

/* Raise a forecast that a window or a rush supports and habit does not explain. */
static void ask(struct forecast *f, const struct rule *rule, const struct alert_sample *s,
	struct forecast_view *view)
{
	double horizon = horizon_of(rule), rushing = rush(f, s->limit),
	       left = (s->limit - s->value) / rushing;
	const struct forecast_window *w = best(f, s->now, horizon);

	if (rushing > 0 && left <= horizon && !explained(f, rule, s, rush_speed * rushing)) {
		raise_forecast(f, s, 0);
		f->rising.slope = (float)rushing;
		view->growth = rushing;
		view->seconds_to_full = fmax(0, left);
	} else if (w && !explained(f, rule, s, w->rise.slope)) {
		raise_forecast(f, s, (unsigned)(w - f->windows));
		view->growth = w->rise.slope;
		view->seconds_to_full = seconds_left(w, s->now);
	}
}

/* With another limit what was judged of the old one is void until the windows are judged again. */
static void meet_limit(struct forecast *f, double limit)
{
	if (limit != f->limit && f->limit > 0) {
		for (unsigned i = 0; i < f->n_windows; i++) {
			f->windows[i].rise = (struct rise){.valid = false};
			f->windows[i].agree = 0;
		}
		f->patience = fmin(f->patience, least_patience);
	}
	f->limit = limit;
}

/* Over a gap of looks a forecast stands, until its window has been filled again. */
static void bridge_gap(struct forecast *f, double now)
{
	double gap = now - f->seen - f->windows[0].bin_seconds;

	if (f->level > LEVEL_OK && gap > f->windows[0].bin_seconds) {
		f->supported += gap;
		f->patience = fmax(f->patience, window_seconds(&f->windows[f->raised_by], false));
	}
	f->seen = now;
}

void forecast_step(struct forecast *f, const struct rule *rule, const struct alert_sample *s,
	struct forecast_view *view)
{
	double used = s->value * 100 / s->limit;
	const struct forecast_window *w;

	*view = (struct forecast_view){
		.level = f->level, .growth = (double)NAN, .seconds_to_full = (double)NAN};
	if (isnan(used) || !(s->limit > 0)) {
		f->known = 0;
		return;
	}
	meet_limit(f, s->limit);
	bridge_gap(f, s->now);
	if (isnan(f->start))
		f->start = s->now;
	for (unsigned i = 0; i < f->n_windows; i++)
		feed(f, &f->windows[i], s);
	memmove(f->last, f->last + 1, 3 * sizeof(f->last[0]));
	f->last[3] = (float)s->value;
	f->known++;
	learn(f, rule, s, used);
	w = best(f, s->now, (double)INFINITY);
	if (w && used >= least_used && used < 100) {
		view->growth = w->rise.slope;
		view->seconds_to_full = seconds_left(w, s->now);
	}
	if (f->level > LEVEL_OK)
		hold(f, rule, s, used);
	else if (f->known >= 3 && middle_of_last(f) * 100 / s->limit >= least_used)
		ask(f, rule, s, view);
	view->level =
		f->level == LEVEL_WARNING && rule->forecast_warning <= 0 ? LEVEL_OK : f->level;
}

void forecast_restore(struct forecast *f, enum level level, double now)
{
	f->level = level;
	f->seen = now;
	f->supported = now;
	f->patience = most_patience;
}
