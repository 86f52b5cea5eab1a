/* SPDX-License-Identifier: MIT */
#include "daemon/alerts_page.h"

#include <stdio.h>
#include <string.h>

#include "daemon/notify.h"
#include "daemon/text.h"
#include "daemon/util.h"

/* All that is printable ASCII; an error text may hold more. */
static void escape(const char *text, FILE *out)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			fputc('?', out);
		else if (strchr("<>&\"'", *text))
			fprintf(out, "&#%d;", *text);
		else
			fputc(*text, out);
}

static const struct rule *find_rule(const struct conf *conf, const char *name)
{
	for (size_t i = 0; i < conf->n_rules; i++)
		if (strcmp(conf->rules[i].name, name) == 0)
			return &conf->rules[i];
	return NULL;
}

/* Of the first instance, for a rule about several: its unit is that of all. */
static const struct metric *rule_metric(const struct conf *conf, const struct rule *rule)
{
	size_t instance, metric;

	if (!conf_operand_is_pattern(rule->value))
		return conf_operand(conf, rule->value, &instance, &metric) < 0
			       ? NULL
			       : &conf->instances[instance].collector->metrics[metric];
	for (size_t i = 0; i < conf->n_instances; i++)
		if (conf_operand_of(conf, rule->value, i, &metric) == 0)
			return &conf->instances[i].collector->metrics[metric];
	return NULL;
}

static void item(enum level level, double since, const char *text, FILE *out)
{
	char when[TEXT_SIZE];

	fprintf(out,
		"<li class=\"%s\"><span class=\"level\">%s</span> since %s: ", level_names[level],
		level_names[level], text_time(when, (time_t)since));
	escape(text, out);
	fputs("</li>\n", out);
}

static void open_alert(const struct conf *conf, const struct open_alert *alert, FILE *out)
{
	const struct rule *rule = find_rule(conf, alert->name);
	const struct metric *metric = rule ? rule_metric(conf, rule) : NULL;
	struct alert_event event = alert->event;
	char text[NOTIFY_TEXT_SIZE], named[NOTIFY_TEXT_SIZE + 64];
	struct rule plain;

	if (!metric)
		return;
	plain = *rule;
	event.kind = ALERT_CHANGE;
	event.from = event.to;
	/* The number of the increase was that of the moment it was said. */
	if (rule->done)
		snprintf(text, sizeof(text), "%s: %s", rule->subject, rule->doing);
	else
		notify_sentence(
			&(struct notify_subject){
				.rule = &plain, .metric = metric, .object = alert->object},
			&event, text);
	snprintf(named, sizeof(named), "%s%s%s", alert->instance ? alert->instance : "",
		alert->instance ? ": " : "", text);
	item(event.to, event.since, named, out);
}

static size_t open_alerts(const struct status_source *source, FILE *out)
{
	struct open_alert alert;
	size_t n = 0;

	for (; source->judge && judge_open_alert(source->judge, n, &alert); n++)
		open_alert(source->readings->conf, &alert, out);
	return n;
}

static size_t unreadable(const struct status_source *source, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < source->readings->n; i++) {
		const struct instance *in = &source->readings->instances[i];
		const struct outcome *failure = instance_failure(in);
		char text[READING_ERROR_SIZE + 64];

		if (!in->unreadable)
			continue;
		snprintf(text, sizeof(text), "%s: cannot be read%s%s", in->conf->name,
			failure ? ": " : "", failure ? failure->error : "");
		item(LEVEL_WARNING, source->wall - (source->now - in->since), text, out);
		n++;
	}
	return n;
}

char *alerts_page_render(const struct status_source *source)
{
	char *text = NULL, when[TEXT_SIZE];
	size_t size, n;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("--></p>\n<ul class=\"alerts\">\n", out);
	n = open_alerts(source, out);
	n += unreadable(source, out);
	if (n == 0)
		fputs("<li class=\"ok\">none</li>\n", out);
	fprintf(out, "</ul>\n<p>As of %s</p><p hidden><!-- >", text_time(when, source->time));
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
