/* SPDX-License-Identifier: MIT */
#include "daemon/notify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/message_id.h"
#include "daemon/text.h"

const char *const level_names[] = {"ok", "warning", "critical"};

struct text {
	char *out;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->out + t->used, NOTIFY_TEXT_SIZE - t->used, format, args);
	va_end(args);
	if (n > 0)
		t->used = t->used + (size_t)n < NOTIFY_TEXT_SIZE ? t->used + (size_t)n
								 : NOTIFY_TEXT_SIZE - 1;
}

double notify_percent(double percent)
{
	return percent < 100 ? fmin(round(percent), 99) : round(percent);
}

/* "dropping packets: 1520 dropped in the last 10 s" */
static void add_increase(
	struct text *t, const struct notify_subject *s, const struct alert_event *e)
{
	char number[TEXT_SIZE], seconds[TEXT_SIZE];

	if (e->kind == ALERT_RECOVERY) {
		add(t, "no longer %s", s->rule->doing);
		return;
	}
	add(t, "%s: ", s->rule->doing);
	add(t, "%s %s in the last %s", text_number(number, s->increase), s->rule->done,
		text_duration(seconds, s->seconds));
}

/* "4.5 entries per bucket (1179648 entries)" */
static void add_ratio(struct text *t, const struct notify_subject *s, const struct alert_event *e)
{
	char ratio[TEXT_SIZE], value[TEXT_SIZE];

	add(t, "%s %s (%s %s)", text_number(ratio, e->percent / 100), s->rule->ratio,
		text_number(value, e->value), s->metric->unit);
}

/* "82% full (214958 of 262144 entries)" */
static void add_state(struct text *t, const struct notify_subject *s, const struct alert_event *e)
{
	char value[TEXT_SIZE], limit[TEXT_SIZE], over[TEXT_SIZE];

	text_number(value, e->value);
	text_number(limit, e->limit);
	if (s->gone && e->kind == ALERT_RECOVERY)
		add(t, "no longer there");
	else if (s->rule->done)
		add_increase(t, s, e);
	else if (s->rule->ratio && !isnan(e->percent))
		add_ratio(t, s, e);
	else if (!isnan(e->percent))
		add(t, "%.0f%% full (%s of %s %s)", notify_percent(e->percent), value, limit,
			s->metric->unit);
	else if (s->rule->limit)
		add(t, "%s %s, no limit", value, s->metric->unit);
	else if (s->metric->kind == METRIC_COUNTER && s->rule->over)
		add(t, "%s %s/s over the last %s", value, s->metric->unit,
			text_duration(over, (double)s->rule->over));
	else if (s->metric->kind == METRIC_COUNTER)
		add(t, "%s %s/s", value, s->metric->unit);
	else
		add(t, "%s %s", value, s->metric->unit);
}

static void add_threshold(struct text *t, const struct rule *rule, enum level level)
{
	char threshold[TEXT_SIZE];

	if (!rule->limit && !rule->done && level != LEVEL_OK)
		add(t, " (%s from %s)", level_names[level],
			text_number(threshold,
				level == LEVEL_WARNING ? rule->warning : rule->critical));
}

static void add_trend(struct text *t, const struct alert_event *e)
{
	char number[TEXT_SIZE];

	if (!isnan(e->growth) && e->growth > 0)
		add(t, ", growing %s/s", text_number(number, e->growth));
	if (!isnan(e->seconds_to_full))
		add(t, ", full in about %s", text_duration(number, e->seconds_to_full));
}

static void add_advice(struct text *t, const struct notify_subject *s)
{
	char number[TEXT_SIZE];

	if (s->rule->advice)
		add(t, "; %s", s->rule->advice);
	if (s->rule->advice && s->rule->above && s->above > 0)
		add(t, " above %s", text_number(number, s->above));
}

void notify_sentence(const struct notify_subject *s, const struct alert_event *e,
	char out[static NOTIFY_TEXT_SIZE])
{
	struct text t = {.out = out};
	char duration[TEXT_SIZE];

	text_duration(duration, e->duration);
	add(&t, "%s", s->rule->subject ? s->rule->subject : s->rule->name);
	if (s->object[0])
		add(&t, " of %s", s->object);
	add(&t, e->kind == ALERT_RECOVERY ? ": back to normal: " : ": ");
	add_state(&t, s, e);
	switch (e->kind) {
	case ALERT_RECOVERY:
		add(&t, ", was %s for %s", level_names[e->worst], duration);
		return;
	case ALERT_REMINDER:
		add_threshold(&t, s->rule, e->to);
		add_trend(&t, e);
		add(&t, ", %s for %s", level_names[e->to], duration);
		break;
	case ALERT_CHANGE:
		add_threshold(&t, s->rule, e->to);
		add_trend(&t, e);
		if (e->to < e->from)
			add(&t, ", was %s", level_names[e->from]);
		break;
	case ALERT_NONE:
		break;
	}
	add_advice(&t, s);
}

static const char *message_id(const struct rule *rule, const struct alert_event *event)
{
	if (event->kind == ALERT_RECOVERY)
		return MESSAGE_ID_RECOVERY;
	if (rule->message_id)
		return rule->message_id;
	return rule->limit ? MESSAGE_ID_LIMIT_NEAR : MESSAGE_ID_VALUE_HIGH;
}

__attribute__((format(printf, 4, 5))) static void field(
	struct log_field *fields, size_t *n, const char *name, const char *format, ...)
{
	va_list args;

	fields[*n].name = name;
	va_start(args, format);
	vsnprintf(fields[*n].value, sizeof fields[*n].value, format, args);
	va_end(args);
	(*n)++;
}

size_t notify_fields(const struct notify_subject *subject, const struct alert_event *event,
	struct log_field out[static NOTIFY_MAX_FIELDS])
{
	char number[TEXT_SIZE];
	size_t n = 0;

	field(out, &n, "CONNWATCH_ALERT", "%s", subject->rule->name);
	field(out, &n, "CONNWATCH_LEVEL", "%s", level_names[event->to]);
	if (!isnan(event->value))
		field(out, &n, "CONNWATCH_VALUE", "%s", text_number(number, event->value));
	if (subject->rule->limit && !isnan(event->limit))
		field(out, &n, "CONNWATCH_LIMIT", "%s", text_number(number, event->limit));
	if (!isnan(event->percent))
		field(out, &n, "CONNWATCH_PERCENT", "%.1f", event->percent);
	if (!isnan(event->seconds_to_full))
		field(out, &n, "CONNWATCH_SECONDS_TO_FULL", "%.0f", event->seconds_to_full);
	return n;
}

void notify_alert(const struct notify_subject *subject, const struct alert_event *event)
{
	static const int priority[] = {LOG_NOTICE, LOG_WARNING, LOG_CRIT};
	struct log_field fields[NOTIFY_MAX_FIELDS];
	char text[NOTIFY_TEXT_SIZE];
	size_t n = notify_fields(subject, event, fields);

	notify_sentence(subject, event, text);
	field(fields, &n, "MESSAGE_ID", "%s", message_id(subject->rule, event));
	log_fields(priority[event->to], fields, n, "%s", text);
}
