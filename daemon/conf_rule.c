/* SPDX-License-Identifier: MIT */
#include "daemon/conf_rule.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "collectors/registry.h"

#define PERCENT_MAX 1000

/* An alert section under check. */
struct check {
	const struct conf *conf;
	const struct rule *rule;
	const struct conf_block *block;
	struct conf_problems *problems;
};

static int find_metric(const struct collector *c, const char *column, size_t *metric)
{
	for (size_t i = 0; i < c->n_metrics; i++) {
		if (strcmp(c->metrics[i].name, column) != 0)
			continue;
		*metric = i;
		return 0;
	}
	return -EINVAL;
}

/* Whether name[len] is an instance that c makes, or would make if it were enabled. */
static bool could_make(const struct collector *c, const char *name, size_t len, bool is_on)
{
	size_t stem = strlen(c->name);

	if (len < stem || strncmp(c->name, name, stem) != 0)
		return false;
	if (len == stem)
		return c->section;
	/* Of a collector that is on, all titled instances are known. */
	return c->titled_section && name[stem] == '-' && !is_on;
}

/* The same of an instance in another network namespace. */
static bool could_make_in_netns(const struct collector *c, const char *name, size_t len)
{
	return c->in_netns && strlen(c->name) == len && strncmp(c->name, name, len) == 0;
}

static bool is_on(const struct conf *conf, const struct collector *c)
{
	for (size_t i = 0; i < conf->n_instances; i++)
		if (conf->instances[i].collector == c && !*conf->instances[i].title)
			return true;
	return !c->section;
}

bool conf_operand_is_pattern(const char *operand)
{
	return strstr(operand, "-*.");
}

/* Whether a collector makes the instances of a pattern: its name, then "-*.". */
static bool makes_pattern(const struct collector *c, const char *pattern)
{
	size_t stem = strlen(c->name);

	return c->titled_section && strncmp(c->name, pattern, stem) == 0 &&
	       strncmp(pattern + stem, "-*.", 3) == 0;
}

int conf_operand_of(const struct conf *conf, const char *pattern, size_t instance, size_t *metric)
{
	const struct conf_instance *in = &conf->instances[instance];

	if (!*in->title || !makes_pattern(in->collector, pattern))
		return -ENOENT;
	return find_metric(in->collector, strrchr(pattern, '.') + 1, metric);
}

int conf_operand_for(const struct conf *conf, const char *operand, size_t candidate,
	size_t *instance, size_t *metric)
{
	if (!conf_operand_is_pattern(operand))
		return conf_operand(conf, operand, instance, metric);
	*instance = candidate;
	return conf_operand_of(conf, operand, candidate, metric);
}

/* The collector of a pattern, and its column. */
static int find_pattern(const char *pattern, const struct collector **collector, size_t *metric)
{
	for (size_t i = 0; i < registry_len; i++) {
		if (!makes_pattern(registry[i], pattern))
			continue;
		*collector = registry[i];
		return find_metric(registry[i], strrchr(pattern, '.') + 1, metric);
	}
	return -EINVAL;
}

/* Finds the collector and the column of an operand, switched off or not; *instance is -1 where it
 * is off. */
static int find_operand(const struct conf *conf, const char *operand, long *instance,
	const struct collector **collector, size_t *metric)
{
	const char *dot = strrchr(operand, '.'), *rest;
	const struct conf_netns *netns;
	size_t len;

	if (!dot)
		return -EINVAL;
	*instance = -1;
	if (conf_operand_is_pattern(operand))
		return find_pattern(operand, collector, metric);
	len = (size_t)(dot - operand);
	for (size_t i = 0; i < conf->n_instances; i++) {
		const struct conf_instance *in = &conf->instances[i];

		if (strlen(in->name) != len || strncmp(in->name, operand, len) != 0)
			continue;
		*instance = (long)i;
		*collector = in->collector;
		return find_metric(in->collector, dot + 1, metric);
	}
	netns = conf_netns_of(conf, operand, &rest);
	len = (size_t)(dot - rest);
	for (size_t i = 0; rest <= dot && i < registry_len; i++) {
		if (netns ? !could_make_in_netns(registry[i], rest, len)
			  : !could_make(registry[i], rest, len, is_on(conf, registry[i])))
			continue;
		*instance = -1;
		*collector = registry[i];
		return find_metric(registry[i], dot + 1, metric);
	}
	return -EINVAL;
}

int conf_operand(const struct conf *conf, const char *operand, size_t *instance, size_t *metric)
{
	const struct collector *collector;
	long found;
	int r = find_operand(conf, operand, &found, &collector, metric);

	if (r < 0)
		return r;
	if (found < 0)
		return -ENOENT;
	*instance = (size_t)found;
	return 0;
}

/* Whether an operand is about something that other network namespaces have too. */
static bool is_in_netns(const char *operand)
{
	size_t len = strcspn(operand, ".");

	for (size_t i = 0; i < registry_len; i++)
		if (could_make_in_netns(registry[i], operand, len))
			return true;
	return false;
}

bool conf_rule_derive(const struct rule *rule, const struct conf_netns *netns, struct arena *arena,
	struct rule *out)
{
	const char *prefix = netns->name;

	if (!rule->value || !is_in_netns(rule->value) || (rule->limit && !is_in_netns(rule->limit)))
		return false;
	*out = *rule;
	out->name = arena_printf(arena, "%s.%s", prefix, rule->name);
	out->value = arena_printf(arena, "%s.%s", prefix, rule->value);
	if (rule->limit)
		out->limit = arena_printf(arena, "%s.%s", prefix, rule->limit);
	if (rule->above && is_in_netns(rule->above))
		out->above = arena_printf(arena, "%s.%s", prefix, rule->above);
	if (rule->subject)
		out->subject = arena_printf(arena, "%s.%s", prefix, rule->subject);
	return out->name && out->value;
}

const struct conf_netns *conf_netns_of(const struct conf *conf, const char *name, const char **rest)
{
	size_t len = strcspn(name, ".");

	*rest = name;
	for (size_t i = 0; name[len] && i < conf->n_netns; i++) {
		if (strlen(conf->netns[i].name) != len ||
			strncmp(conf->netns[i].name, name, len) != 0)
			continue;
		*rest = name + len + 1;
		return &conf->netns[i];
	}
	return NULL;
}

struct rule conf_rule_initial(const char *name, bool has_limit)
{
	if (has_limit)
		return (struct rule){.name = name, RULE_DEFAULTS, RULE_PERCENT};
	return (struct rule){.name = name, RULE_DEFAULTS};
}

/* Where a key of the section was given, else the section. */
static const struct conf_place *place_of(const struct check *c, const char *key)
{
	size_t i;

	if (schema_find_key(c->block->section, key, &i) && c->block->key[i].file)
		return &c->block->key[i];
	return &c->block->place;
}

__attribute__((format(printf, 3, 4))) static void problem(
	const struct check *c, const char *key, const char *format, ...)
{
	char message[256];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	conf_problem_add(c->problems, place_of(c, key), "alert \"%s\": %s", c->rule->name, message);
}

/* The metric an operand names, or NULL with the problem noted. */
static const struct metric *check_operand(
	const struct check *c, const char *key, const char *operand)
{
	const struct collector *collector;
	size_t metric;
	long instance;

	if (find_operand(c->conf, operand, &instance, &collector, &metric) == 0)
		return &collector->metrics[metric];
	problem(c, key, "%s: there is no \"%.80s\" (INSTANCE.COLUMN, as in status.json)", key,
		operand);
	return NULL;
}

static void check_value(const struct check *c)
{
	const struct rule *rule = c->rule;
	const struct metric *m;

	if (!rule->value) {
		problem(c, "value",
			"needs a value: INSTANCE.COLUMN, such as \"conntrack.entries\"");
		return;
	}
	m = check_operand(c, "value", rule->value);
	if (m && m->kind == METRIC_COUNTER && rule->limit)
		problem(c, "limit", "limit: \"%s\" is a counter, which has no limit", rule->value);
	if (m && m->kind == METRIC_GAUGE && rule->over > 0)
		problem(c, "over", "over: \"%s\" is no counter", rule->value);
}

/* "listener-*." both. */
static bool same_pattern(const char *a, const char *b)
{
	size_t len = (size_t)(strrchr(b, '.') - b);

	return strncmp(a, b, len + 1) == 0;
}

static void check_limit(const struct check *c)
{
	const struct rule *rule = c->rule;
	const struct metric *m;

	if (!rule->limit) {
		if (rule->forecast_warning > 0 || rule->forecast_critical > 0)
			problem(c,
				rule->forecast_warning > 0 ? "forecast_warning"
							   : "forecast_critical",
				"a forecast needs a limit");
		return;
	}
	if (conf_operand_is_pattern(rule->limit) && rule->value &&
		!same_pattern(rule->value, rule->limit))
		problem(c, "limit", "limit: \"%.80s\" needs a value of the same instances",
			rule->limit);
	m = check_operand(c, "limit", rule->limit);
	if (m && m->kind == METRIC_COUNTER)
		problem(c, "limit", "limit: \"%s\" is a counter", rule->limit);
	if (rule->warning > PERCENT_MAX)
		problem(c, "warning", "warning: more than %d percent of the limit", PERCENT_MAX);
	if (rule->critical > PERCENT_MAX)
		problem(c, "critical", "critical: more than %d percent of the limit", PERCENT_MAX);
}

static void check_thresholds(const struct check *c)
{
	const struct rule *rule = c->rule;
	bool warning = rule->warning > 0, critical = rule->critical > 0;

	if (warning && critical && rule->warning > rule->critical)
		problem(c, "warning", "warning is above critical");
	if (!warning && !critical && rule->forecast_warning == 0 && rule->forecast_critical == 0 &&
		rule->enabled)
		problem(c, "warning",
			"needs warning or critical (enabled = false switches a rule off)");
}

void conf_rule_check(const struct conf *conf, const struct rule *rule,
	const struct conf_block *block, struct conf_problems *problems)
{
	const struct check c = {.conf = conf, .rule = rule, .block = block, .problems = problems};

	check_value(&c);
	check_limit(&c);
	check_thresholds(&c);
}
