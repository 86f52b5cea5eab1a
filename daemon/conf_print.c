/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "collectors/registry.h"
#include "daemon/conf.h"
#include "daemon/conf_schema.h"
#include "daemon/conf_setting.h"
#include "daemon/conf_value.h"

static void print_settings(
	const struct schema_section *s, const void *base, const char *indent, FILE *out)
{
	for (size_t i = 0; i < s->n_settings; i++)
		conf_setting_print(&s->settings[i], base, indent, out);
}

static void print_rrd(const struct conf *conf, FILE *out)
{
	char step[CONF_VALUE_SIZE], span[CONF_VALUE_SIZE];

	fputs("\nrrd {\n\tdirectory = ", out);
	conf_print_string(conf->rrd_directory, out);
	fputs("\n\tdaemon = ", out);
	conf_print_string(conf->rrd_daemon, out);
	conf_format_duration(conf->rrd_queue, span);
	fprintf(out, "\n\tqueue = \"%s\"\n\tarchives = {", span);
	for (size_t i = 0; i < conf->n_archives; i++) {
		conf_format_duration(conf->archives[i].step, step);
		conf_format_duration(conf->archives[i].step * conf->archives[i].rows, span);
		fprintf(out, "%s \"%s:%s\"", i ? "," : "", step, span);
	}
	fputs(" }\n}\n", out);
}

static const struct conf_instance *untitled_instance(
	const struct conf *conf, const struct collector *collector)
{
	for (size_t i = 0; i < conf->n_instances; i++)
		if (conf->instances[i].collector == collector && !*conf->instances[i].title &&
			!conf->instances[i].netns)
			return &conf->instances[i];
	return NULL;
}

static void print_collector(const struct conf *conf, const struct schema_section *s, FILE *out)
{
	const struct conf_instance *in = untitled_instance(conf, s->collector);

	fprintf(out, "\n%s {\n\tenabled = %s\n", s->name, in ? "true" : "false");
	if (in && in->config)
		print_settings(s, in->config, "\t", out);
	fputs("}\n", out);
}

static void print_titled(const struct conf *conf, const struct schema_section *s, FILE *out)
{
	for (size_t i = 0; i < conf->n_instances; i++) {
		const struct conf_instance *in = &conf->instances[i];

		if (in->collector != s->collector || !*in->title)
			continue;
		fprintf(out, "\n%s \"%s\" {\n", s->name, in->title);
		if (in->config)
			print_settings(s, in->config, "\t", out);
		fputs("}\n", out);
	}
}

static void print_netns(const struct conf *conf, const struct schema_section *s, FILE *out)
{
	for (size_t i = 0; i < conf->n_netns; i++) {
		fprintf(out, "\n%s \"%s\" {\n", s->name, conf->netns[i].name);
		print_settings(s, &conf->netns[i], "\t", out);
		fputs("}\n", out);
	}
}

static void print_rule(const struct schema_section *s, const struct rule *rule, FILE *out)
{
	fprintf(out, "\nalert \"%s\" {\n", rule->name);
	print_settings(s, rule, "\t", out);
	if (!rule->limit)
		fputs("\tlimit = \"\"\n", out);
	fputs("}\n", out);
}

static void print_section(const struct conf *conf, const struct schema_section *s, FILE *out)
{
	switch (s->kind) {
	case SCHEMA_ROOT:
		print_settings(s, conf, "", out);
		break;
	case SCHEMA_LOG:
		fputs("\nlog {\n", out);
		print_settings(s, conf, "\t", out);
		fputs("}\n", out);
		break;
	case SCHEMA_RRD:
		print_rrd(conf, out);
		break;
	case SCHEMA_NETNS:
		print_netns(conf, s, out);
		break;
	case SCHEMA_COLLECTOR:
		print_collector(conf, s, out);
		break;
	case SCHEMA_INSTANCE:
		print_titled(conf, s, out);
		break;
	case SCHEMA_ALERT:
		for (size_t i = 0; i < conf->n_rules; i++)
			print_rule(s, &conf->rules[i], out);
		break;
	}
}

void conf_print(const struct conf *conf, FILE *out)
{
	struct arena arena = {0};
	const struct schema *schema = schema_new(&arena);

	for (size_t i = 0; schema && i < schema->n; i++)
		if (schema->section[i].kind != SCHEMA_ALERT)
			print_section(conf, &schema->section[i], out);
	for (size_t i = 0; schema && i < schema->n; i++)
		if (schema->section[i].kind == SCHEMA_ALERT)
			print_section(conf, &schema->section[i], out);
	arena_free(&arena);
}
