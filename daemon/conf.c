/* SPDX-License-Identifier: MIT */
#include "daemon/conf.h"

#include <confuse.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/conf_arena.h"
#include "daemon/conf_build.h"
#include "daemon/conf_problem.h"
#include "daemon/conf_read.h"
#include "daemon/conf_schema.h"
#include "daemon/conf_setting.h"
#include "daemon/conf_value.h"

/* What conf_load() hands out; struct conf comes first. */
struct conf_owner {
	struct conf conf;
	struct arena arena;
};

static struct load *load_of(const cfg_t *cfg)
{
	return (struct load *)(void *)cfg->opts[0].simple_value.number;
}

static const struct conf_place *place_of(const struct load *l, const cfg_t *cfg)
{
	size_t line = (size_t)cfg->line;

	return line >= 1 && line <= l->statements.n_lines ? &l->statements.lines[line - 1]
							  : &l->statements.blocks->place;
}

__attribute__((format(printf, 2, 0))) static void note_error(
	cfg_t *cfg, const char *format, va_list args)
{
	struct load *l = load_of(cfg);
	char message[256];

	vsnprintf(message, sizeof(message), format, args);
	conf_problem_add(&l->problems, place_of(l, cfg), "%s", message);
}

/* Called by libconfuse for each value, of lists for each member. Bad ones are noted, and parsing
 * goes on. */
static int check_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
	struct load *l = load_of(cfg);
	struct conf_block block = {
		.section = &l->schema->section[0], .title = cfg->title ? cfg->title : ""};
	char name[CONF_NAME_SIZE], expected[CONF_EXPECT_SIZE];
	const struct setting *s;
	union conf_value v;
	size_t i;
	int r;

	*(const char **)result = value;
	if (schema_find_section(l->schema, cfg->name, &i))
		block.section = &l->schema->section[i];
	s = schema_key(block.section, (size_t)(opt - cfg->opts) - 1);
	r = conf_value_parse(s, value, &v);
	if (r == 0)
		return 0;
	conf_value_expected(s, expected, sizeof(expected));
	conf_problem_add(&l->problems, place_of(l, cfg), "%s: \"%.64s\" %s %s",
		conf_key_name(&block, s->name, name), value,
		r == -EDOM ? "has bits set beyond its prefix, it is not" : "is not", expected);
	return 0;
}

static cfg_opt_t *key_options(struct load *l, const struct schema_section *section)
{
	size_t n = schema_n_keys(section);
	cfg_opt_t *opts = arena_alloc(l->arena, l->schema->n + n + 2, sizeof(*opts));

	if (!opts)
		return NULL;
	opts[0] = (cfg_opt_t)CFG_SIMPLE_INT("", &l->anchor);
	for (size_t i = 0; i < n; i++) {
		const struct setting *s = schema_key(section, i);
		cfg_flag_t flags =
			CFGF_NODEFAULT | (conf_value_is_list(s->type) ? CFGF_LIST : CFGF_NONE);

		opts[i + 1] = (cfg_opt_t)CFG_STR_CB(s->name, NULL, flags, check_value);
	}
	opts[n + 1] = (cfg_opt_t)CFG_END();
	return opts;
}

static cfg_opt_t *options(struct load *l)
{
	cfg_opt_t *opts = key_options(l, &l->schema->section[0]);
	size_t n = schema_n_keys(&l->schema->section[0]) + 1;

	if (!opts)
		return NULL;
	for (size_t i = 1; i < l->schema->n; i++) {
		const struct schema_section *s = &l->schema->section[i];
		cfg_flag_t flags =
			s->titled ? CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES : CFGF_NONE;
		cfg_opt_t *keys = key_options(l, s);

		if (!keys)
			return NULL;
		opts[n++] = (cfg_opt_t)CFG_SEC(s->name, keys, flags);
	}
	opts[n] = (cfg_opt_t)CFG_END();
	return opts;
}

/* The second pass: libconfuse over the statements that are good. */
static int parse(struct load *l)
{
	cfg_opt_t *opts = options(l);

	l->cfg = opts ? cfg_init(opts, CFGF_NONE) : NULL;
	if (!l->cfg)
		return -ENOMEM;
	cfg_set_error_function(l->cfg, note_error);
	if (*l->statements.text && cfg_parse_buf(l->cfg, l->statements.text) != CFG_SUCCESS &&
		!l->problems.n)
		return -ENOMEM; /* it complains of anything else through note_error() */
	return 0;
}

static cfg_t *section_of(const struct load *l, const struct conf_block *block)
{
	if (block->section->kind == SCHEMA_ROOT)
		return l->cfg;
	if (block->section->titled)
		return cfg_gettsec(l->cfg, block->section->name, block->title);
	return cfg_getsec(l->cfg, block->section->name);
}

static void store_key(const struct load *l, const struct setting *s, cfg_opt_t *opt, void *base)
{
	size_t n = cfg_opt_size(opt);
	const char **values = arena_alloc(l->arena, n, sizeof(*values));

	if (!values)
		return;
	for (size_t i = 0; i < n; i++)
		values[i] = cfg_opt_getnstr(opt, (unsigned)i);
	if (n > 0)
		conf_setting_store(s, base, values, n, l->arena);
}

void conf_fill(const struct load *l, const struct conf_block *block, void *base,
	struct collector_switch *on)
{
	cfg_t *cfg = section_of(l, block);

	for (size_t i = 0; cfg && i < schema_n_keys(block->section); i++) {
		bool is_switch = block->section->kind == SCHEMA_COLLECTOR && i == 0;

		store_key(
			l, schema_key(block->section, i), &cfg->opts[i + 1], is_switch ? on : base);
	}
}

/* Read, parse, build. Problems are in l->problems. */
static int load(struct load *l, const char *path)
{
	int r;

	l->schema = schema_new(l->arena);
	if (!l->schema)
		return -ENOMEM;
	r = conf_read(path, l->schema, l->arena, &l->problems, &l->statements);
	if (r < 0)
		return r;
	r = parse(l);
	if (r < 0)
		return r;
	conf_build(l);
	return l->arena->failed ? -ENOMEM : 0;
}

bool conf_is_remote(const char *rrd_daemon)
{
	return rrd_daemon && *rrd_daemon && strncmp(rrd_daemon, "unix:", 5) != 0;
}

const char *conf_path(const char *given)
{
	if (given)
		return given;
	return access(CONF_DEFAULT_PATH, F_OK) < 0 && errno == ENOENT ? NULL : CONF_DEFAULT_PATH;
}

int conf_load(const char *path, conf_problem_fn *report, void *arg, struct conf **out)
{
	struct conf_owner *owner = calloc(1, sizeof(*owner));
	struct load l = {0};
	int r, reported;

	if (!owner)
		return -ENOMEM;
	l.conf = &owner->conf;
	l.arena = &owner->arena;
	r = load(&l, path);
	reported = conf_problems_report(&l.problems, report, arg);
	if (r == 0)
		r = reported;
	if (l.cfg)
		cfg_free(l.cfg);
	conf_statements_free(&l.statements);
	conf_problems_free(&l.problems);
	if (r < 0)
		conf_free(&owner->conf);
	else
		*out = &owner->conf;
	return r;
}

void conf_free(struct conf *conf)
{
	if (!conf)
		return;
	arena_free(&((struct conf_owner *)(void *)conf)->arena);
	free(conf);
}
