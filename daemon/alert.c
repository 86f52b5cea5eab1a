/* SPDX-License-Identifier: MIT */
#include "daemon/alert.h"

#include <math.h>
#include <string.h>

#include "daemon/forecast.h"

static const double soon = 600; /* seconds from a recovery to a raise that make it a relapse */
static const long many_relapses = 2;

static double threshold(const struct rule *rule, enum level level)
{
	return level == LEVEL_CRITICAL ? rule->critical : rule->warning;
}

/* Also where the threshold was set lower than `clear`, there is a way back to ok. */
static double passed_below(const struct rule *rule, double t)
{
	return rule->clear < t ? t - rule->clear : t / 2;
}

/* Each level has a counter of its own: one that leaps past both thresholds is critical at once,
 * with one message. */
static void count(const struct rule *rule, struct alert *alert, double measure)
{
	for (enum level l = LEVEL_WARNING; l <= LEVEL_CRITICAL; l++) {
		double t = threshold(rule, l);
		bool on = t > 0;

		alert->above[l] = on && measure >= t ? alert->above[l] + 1 : 0;
		alert->below[l] = on && measure >= passed_below(rule, t) ? 0 : alert->below[l] + 1;
	}
}

static long hold(const struct rule *rule, enum level level)
{
	return level == LEVEL_CRITICAL ? rule->hold + rule->escalate : rule->hold;
}

/* The level that the thresholds ask for by now, without hysteresis. */
static enum level reached(const struct rule *rule, const struct alert *alert)
{
	for (enum level l = LEVEL_CRITICAL; l > LEVEL_OK; l--)
		if (alert->above[l] >= hold(rule, l))
			return l;
	return LEVEL_OK;
}

/* It has swung between ok and a level before: is it really over this time? */
static bool over(const struct alert *alert, double now, double measure)
{
	return alert->relapses < many_relapses || measure < alert->trough ||
	       now - alert->calm >= soon;
}

/* The level by the thresholds and by the forecast, whichever is higher. */
static enum level judge(const struct rule *rule, struct alert *alert, enum level foreseen)
{
	enum level level = alert->level, here = reached(rule, alert);
	enum level asked = here > foreseen ? here : foreseen;

	if (asked > level) {
		alert->foreseen = foreseen > here;
		return asked;
	}
	if (here == level)
		alert->foreseen = false;
	while (level > asked && alert->below[level] >= rule->release)
		level--;
	return level;
}

/* What is kept of each known look for the next swing. */
static void watch_swings(struct alert *alert, double now, double measure)
{
	if (alert->level == LEVEL_OK)
		alert->trough = fmin(alert->trough, measure);
	else if (alert->below[alert->level] == 0)
		alert->calm = now;
}

static void change_level(struct alert *alert, enum level to, const struct alert_sample *sample)
{
	if (alert->level == LEVEL_OK) {
		alert->since = sample->wall;
		alert->began = sample->now;
		if (alert->recovered > 0 && sample->now - alert->recovered < soon)
			alert->relapses++;
		else
			alert->relapses = 0;
	}
	alert->level = to;
	if (to > alert->worst)
		alert->worst = to;
	alert->said = sample->now;
}

static void fill_event(const struct alert *alert, const struct alert_sample *sample,
	const struct forecast_view *view, struct alert_event *event)
{
	bool open = alert->level > LEVEL_OK;

	*event = (struct alert_event){
		.from = alert->level,
		.to = alert->level,
		.worst = alert->worst,
		.value = sample->value,
		.limit = sample->limit,
		.percent = (double)NAN,
		.growth = view->growth,
		.seconds_to_full = view->seconds_to_full,
		.since = open ? alert->since : 0,
		.duration = open ? sample->now - alert->began : 0,
		.forecast = alert->foreseen,
	};
}

/* On the way to another level: a reminder would say what is no longer so. */
static bool about_to_change(const struct alert *alert)
{
	return (!alert->foreseen && alert->below[alert->level] > 0) ||
	       (alert->level < LEVEL_CRITICAL && alert->above[LEVEL_CRITICAL] > 0);
}

/* Takes the alert to a level, if it is another one, and says so in event. */
static void settle(const struct rule *rule, struct alert *alert, enum level to,
	const struct alert_sample *sample, struct alert_event *event)
{
	if (to == alert->level) {
		if (to > LEVEL_OK && rule->remind > 0 && !about_to_change(alert) &&
			sample->now - alert->said >= (double)rule->remind) {
			event->kind = ALERT_REMINDER;
			alert->said = sample->now;
		}
		return;
	}
	change_level(alert, to, sample);
	event->kind = to == LEVEL_OK ? ALERT_RECOVERY : ALERT_CHANGE;
	event->to = to;
	event->worst = alert->worst;
	event->since = alert->since;
	event->forecast = alert->foreseen;
	if (to == LEVEL_OK)
		*alert = (struct alert){
			.forecast = alert->forecast,
			.recovered = sample->now,
			.trough = (double)INFINITY,
			.relapses = alert->relapses,
		};
}

void alert_step(const struct rule *rule, struct alert *alert, const struct alert_sample *sample,
	struct alert_event *event)
{
	struct forecast_view view = {
		.level = LEVEL_OK, .growth = (double)NAN, .seconds_to_full = (double)NAN};
	double measure = sample->value;
	enum level to;

	if (alert->forecast && rule->limit &&
		(rule->forecast_warning > 0 || rule->forecast_critical > 0))
		forecast_step(alert->forecast, rule, sample, &view);
	fill_event(alert, sample, &view, event);
	if (rule->limit) {
		if (sample->limit <= 0) { /* 0 is no limit: nothing can be full */
			memset(alert->above, 0, sizeof(alert->above));
			settle(rule, alert, LEVEL_OK, sample, event);
			return;
		}
		/* In this order 80 of 100 is exactly 80. */
		measure = sample->value * 100 / sample->limit;
		event->percent = measure;
	}
	if (isnan(measure)) {
		/* Looks to a raise go on after a gap: a source that fails now and then must not
		 * hide a full table. */
		memset(alert->below, 0, sizeof(alert->below));
		return;
	}
	count(rule, alert, measure);
	if (alert->foreseen && view.level == LEVEL_OK) /* withdrawn: nothing to remind of */
		alert->said = sample->now;
	watch_swings(alert, sample->now, measure);
	to = judge(rule, alert, view.level);
	if (to == LEVEL_OK && !over(alert, sample->now, measure))
		to = alert->level;
	settle(rule, alert, to, sample, event);
}

bool alert_save(const struct alert *alert, struct alert_episode *out)
{
	if (alert->level == LEVEL_OK)
		return false;
	out->level = alert->level;
	out->worst = alert->worst;
	out->since = alert->since;
	out->forecast = alert->foreseen;
	return true;
}

void alert_restore(
	struct alert *alert, const struct alert_episode *episode, double now, double wall)
{
	double age = wall - episode->since;

	*alert = (struct alert){
		.forecast = alert->forecast,
		.level = episode->level,
		.worst = episode->worst > episode->level ? episode->worst : episode->level,
		.since = age > 0 ? episode->since : wall,
		.began = age > 0 ? now - age : now,
		.said = now,
		.foreseen = episode->forecast,
	};
	if (alert->forecast && episode->forecast)
		forecast_restore(alert->forecast, episode->level, now);
}
