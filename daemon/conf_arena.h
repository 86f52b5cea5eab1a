/* SPDX-License-Identifier: MIT */
/* Memory that lives and dies together: everything a configuration points to. */
#ifndef CONNWATCH_CONF_ARENA_H
#define CONNWATCH_CONF_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	bool failed; /* an allocation failed: what was built is not complete */
};

/* n * size zeroed bytes, or NULL with arena->failed set. */
void *arena_alloc(struct arena *arena, size_t n, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
/* As asprintf(3). */
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);

#endif
