/* SPDX-License-Identifier: MIT */
/* Settings tables at work: values go into the struct a table belongs to, and come out again as
 * text. */
#ifndef CONNWATCH_CONF_SETTING_H
#define CONNWATCH_CONF_SETTING_H

#include <stddef.h>
#include <stdio.h>

#include "daemon/collector.h"
#include "daemon/conf_arena.h"

/* Set base's field from n values (1, except for lists). Values that do not parse leave it as it is.
 */
void conf_setting_store(const struct setting *setting, void *base, const char *const values[],
	size_t n, struct arena *arena);
/* Set every field of base to the table's default. */
void conf_settings_initial(
	const struct setting *settings, size_t n, void *base, struct arena *arena);
/* Print "NAME = VALUE" after indent, with the line's end; nothing for what has no value. */
void conf_setting_print(
	const struct setting *setting, const void *base, const char *indent, FILE *out);
/* Print text in quotes, as the configuration reads it. */
void conf_print_string(const char *text, FILE *out);

#endif
