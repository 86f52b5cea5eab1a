/* SPDX-License-Identifier: MIT */
#include "daemon/conf_build.h"

#include <errno.h>
#include <string.h>

#include "collectors/registry.h"
#include "daemon/conf_archive.h"
#include "daemon/conf_file.h"
#include "daemon/conf_rule.h"
#include "daemon/conf_setting.h"

static const struct conf_block *next_block(
	const struct conf_block *b, const struct schema_section *section)
{
	while (b && b->section != section)
		b = b->next;
	return b;
}

static const struct conf_block *first_block(
	const struct load *l, const struct schema_section *section)
{
	return next_block(l->statements.blocks, section);
}

/* Where a key was given, or NULL. */
static const struct conf_place *given(const struct conf_block *block, const char *key)
{
	size_t i;

	return block && schema_find_key(block->section, key, &i) && block->key[i].file
		       ? &block->key[i]
		       : NULL;
}

/* A path as written becomes an absolute one, seen from the folder of the file it is written in. */
static void resolve_path(
	struct load *l, const struct conf_block *block, const char *key, const char **path)
{
	const struct conf_place *place = given(block, key);
	char name[CONF_NAME_SIZE];
	const char *absolute;

	if (!place || !*path)
		return;
	if (!**path) {
		conf_problem_add(&l->problems, place, "%s: \"\" is not a path",
			conf_key_name(block, key, name));
		return;
	}
	absolute = conf_file_absolute(l->arena, place->file, *path);
	if (!absolute)
		conf_problem_add(&l->problems, place, "%s: \"%.200s\": %s",
			conf_key_name(block, key, name), *path, strerror(errno));
	else
		*path = absolute;
}

static void build_root(struct load *l)
{
	const struct schema_section *section = &l->schema->section[0];
	const struct conf_block *root = l->statements.blocks;
	struct conf *c = l->conf;
	const struct conf_place *place = given(root, "watch_interval");

	conf_settings_initial(section->settings, section->n_settings, c, l->arena);
	conf_fill(l, root, c, NULL);
	resolve_path(l, root, "state_directory", &c->state_directory);
	resolve_path(l, root, "proc", &c->proc);
	if (place && c->watch_interval > c->interval)
		conf_problem_add(&l->problems, place,
			"watch_interval: %ld is longer than interval (%ld)", c->watch_interval,
			c->interval);
}

static void build_log(struct load *l, const struct schema_section *section)
{
	const struct conf_block *block = first_block(l, section);

	conf_settings_initial(section->settings, section->n_settings, l->conf, l->arena);
	if (block)
		conf_fill(l, block, l->conf, NULL);
}

static void build_archives(
	struct load *l, const struct conf_block *block, const struct string_list *list)
{
	const struct conf_place *place = given(block, "archives");
	struct archive *archives = arena_alloc(l->arena, list->n, sizeof(*archives));
	const struct archive_fit fit = {.interval = l->conf->interval, .round_up = !place};
	char error[CONF_ARCHIVE_ERROR_SIZE];
	size_t n;

	if (!archives)
		return;
	if (conf_archives(list, &fit, archives, &n, error) < 0) {
		conf_problem_add(&l->problems, place ? place : &l->statements.blocks->place,
			"rrd.archives: %s", error);
		return;
	}
	l->conf->archives = archives;
	l->conf->n_archives = n;
}

/* Of an rrdcached, or none. */
static bool is_address(const char *daemon)
{
	const char *colon = strrchr(daemon, ':');

	if (!*daemon || strncmp(daemon, "unix:/", 6) == 0)
		return strlen(daemon) < 1024;
	return colon && colon > daemon && strncmp(daemon, "unix:", 5) != 0 &&
	       strlen(daemon) < 1024 && !strpbrk(daemon, " \t\n/") && colon[1] &&
	       strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

static void build_rrd(struct load *l, const struct schema_section *section)
{
	const struct conf_block *block = first_block(l, section);
	struct rrd_settings rrd = {0};

	conf_settings_initial(section->settings, section->n_settings, &rrd, l->arena);
	if (block)
		conf_fill(l, block, &rrd, NULL);
	if (!given(block, "directory") && given(l->statements.blocks, "state_directory"))
		rrd.directory = arena_printf(l->arena, "%s/rrd", l->conf->state_directory);
	/* A remote rrdcached takes no absolute names: they are below its base. */
	if (conf_is_remote(rrd.daemon))
		rrd.directory += strspn(rrd.directory, "/");
	else
		resolve_path(l, block, "directory", &rrd.directory);
	if (rrd.daemon && !is_address(rrd.daemon))
		conf_problem_add(&l->problems, given(block, "daemon"),
			"rrd.daemon: \"%s\" is neither unix:/PATH nor HOST:PORT", rrd.daemon);
	l->conf->rrd_queue = rrd.queue;
	l->conf->rrd_directory = rrd.directory;
	l->conf->rrd_daemon = rrd.daemon;
	build_archives(l, block, &rrd.archives);
}

static void build_netns(struct load *l, const struct schema_section *section)
{
	struct conf_netns *netns = l->netns;
	size_t n = 0;

	for (const struct conf_block *b = first_block(l, section); b;
		b = next_block(b->next, section)) {
		const struct conf_place *place = given(b, "path");

		netns[n].name = b->title;
		conf_fill(l, b, &netns[n], NULL);
		if (!place)
			conf_problem_add(&l->problems, &b->place,
				"netns \"%s\": needs path, such as \"/run/netns/%s\"", b->title,
				b->title);
		else if (netns[n].path && netns[n].path[0] != '/')
			conf_problem_add(&l->problems, place,
				"netns \"%s\": path: \"%.200s\" is not absolute", b->title,
				netns[n].path);
		n++;
	}
	l->conf->netns = netns;
	l->conf->n_netns = n;
}

/* The config struct of one section: defaults, then what is written. NULL if the collector has none.
 */
static void *build_config(struct load *l, const struct schema_section *section,
	const struct conf_block *block, struct collector_switch *on)
{
	const struct collector *c = section->collector;
	size_t size = section->titled ? c->titled_config_size : c->config_size;
	void *config = arena_alloc(l->arena, 1, size);

	if (!config)
		return NULL;
	conf_settings_initial(section->settings, section->n_settings, config, l->arena);
	if (block)
		conf_fill(l, block, config, on);
	return size ? config : NULL;
}

/* A titled section without any key would be one more instance of everything. */
static void check_has_keys(struct load *l, const struct conf_block *block)
{
	const struct schema_section *s = block->section;
	char list[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < s->n_settings; i++) {
		const char *separator = i == 0 ? "" : i + 1 == s->n_settings ? " or " : ", ";

		if (block->key[i].file)
			return;
		if (n < sizeof(list))
			n += (size_t)snprintf(
				list + n, sizeof(list) - n, "%s%s", separator, s->settings[i].name);
	}
	if (s->n_settings > 0)
		conf_problem_add(&l->problems, &block->place, "%s \"%s\": needs %s", s->name,
			block->title, list);
}

/* The instances of a titled section: one per title. */
static void build_titled(
	struct load *l, const struct schema_section *section, const void *common, bool on)
{
	const struct conf_block *b = first_block(l, section);

	for (; b; b = next_block(b->next, section)) {
		check_has_keys(l, b);
		if (!on)
			continue;
		l->instances[l->n_instances++] = (struct conf_instance){
			.collector = section->collector,
			.name = arena_printf(l->arena, "%s-%s", section->collector->name, b->title),
			.title = b->title,
			.config = build_config(l, section, b, NULL),
			.common = common,
		};
	}
}

/* The instances in other network namespaces: one in each, as the untitled one. */
static void build_in_netns(struct load *l, const struct collector *collector, const void *config)
{
	for (size_t i = 0; i < l->conf->n_netns; i++) {
		const struct conf_netns *netns = &l->conf->netns[i];

		l->instances[l->n_instances++] = (struct conf_instance){
			.collector = collector,
			.name = arena_printf(l->arena, "%s.%s", netns->name, collector->name),
			.title = "",
			.config = config,
			.netns = netns,
		};
	}
}

/* Sections come in registry order, a collector's titled one right behind its untitled one. */
static void build_instances(struct load *l)
{
	const struct schema *schema = l->schema;
	const void *common = NULL;
	bool on = true;

	for (size_t i = 0; i < schema->n; i++) {
		const struct schema_section *s = &schema->section[i];
		struct collector_switch enabled = {.enabled = true};
		bool first = i == 0 || schema->section[i - 1].collector != s->collector;
		bool last = i + 1 == schema->n || schema->section[i + 1].collector != s->collector;

		if (!s->collector)
			continue;
		if (first) {
			common = NULL;
			on = true;
		}
		if (s->titled) {
			build_titled(l, s, common, on);
		} else {
			common = build_config(l, s, first_block(l, s), &enabled);
			on = enabled.enabled;
		}
		if (!s->titled && on)
			l->instances[l->n_instances++] = (struct conf_instance){
				.collector = s->collector,
				.name = s->collector->name,
				.title = "",
				.config = common,
			};
		if (last && on && s->collector->in_netns)
			build_in_netns(l, s->collector, common);
	}
	l->conf->instances = l->instances;
	l->conf->n_instances = l->n_instances;
}

static const char *unless_empty(const char *text)
{
	return text && *text ? text : NULL;
}

/* The rule that an alert section makes of the one that there is without it, or of none. */
static struct rule build_rule(
	struct load *l, const struct conf_block *block, const struct rule *initial)
{
	struct rule rule = {0};

	conf_fill(l, block, &rule, NULL);
	rule = initial ? *initial : conf_rule_initial(block->title, unless_empty(rule.limit));
	conf_fill(l, block, &rule, NULL);
	rule.value = unless_empty(rule.value);
	rule.limit = unless_empty(rule.limit);
	if (initial && rule.value &&
		strcmp(rule.value, initial->value) != 0) /* the texts speak of another */
		rule.subject = rule.advice = rule.above = rule.doing = rule.done = rule.ratio =
			rule.message_id = NULL;
	if (!l->arena->failed) /* else names are missing */
		conf_rule_check(l->conf, &rule, block, &l->problems);
	return rule;
}

static const struct conf_block *alert_block(
	const struct load *l, const struct schema_section *section, const char *title)
{
	const struct conf_block *b = first_block(l, section);

	while (b && strcmp(b->title, title) != 0)
		b = next_block(b->next, section);
	return b;
}

/* A shipped rule as changed, and what other network namespaces have of it. */
static void build_shipped(
	struct load *l, const struct schema_section *section, const struct rule *shipped)
{
	const struct conf_block *block = alert_block(l, section, shipped->name);
	struct rule own = block ? build_rule(l, block, shipped) : *shipped, derived;

	l->rules[l->n_rules++] = own;
	for (size_t i = 0; i < l->conf->n_netns; i++) {
		if (!conf_rule_derive(&own, &l->conf->netns[i], l->arena, &derived))
			continue;
		block = alert_block(l, section, derived.name);
		l->rules[l->n_rules++] = block ? build_rule(l, block, &derived) : derived;
	}
}

static bool is_built(const struct load *l, const char *name)
{
	for (size_t i = 0; i < l->n_rules; i++)
		if (strcmp(l->rules[i].name, name) == 0)
			return true;
	return false;
}

/* A point in its name stands behind a network namespace, of which there has to be one. */
static bool names_netns(struct load *l, const struct conf_block *block)
{
	const char *rest;

	if (!strchr(block->title, '.') || conf_netns_of(l->conf, block->title, &rest))
		return true;
	conf_problem_add(&l->problems, &block->place,
		"alert \"%s\": there is no netns \"%.*s\" that it could be of", block->title,
		(int)strcspn(block->title, "."), block->title);
	return false;
}

static void build_rules(struct load *l, const struct schema_section *section)
{
	for (size_t i = 0; i < registry_len; i++)
		for (size_t k = 0; k < registry[i]->n_rules; k++)
			build_shipped(l, section, &registry[i]->rules[k]);
	for (const struct conf_block *b = first_block(l, section); b;
		b = next_block(b->next, section))
		if (!is_built(l, b->title) && names_netns(l, b))
			l->rules[l->n_rules++] = build_rule(l, b, NULL);
	l->conf->rules = l->rules;
	l->conf->n_rules = l->n_rules;
}

static size_t count_blocks(const struct load *l)
{
	size_t n = 0;

	for (const struct conf_block *b = l->statements.blocks; b; b = b->next)
		n++;
	return n;
}

static size_t count_shipped_rules(void)
{
	size_t n = 0;

	for (size_t i = 0; i < registry_len; i++)
		n += registry[i]->n_rules;
	return n;
}

void conf_build(struct load *l)
{
	size_t n_blocks = count_blocks(l), n_shipped = count_shipped_rules();

	l->netns = arena_alloc(l->arena, n_blocks, sizeof(*l->netns));
	if (!l->netns)
		return;
	build_root(l);
	for (size_t i = 0; i < l->schema->n; i++) {
		if (l->schema->section[i].kind == SCHEMA_LOG)
			build_log(l, &l->schema->section[i]);
		else if (l->schema->section[i].kind == SCHEMA_RRD)
			build_rrd(l, &l->schema->section[i]);
		else if (l->schema->section[i].kind == SCHEMA_NETNS)
			build_netns(l, &l->schema->section[i]);
	}
	l->rules = arena_alloc(
		l->arena, n_blocks + n_shipped * (1 + l->conf->n_netns), sizeof(*l->rules));
	l->instances = arena_alloc(
		l->arena, n_blocks + registry_len * (1 + l->conf->n_netns), sizeof(*l->instances));
	if (!l->rules || !l->instances)
		return;
	build_instances(l);
	for (size_t i = 0; i < l->schema->n; i++)
		if (l->schema->section[i].kind == SCHEMA_ALERT)
			build_rules(l, &l->schema->section[i]);
}
