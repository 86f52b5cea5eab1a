/* SPDX-License-Identifier: MIT */
#include "daemon/readings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collectors/census.h"
#include "collectors/procfile.h"
#include "collectors/registry.h"
#include "daemon/log.h"
#include "daemon/message_id.h"
#include "daemon/text.h"
#include "daemon/util.h"

/* Intervals without one good read before an instance is an alert of its own, and back before it is
 * over. */
#define PATIENCE 3

static size_t registry_index(const struct collector *collector)
{
	size_t i = 0;

	while (registry[i] != collector)
		i++;
	return i;
}

static void **shared_of(const struct readings *readings, const struct collector *collector)
{
	return &readings->shared[registry_index(collector)];
}

static void fill_unknown(double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = UNKNOWN;
}

static int instance_init(
	struct readings *readings, struct instance *in, const struct conf_instance *conf)
{
	const struct collector *collector = conf->collector;
	void **shared = shared_of(readings, collector);
	struct collector_env env = {
		.proc = readings->proc,
		.census = readings->census,
		.title = conf->title,
		.config = conf->config,
		.common = conf->common,
	};
	size_t n = collector->n_metrics;
	void *state;
	int r;

	if (!*shared && collector->shared_size)
		*shared = calloc(1, collector->shared_size);
	state = calloc(1, collector->state_size ? collector->state_size : 1);
	in->values = calloc(n, sizeof *in->values);
	in->settings = calloc(n, sizeof *in->settings);
	if (!state || !in->values || !in->settings || (collector->shared_size && !*shared)) {
		free(state);
		return -ENOMEM;
	}
	fill_unknown(in->values, n);
	fill_unknown(in->settings, n);
	env.shared = *shared;
	in->conf = conf;
	r = collector->init(state, &env);
	if (r < 0)
		free(state);
	else
		in->state = state;
	return r;
}

/* Takes proc over. census: that of older readings, or NULL. */
static int make(
	const struct conf *conf, struct proc *proc, struct census *census, struct readings **out)
{
	struct readings *readings = calloc(1, sizeof *readings);
	int r;

	if (!readings) {
		proc_free(proc);
		return -ENOMEM;
	}
	readings->conf = conf;
	readings->proc = proc;
	readings->n = conf->n_instances;
	readings->instances = calloc(readings->n + 1, sizeof *readings->instances);
	readings->shared = calloc(registry_len, sizeof *readings->shared);
	r = census ? 0 : census_new(proc, &readings->census);
	if (census)
		readings->census = census_ref(census);
	if (!readings->instances || !readings->shared)
		r = -ENOMEM;
	for (size_t i = 0; r >= 0 && i < readings->n; i++) {
		r = instance_init(readings, &readings->instances[i], &conf->instances[i]);
		if (r < 0)
			log_error_errno(r, "%s: cannot start", conf->instances[i].name);
	}
	if (r < 0) {
		readings_free(readings);
		return r;
	}
	*out = readings;
	return 0;
}

int readings_new(const struct conf *conf, struct readings **out)
{
	struct proc *proc;
	int r = proc_new(conf->proc, &proc);

	if (r < 0)
		return log_error_errno(r, "cannot read below proc = \"%s\"", conf->proc);
	return make(conf, proc, NULL, out);
}

int readings_renew(const struct conf *conf, const struct readings *old, struct readings **out)
{
	return make(conf, proc_ref(old->proc), old->census, out);
}

static void instance_close(struct instance *in)
{
	if (in->state && in->conf->collector->close)
		in->conf->collector->close(in->state);
	free(in->state);
	free(in->values);
	free(in->settings);
}

void readings_free(struct readings *readings)
{
	if (!readings)
		return;
	for (size_t i = 0; readings->instances && i < readings->n; i++)
		instance_close(&readings->instances[i]);
	for (size_t i = 0; readings->shared && i < registry_len; i++) {
		if (readings->shared[i] && registry[i]->shared_close)
			registry[i]->shared_close(readings->shared[i]);
		free(readings->shared[i]);
	}
	census_free(readings->census);
	proc_free(readings->proc);
	free(readings->instances);
	free(readings->shared);
	free(readings);
}

const struct outcome *instance_failure(const struct instance *in)
{
	if (in->look.r < 0)
		return &in->look;
	return in->read.r < 0 ? &in->read : NULL;
}

double instance_seconds(const struct instance *in)
{
	return in->asked ? in->look.seconds + in->shared_seconds + in->read.seconds : UNKNOWN;
}

bool outcome_is_fault(const struct outcome *outcome)
{
	return outcome->r != -ENOENT && outcome->r != -EACCES && outcome->r != -EPERM;
}

static void call(
	int (*read)(void *, struct reading *), void *state, double *values, struct outcome *outcome)
{
	struct reading r = {.values = values};
	double began = clock_seconds(CLOCK_MONOTONIC);

	outcome->r = read(state, &r);
	outcome->seconds = clock_seconds(CLOCK_MONOTONIC) - began;
	memcpy(outcome->error, r.error, sizeof outcome->error);
	if (outcome->r < 0 && !outcome->error[0])
		snprintf(outcome->error, sizeof outcome->error, "%s", strerror(-outcome->r));
}

void readings_look(struct readings *readings)
{
	for (size_t i = 0; i < readings->n; i++) {
		struct instance *in = &readings->instances[i];

		in->asked |= in->conf->collector->look != NULL;
		if (in->conf->collector->look)
			call(in->conf->collector->look, in->state, in->values, &in->look);
	}
}

static void read_row(struct instance *in, const struct outcome *round, bool first)
{
	const struct collector *collector = in->conf->collector;

	in->asked = true;
	in->shares_failure = round->r < 0 && !first;
	in->kept = round->r == READING_KEPT;
	if (in->kept)
		return;
	for (size_t m = 0; m < collector->n_metrics; m++)
		if (!collector->metrics[m].look)
			in->values[m] = UNKNOWN;
	in->shared_seconds = first ? round->seconds : 0;
	if (round->r < 0) {
		in->read = *round;
		in->read.seconds = 0;
	} else if (collector->read) {
		call(collector->read, in->state, in->values, &in->read);
	}
}

void readings_row(struct readings *readings)
{
	const struct collector *last = NULL;
	struct outcome round = {0};

	readings_look(readings);
	census_row(readings->census, readings->conf->interval);
	for (size_t i = 0; i < readings->n; i++) {
		struct instance *in = &readings->instances[i];
		const struct collector *collector = in->conf->collector;

		/* The instances of one collector stand side by side. */
		bool first = i == 0 || collector != last;

		if (first)
			round = (struct outcome){0};
		if (first && collector->round)
			call(collector->round, *shared_of(readings, collector), NULL, &round);
		last = collector;
		read_row(in, &round, first);
	}
}

double readings_lead(const struct readings *readings)
{
	return census_lead(readings->census);
}

bool readings_census(const struct readings *readings, struct census_state *out)
{
	return census_state(readings->census, out);
}

bool readings_advance(struct readings *readings)
{
	return census_advance(readings->census);
}

/* A setting of the kernel that someone changed. */
static void report_settings(struct instance *in)
{
	const struct collector *collector = in->conf->collector;

	for (size_t m = 0; m < collector->n_metrics; m++) {
		double was = in->settings[m], is = in->values[m];
		char from[TEXT_SIZE], to[TEXT_SIZE];

		if (!collector->metrics[m].announce || isnan(is))
			continue;
		in->settings[m] = is;
		if (isnan(was) || was == is)
			continue;
		log_fields(LOG_NOTICE,
			&(struct log_field){"MESSAGE_ID", MESSAGE_ID_SETTING_CHANGED}, 1,
			"%s: %s changed from %s to %s", in->conf->name,
			collector->metrics[m].announce, text_number(from, was),
			text_number(to, is));
	}
}

static void say_unreadable(
	int priority, const struct instance *in, const char *level, const char *text)
{
	struct log_field fields[] = {
		{.name = "MESSAGE_ID", .value = MESSAGE_ID_UNREADABLE},
		{.name = "CONNWATCH_ALERT"},
		{.name = "CONNWATCH_LEVEL"},
	};

	snprintf(fields[1].value, sizeof fields[1].value, "%s-unreadable", in->conf->name);
	snprintf(fields[2].value, sizeof fields[2].value, "%s", level);
	log_fields(priority, fields, ARRAY_LEN(fields), "%s: %s", in->conf->name, text);
}

static void report_failing(
	struct instance *in, const struct outcome *failure, double now, double patience)
{
	double failing = now - in->changed;
	char text[READING_ERROR_SIZE + 64], duration[TEXT_SIZE];

	if (in->unreadable || (in->seen && failing < patience))
		return;
	in->unreadable = true;
	in->since = in->changed;
	if (in->seen)
		snprintf(text, sizeof text, "cannot be read for %s: %s",
			text_duration(duration, failing), failure->error);
	else
		snprintf(text, sizeof text, "cannot be read: %s", failure->error);
	say_unreadable(LOG_WARNING, in, "warning", text);
}

static void report_readable(struct instance *in, double now, double patience)
{
	char text[64], duration[TEXT_SIZE];

	in->seen = true;
	if (!in->unreadable || now - in->changed < patience)
		return;
	in->unreadable = false;
	snprintf(text, sizeof text, "can be read again, after %s",
		text_duration(duration, in->changed - in->since));
	say_unreadable(LOG_NOTICE, in, "ok", text);
}

static const char *absence(const struct instance *in, const struct outcome *failure)
{
	if (failure->r != -ENOENT)
		return "may not be read";
	return in->seen ? "is gone" : "is not there";
}

static void report_absence(struct instance *in, const struct outcome *failure)
{
	struct log_field id = {"MESSAGE_ID", MESSAGE_ID_ABSENT};

	in->absent = failure != NULL;
	in->unreadable = in->unreadable && !failure;
	if (!failure)
		log_fields(LOG_NOTICE, &id, 1, "%s: is there now", in->conf->name);
	else
		log_fields(LOG_NOTICE, &id, 1, "%s: %s: %s; its readings are unknown until %s",
			in->conf->name, absence(in, failure), failure->error,
			failure->r == -ENOENT ? "it is there" : "it may");
}

/* Not there, or never permitted: somebody's choice. What was readable and is no more is a fault. */
static bool is_absence(const struct instance *in, const struct outcome *failure)
{
	return failure->r == -ENOENT || (!in->seen && !outcome_is_fault(failure));
}

static void report_instance(struct instance *in, double now, double patience)
{
	const struct outcome *failure = instance_failure(in);
	bool failing = failure != NULL, absent = failing && is_absence(in, failure);

	/* What is read at rows only, before the first one; what another instance tells of. */
	if (!in->asked || in->shares_failure)
		return;
	if (failing != in->failing || in->changed == 0) {
		in->failing = failing;
		in->changed = now;
	}
	if (absent != in->absent)
		report_absence(in, absent ? failure : NULL);
	if (!failing)
		report_readable(in, now, patience);
	else if (!absent)
		report_failing(in, failure, now, patience);
	report_settings(in);
}

void readings_report(struct readings *readings, double now)
{
	for (size_t i = 0; i < readings->n; i++)
		report_instance(
			&readings->instances[i], now, PATIENCE * (double)readings->conf->interval);
}

/* What a collector has summed up is kept over a reload, unless its settings are others or it shares its work. */
static void inherit_state(struct instance *in, struct instance *was)
{
	const struct collector *c = in->conf->collector;
	void *state = in->state;

	if (c->shared_size || in->conf->title[0] ||
		(c->config_size &&
			memcmp(in->conf->config, was->conf->config, c->config_size) != 0))
		return;
	in->state = was->state;
	was->state = state;
}

static void inherit(struct instance *in, struct instance *was)
{
	size_t size = in->conf->collector->n_metrics * sizeof(*in->values);

	memcpy(in->values, was->values, size);
	memcpy(in->settings, was->settings, size);
	in->look = was->look;
	in->read = was->read;
	in->asked = was->asked;
	in->seen = was->seen;
	in->absent = was->absent;
	in->shares_failure = was->shares_failure;
	in->unreadable = was->unreadable;
	in->failing = was->failing;
	in->since = was->since;
	in->changed = was->changed;
	inherit_state(in, was);
}

void readings_inherit(struct readings *readings, struct readings *old)
{
	for (size_t i = 0; i < readings->n; i++)
		for (size_t j = 0; j < old->n; j++)
			if (strcmp(readings->instances[i].conf->name,
				    old->instances[j].conf->name) == 0)
				inherit(&readings->instances[i], &old->instances[j]);
}
