/* SPDX-License-Identifier: MIT */
#include "daemon/conf_arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
	struct arena_block *next;
	max_align_t data[];
};

void *arena_alloc(struct arena *arena, size_t n, size_t size)
{
	struct arena_block *block = NULL;
	size_t bytes;

	if (!__builtin_mul_overflow(n, size, &bytes) && bytes < (size_t)-1 - sizeof(*block))
		block = calloc(1, sizeof(*block) + bytes);
	if (!block) {
		arena->failed = true;
		return NULL;
	}
	block->next = arena->blocks;
	arena->blocks = block;
	return block->data;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = arena_alloc(arena, size, 1);

	return copy ? memcpy(copy, text, size) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text = NULL, *copy = NULL;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		arena->failed = true;
		return NULL;
	}
	copy = arena_strdup(arena, text);
	free(text);
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
}
