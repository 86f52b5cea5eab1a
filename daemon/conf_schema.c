/* SPDX-License-Identifier: MIT */
#include "daemon/conf_schema.h"

#include <string.h>

#include "collectors/registry.h"
#include "daemon/conf.h"
#include "daemon/log.h"
#include "daemon/util.h"

#define DAY (24L * 3600)
#define NAME_MAX_LEN 32                 /* longest name that is compared for a suggestion */
#define THRESHOLD_MAX 999999999999999.0 /* 15 digits: all that conf_parse_number() reads */
#define TITLE_MAX 32

static const struct setting root_settings[] = {
	{.name = "interval",
		.help = "seconds between rows written; also the step of the RRDs",
		.type = SETTING_INT,
		.offset = offsetof(struct conf, interval),
		.initial = "10",
		.min = 1,
		.max = 3600},
	{.name = "watch_interval",
		.help = "seconds between looks at the limits; 0: only every interval",
		.type = SETTING_INT,
		.offset = offsetof(struct conf, watch_interval),
		.initial = "1",
		.min = 0,
		.max = 3600},
	{.name = "state_directory",
		.help = "where the daemon keeps its state",
		.type = SETTING_STRING,
		.offset = offsetof(struct conf, state_directory),
		.initial = "/var/lib/connwatchd"},
	{.name = "proc",
		.help = "where proc is mounted, or a recorded tree",
		.type = SETTING_STRING,
		.offset = offsetof(struct conf, proc),
		.initial = "/proc"},
};

static const struct setting log_settings[] = {
	{.name = "target",
		.help = "where messages go",
		.type = SETTING_CHOICE,
		.offset = offsetof(struct conf, log_target),
		.initial = "auto",
		.choices = log_target_names},
	{.name = "level",
		.help = "the least important messages that are still said",
		.type = SETTING_CHOICE,
		.offset = offsetof(struct conf, log_level),
		.initial = "info",
		.choices = log_level_names},
};

static const struct setting rrd_settings[] = {
	{.name = "directory",
		.help = "where the RRDs are; default: rrd below state_directory",
		.type = SETTING_STRING,
		.offset = offsetof(struct rrd_settings, directory),
		.initial = "/var/lib/connwatchd/rrd"},
	{.name = "daemon",
		.help = "address of an rrdcached",
		.type = SETTING_STRING,
		.offset = offsetof(struct rrd_settings, daemon),
		.initial = ""},
	{.name = "queue",
		.help = "time that rows wait in memory where they cannot be written",
		.type = SETTING_DURATION,
		.offset = offsetof(struct rrd_settings, queue),
		.initial = "1h",
		.min = 1,
		.max = 24 * 3600},
	{.name = "archives",
		.help = "resolution:span of each archive",
		.type = SETTING_STRINGS,
		.offset = offsetof(struct rrd_settings, archives),
		.initial = "10s:2d 1m:14d 10m:90d 2h:3y"},
};

static const struct setting alert_settings[] = {
	{.name = "enabled",
		.help = "whether the rule is judged at all",
		.type = SETTING_BOOL,
		.offset = offsetof(struct rule, enabled),
		.initial = "true"},
	{.name = "value",
		.help = "what is judged: INSTANCE.COLUMN",
		.type = SETTING_STRING,
		.offset = offsetof(struct rule, value)},
	{.name = "limit",
		.help = "what it is a percentage of: INSTANCE.COLUMN",
		.type = SETTING_STRING,
		.offset = offsetof(struct rule, limit)},
	{.name = "warning",
		.help = "warn from here on; 0: never",
		.type = SETTING_NUMBER,
		.offset = offsetof(struct rule, warning),
		.initial = "80",
		.max = THRESHOLD_MAX},
	{.name = "critical",
		.help = "critical from here on; 0: never",
		.type = SETTING_NUMBER,
		.offset = offsetof(struct rule, critical),
		.initial = "90",
		.max = THRESHOLD_MAX},
	{.name = "clear",
		.help = "how far below a threshold it counts as passed",
		.type = SETTING_NUMBER,
		.offset = offsetof(struct rule, clear),
		.initial = "5",
		.max = THRESHOLD_MAX},
	{.name = "hold",
		.help = "looks in a row to raise",
		.type = SETTING_INT,
		.offset = offsetof(struct rule, hold),
		.initial = "2",
		.min = 1,
		.max = 1000},
	{.name = "release",
		.help = "looks in a row to clear",
		.type = SETTING_INT,
		.offset = offsetof(struct rule, release),
		.initial = "3",
		.min = 1,
		.max = 1000},
	{.name = "remind",
		.help = "time between reminders; 0: none",
		.type = SETTING_DURATION,
		.offset = offsetof(struct rule, remind),
		.initial = "30m",
		.max = 365 * DAY},
	{.name = "over",
		.help = "time the increase of a counter is taken over; 0: since the look before",
		.type = SETTING_DURATION,
		.offset = offsetof(struct rule, over),
		.initial = "0",
		.max = 3600},
	{.name = "forecast_warning",
		.help = "warn this time before it is full; 0: off",
		.type = SETTING_DURATION,
		.offset = offsetof(struct rule, forecast_warning),
		.initial = "0",
		.max = 30 * DAY},
	{.name = "forecast_critical",
		.help = "critical this time before it is full; 0: off",
		.type = SETTING_DURATION,
		.offset = offsetof(struct rule, forecast_critical),
		.initial = "0",
		.max = 30 * DAY},
};

static const struct setting netns_settings[] = {
	{.name = "path",
		.help = "where the namespace is bound, as ip-netns(8) does it",
		.type = SETTING_STRING,
		.offset = offsetof(struct conf_netns, path)},
};

static const struct setting enabled_setting = {
	.name = "enabled",
	.help = "whether it is read at all",
	.type = SETTING_BOOL,
	.offset = offsetof(struct collector_switch, enabled),
	.initial = "true",
};

static const struct schema_section own_sections[] = {
	{"", root_settings, ARRAY_LEN(root_settings), NULL, SCHEMA_ROOT, false},
	{"log", log_settings, ARRAY_LEN(log_settings), NULL, SCHEMA_LOG, false},
	{"rrd", rrd_settings, ARRAY_LEN(rrd_settings), NULL, SCHEMA_RRD, false},
	{"netns", netns_settings, ARRAY_LEN(netns_settings), NULL, SCHEMA_NETNS, true},
	{"alert", alert_settings, ARRAY_LEN(alert_settings), NULL, SCHEMA_ALERT, true},
};

const struct schema *schema_new(struct arena *arena)
{
	struct schema *schema = arena_alloc(arena, 1, sizeof(*schema));
	struct schema_section *section =
		arena_alloc(arena, ARRAY_LEN(own_sections) + 2 * registry_len, sizeof(*section));
	size_t n = ARRAY_LEN(own_sections);

	if (!schema || !section)
		return NULL;
	memcpy(section, own_sections, sizeof(own_sections));
	for (size_t i = 0; i < registry_len; i++) {
		const struct collector *c = registry[i];

		if (c->section)
			section[n++] = (struct schema_section){
				c->section, c->settings, c->n_settings, c, SCHEMA_COLLECTOR, false};
		if (c->titled_section)
			section[n++] = (struct schema_section){c->titled_section,
				c->titled_settings, c->n_titled_settings, c, SCHEMA_INSTANCE, true};
	}
	schema->section = section;
	schema->n = n;
	return schema;
}

size_t schema_n_keys(const struct schema_section *section)
{
	return section->n_settings + (section->kind == SCHEMA_COLLECTOR);
}

const struct setting *schema_key(const struct schema_section *section, size_t i)
{
	if (section->kind != SCHEMA_COLLECTOR)
		return &section->settings[i];
	return i == 0 ? &enabled_setting : &section->settings[i - 1];
}

bool schema_find_section(const struct schema *schema, const char *name, size_t *i)
{
	for (size_t k = 1; k < schema->n; k++) {
		if (strcmp(schema->section[k].name, name) != 0)
			continue;
		*i = k;
		return true;
	}
	return false;
}

bool schema_find_key(const struct schema_section *section, const char *name, size_t *i)
{
	for (size_t k = 0; k < schema_n_keys(section); k++) {
		if (strcmp(schema_key(section, k)->name, name) != 0)
			continue;
		*i = k;
		return true;
	}
	return false;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance of two names of at most NAME_MAX_LEN characters. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_LEN + 1], len = strlen(b);

	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < len; j++) {
			size_t changed = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			row[j + 1] = smaller(changed, smaller(row[j], row[j + 1]) + 1);
		}
	}
	return row[len];
}

/* Keep candidate in *best if it is nearer to name than what is there. */
static void consider(
	const char *candidate, const char *name, const char **best, size_t *best_distance)
{
	size_t d;

	if (strlen(name) > NAME_MAX_LEN || strlen(candidate) > NAME_MAX_LEN)
		return;
	d = distance(candidate, name);
	if (d >= *best_distance || 2 * d >= strlen(candidate))
		return;
	*best = candidate;
	*best_distance = d;
}

const char *schema_nearest_section(const struct schema *schema, const char *name)
{
	const char *best = NULL;
	size_t best_distance = 4;

	for (size_t i = 1; i < schema->n; i++)
		consider(schema->section[i].name, name, &best, &best_distance);
	return best;
}

const char *schema_nearest_key(const struct schema_section *section, const char *name)
{
	const char *best = NULL;
	size_t best_distance = 4;

	for (size_t i = 0; i < schema_n_keys(section); i++)
		consider(schema_key(section, i)->name, name, &best, &best_distance);
	return best;
}

static bool is_title(const char *title, size_t len)
{
	return len >= 1 && len <= TITLE_MAX &&
	       strspn(title, "abcdefghijklmnopqrstuvwxyz0123456789_-") >= len && title[0] != '_' &&
	       title[0] != '-';
}

bool schema_title_is_valid(const struct schema_section *section, const char *title)
{
	const char *point = section->kind == SCHEMA_ALERT ? strchr(title, '.') : NULL;

	if (point && !is_title(title, (size_t)(point - title)))
		return false;
	if (point)
		title = point + 1;
	return is_title(title, strlen(title));
}
