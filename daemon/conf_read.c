/* SPDX-License-Identifier: MIT */
#include "daemon/conf_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/conf_file.h"
#include "daemon/conf_walk.h"
#include "daemon/util.h"

#define INCLUDE_DEPTH_MAX 8
#define FILES_MAX 100

/* Note the scanner's errors and take them out of the list. */
static void note_errors(const struct walk *w, struct token_list *tokens)
{
	size_t kept = 0;

	for (size_t i = 0; i < tokens->n; i++) {
		if (tokens->token[i].kind == TOKEN_ERROR)
			WALK_PROBLEM(w, &tokens->token[i], "%s", tokens->token[i].text);
		else
			tokens->token[kept++] = tokens->token[i];
	}
	tokens->n = kept;
}

static int walk_file(struct walk *w, const struct conf_file *file)
{
	struct token_list tokens;
	int r = conf_scan(file->text, file->len, &tokens);

	if (r < 0)
		return r;
	w->no = w->reader->n_files++;
	note_errors(w, &tokens);
	w->dev = file->dev;
	w->ino = file->ino;
	w->t = tokens.token;
	conf_walk(w);
	conf_scan_free(&tokens);
	return 0;
}

/* "a:1 -> b:2 -> a" for the way from the file `to` back to itself; NULL if file is none of those
 * being read. */
static const char *loop(const struct walk *w, const struct conf_file *file, const char *path)
{
	const char *way = path;

	for (; w; w = w->up) {
		way = arena_printf(
			w->reader->arena, "%s:%u -> %s", w->path, w->t->line, way ? way : "");
		if (w->dev == file->dev && w->ino == file->ino)
			return way;
	}
	return NULL;
}

/* The include statement is w->t's; problems with the file itself are problems of this line. */
void conf_walk_include(const struct walk *w, const char *name)
{
	struct reader *r = w->reader;
	struct walk below = {.reader = r, .up = w, .depth = w->depth + 1};
	struct conf_file file = {0};
	const char *way;
	int error;

	below.path = conf_file_beside(r->arena, w->path, name);
	if (!below.path)
		return;
	if (strpbrk(name, "*?[")) {
		WALK_PROBLEM(w, w->t,
			"include(\"%.200s\"): patterns are not supported, name one file", name);
		return;
	}
	if (r->n_files >= FILES_MAX || below.depth > INCLUDE_DEPTH_MAX) {
		WALK_PROBLEM(w, w->t,
			"include(\"%.200s\"): includes nest deeper than %d, or are more than %d",
			name, INCLUDE_DEPTH_MAX, FILES_MAX);
		return;
	}
	error = conf_file_read(below.path, &file);
	if (error < 0) {
		WALK_PROBLEM(w, w->t, "include(\"%.200s\"): %.200s: %s", name, below.path,
			conf_file_strerror(error));
		return;
	}
	way = loop(w, &file, below.path);
	if (way)
		WALK_PROBLEM(w, w->t, "include(\"%.200s\") makes a loop: %s", name, way);
	else if (walk_file(&below, &file) < 0)
		r->arena->failed = true;
	free(file.text);
}

static int read_main_file(struct reader *r, const char *path)
{
	struct walk w = {.reader = r, .path = arena_strdup(r->arena, path)};
	struct conf_file file = {0};
	int error;

	if (!w.path)
		return -ENOMEM;
	error = conf_file_read(path, &file);
	if (error < 0) {
		conf_problem_add(r->problems, &(struct conf_place){.file = w.path}, "%s",
			conf_file_strerror(error));
		r->problems->error = error;
		return 0;
	}
	error = walk_file(&w, &file);
	free(file.text);
	return error;
}

static struct conf_block *root_block(struct reader *r, const char *path)
{
	const struct schema_section *section = &r->schema->section[0];
	struct conf_block *root = arena_alloc(r->arena, 1, sizeof(*root));
	struct conf_place *key = arena_alloc(r->arena, schema_n_keys(section), sizeof(*key));
	const char *file = arena_strdup(r->arena, path ? path : "the defaults");

	if (!root || !key || !file)
		return NULL;
	*root = (struct conf_block){
		.section = section, .title = "", .place = {.file = file}, .key = key};
	return root;
}

int conf_read(const char *path, const struct schema *schema, struct arena *arena,
	struct conf_problems *problems, struct conf_statements *out)
{
	struct reader r = {.schema = schema, .arena = arena, .problems = problems, .out = out};
	size_t size;
	int error = 0;

	*out = (struct conf_statements){.blocks = root_block(&r, path)};
	if (!out->blocks)
		return -ENOMEM;
	r.end = &out->blocks->next;
	r.text = open_memstream(&out->text, &size);
	if (!r.text)
		return -ENOMEM;
	if (path)
		error = read_main_file(&r, path);
	if (fclose(r.text) != 0)
		error = -ENOMEM;
	return arena->failed ? -ENOMEM : error;
}

void conf_statements_free(struct conf_statements *statements)
{
	free(statements->text);
	free(statements->lines);
	*statements = (struct conf_statements){0};
}
