/* SPDX-License-Identifier: MIT */
/* Lets the nth allocation of the code under test fail; for programs that are linked with the --wrap options of
 * tests/CMakeLists.txt. Libraries keep their memory. */
#ifndef CONNWATCH_NO_MEMORY_H
#define CONNWATCH_NO_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *s);
FILE *__real_open_memstream(char **text, size_t *size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *s);
FILE *__wrap_open_memstream(char **text, size_t *size);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static long no_memory_left = -1; /* allocations until the one that fails; negative: none does */

static bool fails(void)
{
	return no_memory_left >= 0 && no_memory_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, n, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
	return fails() ? NULL : __real_open_memstream(text, size);
}

int __wrap_asprintf(char **out, const char *format, ...)
{
	va_list args;
	int n;

	if (fails())
		return -1;
	va_start(args, format);
	n = vasprintf(out, format, args);
	va_end(args);
	return n;
}

/* Calls attempt with the first, the second, ... allocation failing, until it gets through without. Returns how many failed. */
static unsigned with_each_allocation_failing(void (*attempt)(void *arg), void *arg)
{
	for (unsigned n = 0;; n++) {
		no_memory_left = n;
		attempt(arg);
		if (no_memory_left >= 0) {
			no_memory_left = -1;
			return n;
		}
	}
}

#endif
