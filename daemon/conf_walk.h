/* SPDX-License-Identifier: MIT */
/* Inside of conf_read.c: one file being walked through, and the statements in it (conf_walk.c). */
#ifndef CONNWATCH_CONF_WALK_H
#define CONNWATCH_CONF_WALK_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "daemon/conf_read.h"
#include "daemon/conf_scan.h"

/* What all files share. */
struct reader {
	const struct schema *schema;
	struct arena *arena;
	struct conf_problems *problems;
	struct conf_statements *out;
	struct conf_block **end; /* of out->blocks */
	FILE *text;              /* becomes out->text */
	size_t n_sections;
	unsigned n_files;
};

/* Where a section began. */
struct head {
	const char *name; /* NULL: none */
	struct conf_place place;
};

struct walk {
	struct reader *reader;
	const struct walk
		*up; /* the file that includes this one, standing at its include statement */
	const char *path;
	unsigned no, depth;
	dev_t dev;
	ino_t ino;
	const struct token *t;
	struct head open;          /* the section we are in */
	struct head outer, nested; /* a section that began inside another; a later stray "}" tells
				      which mistake it is */
	struct conf_block
		*block; /* of the section we are in, or the root; NULL in an unknown section */
	bool emit;      /* write statements down: the section itself is good */
};

/* Takes the file's text apart statement by statement, from w->t to TOKEN_END. */
void conf_walk(struct walk *w);

/* Called by conf_walk() for an include statement: read the file called name, w->t still at the word
 * include. */
void conf_walk_include(const struct walk *w, const char *name);

/* Note a problem on the line of a token of w's file. */
#define WALK_PROBLEM(w, token, ...)                                                                \
	conf_problem_add((w)->reader->problems,                                                    \
		&(struct conf_place){                                                              \
			.file = (w)->path, .file_no = (w)->no, .line = (token)->line},             \
		__VA_ARGS__)

#endif
