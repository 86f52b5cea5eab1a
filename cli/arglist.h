/* SPDX-License-Identifier: MIT */
/* A growing list of arguments for a program. */
#ifndef CONNWATCH_ARGLIST_H
#define CONNWATCH_ARGLIST_H

#include <stdbool.h>
#include <stddef.h>

/* Begin with {0}. arg[n] is NULL once there is one. */
struct arglist {
	char **arg;
	size_t n, size;
	bool failed; /* no memory: what was added since is missing */
};

void arglist_add(struct arglist *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void arglist_free(struct arglist *list);

#endif
