/* SPDX-License-Identifier: MIT */
#include "cli/arglist.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool grow(struct arglist *list)
{
	size_t size = list->size ? list->size * 2 : 64;
	char **more = realloc(list->arg, size * sizeof(*more));

	if (!more)
		return false;
	list->arg = more;
	list->size = size;
	return true;
}

void arglist_add(struct arglist *list, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	if (list->failed)
		return;
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0 || (list->n + 2 > list->size && !grow(list))) {
		if (n >= 0)
			free(text);
		list->failed = true;
		return;
	}
	list->arg[list->n++] = text;
	list->arg[list->n] = NULL;
}

void arglist_free(struct arglist *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->arg[i]);
	free(list->arg);
	*list = (struct arglist){0};
}
