/* SPDX-License-Identifier: MIT */
/* connwatch check: the limits as a monitoring plugin, read from the kernel here and now. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/limits.h"
#include "cli/plugin.h"
#include "collectors/registry.h"
#include "daemon/judge.h"
#include "daemon/readings.h"
#include "daemon/util.h"

#define USAGE "connwatch [--config=FILE] check [NAME...] [-w PCT] [-c PCT]"

struct arguments {
	double warning, critical; /* UNKNOWN: those of the rules */
	char **names;
	int n_names;
};

enum wish { NOT_WANTED, WANTED, WANTED_BY_NAME };

/* A limit of the configuration. */
struct candidate {
	struct limit limit;
	enum wish wish;
	char object[OBJECT_SIZE]; /* behind its value */
};

struct check {
	const struct arguments *args;
	const struct conf *conf;
	struct candidate *candidates;
	size_t n;
};

static void usage(void)
{
	puts("usage: " USAGE "\n"
	     "Reads the limits from the kernel, without the daemon, and judges them as a "
	     "monitoring plugin:\n"
	     "one line with performance data, exit code 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.\n"
	     "\n"
	     "  NAME                an alert rule with a limit (conntrack-full), its short name "
	     "(conntrack),\n"
	     "                      or all of an instance (limits); without one, every limit that "
	     "is there\n"
	     "  -w, --warning=PCT   warn from this percentage on; 0: never; default: as the rule "
	     "says\n"
	     "  -c, --critical=PCT  critical from this percentage on; 0: never; default: as the "
	     "rule says\n"
	     "  -h, --help          print this\n"
	     "\n"
	     "Rules about the increase of a counter cannot be judged by one reading and are left "
	     "out.");
}

/* To the monitoring system by stdout, and to a person by stderr. Returns PLUGIN_UNKNOWN. */
__attribute__((format(printf, 1, 2))) static int unknown(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cli_error("check: %s", text);
	return plugin_print_unknown(text, stdout);
}

/* Returns -1 to go on, or the exit code. */
static int parse(int argc, char **argv, struct arguments *args)
{
	static const struct option options[] = {
		{"warning", required_argument, NULL, 'w'},
		{"critical", required_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, ":w:c:h", options, NULL)) != -1) {
		if (option == 'h') {
			usage();
			return EXIT_SUCCESS;
		}
		if (option != 'w' && option != 'c') {
			cli_usage_error(argc, argv, option);
			return plugin_print_unknown("usage: " USAGE, stdout);
		}
		if (plugin_parse_percent(optarg, option == 'w' ? &args->warning : &args->critical) <
			0)
			return unknown("-%c: %s is not a percentage in 0..1000; usage: " USAGE,
				option, optarg);
	}
	if (args->critical > 0 && args->warning > args->critical)
		return unknown("-w is above -c; usage: " USAGE);
	args->names = argv + optind;
	args->n_names = argc - optind;
	return -1;
}

/* Says why no limit has this name. */
static int refuse(const struct check *c, const char *name)
{
	char names[384] = "";
	size_t len = 0;

	for (size_t i = 0; i < c->conf->n_rules; i++) {
		const struct rule *rule = &c->conf->rules[i];

		if (strcmp(rule->name, name) != 0)
			continue;
		if (!rule->limit)
			return unknown(
				"%s is a rule without a limit, which one reading cannot judge",
				name);
		if (rule->ratio)
			return unknown("%s is a ratio, and no limit", name);
		return unknown("%s is switched off in the configuration", name);
	}
	for (size_t i = 0; i < c->n && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
			c->candidates[i].limit.label);
	return unknown("there is no limit %s; there are: %s", name, names);
}

static enum wish wish_for(const struct check *c, const struct limit *limit, const char *name)
{
	if (strcmp(limit->label, name) == 0 || strcmp(limit->rule->name, name) == 0)
		return WANTED_BY_NAME;
	return strcmp(c->conf->instances[limit->instance].name, name) == 0 ? WANTED : NOT_WANTED;
}

/* Returns -1 to go on, or the exit code. */
static int choose(const struct check *c)
{
	for (int k = 0; k < c->args->n_names; k++) {
		bool found = false;

		for (size_t i = 0; i < c->n; i++) {
			struct candidate *candidate = &c->candidates[i];
			enum wish wish = wish_for(c, &candidate->limit, c->args->names[k]);

			found |= wish != NOT_WANTED;
			candidate->wish = wish > candidate->wish ? wish : candidate->wish;
		}
		if (!found)
			return refuse(c, c->args->names[k]);
	}
	for (size_t i = 0; c->args->n_names == 0 && i < c->n; i++)
		c->candidates[i].wish = WANTED;
	return -1;
}

static int find_candidates(struct check *c)
{
	struct limit *limits;
	int r = limits_find(c->conf, &limits, &c->n);

	if (r < 0)
		return r;
	c->candidates = calloc(c->n + 1, sizeof(*c->candidates));
	for (size_t i = 0; c->candidates && i < c->n; i++)
		c->candidates[i].limit = limits[i];
	free(limits);
	return c->candidates ? 0 : -ENOMEM;
}

static const struct instance *find_instance(
	const struct readings *readings, const struct conf_instance *conf)
{
	size_t i = 0;

	while (strcmp(readings->instances[i].conf->name, conf->name) != 0)
		i++; /* read_limits() has seen to it that it is there */
	return &readings->instances[i];
}

/* False for what is not there (or not for us), which only one who asks for it by name wants to
 * know. */
static bool make_item(const struct check *c, const struct readings *readings,
	struct candidate *candidate, struct plugin_item *out)
{
	const struct limit *limit = &candidate->limit;
	const struct instance *in = find_instance(readings, &c->conf->instances[limit->instance]);
	const struct instance *limit_in =
		find_instance(readings, &c->conf->instances[limit->limit_instance]);
	const struct outcome *failure =
		instance_failure(in) ? instance_failure(in) : instance_failure(limit_in);
	const struct collector *collector = in->conf->collector;

	if (collector->describe)
		collector->describe(
			in->state, limit->metric, candidate->object, sizeof(candidate->object));
	*out = (struct plugin_item){
		.label = limit->label,
		.unit = collector->metrics[limit->metric].unit,
		.object = candidate->object,
		.error = failure ? failure->error : NULL,
		.value = in->values[limit->metric],
		.limit = limit_in->values[limit->limit_metric],
		.warning = isnan(c->args->warning) ? limit->rule->warning : c->args->warning,
		.critical = isnan(c->args->critical) ? limit->rule->critical : c->args->critical,
	};
	return candidate->wish == WANTED_BY_NAME || plugin_judge(out) != PLUGIN_UNKNOWN ||
	       (failure && outcome_is_fault(failure));
}

static int judge(const struct check *c, const struct readings *readings)
{
	struct plugin_item *items = calloc(c->n + 1, sizeof(*items));
	size_t n = 0;
	int code;

	if (!items)
		return unknown("out of memory");
	for (size_t i = 0; i < c->n; i++)
		if (c->candidates[i].wish != NOT_WANTED &&
			make_item(c, readings, &c->candidates[i], &items[n]))
			n++;
	code = n > 0 ? plugin_print(items, n, stdout)
		     : unknown("none of the limits can be read here");
	free(items);
	return code;
}

/* By the name of the limit, as it takes long: else such a limit is passed over. */
static bool needs_sockets(const struct check *c, const struct candidate *candidate)
{
	const struct collector *collector = c->conf->instances[candidate->limit.instance].collector;

	return candidate->wish == WANTED_BY_NAME &&
	       collector->metrics[candidate->limit.metric].with_sockets;
}

static bool is_needed(const struct check *c, size_t instance)
{
	bool is_sockets = c->conf->instances[instance].collector == &collector_sockets &&
			  !c->conf->instances[instance].netns;

	for (size_t i = 0; i < c->n; i++) {
		const struct candidate *candidate = &c->candidates[i];

		if (candidate->wish != NOT_WANTED &&
			(candidate->limit.instance == instance ||
				candidate->limit.limit_instance == instance ||
				(is_sockets && needs_sockets(c, candidate))))
			return true;
	}
	return false;
}

/* Reads those instances alone that are needed: to list a million sockets takes its time. */
static int read_limits(const struct check *c)
{
	struct conf_instance *instances = calloc(c->conf->n_instances + 1, sizeof(*instances));
	struct conf conf = *c->conf;
	struct readings *readings;
	int code;

	if (!instances)
		return unknown("out of memory");
	conf.instances = instances;
	conf.n_instances = 0;
	for (size_t i = 0; i < c->conf->n_instances; i++)
		if (is_needed(c, i))
			instances[conf.n_instances++] = c->conf->instances[i];
	code = readings_new(&conf, &readings);
	if (code == 0) {
		readings_row(readings);
		code = judge(c, readings);
		readings_free(readings);
	} else {
		code = unknown("cannot read %s: %s", conf.proc, strerror(-code));
	}
	free(instances);
	return code;
}

int cmd_check(const struct cli_context *context, int argc, char **argv)
{
	struct arguments args = {.warning = UNKNOWN, .critical = UNKNOWN};
	struct check check = {.args = &args};
	int code = parse(argc, argv, &args);
	struct conf *conf;

	if (code >= 0)
		return code;
	if (cli_conf_load(context, &conf) < 0)
		return plugin_print_unknown(
			"the configuration cannot be used; see connwatchd --test", stdout);
	check.conf = conf;
	code = find_candidates(&check) < 0 ? unknown("out of memory") : choose(&check);
	if (code < 0)
		code = read_limits(&check);
	free(check.candidates);
	conf_free(conf);
	return code;
}
