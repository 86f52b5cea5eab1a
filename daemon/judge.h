/* SPDX-License-Identifier: MIT */
/* The alert rules of the running configuration, bound to the readings they judge. */
#ifndef CONNWATCH_JUDGE_H
#define CONNWATCH_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/alert.h"
#include "daemon/conf.h"
#include "daemon/notify.h"
#include "daemon/readings.h"

struct judge;

#define OBJECT_SIZE 104

/* An open alert, for status.json. */
struct open_alert {
	const char *name;
	const struct rule *rule; /* of judge_open_alert() alone, with the metric of its value */
	const struct metric *metric;
	char object[OBJECT_SIZE]; /* what is meant, as "192.0.2.1:443" of a listener; or "" */
	const char *instance;     /* "listener-https", of a rule with a pattern; else NULL */
	struct alert_event event; /* of the last look */
};

/* Both are borrowed and must outlive the judge. Returns 0 or -ENOMEM. */
int judge_new(const struct conf *conf, const struct readings *readings, struct judge **out);
void judge_free(struct judge *judge);

/* Hand what is to be said to say, with arg, instead of notify_alert(). */
typedef void judge_say_fn(
	void *arg, const struct notify_subject *subject, const struct alert_event *event);
void judge_redirect(struct judge *judge, judge_say_fn *say, void *arg);

/* Judge every rule whose value is fresh (row: all are) and say what has changed. now:
 * CLOCK_MONOTONIC seconds, wall: CLOCK_REALTIME seconds. Allocates nothing. */
void judge_look(struct judge *judge, bool row, double now, double wall);

/* Tell the forecasts about this value what it was in the past (oldest first, UNKNOWN allowed), so that a habit of the
 * machine is not news. */
void judge_learn(struct judge *judge, const struct instance *instance, size_t metric, double wall,
	double value);

/* Take over the episodes of an older configuration's rules of the same name and subject. */
void judge_inherit(struct judge *judge, const struct judge *old);
/* Go on with an episode that status.json tells of; of alert->event only percent is looked at. */
void judge_restore(struct judge *judge, const struct open_alert *alert,
	const struct alert_episode *episode, double now, double wall);

/* Whether the last look had something to say. */
bool judge_spoke(const struct judge *judge);
/* An alert about this instance that the last look has raised to a higher level, or false. */
bool judge_raised(
	const struct judge *judge, const struct instance *instance, struct open_alert *out);

/* The i-th open alert, or false after the last one. */
bool judge_open_alert(const struct judge *judge, size_t i, struct open_alert *out);

/* The rules that judge something now, whatever their number of instances: the first one for NULL, else the one after
 * rule; NULL after the last one. */
const struct rule *judge_next_rule(const struct judge *judge, const struct rule *rule);

/* The i-th rule without a pattern whose value is known to go somewhere (growth or seconds_to_full), or false. */
bool judge_trend(const struct judge *judge, size_t i, struct open_alert *out);

#endif
