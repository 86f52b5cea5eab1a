/* SPDX-License-Identifier: MIT */
#include "cli/limits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A ratio is no limit: nothing is full at 100%. */
static bool bind(const struct conf *conf, size_t instance, struct limit *limit)
{
	const struct rule *rule = limit->rule;

	return !rule->ratio &&
	       conf_operand_for(conf, rule->value, instance, &limit->instance, &limit->metric) ==
		       0 &&
	       limit->instance == instance &&
	       conf_operand_for(conf, rule->limit, instance, &limit->limit_instance,
		       &limit->limit_metric) == 0;
}

static bool has_rule(const struct conf *conf, const char *name, size_t len)
{
	for (size_t i = 0; i < conf->n_rules; i++)
		if (strlen(conf->rules[i].name) == len &&
			strncmp(conf->rules[i].name, name, len) == 0)
			return true;
	return false;
}

static void name(const struct conf *conf, struct limit *limit)
{
	static const char full[] = "-full";
	const char *rule = limit->rule->name;
	size_t len = strlen(rule), stem = len - strlen(full);
	bool several = strchr(limit->rule->value, '*');

	if (len > strlen(full) && strcmp(rule + stem, full) == 0 && !has_rule(conf, rule, stem))
		len = stem;
	snprintf(limit->label, sizeof(limit->label), "%.*s%s%s", (int)len, rule, several ? "-" : "",
		several ? conf->instances[limit->instance].title : "");
}

int limits_find(const struct conf *conf, struct limit **out, size_t *n)
{
	struct limit *limits = calloc(conf->n_rules * conf->n_instances + 1, sizeof(*limits));

	if (!limits)
		return -ENOMEM;
	*n = 0;
	for (size_t r = 0; r < conf->n_rules; r++) {
		const struct rule *rule = &conf->rules[r];

		for (size_t i = 0; rule->enabled && rule->limit && i < conf->n_instances; i++) {
			limits[*n].rule = rule;
			if (bind(conf, i, &limits[*n]))
				name(conf, &limits[(*n)++]);
		}
	}
	*out = limits;
	return 0;
}

double limit_percent(double value, double limit)
{
	return limit > 0 ? value * 100 / limit
			 : UNKNOWN; /* in this order 80 of 100 is exactly 80 */
}

double limit_whole_percent(double percent)
{
	return percent < 100 ? fmin(round(percent), 99) : round(percent);
}

enum level limit_level(double percent, double warning, double critical)
{
	if (critical > 0 && percent >= critical)
		return LEVEL_CRITICAL;
	return warning > 0 && percent >= warning ? LEVEL_WARNING : LEVEL_OK;
}
