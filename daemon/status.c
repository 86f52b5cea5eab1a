/* SPDX-License-Identifier: MIT */
#include "daemon/status.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "collectors/census.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/util.h"

#define NEW_FILE_NAME ".status.json.new"
#define STATUS_SIZE_MAX (1024 * 1024) /* bytes; it has some thousand */
#define MAX_EXACT 9007199254740992.0  /* 2^53: whole numbers below it are exact in a double */

static json_t *number(double value)
{
	if (isnan(value) || isinf(value))
		return json_null();
	if (value == floor(value) && fabs(value) < MAX_EXACT)
		return json_integer((json_int_t)value);
	return json_real(value);
}

/* One decimal, and always one: a percent is not a count. */
static json_t *tenths(double value)
{
	return isnan(value) ? json_null() : json_real(round(value * 10) / 10);
}

static json_t *render_readings(const struct readings *readings)
{
	json_t *all = json_object();

	for (size_t i = 0; i < readings->n; i++) {
		const struct instance *in = &readings->instances[i];
		json_t *one = json_object();

		for (size_t m = 0; m < in->conf->collector->n_metrics; m++)
			json_object_set_new(
				one, in->conf->collector->metrics[m].name, number(in->values[m]));
		json_object_set_new(all, in->conf->name, one);
	}
	return all;
}

static json_t *render_errors(const struct readings *readings)
{
	json_t *errors = json_object();

	for (size_t i = 0; i < readings->n; i++) {
		const struct outcome *failure = instance_failure(&readings->instances[i]);

		if (failure)
			json_object_set_new(errors, readings->instances[i].conf->name,
				json_string(failure->error));
	}
	return errors;
}

static json_t *render_durations(const struct readings *readings)
{
	json_t *durations = json_object();

	for (size_t i = 0; i < readings->n; i++)
		json_object_set_new(durations, readings->instances[i].conf->name,
			number(round(instance_seconds(&readings->instances[i]) * 1e9) / 1e9));
	return durations;
}

/* What is judged, so that an alert that is not open is known to be none. */
static json_t *render_rules(const struct judge *judge)
{
	const struct rule *rule = NULL;
	json_t *rules = json_object();

	while (judge && (rule = judge_next_rule(judge, rule)))
		json_object_set_new(rules, rule->name, json_string(rule->value));
	return rules;
}

static json_t *render_alert(const struct open_alert *alert)
{
	const struct alert_event *e = &alert->event;

	return json_pack("{s:s, s:s*, s:s*, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name",
		alert->name, "instance", alert->instance, "object",
		alert->object[0] ? alert->object : NULL, "level", level_names[e->to], "worst",
		level_names[e->worst], "since", number(floor(e->since)), "value", number(e->value),
		"limit", number(e->limit), "percent", tenths(e->percent), "seconds_to_full",
		number(round(e->seconds_to_full)));
}

static json_t *render_unreadable(const struct instance *in, const struct status_source *source)
{
	char name[64];
	struct open_alert alert = {
		.name = name,
		.event = {.to = LEVEL_WARNING,
			.worst = LEVEL_WARNING,
			.since = source->wall - (source->now - in->since),
			.value = UNKNOWN,
			.limit = UNKNOWN,
			.percent = UNKNOWN,
			.seconds_to_full = UNKNOWN},
	};

	snprintf(name, sizeof name, "%s-unreadable", in->conf->name);
	return render_alert(&alert);
}

static json_t *render_alerts(const struct status_source *source)
{
	json_t *alerts = json_array();
	struct open_alert alert;

	for (size_t i = 0; source->judge && judge_open_alert(source->judge, i, &alert); i++)
		json_array_append_new(alerts, render_alert(&alert));
	for (size_t i = 0; i < source->readings->n; i++)
		if (source->readings->instances[i].unreadable)
			json_array_append_new(
				alerts, render_unreadable(&source->readings->instances[i], source));
	return alerts;
}

/* Where a table is going, also where there is no alert about it. */
static json_t *render_trends(const struct status_source *source)
{
	json_t *trends = json_object();
	struct open_alert trend;

	for (size_t i = 0; source->judge && judge_trend(source->judge, i, &trend); i++)
		json_object_set_new(trends, trend.name,
			json_pack("{s:o, s:o}", "growth", tenths(trend.event.growth),
				"seconds_to_full", number(round(trend.event.seconds_to_full))));
	return trends;
}

/* How all sockets are counted: source, seconds from one count to the next, CPU seconds of one. */
static json_t *render_census(const struct readings *readings)
{
	struct census_state state;

	if (!readings_census(readings, &state))
		return json_null();
	return json_pack("{s:s, s:I, s:f}", "source", state.source, "every",
		(json_int_t)state.every * readings->conf->interval, "cost", state.cost);
}

char *status_render(const struct status_source *source)
{
	json_t *status = json_pack("{s:s, s:I, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"version", CONNWATCH_VERSION, "time", (json_int_t)source->time, "interval",
		(json_int_t)source->readings->conf->interval, "pid", (int)getpid(), "readings",
		render_readings(source->readings), "errors", render_errors(source->readings),
		"durations", render_durations(source->readings), "rules",
		render_rules(source->judge), "alerts", render_alerts(source), "trends",
		render_trends(source), "sockets", render_census(source->readings));
	char *text = json_dumps(status, JSON_INDENT(1) | JSON_REAL_PRECISION(15)), *line = NULL;

	json_decref(status);
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return line;
}

static int write_new(int directory, const char *text)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
	CLEANUP_CLOSE int fd = openat(directory, NEW_FILE_NAME, flags, 0644);
	size_t left = strlen(text);

	if (fd < 0 || fchmod(fd, 0644) < 0)
		return -errno;
	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0)
			return -errno;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

int status_write(const char *directory, const char *name, const char *text)
{
	CLEANUP_CLOSE int fd = open(directory, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = write_new(fd, text);
	if (r == 0 && renameat(fd, NEW_FILE_NAME, fd, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(fd, NEW_FILE_NAME, 0);
	return r;
}

static enum level level_of(const json_t *value)
{
	const char *name = json_string_value(value);
	enum level level = LEVEL_CRITICAL;

	while (level > LEVEL_OK && (!name || strcmp(name, level_names[level]) != 0))
		level--;
	return level;
}

/* A status.json that anybody may have put there: a regular file of a sensible size, or nothing. */
static json_t *load(const char *directory)
{
	CLEANUP_FREE char *path = NULL;
	CLEANUP_CLOSE int fd = -1;
	struct stat st;

	if (asprintf(&path, "%s/" STATUS_FILE, directory) < 0)
		return NULL;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > STATUS_SIZE_MAX)
		return NULL;
	return json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
}

void status_restore(const char *directory, struct judge *judge, double now, double wall)
{
	json_t *status = load(directory), *alert;
	size_t i;

	json_array_foreach(json_object_get(status, "alerts"), i, alert)
	{
		struct open_alert open = {
			.name = json_string_value(json_object_get(alert, "name")),
			.instance = json_string_value(json_object_get(alert, "instance")),
		};
		const json_t *percent = json_object_get(alert, "percent");
		struct alert_episode episode = {
			.level = level_of(json_object_get(alert, "level")),
			.worst = level_of(json_object_get(alert, "worst")),
			.since = json_number_value(json_object_get(alert, "since")),
		};

		open.event.percent = json_is_number(percent) ? json_number_value(percent) : UNKNOWN;
		if (open.name && episode.level != LEVEL_OK)
			judge_restore(judge, &open, &episode, now, wall);
	}
	json_decref(status);
}
