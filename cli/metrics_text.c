/* SPDX-License-Identifier: MIT */
#include "cli/metrics_text.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "collectors/registry.h"
#include "daemon/util.h"

#define NETNS_SIZE 33 /* a title and NUL */

/* An instance that the file tells of, by what its name is made of. */
struct source {
	const struct collector *collector;
	const char *name;       /* "sockets-http", "gw.sockets", the key in the file */
	const char *own;        /* without its network namespace */
	char netns[NETNS_SIZE]; /* "gw", "" for the daemon's own */
	const char *
		title; /* "http", "all" for the one of the untitled section; NULL: its collector has no titles */
	const json_t *values;
};

struct metrics {
	const struct expo *expo;
	const struct status_file *file;
	struct source *sources;
	size_t n;
};

static bool find_title(const struct collector *c, const char *name, const char **title)
{
	size_t len = strlen(c->name);

	*title = c->titled_section ? "all" : NULL;
	if (strncmp(name, c->name, len) != 0)
		return false;
	if (c->titled_section && name[len] == '-') {
		*title = name + len + 1;
		return true;
	}
	return c->section && !name[len];
}

/* A name of an instance or a rule is taken apart: returns what is behind "gw.", which goes into netns. */
static const char *split(const char *name, char netns[static NETNS_SIZE])
{
	const char *point = strchr(name, '.');

	netns[0] = '\0';
	if (!point || point - name >= NETNS_SIZE)
		return name;
	snprintf(netns, NETNS_SIZE, "%.*s", (int)(point - name), name);
	return point + 1;
}

/* The label; left out for the daemon's own. */
static struct expo_label netns_label(const char *netns)
{
	return (struct expo_label){"netns", *netns ? netns : NULL};
}

/* False for what another version of the daemon reads. */
static bool find_source(const char *name, struct source *out)
{
	*out = (struct source){.name = name};
	out->own = split(name, out->netns);
	for (size_t i = 0; i < registry_len; i++) {
		out->collector = registry[i];
		if (find_title(registry[i], out->own, &out->title))
			return !out->netns[0] || registry[i]->in_netns;
	}
	return false;
}

static void simple(const struct metrics *m, const struct expo_family *family, double value)
{
	expo_family(m->expo, family);
	expo_sample(m->expo, family, NULL, 0, value);
}

void metrics_family(const struct collector *c, size_t metric, struct expo_family *out)
{
	const struct metric *of = &c->metrics[metric];

	*out = (struct expo_family){
		.help = c->label ? c->help : of->help,
		.unit = of->unit,
		.type = of->kind == METRIC_COUNTER ? EXPO_COUNTER : EXPO_GAUGE,
	};
	if (c->label)
		snprintf(out->name, sizeof(out->name), "connwatch_%s", c->name);
	else
		snprintf(out->name, sizeof(out->name), "connwatch_%s_%s", c->name, of->name);
}

static void write_samples(const struct metrics *m, const struct expo_family *family,
	const struct collector *c, size_t metric)
{
	const char *column = c->metrics[metric].name;

	for (size_t i = 0; i < m->n; i++) {
		const struct source *s = &m->sources[i];
		const struct expo_label labels[] = {
			netns_label(s->netns),
			{"instance", s->title},
			{c->label, column},
		};

		if (s->collector == c)
			expo_sample(m->expo, family, labels, ARRAY_LEN(labels),
				status_number(json_object_get(s->values, column)));
	}
}

static bool is_read(const struct metrics *m, const struct collector *c)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->sources[i].collector == c)
			return true;
	return false;
}

static void write_readings(const struct metrics *m)
{
	struct expo_family family;

	for (size_t i = 0; i < registry_len; i++) {
		const struct collector *c = registry[i];

		for (size_t k = 0; is_read(m, c) && k < c->n_metrics; k++) {
			metrics_family(c, k, &family);
			if (k == 0 || !c->label)
				expo_family(m->expo, &family);
			write_samples(m, &family, c, k);
		}
	}
}

static void write_of_collector(const struct metrics *m, const struct expo_family *family,
	const struct source *source, double value)
{
	const struct expo_label labels[] = {
		{"collector", source->own},
		netns_label(source->netns),
	};

	expo_sample(m->expo, family, labels, ARRAY_LEN(labels), value);
}

static void write_collectors(const struct metrics *m, bool stale)
{
	static const struct expo_family up = {
		.name = "connwatch_collector_up",
		.help = "1 if the last row of the collector was read",
	};
	static const struct expo_family duration = {
		.name = "connwatch_collector_duration_seconds",
		.help = "what its last row took, with the work it shares with others of its kind "
			"at the first one",
		.unit = "seconds",
	};
	const json_t *durations = json_object_get(m->file->json, "durations");

	expo_family(m->expo, &up);
	for (size_t i = 0; i < m->n; i++)
		write_of_collector(m, &up, &m->sources[i],
			!stale && !json_object_get(m->file->errors, m->sources[i].name));
	if (stale)
		return;
	expo_family(m->expo, &duration);
	for (size_t i = 0; i < m->n; i++)
		write_of_collector(m, &duration, &m->sources[i],
			status_number(json_object_get(durations, m->sources[i].name)));
}

static const struct expo_family alert_level = {
	.name = "connwatch_alert_level",
	.help = "level of an alert: 0 ok, 1 warning, 2 critical",
};

/* instance: of a rule with a pattern, else NULL. */
static void write_level(
	const struct metrics *m, const char *name, const char *instance, double level)
{
	struct source source = {0};
	char netns[NETNS_SIZE];
	const char *own = split(name, netns);
	const struct expo_label labels[] = {
		{"alert", own},
		netns_label(netns),
		{"instance", instance && find_source(instance, &source) ? source.title : instance},
	};

	expo_sample(m->expo, &alert_level, labels, ARRAY_LEN(labels), level);
}

/* Adds the alert to those that are open; false if it is there already, as only in a file that nobody of ours wrote. */
static bool remember(json_t *open, const char *name, const char *instance)
{
	CLEANUP_FREE char *key = NULL;

	if (asprintf(&key, "%s %s", name, instance ? instance : "") < 0)
		return false;
	return !json_object_get(open, key) && json_object_set_new(open, key, json_true()) == 0;
}

static void write_open(const struct metrics *m, json_t *open)
{
	const json_t *alert;
	size_t i;

	json_array_foreach(m->file->alerts, i, alert)
	{
		const char *name = json_string_value(json_object_get(alert, "name"));
		const char *instance = json_string_value(json_object_get(alert, "instance"));

		if (remember(open, name, instance))
			write_level(m, name, instance, status_alert_level(alert));
	}
}

/* A rule about "listener-*.drops" has an alert for each listener. */
static void write_quiet(const struct metrics *m, json_t *open, const char *name, const char *value)
{
	const char *pattern = strstr(value, "-*.");

	if (!pattern && remember(open, name, NULL))
		write_level(m, name, NULL, LEVEL_OK);
	for (size_t i = 0; pattern && i < m->n; i++)
		if (strncmp(m->sources[i].name, value, (size_t)(pattern + 1 - value)) == 0 &&
			remember(open, name, m->sources[i].name))
			write_level(m, name, m->sources[i].name, LEVEL_OK);
}

static void write_alerts(const struct metrics *m)
{
	json_t *open = json_object(), *value;
	const char *name;

	expo_family(m->expo, &alert_level);
	write_open(m, open);
	json_object_foreach(json_object_get(m->file->json, "rules"), name, value)
	{
		if (json_is_string(value))
			write_quiet(m, open, name, json_string_value(value));
	}
	json_decref(open);
}

static void write_trends(const struct metrics *m)
{
	static const struct expo_family family = {
		.name = "connwatch_time_to_full_seconds",
		.help = "time until the limit of an alert is reached, where its value goes there",
		.unit = "seconds",
	};
	const char *name;
	json_t *trend;

	expo_family(m->expo, &family);
	json_object_foreach(json_object_get(m->file->json, "trends"), name, trend)
	{
		char netns[NETNS_SIZE];
		const char *own = split(name, netns);
		const struct expo_label labels[] = {{"alert", own}, netns_label(netns)};

		expo_sample(m->expo, &family, labels, ARRAY_LEN(labels),
			status_number(json_object_get(trend, "seconds_to_full")));
	}
}

static void write_version(const struct metrics *m)
{
	static const struct expo_family family = {
		.name = "connwatch_build",
		.help = "version of the daemon",
		.type = EXPO_INFO,
	};
	const struct expo_label label = {
		"version", json_string_value(json_object_get(m->file->json, "version"))};

	expo_family(m->expo, &family);
	expo_sample(m->expo, &family, &label, 1, 1);
}

static void write_file(struct metrics *m, bool stale)
{
	struct source *s;
	const char *name;
	json_t *values;

	m->sources = calloc(json_object_size(m->file->readings) + 1, sizeof(*m->sources));
	if (!m->sources)
		return;
	json_object_foreach(json_object_get(m->file->json, "readings"), name, values)
	{
		s = &m->sources[m->n];
		if (!find_source(name, s))
			continue;
		s->values = values;
		m->n++;
	}
	write_version(m);
	write_collectors(m, stale);
	if (!stale) {
		write_alerts(m);
		write_trends(m);
		write_readings(m);
	}
	free(m->sources);
}

void metrics_write(const struct expo *e, const struct status_file *file, double now)
{
	static const struct expo_family up = {
		.name = "connwatch_up",
		.help = "1 if status.json can be read and is at most three intervals old",
	};
	static const struct expo_family age = {
		.name = "connwatch_status_age_seconds",
		.help = "how old status.json is; endless where it cannot be read",
		.unit = "seconds",
	};
	struct metrics m = {.expo = e, .file = file};
	char error[STATUS_ERROR_SIZE];
	bool stale = !file || status_file_is_stale(file, now, error);

	simple(&m, &up, !stale);
	simple(&m, &age, file ? round((now - file->time) * 1e3) / 1e3 : (double)INFINITY);
	if (file)
		write_file(&m, stale);
	expo_end(e);
}

int metrics_text_make(const char *path, enum expo_format format, struct metrics_text *out)
{
	struct metrics_text made = {0};
	struct expo e = {.out = open_memstream(&made.text, &made.len), .format = format};
	struct status_file file;
	double now;
	int r;

	if (!e.out)
		return -ENOMEM;
	r = status_file_read(path, &file, made.error);
	now = clock_seconds(CLOCK_REALTIME);
	if (r == 0)
		status_file_is_stale(&file, now, made.error);
	metrics_write(&e, r == 0 ? &file : NULL, now);
	if (r == 0)
		status_file_free(&file);
	r = ferror(e.out) ? -ENOMEM : 0;
	if (fclose(e.out) != 0 || r < 0) {
		free(made.text);
		return -ENOMEM;
	}
	*out = made;
	return 0;
}
