/* SPDX-License-Identifier: MIT */
#include "daemon/conf_setting.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/conf_value.h"

static void *field_of(void *base, const struct setting *s)
{
	return (char *)base + s->offset;
}

static const void *const_field_of(const void *base, const struct setting *s)
{
	return (const char *)base + s->offset;
}

static int compare_ports(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

static void store_ports(const struct setting *s, void *base, const char *const values[], size_t n,
	struct arena *arena)
{
	uint16_t *port = arena_alloc(arena, n, sizeof(*port));
	struct port_list *list = field_of(base, s);
	union conf_value v;
	size_t filled = 0, unique = 0;

	if (!port)
		return;
	for (size_t i = 0; i < n; i++)
		if (conf_value_parse(s, values[i], &v) == 0)
			port[filled++] = v.port;
	qsort(port, filled, sizeof(*port), compare_ports);
	for (size_t i = 0; i < filled; i++)
		if (i == 0 || port[i] != port[i - 1])
			port[unique++] = port[i];
	*list = (struct port_list){.n = unique, .port = port};
}

static void store_networks(const struct setting *s, void *base, const char *const values[],
	size_t n, struct arena *arena)
{
	struct network *network = arena_alloc(arena, n, sizeof(*network));
	struct network_list *list = field_of(base, s);
	union conf_value v;
	size_t filled = 0;

	if (!network)
		return;
	for (size_t i = 0; i < n; i++)
		if (conf_value_parse(s, values[i], &v) == 0)
			network[filled++] = v.network;
	*list = (struct network_list){.n = filled, .network = network};
}

static void store_strings(const struct setting *s, void *base, const char *const values[], size_t n,
	struct arena *arena)
{
	const char **string = arena_alloc(arena, n, sizeof(*string));
	struct string_list *list = field_of(base, s);

	if (!string)
		return;
	for (size_t i = 0; i < n; i++) {
		string[i] = arena_strdup(arena, values[i]);
		if (!string[i])
			return;
	}
	*list = (struct string_list){.n = n, .string = string};
}

static void store_scalar(
	const struct setting *s, void *base, const char *value, struct arena *arena)
{
	void *field = field_of(base, s);
	union conf_value v;

	if (conf_value_parse(s, value, &v) < 0)
		return;
	if (s->type == SETTING_BOOL)
		*(bool *)field = v.boolean;
	else if (s->type == SETTING_INT || s->type == SETTING_DURATION)
		*(long *)field = v.whole;
	else if (s->type == SETTING_NUMBER)
		*(double *)field = v.number;
	else if (s->type == SETTING_CHOICE)
		*(int *)field = v.choice;
	else if (s->type == SETTING_STRING)
		*(const char **)field = arena_strdup(arena, v.string);
}

void conf_setting_store(const struct setting *setting, void *base, const char *const values[],
	size_t n, struct arena *arena)
{
	if (setting->type == SETTING_PORTS)
		store_ports(setting, base, values, n, arena);
	else if (setting->type == SETTING_NETWORKS)
		store_networks(setting, base, values, n, arena);
	else if (setting->type == SETTING_STRINGS)
		store_strings(setting, base, values, n, arena);
	else if (n > 0)
		store_scalar(setting, base, values[0], arena);
}

/* A default list as the user would write it, with or without braces, quotes and commas. */
static void store_initial_list(const struct setting *s, void *base, struct arena *arena)
{
	char *text = arena_strdup(arena, s->initial), *rest = NULL;
	const char **values = arena_alloc(arena, strlen(s->initial) + 1, sizeof(*values));
	size_t n = 0;

	if (!text || !values)
		return;
	for (char *p = strtok_r(text, " ,{}\"", &rest); p; p = strtok_r(NULL, " ,{}\"", &rest))
		values[n++] = p;
	conf_setting_store(s, base, values, n, arena);
}

void conf_settings_initial(
	const struct setting *settings, size_t n, void *base, struct arena *arena)
{
	for (size_t i = 0; i < n; i++) {
		const struct setting *s = &settings[i];

		if (s->type == SETTING_NUMBER)
			*(double *)field_of(base, s) = UNKNOWN;
		if (s->initial && conf_value_is_list(s->type))
			store_initial_list(s, base, arena);
		else if (s->initial)
			conf_setting_store(s, base, &s->initial, 1, arena);
	}
}

void conf_print_string(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, "%s%c", strchr("\"\\$", *text) ? "\\" : "", *text);
	fputc('"', out);
}

static void print_ports(const struct port_list *list, FILE *out)
{
	for (size_t i = 0; i < list->n; i++)
		fprintf(out, "%s %u", i ? "," : "", list->port[i]);
}

static void print_networks(const struct network_list *list, FILE *out)
{
	char text[CONF_VALUE_SIZE];

	for (size_t i = 0; i < list->n; i++) {
		conf_format_network(&list->network[i], text);
		fprintf(out, "%s \"%s\"", i ? "," : "", text);
	}
}

static void print_strings(const struct string_list *list, FILE *out)
{
	for (size_t i = 0; i < list->n; i++) {
		fputs(i ? ", " : " ", out);
		conf_print_string(list->string[i], out);
	}
}

static void print_value(const struct setting *s, const void *field, FILE *out)
{
	char text[CONF_VALUE_SIZE];

	switch (s->type) {
	case SETTING_BOOL:
		fputs(*(const bool *)field ? "true" : "false", out);
		break;
	case SETTING_INT:
		fprintf(out, "%ld", *(const long *)field);
		break;
	case SETTING_NUMBER:
		conf_format_number(*(const double *)field, text);
		fputs(text, out);
		break;
	case SETTING_DURATION:
		conf_format_duration(*(const long *)field, text);
		fprintf(out, "\"%s\"", text);
		break;
	case SETTING_CHOICE:
		fputs(s->choices[*(const int *)field], out);
		break;
	case SETTING_STRING:
		conf_print_string(*(const char *const *)field, out);
		break;
	case SETTING_PORTS:
		print_ports(field, out);
		break;
	case SETTING_NETWORKS:
		print_networks(field, out);
		break;
	case SETTING_STRINGS:
		print_strings(field, out);
		break;
	}
}

static bool has_value(const struct setting *s, const void *field)
{
	if (s->type == SETTING_PORTS)
		return ((const struct port_list *)field)->n > 0;
	if (s->type == SETTING_NETWORKS)
		return ((const struct network_list *)field)->n > 0;
	if (s->type == SETTING_STRINGS)
		return ((const struct string_list *)field)->n > 0;
	if (s->type == SETTING_NUMBER)
		return !isnan(*(const double *)field);
	return s->type != SETTING_STRING || *(const char *const *)field;
}

void conf_setting_print(
	const struct setting *setting, const void *base, const char *indent, FILE *out)
{
	const void *field = const_field_of(base, setting);
	bool list = conf_value_is_list(setting->type);

	if (!has_value(setting, field))
		return;
	fprintf(out, "%s%s = %s", indent, setting->name, list ? "{" : "");
	print_value(setting, field, out);
	fputs(list ? " }\n" : "\n", out);
}
