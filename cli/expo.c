/* SPDX-License-Identifier: MIT */
#include "cli/expo.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MAX_EXACT 9007199254740992.0 /* 2^53: whole numbers up to it are exact in a double */

const char *const expo_media_types[] = {
	[EXPO_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
	[EXPO_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

static const char *suffix(const struct expo_family *family)
{
	static const char *const suffixes[] = {
		[EXPO_GAUGE] = "", [EXPO_COUNTER] = "_total", [EXPO_INFO] = "_info"};

	return suffixes[family->type];
}

static bool has_unit(const struct expo_family *family)
{
	size_t len = strlen(family->name), unit = family->unit ? strlen(family->unit) : 0;

	return unit && len > unit && family->name[len - unit - 1] == '_' &&
	       strcmp(family->name + len - unit, family->unit) == 0;
}

void expo_family(const struct expo *e, const struct expo_family *family)
{
	static const char *const types[][3] = {
		[EXPO_TEXT] = {"gauge", "counter", "gauge"},
		[EXPO_OPENMETRICS] = {"gauge", "counter", "info"},
	};
	const char *tail = e->format == EXPO_TEXT ? suffix(family) : "";

	fprintf(e->out, "# HELP %s%s %s\n", family->name, tail, family->help);
	fprintf(e->out, "# TYPE %s%s %s\n", family->name, tail, types[e->format][family->type]);
	if (e->format == EXPO_OPENMETRICS && has_unit(family))
		fprintf(e->out, "# UNIT %s %s\n", family->name, family->unit);
}

static void write_escaped(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else
			fprintf(out, *text == '\\' || *text == '"' ? "\\%c" : "%c", *text);
}

static void write_number(FILE *out, double value)
{
	if (isinf(value))
		fputs(value > 0 ? "+Inf" : "-Inf", out);
	else if (value == floor(value) && fabs(value) <= MAX_EXACT)
		fprintf(out, "%.0f", value);
	else
		fprintf(out, "%.15g", value);
}

void expo_sample(const struct expo *e, const struct expo_family *family,
	const struct expo_label *labels, size_t n, double value)
{
	const char *before = "{";

	if (isnan(value))
		return;
	fprintf(e->out, "%s%s", family->name, suffix(family));
	for (size_t i = 0; i < n; i++) {
		if (!labels[i].name || !labels[i].value)
			continue;
		fprintf(e->out, "%s%s=\"", before, labels[i].name);
		write_escaped(e->out, labels[i].value);
		fputc('"', e->out);
		before = ",";
	}
	fputs(*before == ',' ? "} " : " ", e->out);
	write_number(e->out, value);
	fputc('\n', e->out);
}

void expo_end(const struct expo *e)
{
	if (e->format == EXPO_OPENMETRICS)
		fputs("# EOF\n", e->out);
}
