/* SPDX-License-Identifier: MIT */
#include "daemon/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/forecast.h"
#include "daemon/increase.h"
#include "daemon/log.h"
#include "daemon/util.h"

/* Seconds after which what is not there has ended the alerts about it: no file that was missing for
 * a look. */
#define ABSENT_FOR 30

/* One value among the readings; instance NULL: a rule has none such. */
struct operand {
	const struct instance *instance;
	size_t metric;
};

/* A rule and the readings it is about. A rule with a pattern has a binding for each instance that
 * it matches. */
struct binding {
	const struct rule *rule;
	struct operand value, limit, above;
	struct alert alert;
	struct alert_event event;  /* of the last look */
	struct increase increase;  /* of a counter */
	double gone_since;         /* CLOCK_MONOTONIC seconds; 0: what it judges is there */
	struct forecast *forecast; /* of a rule that has one; NULL: none */
	bool inherited;            /* it knows the past of a run before a reload */
};

struct judge {
	struct binding *bindings;
	size_t n;
	judge_say_fn *say;
	void *arg;
};

static const struct metric *metric_of(const struct binding *b)
{
	return &b->value.instance->conf->collector->metrics[b->value.metric];
}

static const char *instance_name(const struct binding *b)
{
	return b->value.instance->conf->name;
}

static double latest(const struct operand *operand)
{
	return operand->instance ? operand->instance->values[operand->metric] : UNKNOWN;
}

/* Find a value; "*" in its name stands for the title of the instance-th instance. */
static bool find_operand(
	struct operand *operand, const char *name, const struct readings *readings, size_t instance)
{
	if (conf_operand_for(readings->conf, name, instance, &instance, &operand->metric) < 0)
		return false;
	operand->instance = &readings->instances[instance];
	return true;
}

/* False for a rule that is about a collector that is switched off, or not about this instance. */
static bool bind_rule(struct binding *b, const struct rule *rule, const struct readings *readings,
	size_t instance)
{
	*b = (struct binding){.rule = rule};
	if (!find_operand(&b->value, rule->value, readings, instance))
		return false;
	if (rule->above)
		find_operand(&b->above, rule->above, readings, instance);
	return !rule->limit || find_operand(&b->limit, rule->limit, readings, instance);
}

/* How many bindings a rule may have. */
static size_t n_candidates(const struct conf *conf, const struct rule *rule)
{
	if (!rule->enabled)
		return 0;
	return conf_operand_is_pattern(rule->value) ? conf->n_instances : 1;
}

static void notify(void *arg, const struct notify_subject *subject, const struct alert_event *event)
{
	(void)arg;
	notify_alert(subject, event);
}

/* A forecast costs 7 KiB: only where it is asked for. */
static int add_forecast(struct binding *b, const struct conf *conf)
{
	if (!rule_forecasts(b->rule))
		return 0;
	b->forecast = calloc(1, sizeof(*b->forecast));
	if (!b->forecast)
		return -ENOMEM;
	forecast_init(b->forecast,
		(double)(metric_of(b)->look && conf->watch_interval ? conf->watch_interval
								    : conf->interval));
	b->alert.forecast = b->forecast;
	return 0;
}

int judge_new(const struct conf *conf, const struct readings *readings, struct judge **out)
{
	struct judge *judge = calloc(1, sizeof(*judge));
	size_t size = 1;
	int r = 0;

	if (!judge)
		return -ENOMEM;
	judge->say = notify;
	for (size_t i = 0; i < conf->n_rules; i++)
		size += n_candidates(conf, &conf->rules[i]);
	judge->bindings = calloc(size, sizeof(*judge->bindings));
	if (!judge->bindings)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < conf->n_rules; i++)
		for (size_t k = 0; r == 0 && k < n_candidates(conf, &conf->rules[i]); k++)
			if (bind_rule(&judge->bindings[judge->n], &conf->rules[i], readings, k))
				r = add_forecast(&judge->bindings[judge->n++], conf);
	if (r < 0) {
		judge_free(judge);
		return r;
	}
	*out = judge;
	return 0;
}

void judge_free(struct judge *judge)
{
	if (!judge)
		return;
	for (size_t i = 0; i < judge->n; i++)
		free(judge->bindings[i].forecast);
	free(judge->bindings);
	free(judge);
}

void judge_redirect(struct judge *judge, judge_say_fn *say, void *arg)
{
	judge->say = say;
	judge->arg = arg;
}

void judge_learn(struct judge *judge, const struct instance *instance, size_t metric, double wall,
	double value)
{
	for (size_t i = 0; i < judge->n; i++) {
		struct binding *b = &judge->bindings[i];
		double limit = latest(&b->limit);

		if (b->forecast && !b->inherited && b->value.instance == instance &&
			b->value.metric == metric)
			habit_fill(&b->forecast->habit, wall, value,
				limit > 0 && b->rule->warning > 0 ? limit * b->rule->warning / 100
								  : (double)INFINITY);
	}
}

/* What of the instance is meant, for a sentence. */
static void describe(const struct binding *b, char object[static OBJECT_SIZE])
{
	const struct instance *in = b->value.instance;

	object[0] = '\0';
	if (in->conf->collector->describe)
		in->conf->collector->describe(in->state, b->value.metric, object, OBJECT_SIZE);
	if (!object[0])
		snprintf(object, OBJECT_SIZE, "%s", in->conf->title);
}

static void say(const struct judge *judge, const struct binding *b)
{
	char object[OBJECT_SIZE];
	struct notify_subject subject = {
		.rule = b->rule,
		.metric = metric_of(b),
		.object = object,
		.increase = b->increase.amount,
		.seconds = b->increase.seconds,
		.above = latest(&b->above),
		.gone = b->gone_since > 0,
	};

	describe(b, object);
	judge->say(judge->arg, &subject, &b->event);
}

/*
 * What it judges is no longer there: a module was unloaded, or nobody listens on the port any more, so that a read that
 * went well has no value. Not so a source that cannot be read.
 */
static bool is_gone(struct binding *b, double now)
{
	const struct instance *in = b->value.instance;
	bool gone = in->absent || (in->asked && !instance_failure(in) && isnan(latest(&b->value)));

	if (!gone)
		b->gone_since = 0;
	else if (b->gone_since == 0)
		b->gone_since = now;
	return gone && now - b->gone_since >= ABSENT_FOR;
}

static void judge_binding(const struct judge *judge, struct binding *b, double now, double wall)
{
	struct alert_sample sample = {
		.now = now, .wall = wall, .value = latest(&b->value), .limit = latest(&b->limit)};

	if (metric_of(b)->kind == METRIC_COUNTER)
		sample.value = increase_add(&b->increase, now, sample.value, (double)b->rule->over);
	if (is_gone(b, now)) {
		sample.value = 0; /* the table went, and its entries with it */
		sample.limit = 0;
		b->increase.amount = 0;
	}
	alert_step(b->rule, &b->alert, &sample, &b->event);
	if (b->event.kind != ALERT_NONE)
		say(judge, b);
}

void judge_look(struct judge *judge, bool row, double now, double wall)
{
	for (size_t i = 0; i < judge->n; i++) {
		struct binding *b = &judge->bindings[i];

		if ((row && !b->value.instance->kept) || metric_of(b)->look)
			judge_binding(judge, b, now, wall);
		else
			b->event.kind = ALERT_NONE;
	}
}

static struct binding *find(const struct judge *judge, const char *rule, const char *instance)
{
	for (size_t i = 0; i < judge->n; i++) {
		struct binding *b = &judge->bindings[i];

		if (strcmp(b->rule->name, rule) == 0 &&
			(!instance || strcmp(instance_name(b), instance) == 0))
			return b;
	}
	return NULL;
}

static void inherit(struct binding *is, const struct binding *was)
{
	is->alert = was->alert;
	is->alert.forecast = is->forecast;
	is->event = was->event;
	is->increase = was->increase;
	is->inherited = is->forecast && was->forecast;
	if (!is->inherited)
		return;
	/* Windows are of looks as often as these; the habit is of any. */
	if (is->forecast->windows[0].bin_seconds == was->forecast->windows[0].bin_seconds)
		*is->forecast = *was->forecast;
	else
		is->forecast->habit = was->forecast->habit;
}

void judge_inherit(struct judge *judge, const struct judge *old)
{
	for (size_t i = 0; i < old->n; i++) {
		const struct binding *was = &old->bindings[i];
		struct binding *is = find(judge, was->rule->name, instance_name(was));

		if (is && strcmp(is->rule->value, was->rule->value) == 0) {
			inherit(is, was);
		} else if (was->alert.level != LEVEL_OK) {
			log_notice(
				"alert \"%s\": no longer judged by the new configuration, was %s",
				was->rule->name, level_names[was->alert.level]);
		}
	}
}

void judge_restore(struct judge *judge, const struct open_alert *alert,
	const struct alert_episode *episode, double now, double wall)
{
	struct binding *b = find(judge, alert->name, alert->instance);
	struct alert_episode restored = *episode;

	if (!b)
		return;
	/* A level so far below its threshold can only be the forecast's. */
	restored.forecast = b->forecast && alert->event.percent < b->rule->warning - b->rule->clear;
	alert_restore(&b->alert, &restored, now, wall);
}

bool judge_spoke(const struct judge *judge)
{
	for (size_t i = 0; i < judge->n; i++)
		if (judge->bindings[i].event.kind != ALERT_NONE)
			return true;
	return false;
}

bool judge_raised(
	const struct judge *judge, const struct instance *instance, struct open_alert *out)
{
	for (size_t i = 0; i < judge->n; i++) {
		const struct binding *b = &judge->bindings[i];

		if (b->value.instance != instance || b->event.kind != ALERT_CHANGE ||
			b->event.to < b->event.from)
			continue;
		*out = (struct open_alert){.name = b->rule->name, .event = b->event};
		return true;
	}
	return false;
}

bool judge_open_alert(const struct judge *judge, size_t i, struct open_alert *out)
{
	for (size_t k = 0; k < judge->n; k++) {
		const struct binding *b = &judge->bindings[k];

		if (b->alert.level == LEVEL_OK || i-- > 0)
			continue;
		*out = (struct open_alert){
			.name = b->rule->name,
			.rule = b->rule,
			.metric = metric_of(b),
			.instance =
				conf_operand_is_pattern(b->rule->value) ? instance_name(b) : NULL,
			.event = b->event,
		};
		describe(b, out->object);
		return true;
	}
	return false;
}

const struct rule *judge_next_rule(const struct judge *judge, const struct rule *rule)
{
	size_t k = 0;

	while (rule && k < judge->n && judge->bindings[k].rule != rule)
		k++;
	while (rule && k < judge->n && judge->bindings[k].rule == rule)
		k++;
	return k < judge->n ? judge->bindings[k].rule : NULL;
}

bool judge_trend(const struct judge *judge, size_t i, struct open_alert *out)
{
	for (size_t k = 0; k < judge->n; k++) {
		const struct binding *b = &judge->bindings[k];

		if (!b->forecast || conf_operand_is_pattern(b->rule->value) ||
			(isnan(b->event.growth) && isnan(b->event.seconds_to_full)) || i-- > 0)
			continue;
		*out = (struct open_alert){.name = b->rule->name, .event = b->event};
		return true;
	}
	return false;
}
