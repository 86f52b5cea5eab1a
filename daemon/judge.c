/* SPDX-License-Identifier: MIT */
#include "daemon/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/increase.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/util.h"

/* Seconds after which what is not there has ended the alerts about it: no file that was missing for
 * a look. */
#define ABSENT_FOR 30

/* A rule and the readings it is about. */
struct binding {
	const struct rule *rule;
	const struct instance *instance,
		*limit_instance; /* the latter NULL for a rule without limit */
	size_t metric, limit_metric;
	struct alert alert;
	struct alert_event event; /* of the last look */
	struct increase increase; /* of a counter */
};

struct judge {
	struct binding *bindings;
	size_t n;
};

static const struct metric *metric_of(const struct binding *b)
{
	return &b->instance->conf->collector->metrics[b->metric];
}

/* False for a rule that is switched off, or that is about a collector that is. */
static bool bind_rule(struct binding *b, const struct rule *rule, const struct conf *conf,
	const struct readings *readings)
{
	size_t instance;

	if (!rule->enabled || conf_operand(conf, rule->value, &instance, &b->metric) < 0)
		return false;
	b->rule = rule;
	b->instance = &readings->instances[instance];
	if (rule->limit) {
		if (conf_operand(conf, rule->limit, &instance, &b->limit_metric) < 0)
			return false;
		b->limit_instance = &readings->instances[instance];
	}
	return true;
}

int judge_new(const struct conf *conf, const struct readings *readings, struct judge **out)
{
	struct judge *judge = calloc(1, sizeof *judge);

	if (!judge)
		return -ENOMEM;
	judge->bindings = calloc(conf->n_rules + 1, sizeof *judge->bindings);
	if (!judge->bindings) {
		free(judge);
		return -ENOMEM;
	}
	for (size_t i = 0; i < conf->n_rules; i++)
		if (bind_rule(&judge->bindings[judge->n], &conf->rules[i], conf, readings))
			judge->n++;
	*out = judge;
	return 0;
}

void judge_free(struct judge *judge)
{
	if (!judge)
		return;
	free(judge->bindings);
	free(judge);
}

static void say(const struct binding *b)
{
	char object[64] = "";
	struct notify_subject subject = {b->rule, metric_of(b), object};

	if (b->instance->conf->collector->describe)
		b->instance->conf->collector->describe(
			b->instance->state, b->metric, object, sizeof object);
	notify_alert(&subject, &b->event);
}

static void judge_binding(struct binding *b, double now, double wall)
{
	double value = b->instance->values[b->metric];
	struct alert_sample sample = {.now = now, .wall = wall, .limit = UNKNOWN};

	if (metric_of(b)->kind == METRIC_COUNTER)
		value = increase_add(&b->increase, now, value, (double)b->rule->over);
	sample.value = value;
	if (b->limit_instance)
		sample.limit = b->limit_instance->values[b->limit_metric];
	if (b->instance->absent && now - b->instance->changed >= ABSENT_FOR) {
		sample.value = 0; /* the table went, and its entries with it */
		sample.limit = 0;
	}
	alert_step(b->rule, &b->alert, &sample, &b->event);
	if (b->event.kind != ALERT_NONE)
		say(b);
}

void judge_look(struct judge *judge, bool row, double now, double wall)
{
	for (size_t i = 0; i < judge->n; i++) {
		struct binding *b = &judge->bindings[i];

		if (row || metric_of(b)->look)
			judge_binding(b, now, wall);
	}
}

static struct binding *find(const struct judge *judge, const char *rule, const char *instance)
{
	for (size_t i = 0; i < judge->n; i++) {
		struct binding *b = &judge->bindings[i];

		if (strcmp(b->rule->name, rule) == 0 &&
			(!instance || strcmp(b->instance->conf->name, instance) == 0))
			return b;
	}
	return NULL;
}

void judge_inherit(struct judge *judge, const struct judge *old)
{
	for (size_t i = 0; i < old->n; i++) {
		const struct binding *was = &old->bindings[i];
		struct binding *is = find(judge, was->rule->name, was->instance->conf->name);

		if (is && strcmp(is->rule->value, was->rule->value) == 0) {
			is->alert = was->alert;
			is->event = was->event;
			is->increase = was->increase;
		} else if (was->alert.level != LEVEL_OK) {
			log_notice(
				"alert \"%s\": no longer judged by the new configuration, was %s",
				was->rule->name, level_names[was->alert.level]);
		}
	}
}

void judge_restore(struct judge *judge, const char *name, const struct alert_episode *episode,
	double now, double wall)
{
	struct binding *b = find(judge, name, NULL);

	if (b)
		alert_restore(&b->alert, episode, now, wall);
}

bool judge_open_alert(const struct judge *judge, size_t i, struct open_alert *out)
{
	for (size_t k = 0; k < judge->n; k++) {
		const struct binding *b = &judge->bindings[k];

		if (b->alert.level == LEVEL_OK || i-- > 0)
			continue;
		*out = (struct open_alert){b->rule->name, b->event};
		return true;
	}
	return false;
}
