/* SPDX-License-Identifier: MIT */
#include "daemon/readings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collectors/census.h"
#include "collectors/netns.h"
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

static void **shared_of(const struct instance *in)
{
	return &in->space->shared[registry_index(in->conf->collector)];
}

static void fill_unknown(double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = UNKNOWN;
}

static int instance_start(struct instance *in)
{
	struct collector_env env = {
		.proc = in->space->proc,
		.census = in->space->census,
		.title = in->conf->title,
		.config = in->conf->config,
		.common = in->conf->common,
		.shared = *shared_of(in),
	};

	return in->conf->collector->init(in->state, &env);
}

static int instance_init(struct instance *in, const struct conf_instance *conf, struct space *space)
{
	const struct collector *collector = conf->collector;
	size_t n = collector->n_metrics;
	void **shared;
	int r;

	in->conf = conf;
	in->space = space;
	space->used = true;
	shared = shared_of(in);
	if (!*shared && collector->shared_size)
		*shared = calloc(1, collector->shared_size);
	in->state = calloc(1, collector->state_size ? collector->state_size : 1);
	in->values = calloc(n, sizeof *in->values);
	in->settings = calloc(n, sizeof *in->settings);
	r = !in->state || !in->values || !in->settings || (collector->shared_size && !*shared)
		    ? -ENOMEM
		    : 0;
	if (r == 0) {
		fill_unknown(in->values, n);
		fill_unknown(in->settings, n);
		r = instance_start(in);
	}
	if (r < 0)
		free(take_ptr(in->state));
	return r;
}

static struct space *space_of(const struct readings *readings, const struct conf_netns *netns)
{
	return &readings->spaces[netns ? 1 + (netns - readings->conf->netns) : 0];
}

static bool same_netns(const struct space *a, const struct space *b)
{
	if (!a->conf || !b->conf)
		return a->conf == b->conf;
	return strcmp(a->conf->name, b->conf->name) == 0 &&
	       strcmp(a->conf->path, b->conf->path) == 0;
}

static const struct space *find_space(const struct readings *old, const struct space *space)
{
	for (size_t i = 0; old && i < old->n_spaces; i++)
		if (same_netns(&old->spaces[i], space))
			return &old->spaces[i];
	return NULL;
}

static int open_netns(const struct readings *readings, struct space *space)
{
	struct netns *netns;
	int r = netns_new(space->conf->name, space->conf->path, &netns);

	return r < 0 ? r : proc_new_netns(readings->proc, netns, &space->proc);
}

/* Files and counts go on in a namespace that is watched already. */
static int space_init(
	const struct readings *readings, struct space *space, const struct readings *old)
{
	const struct space *was = find_space(old, space);
	int r = 0;

	space->shared = calloc(registry_len, sizeof *space->shared);
	if (!space->shared)
		return -ENOMEM;
	if (was) {
		space->proc = proc_ref(was->proc);
		space->census = census_ref(was->census);
		space->look = was->look;
		space->said = was->said;
		return 0;
	}
	if (!space->conf)
		space->proc = proc_ref(readings->proc);
	else
		r = open_netns(readings, space);
	if (r == 0)
		r = census_new(space->proc, &space->census);
	if (r == 0 && space->conf)
		r = census_follow(space->census, readings->spaces[0].census);
	return r;
}

/* Takes proc over. old: readings of an older configuration, or NULL. */
static int make(const struct conf *conf, struct proc *proc, const struct readings *old,
	struct readings **out)
{
	struct readings *readings = calloc(1, sizeof *readings);
	int r = 0;

	if (!readings) {
		proc_free(proc);
		return -ENOMEM;
	}
	readings->conf = conf;
	readings->proc = proc;
	readings->n = conf->n_instances;
	readings->n_spaces = 1 + conf->n_netns;
	readings->instances = calloc(readings->n + 1, sizeof *readings->instances);
	readings->spaces = calloc(readings->n_spaces, sizeof *readings->spaces);
	if (!readings->instances || !readings->spaces)
		r = -ENOMEM;
	for (size_t i = 0; r >= 0 && i < readings->n_spaces; i++) {
		readings->spaces[i].conf = i ? &conf->netns[i - 1] : NULL;
		r = space_init(readings, &readings->spaces[i], old);
	}
	for (size_t i = 0; r >= 0 && i < readings->n; i++) {
		const struct conf_instance *instance = &conf->instances[i];

		r = instance_init(
			&readings->instances[i], instance, space_of(readings, instance->netns));
		if (r < 0)
			log_error_errno(r, "%s: cannot start", instance->name);
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
	return make(conf, proc_ref(old->proc), old, out);
}

static void instance_close(struct instance *in)
{
	if (in->state && in->conf->collector->close)
		in->conf->collector->close(in->state);
	free(in->state);
	free(in->values);
	free(in->settings);
}

static void space_close(struct space *space)
{
	for (size_t i = 0; space->shared && i < registry_len; i++) {
		if (space->shared[i] && registry[i]->shared_close)
			registry[i]->shared_close(space->shared[i]);
		free(space->shared[i]);
	}
	free(space->shared);
	census_free(space->census);
	proc_free(space->proc);
}

void readings_free(struct readings *readings)
{
	if (!readings)
		return;
	for (size_t i = 0; readings->instances && i < readings->n; i++)
		instance_close(&readings->instances[i]);
	for (size_t i = 0; readings->spaces && i < readings->n_spaces; i++)
		space_close(&readings->spaces[i]);
	proc_free(readings->proc);
	free(readings->instances);
	free(readings->spaces);
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

/* Another namespace is there, or none: what was open and summed up is of one that is no more, and must not keep it alive. */
static void restart(struct readings *readings, struct space *space)
{
	for (size_t i = 0; i < readings->n; i++) {
		struct instance *in = &readings->instances[i];
		const struct collector *collector = in->conf->collector;

		if (in->space != space)
			continue;
		if (collector->close)
			collector->close(in->state);
		memset(in->state, 0, collector->state_size);
		instance_start(in);
	}
	census_restart(space->census);
}

static void look_at_space(struct readings *readings, struct space *space)
{
	struct netns *netns = proc_netns(space->proc);
	int was = space->look.r, r;

	if (proc_is_recorded(space->proc)) {
		space->look.r = -ENOENT;
		snprintf(space->look.error, sizeof space->look.error,
			"a recorded tree has no other network namespaces");
		return;
	}
	r = netns_look(netns);
	space->look.r = r < 0 ? r : 0;
	if (r < 0)
		netns_explain(netns, r, space->look.error, sizeof space->look.error);
	if (r == NETNS_OTHER || (r < 0 && was == 0))
		restart(readings, space);
}

/* Whether the namespace of an instance is there to be read; if not, that is how its read ended. */
static bool is_here(struct instance *in)
{
	bool was_away = in->away;

	in->away = in->space->look.r < 0;
	if (was_away && !in->away) {
		in->absent = false;
		in->look = (struct outcome){0};
	}
	if (!in->away)
		return true;
	in->asked = true;
	in->kept = false;
	in->look = in->space->look;
	in->read = (struct outcome){0};
	fill_unknown(in->values, in->conf->collector->n_metrics);
	return false;
}

void readings_look(struct readings *readings)
{
	for (size_t i = 1; i < readings->n_spaces; i++)
		if (readings->spaces[i].used)
			look_at_space(readings, &readings->spaces[i]);
	for (size_t i = 0; i < readings->n; i++) {
		struct instance *in = &readings->instances[i];

		if (!is_here(in))
			continue;
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
	const struct instance *last = NULL;
	struct outcome round = {0};

	readings_look(readings);
	for (size_t i = 0; i < readings->n_spaces; i++)
		if (readings->spaces[i].look.r == 0)
			census_row(readings->spaces[i].census, readings->conf->interval,
				readings->n_spaces);
	for (size_t i = 0; i < readings->n; i++) {
		struct instance *in = &readings->instances[i];
		const struct collector *collector = in->conf->collector;

		/* The instances of one collector in one namespace stand side by side. */
		bool first =
			!last || collector != last->conf->collector || in->space != last->space;

		last = in;
		if (in->away)
			continue;
		if (first)
			round = (struct outcome){0};
		if (first && collector->round)
			call(collector->round, *shared_of(in), NULL, &round);
		read_row(in, &round, first);
	}
}

double readings_lead(const struct readings *readings)
{
	double lead = -1;

	for (size_t i = 0; i < readings->n_spaces; i++) {
		double one = readings->spaces[i].look.r == 0
				     ? census_lead(readings->spaces[i].census)
				     : -1;

		if (one >= 0)
			lead = fmax(lead, 0) + one;
	}
	return lead;
}

bool readings_census(const struct readings *readings, struct census_state *out)
{
	return census_state(readings->spaces[0].census, out);
}

bool readings_advance(struct readings *readings)
{
	for (size_t i = 0; i < readings->n_spaces; i++)
		if (readings->spaces[i].look.r == 0 && census_advance(readings->spaces[i].census))
			return true;
	return false;
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

/* Once for all that is read there. */
static void report_space(struct space *space)
{
	struct log_field id = {"MESSAGE_ID", MESSAGE_ID_ABSENT};
	int r = space->look.r;

	if (r == space->said)
		return;
	if (r == 0)
		log_fields(LOG_NOTICE, &id, 1, "netns %s: is there now", space->conf->name);
	else
		log_fields(r == -ENOENT ? LOG_NOTICE : LOG_WARNING, &id, 1,
			"netns %s: %s; its readings are unknown", space->conf->name,
			space->look.error);
	space->said = r;
}

static void report_instance(struct instance *in, double now, double patience)
{
	const struct outcome *failure = instance_failure(in);
	bool failing = failure != NULL, absent = failing && is_absence(in, failure);

	if (in->away) {
		in->absent = in->space->look.r == -ENOENT;
		in->unreadable = false;
		in->failing = true;
		in->changed = now;
		return;
	}
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
	for (size_t i = 1; i < readings->n_spaces; i++)
		report_space(&readings->spaces[i]);
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
	in->away = was->away;
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
				    old->instances[j].conf->name) == 0 &&
				same_netns(readings->instances[i].space, old->instances[j].space))
				inherit(&readings->instances[i], &old->instances[j]);
}
