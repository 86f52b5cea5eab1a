/* SPDX-License-Identifier: MIT */
/*
 * The first pass over a configuration: a file and those it includes are checked against the schema,
 * statement by statement. The good statements are written down for libconfuse, one token on each
 * line, so that its line number is an index into the places the tokens came from.
 */
#ifndef CONNWATCH_CONF_READ_H
#define CONNWATCH_CONF_READ_H

#include <stddef.h>

#include "daemon/conf_arena.h"
#include "daemon/conf_problem.h"
#include "daemon/conf_schema.h"

/* One section as written, or the root. */
struct conf_block {
	struct conf_block *next; /* in the order of the text; the root is the first */
	const struct schema_section *section;
	const char *title; /* "" if none */
	struct conf_place place;
	struct conf_place
		*key; /* by schema_key() index: where it was given; file NULL: it was not */
};

struct conf_statements {
	struct conf_block *blocks;
	char *text;               /* for libconfuse; for free(3) */
	struct conf_place *lines; /* of text, from line 1 at [0]; for free(3) */
	size_t n_lines, lines_allocated;
};

#define CONF_NAME_SIZE 160

/* How messages call a key: `interval`, `log.level`, `alert "x": warning`. Returns out. */
const char *conf_key_name(
	const struct conf_block *block, const char *key, char out[static CONF_NAME_SIZE]);

/*
 * Read path (NULL: nothing). Problems go to problems; what is good is in *out in any case. Returns
 * 0 or -ENOMEM. Strings and blocks belong to arena.
 */
int conf_read(const char *path, const struct schema *schema, struct arena *arena,
	struct conf_problems *problems, struct conf_statements *out);
void conf_statements_free(struct conf_statements *statements);

#endif
