/* SPDX-License-Identifier: MIT */
#include "daemon/conf_walk.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/conf_value.h"

#define SECTIONS_MAX 1000

static struct conf_place place_of(const struct walk *w, const struct token *t)
{
	return (struct conf_place){.file = w->path, .file_no = w->no, .line = t->line};
}

/* Write one token down as a line of its own. Single quotes: nothing in them is special but \ and '.
 */
static void emit(struct walk *w, const struct token *t)
{
	struct conf_statements *out = w->reader->out;

	if (out->n_lines == out->lines_allocated) {
		size_t n = out->lines_allocated ? 2 * out->lines_allocated : 64;
		struct conf_place *grown = reallocarray(out->lines, n, sizeof(*grown));

		if (!grown) {
			w->reader->arena->failed = true;
			return;
		}
		out->lines = grown;
		out->lines_allocated = n;
	}
	out->lines[out->n_lines++] = place_of(w, t);
	if (t->kind != TOKEN_WORD && t->kind != TOKEN_STRING) {
		fprintf(w->reader->text, "%s\n", t->text);
		return;
	}
	fputc('\'', w->reader->text);
	for (const char *p = t->text; *p; p++)
		fprintf(w->reader->text, "%s%c", *p == '\\' || *p == '\'' ? "\\" : "", *p);
	fputs("'\n", w->reader->text);
}

static void emit_range(struct walk *w, const struct token *from, const struct token *to)
{
	for (; w->emit && from < to; from++)
		if (from->kind != TOKEN_COMMA || from[1].kind != TOKEN_CLOSE)
			emit(w, from);
}

static bool is_value(const struct token *t)
{
	return t->kind == TOKEN_WORD || t->kind == TOKEN_STRING;
}

static bool is_assignment(const struct token *t)
{
	return is_value(t) && (t[1].kind == TOKEN_EQUALS || t[1].kind == TOKEN_PLUS_EQUALS);
}

/* NAME { or NAME "title" { */
static bool is_section(const struct token *t)
{
	return is_value(t) &&
	       (t[1].kind == TOKEN_OPEN || (is_value(t + 1) && t[2].kind == TOKEN_OPEN));
}

/* A value, and not the beginning of the next statement. */
static bool is_plain_value(const struct token *t)
{
	return is_value(t) && !is_assignment(t) && t[1].kind != TOKEN_OPEN;
}

const char *conf_key_name(
	const struct conf_block *block, const char *key, char out[static CONF_NAME_SIZE])
{
	if (block && block->section->titled)
		snprintf(out, CONF_NAME_SIZE, "%s \"%.40s\": %.64s", block->section->name,
			block->title, key);
	else if (block && block->section->kind != SCHEMA_ROOT)
		snprintf(out, CONF_NAME_SIZE, "%s.%.64s", block->section->name, key);
	else
		snprintf(out, CONF_NAME_SIZE, "%.64s", key);
	return out;
}

/* A statement that makes no sense: go on with the next line, or behind a brace that it opens. */
static void skip_line(struct walk *w)
{
	unsigned line = w->t->line;

	while (w->t->kind != TOKEN_END && w->t->line == line && w->t->kind != TOKEN_CLOSE) {
		if (w->t->kind == TOKEN_OPEN && !w->open.name) {
			w->open = (struct head){.name = "", .place = place_of(w, w->t)};
			w->block = NULL;
			w->emit = false;
			w->t++;
			return;
		}
		w->t++;
	}
}

/* "{ value, value }"; w->t ends up behind it. */
static bool take_list(struct walk *w, const char *name)
{
	const struct token *open = w->t++;
	bool good = true;
	size_t n = 0;

	for (; is_plain_value(w->t) || w->t->kind == TOKEN_COMMA; w->t++) {
		bool separated = w->t[-1].kind == TOKEN_OPEN || w->t[-1].kind == TOKEN_COMMA;

		n += w->t->kind != TOKEN_COMMA;
		if (!good || separated == (w->t->kind != TOKEN_COMMA))
			continue;
		WALK_PROBLEM(w, w->t, "%s: %s before \"%.64s\"", name,
			separated ? "a value is missing" : "a \",\" is missing", w->t->text);
		good = false;
	}
	if (w->t->kind != TOKEN_CLOSE) {
		WALK_PROBLEM(w, open, "%s: the list is never closed", name);
		return false;
	}
	w->t++;
	if (n == 0)
		WALK_PROBLEM(w, open, "%s: the list is empty", name);
	return good && n > 0;
}

/* One value; w->t ends up behind it. */
static bool take_scalar(struct walk *w, const char *name)
{
	const struct token *value = w->t++;

	if (w->t->kind != TOKEN_COMMA)
		return true;
	WALK_PROBLEM(w, w->t,
		"%s: unexpected \",\" after \"%.64s\" (decimals have a point, lists stand in { })",
		name, value->text);
	while (w->t->kind == TOKEN_COMMA || is_plain_value(w->t))
		w->t++;
	return false;
}

/* What is right of "="; setting may be NULL, for an unknown key. */
static bool take_value(struct walk *w, const struct setting *setting, const char *name)
{
	const struct token *first = w->t;
	bool good;

	if (first->kind != TOKEN_OPEN && !is_plain_value(first)) {
		WALK_PROBLEM(w, first - 1, "%s has no value", name);
		return false;
	}
	good = first->kind == TOKEN_OPEN ? take_list(w, name) : take_scalar(w, name);
	if (good && setting && first->kind == TOKEN_OPEN && !conf_value_is_list(setting->type)) {
		WALK_PROBLEM(w, first, "%s: takes one value, not a list", name);
		return false;
	}
	return good;
}

static const struct setting *find_key(const struct walk *w, const struct token *key, size_t *i)
{
	const struct schema_section *s = w->block->section;
	const char *name = key->text, *near;
	size_t section;

	if (schema_find_key(s, name, i))
		return schema_key(s, *i);
	near = schema_nearest_key(s, name);
	if (s->kind == SCHEMA_ROOT && schema_find_section(w->reader->schema, name, &section))
		WALK_PROBLEM(w, key, "\"%s\" is a section: write %s%s { ... }", name, name,
			w->reader->schema->section[section].titled ? " \"NAME\"" : "");
	else if (near)
		WALK_PROBLEM(w, key, "unknown key \"%.64s\"%s%s, did you mean \"%s\"?", name,
			*s->name ? " in section " : "", s->name, near);
	else
		WALK_PROBLEM(w, key, "unknown key \"%.64s\"%s%s", name,
			*s->name ? " in section " : "", s->name);
	return NULL;
}

/* KEY = VALUE */
static void key_statement(struct walk *w)
{
	const struct token *key = w->t;
	const struct setting *setting = NULL;
	char name[CONF_NAME_SIZE];
	bool good = w->block;
	size_t i = 0;

	conf_key_name(w->block, key->text, name);
	if (w->block)
		setting = find_key(w, key, &i);
	if (setting && w->block->key[i].file) {
		WALK_PROBLEM(w, key, "%s is given twice, first at %s:%u", name,
			w->block->key[i].file, w->block->key[i].line);
		good = false;
	}
	if (key[1].kind == TOKEN_PLUS_EQUALS) {
		WALK_PROBLEM(w, key, "%s: \"+=\" is not supported, write the whole list with \"=\"",
			name);
		good = false;
	}
	w->t += 2;
	good = take_value(w, setting, name) && good && setting;
	if (setting)
		w->block->key[i] = place_of(w, key);
	if (good)
		emit_range(w, key, w->t);
}

static struct conf_block *new_block(
	struct walk *w, const struct schema_section *section, const struct token *title)
{
	struct arena *arena = w->reader->arena;
	struct conf_block *b = arena_alloc(arena, 1, sizeof(*b));
	struct conf_place *key = arena_alloc(arena, schema_n_keys(section) + 1, sizeof(*key));
	char *copy = arena_strdup(arena, title ? title->text : "");

	if (!b || !key || !copy)
		return NULL;
	*b = (struct conf_block){
		.section = section, .title = copy, .place = place_of(w, w->t), .key = key};
	return b;
}

static bool is_first_of_its_kind(const struct walk *w, const struct conf_block *block)
{
	const char *quote = *block->title ? "\"" : "";

	for (const struct conf_block *b = w->reader->out->blocks; b; b = b->next) {
		if (b->section != block->section || strcmp(b->title, block->title) != 0)
			continue;
		WALK_PROBLEM(w, w->t, "section %s%s%s%s%s is given twice, first at %s:%u",
			block->section->name, *quote ? " " : "", quote, block->title, quote,
			b->place.file, b->place.line);
		return false;
	}
	return true;
}

static bool title_is_good(
	const struct walk *w, const struct schema_section *s, const struct token *title)
{
	const char *titled = s->collector ? s->collector->titled_section : NULL;

	if (!title && !s->titled)
		return true;
	if (!title)
		WALK_PROBLEM(
			w, w->t, "section %s needs a title: %s \"NAME\" { ... }", s->name, s->name);
	else if (!s->titled && titled)
		WALK_PROBLEM(w, w->t, "section %s has no title, did you mean %s \"%.64s\"?",
			s->name, titled, title->text);
	else if (!s->titled)
		WALK_PROBLEM(w, w->t, "section %s has no title: take \"%.64s\" away", s->name,
			title->text);
	else if (!schema_title_is_valid(s, title->text))
		WALK_PROBLEM(w, title,
			"%s: bad title \"%.64s\": 1 to 32 of a-z, 0-9, _ and -, first a letter or "
			"digit%s",
			s->name, title->text,
			s->kind == SCHEMA_ALERT && strchr(title->text, '.')
				? "; or NETNS.RULE, both of them such"
				: "");
	else
		return true;
	return false;
}

static void unknown_section(const struct walk *w)
{
	const char *name = w->t->text, *near = schema_nearest_section(w->reader->schema, name);
	size_t i;

	if (schema_find_key(&w->reader->schema->section[0], name, &i))
		WALK_PROBLEM(w, w->t, "\"%s\" is no section: write %s = VALUE", name, name);
	else if (near)
		WALK_PROBLEM(
			w, w->t, "unknown section \"%.64s\", did you mean \"%s\"?", name, near);
	else
		WALK_PROBLEM(w, w->t, "unknown section \"%.64s\"", name);
}

/* The section's block, to check its keys; *good if it can be written down too. NULL: unknown
 * section. */
static struct conf_block *enter_section(struct walk *w, const struct token *title, bool *good)
{
	struct reader *r = w->reader;
	struct conf_block *block;
	size_t i;

	*good = false;
	if (!schema_find_section(r->schema, w->t->text, &i)) {
		unknown_section(w);
		return NULL;
	}
	block = new_block(w, &r->schema->section[i], title);
	if (!block || !title_is_good(w, block->section, title) || !is_first_of_its_kind(w, block))
		return block;
	if (++r->n_sections > SECTIONS_MAX) {
		if (r->n_sections == SECTIONS_MAX + 1)
			WALK_PROBLEM(w, w->t, "more than %d sections", SECTIONS_MAX);
		return block;
	}
	*r->end = block;
	r->end = &block->next;
	*good = true;
	return block;
}

static void leave_section(struct walk *w)
{
	struct token close = {.kind = TOKEN_CLOSE, .line = w->t->line, .text = "}"};

	if (w->emit)
		emit(w, &close);
	w->open.name = NULL;
	w->block = w->reader->out->blocks;
	w->emit = true;
}

static void nested_problem(struct walk *w)
{
	conf_problem_add(w->reader->problems, &w->nested.place,
		"section \"%.64s\" inside section \"%.64s\" of line %u: sections do not nest",
		w->nested.name, w->outer.name, w->outer.place.line);
	w->nested.name = NULL;
}

/* A section begins inside another: either a "}" is missing before it, or it was meant to nest. Read
 * on as if the outer had ended; a "}" too many, or none, will tell. */
static void begin_nested(struct walk *w)
{
	if (w->nested.name)
		nested_problem(w);
	w->outer = w->open;
	w->nested = (struct head){.name = w->t->text, .place = place_of(w, w->t)};
	leave_section(w);
}

/* NAME { or NAME "title" { */
static void section_head(struct walk *w)
{
	const struct token *head = w->t;
	const struct token *title = head[1].kind == TOKEN_OPEN ? NULL : head + 1;
	const struct token *behind = head + (title ? 3 : 2);
	bool good;

	if (w->open.name)
		begin_nested(w);
	w->block = enter_section(w, title, &good);
	w->open = (struct head){.name = head->text, .place = place_of(w, head)};
	emit_range(w, head, good ? behind : head);
	w->emit = good;
	w->t = behind;
}

/* include("FILE") */
static void function_call(struct walk *w)
{
	const struct token *t = w->t;

	if (strcmp(t->text, "include") != 0)
		WALK_PROBLEM(w, t, "unknown function \"%.64s\"", t->text);
	else if (!is_value(t + 2) || t[3].kind != TOKEN_CLOSE_PAREN)
		WALK_PROBLEM(w, t, "expected include(\"FILE\")");
	else if (w->open.name)
		WALK_PROBLEM(w, t,
			"include stands outside of sections only, this is in \"%.64s\" of line %u",
			w->open.name, w->open.place.line);
	else
		conf_walk_include(w, t[2].text);
	w->t = t + 2;
	while (is_plain_value(w->t) || w->t->kind == TOKEN_COMMA)
		w->t++;
	if (w->t->kind == TOKEN_CLOSE_PAREN)
		w->t++;
}

static void close_brace(struct walk *w)
{
	if (w->open.name)
		leave_section(w);
	else if (w->nested.name)
		nested_problem(w);
	else
		WALK_PROBLEM(w, w->t, "\"}\" without a section that it closes");
	w->t++;
}

static void finish(struct walk *w)
{
	if (w->open.name) {
		conf_problem_add(w->reader->problems, &w->open.place,
			*w->open.name ? "section \"%.64s\" is never closed"
				      : "\"{\" is never closed%s",
			w->open.name);
		leave_section(w);
	}
	if (w->nested.name)
		conf_problem_add(w->reader->problems, &w->outer.place,
			"section \"%.64s\" is never closed: section \"%.64s\" of line %u begins "
			"inside it",
			w->outer.name, w->nested.name, w->nested.place.line);
}

void conf_walk(struct walk *w)
{
	w->block = w->reader->out->blocks;
	w->emit = true;
	while (w->t->kind != TOKEN_END) {
		if (is_assignment(w->t))
			key_statement(w);
		else if (is_section(w->t))
			section_head(w);
		else if (is_value(w->t) && w->t[1].kind == TOKEN_OPEN_PAREN)
			function_call(w);
		else if (w->t->kind == TOKEN_CLOSE)
			close_brace(w);
		else {
			WALK_PROBLEM(w, w->t,
				is_value(w->t) ? "expected \"=\" or \"{\" after \"%.64s\""
					       : "unexpected \"%.64s\"",
				w->t->text);
			skip_line(w);
		}
	}
	finish(w);
}
