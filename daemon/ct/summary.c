/* SPDX-License-Identifier: MIT */
#include "daemon/ct/summary.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

/* What is said in the sentence. */
enum { MIN_PERCENT = 5, MAX_NAMES = 3 };

static const char *const list_names[SUMMARY_LISTS] = {
	[SUMMARY_SOURCES] = "sources",
	[SUMMARY_DESTINATIONS] = "destinations",
	[SUMMARY_PORTS] = "ports",
	[SUMMARY_PROTOCOLS] = "protocols",
	[SUMMARY_STATES] = "states",
};

static int parse_item(json_t *json, struct summary_item *out)
{
	const char *name;
	size_t length;

	if (json_unpack(json, "{s:s%,s:F,s:F}", "name", &name, &length, "entries", &out->entries,
		    "percent", &out->percent) < 0 ||
		length >= sizeof(out->name))
		return -EBADMSG;
	memcpy(out->name, name, length + 1);
	return 0;
}

static int parse_list(json_t *json, struct summary_list *out)
{
	json_t *different, *top, *item;
	size_t i;

	if (json_unpack(json, "{s:F,s:o,s:o}", "undercount", &out->undercount, "different",
		    &different, "top", &top) < 0 ||
		!json_is_array(top) || json_array_size(top) > SUMMARY_TOP)
		return -EBADMSG;
	out->different = json_is_number(different) ? json_number_value(different) : (double)NAN;
	out->n = json_array_size(top);
	json_array_foreach(top, i, item)
	{
		if (parse_item(item, &out->top[i]) < 0)
			return -EBADMSG;
	}
	return 0;
}

static int parse_answer(json_t *json, struct summary *out)
{
	int sample;

	if (json_unpack(json, "{s:F,s:b,s:F,s:F}", "entries", &out->entries, "sample", &sample,
		    "assured", &out->assured, "unreplied", &out->unreplied) < 0)
		return -EBADMSG;
	out->sample = sample;
	for (int i = 0; i < SUMMARY_LISTS; i++) {
		if (parse_list(json_object_get(json, list_names[i]), &out->list[i]) < 0)
			return -EBADMSG;
	}
	return 0;
}

int summary_parse(const char *text, struct summary *out)
{
	json_t *json = json_loads(text, 0, NULL);
	int r = parse_answer(json, out);

	json_decref(json);
	return r;
}

/* Append to text; what does not fit is cut off. */
__attribute__((format(printf, 3, 4))) static void append(
	char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

static void append_top(const struct summary_list *list, const char *what, char *out, size_t size)
{
	if (list->n == 0)
		return;
	append(out, size, "%s", out[0] ? "; " : "");
	if (list->top[0].percent < MIN_PERCENT) {
		append(out, size, "no %s above %d%%", what, MIN_PERCENT);
		return;
	}
	append(out, size, "top %ss ", what);
	for (size_t i = 0; i < list->n && i < MAX_NAMES && list->top[i].percent >= MIN_PERCENT; i++)
		append(out, size, "%s%s (%.0f%%)", i ? ", " : "", list->top[i].name,
			list->top[i].percent);
}

void summary_sentence(const struct summary *s, char *out, size_t size)
{
	const struct summary_list *states = &s->list[SUMMARY_STATES];

	out[0] = '\0';
	append_top(&s->list[SUMMARY_SOURCES], "source", out, size);
	append_top(&s->list[SUMMARY_PORTS], "port", out, size);
	if (states->n > 0 && states->top[0].percent >= MIN_PERCENT)
		append(out, size, "; %.0f%% %s", states->top[0].percent, states->top[0].name);
	if (s->sample)
		append(out, size, "; shares of a sample of %.0f entries", s->entries);
	if (!out[0])
		append(out, size, "the table is empty");
}
