/* SPDX-License-Identifier: MIT */
#include "daemon/alert.h"

#include <math.h>
#include <string.h>

static double threshold(const struct rule *rule, enum level level)
{
	return level == LEVEL_CRITICAL ? rule->critical : rule->warning;
}

/* Each level has a counter of its own: one that leaps past both thresholds is critical at once,
 * with one message. */
static void count(const struct rule *rule, struct alert *alert, double measure)
{
	for (enum level l = LEVEL_WARNING; l <= LEVEL_CRITICAL; l++) {
		double t = threshold(rule, l);
		bool on = t > 0;

		alert->above[l] = on && measure >= t ? alert->above[l] + 1 : 0;
		alert->below[l] = on && measure >= t - rule->clear ? 0 : alert->below[l] + 1;
	}
}

static long hold(const struct rule *rule, enum level level)
{
	return level == LEVEL_CRITICAL ? rule->hold + rule->escalate : rule->hold;
}

static enum level judge(const struct rule *rule, const struct alert *alert)
{
	enum level level = alert->level;

	for (enum level l = LEVEL_CRITICAL; l > alert->level; l--)
		if (alert->above[l] >= hold(rule, l))
			return l;
	while (level > LEVEL_OK && alert->below[level] >= rule->release)
		level--;
	return level;
}

static void change_level(struct alert *alert, enum level to, const struct alert_sample *sample)
{
	if (alert->level == LEVEL_OK) {
		alert->since = sample->wall;
		alert->began = sample->now;
	}
	alert->level = to;
	if (to > alert->worst)
		alert->worst = to;
	alert->said = sample->now;
}

static void fill_event(
	const struct alert *alert, const struct alert_sample *sample, struct alert_event *event)
{
	bool open = alert->level > LEVEL_OK;

	*event = (struct alert_event){
		.from = alert->level,
		.to = alert->level,
		.worst = alert->worst,
		.value = sample->value,
		.limit = sample->limit,
		.percent = (double)NAN,
		.growth = (double)NAN,
		.seconds_to_full = (double)NAN,
		.since = open ? alert->since : 0,
		.duration = open ? sample->now - alert->began : 0,
	};
}

/* Takes the alert to a level, if it is another one, and says so in event. */
static void settle(const struct rule *rule, struct alert *alert, enum level to,
	const struct alert_sample *sample, struct alert_event *event)
{
	if (to == alert->level) {
		if (to > LEVEL_OK && rule->remind > 0 &&
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
	if (to == LEVEL_OK)
		memset(alert, 0, sizeof(*alert));
}

void alert_step(const struct rule *rule, struct alert *alert, const struct alert_sample *sample,
	struct alert_event *event)
{
	double measure = sample->value;

	fill_event(alert, sample, event);
	if (rule->limit) {
		if (sample->limit <= 0) { /* 0 is no limit: nothing can be full */
			memset(alert->above, 0, sizeof(alert->above));
			settle(rule, alert, LEVEL_OK, sample, event);
			return;
		}
		measure = sample->value * 100 /
			  sample->limit; /* in this order 80 of 100 is exactly 80 */
		event->percent = measure;
	}
	if (isnan(measure)) {
		/* Looks to a raise go on after a gap: a source that fails now and then must not
		 * hide a full table. */
		memset(alert->below, 0, sizeof(alert->below));
		return;
	}
	count(rule, alert, measure);
	settle(rule, alert, judge(rule, alert), sample, event);
}

bool alert_save(const struct alert *alert, struct alert_episode *out)
{
	if (alert->level == LEVEL_OK)
		return false;
	*out = (struct alert_episode){
		.level = alert->level, .worst = alert->worst, .since = alert->since};
	return true;
}

void alert_restore(
	struct alert *alert, const struct alert_episode *episode, double now, double wall)
{
	double age = wall - episode->since;

	*alert = (struct alert){
		.level = episode->level,
		.worst = episode->worst > episode->level ? episode->worst : episode->level,
		.since = age > 0 ? episode->since : wall,
		.began = age > 0 ? now - age : now,
		.said = now,
	};
}
