/* SPDX-License-Identifier: MIT */
#include "daemon/ct/ct_asker.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectors/conntrack.h"
#include "collectors/procfile.h"
#include "daemon/ct/ct_client.h"
#include "daemon/ct/summary.h"
#include "daemon/log.h"
#include "daemon/message_id.h"
#include "daemon/notify.h"
#include "daemon/util.h"

#define WHO_PAUSE 60 /* seconds between two questions who fills the table */

struct ct_asker {
	sd_event *event;
	struct ct_request *who, *counters; /* under way */
	struct proc *proc;                 /* that the counters are for */
	char rule[64]; /* the alert that made it ask who, its level, and how full the table was */
	enum level level;
	double percent;
	double who_asked;                 /* CLOCK_MONOTONIC seconds; 0: never */
	bool who_failed, counters_failed; /* said */
};

int ct_asker_new(sd_event *event, struct ct_asker **out)
{
	struct ct_asker *asker = calloc(1, sizeof(*asker));

	if (!asker)
		return -ENOMEM;
	asker->event = event;
	*out = asker;
	return 0;
}

void ct_asker_forget(struct ct_asker *asker)
{
	ct_request_free(take_ptr(asker->counters));
	asker->proc = NULL;
}

void ct_asker_free(struct ct_asker *asker)
{
	if (!asker)
		return;
	ct_asker_forget(asker);
	ct_request_free(asker->who);
	free(asker);
}

/* A failure is said once, and again only after it went well in between. */
static void say_failure(bool *said, const char *what, const char *error)
{
	if (!*said)
		log_notice("conntrack: %s: %s", what, error);
	*said = true;
}

static void say_who(struct ct_asker *asker, const struct summary *summary)
{
	char text[NOTIFY_TEXT_SIZE];
	struct log_field fields[] = {
		{.name = "MESSAGE_ID", .value = MESSAGE_ID_WHO},
		{.name = "CONNWATCH_ALERT"},
		{.name = "CONNWATCH_LEVEL"},
	};

	snprintf(fields[1].value, sizeof(fields[1].value), "%s", asker->rule);
	snprintf(fields[2].value, sizeof(fields[2].value), "%s", level_names[asker->level]);
	summary_sentence(summary, text, sizeof(text));
	/* A notice: the change of level itself was said once, with its own priority. */
	if (isnan(asker->percent))
		log_fields(LOG_NOTICE, fields, ARRAY_LEN(fields), "conntrack: %s", text);
	else
		log_fields(LOG_NOTICE, fields, ARRAY_LEN(fields), "conntrack: %.0f%% full: %s",
			notify_percent(asker->percent), text);
}

static void on_who(void *arg, const char *answer, const char *error)
{
	struct ct_asker *asker = arg;
	struct summary *summary = answer ? malloc(sizeof(*summary)) : NULL;

	if (summary && summary_parse(answer, summary) == 0) {
		asker->who_failed = false;
		say_who(asker, summary);
	} else {
		say_failure(&asker->who_failed, "who fills it is not known",
			error ? error : "connwatch-ct gives no good answer");
	}
	free(summary);
}

static void on_counters(void *arg, const char *answer, const char *error)
{
	struct ct_asker *asker = arg;

	proc_supply(asker->proc, CONNTRACK_STAT, answer);
	if (error)
		say_failure(&asker->counters_failed, "its counters are not known", error);
	else
		asker->counters_failed = false;
}

static void ask(struct ct_asker *asker, enum ct_question question, ct_answer_fn *on_answer,
	struct ct_request **request)
{
	const struct ct_asking asking = {CT_SOCKET, question, CT_TIMEOUT_USEC, on_answer, asker};
	int r;

	ct_request_free(take_ptr(*request));
	r = ct_ask(asker->event, &asking, request);
	if (r < 0)
		on_answer(asker, NULL, "no memory to ask connwatch-ct");
}

static double value_of(const struct readings *readings, const char *operand)
{
	size_t instance, metric;

	if (conf_operand(readings->conf, operand, &instance, &metric) < 0)
		return UNKNOWN;
	return readings->instances[instance].values[metric];
}

static void look_for_alert(struct ct_asker *asker, const struct readings *readings,
	const struct instance *conntrack, const struct judge *judge, double now)
{
	const struct conntrack_config *config = conntrack->conf->config;
	struct open_alert alert;
	double max;

	if (!config->who || (asker->who_asked > 0 && now - asker->who_asked < WHO_PAUSE) ||
		!judge_raised(judge, conntrack, &alert))
		return;
	snprintf(asker->rule, sizeof(asker->rule), "%s", alert.name);
	asker->level = alert.event.to;
	max = value_of(readings, "conntrack.max");
	asker->percent = max > 0 ? value_of(readings, "conntrack.entries") * 100 / max : UNKNOWN;
	asker->who_asked = now;
	ask(asker, CT_WHO, on_who, &asker->who);
}

/* At the last look before a row, so that the row's counters are of its time. */
static bool row_is_next(const struct conf *conf, double wall)
{
	double interval = (double)conf->interval;

	return conf->watch_interval == 0 ||
	       interval - fmod(wall, interval) <= (double)conf->watch_interval + 0.5;
}

static const struct instance *find_conntrack(const struct readings *readings)
{
	size_t instance, metric;

	if (proc_is_recorded(readings->proc) ||
		conf_operand(readings->conf, "conntrack.entries", &instance, &metric) < 0)
		return NULL;
	return &readings->instances[instance];
}

void ct_asker_look(struct ct_asker *asker, struct readings *readings, const struct judge *judge,
	double now, double wall)
{
	const struct instance *conntrack = find_conntrack(readings);

	if (!conntrack || conntrack->absent)
		return;
	look_for_alert(asker, readings, conntrack, judge, now);
	if (!row_is_next(readings->conf, wall) || proc_has(readings->proc, CONNTRACK_STAT))
		return;
	asker->proc = readings->proc;
	ask(asker, CT_COUNTERS, on_counters, &asker->counters);
}
