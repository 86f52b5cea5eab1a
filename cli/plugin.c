/* SPDX-License-Identifier: MIT */
#include "cli/plugin.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/limits.h"
#include "daemon/conf_value.h"
#include "daemon/text.h"

#define SENTENCE_SIZE 512
#define PERCENT_MAX 1000 /* as in the configuration */

static const char *const state_names[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};

int plugin_parse_percent(const char *text, double *out)
{
	char number[TEXT_SIZE];
	size_t len = strlen(text);
	double percent;

	if (len >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, len + 1);
	if (len > 0 && number[len - 1] == '%')
		number[len - 1] = '\0';
	if (conf_parse_number(number, &percent) < 0 || percent < 0 || percent > PERCENT_MAX)
		return -EINVAL;
	*out = percent;
	return 0;
}

enum plugin_state plugin_judge(const struct plugin_item *item)
{
	if (isnan(item->value) || isnan(item->limit))
		return PLUGIN_UNKNOWN;
	return (enum plugin_state)limit_level(
		limit_percent(item->value, item->limit), item->warning, item->critical);
}

/* Whether a is to be told before b: what is bad, then what is not known; of what is bad the fuller.
 */
static bool is_worse(const struct plugin_item *a, const struct plugin_item *b)
{
	static const int rank[] = {
		[PLUGIN_OK] = 0, [PLUGIN_UNKNOWN] = 1, [PLUGIN_WARNING] = 2, [PLUGIN_CRITICAL] = 3};
	int rank_a = rank[plugin_judge(a)], rank_b = rank[plugin_judge(b)];

	if (rank_a != rank_b || rank_a == 0)
		return rank_a > rank_b;
	return limit_percent(a->value, a->limit) > limit_percent(b->value, b->limit);
}

/* What follows a '|' or stands on another line would be taken for performance data. */
static void put_text(const char *text, FILE *out)
{
	char safe[SENTENCE_SIZE];

	snprintf(safe, sizeof(safe), "%s", text);
	for (char *p = cli_sanitize(safe); *p; p++)
		putc(*p == '|' ? '/' : *p, out);
}

static void put_sentence(const struct plugin_item *item, FILE *out)
{
	char text[SENTENCE_SIZE], value[TEXT_SIZE], limit[TEXT_SIZE];

	text_number(value, item->value);
	text_number(limit, item->limit);
	if (plugin_judge(item) == PLUGIN_UNKNOWN)
		snprintf(text, sizeof(text), "%s",
			item->error ? item->error : "there is nothing to read here");
	else if (item->limit > 0)
		snprintf(text, sizeof(text), "%.0f%% full (%s of %s %s)%s%s",
			limit_whole_percent(limit_percent(item->value, item->limit)), value, limit,
			item->unit, item->object[0] ? " at " : "", item->object);
	else
		snprintf(text, sizeof(text), "%s %s, no limit", value, item->unit);
	put_text(text, out);
}

/* A threshold of 0 is off, and without a limit there is none. */
static void put_threshold(double percent, double limit, FILE *out)
{
	putc(';', out);
	if (percent > 0 && limit > 0)
		fprintf(out, "%.0f", floor(percent * limit / 100));
}

/* 'label'=value;warn;crit;min;max, all in the value's own unit; U: the value is unknown. */
static void put_perfdata(const struct plugin_item *item, FILE *out)
{
	fprintf(out, " '%s'=", item->label);
	if (isnan(item->value)) {
		putc('U', out);
		return;
	}
	fprintf(out, "%.0f", item->value);
	put_threshold(item->warning, item->limit, out);
	put_threshold(item->critical, item->limit, out);
	fputs(";0", out);
	if (item->limit > 0)
		fprintf(out, ";%.0f", item->limit);
}

static void put_others(
	const struct plugin_item *items, size_t n, const struct plugin_item *worst, FILE *out)
{
	size_t n_ok = 0;

	for (size_t i = 0; i < n; i++) {
		enum plugin_state state = plugin_judge(&items[i]);

		if (&items[i] == worst)
			continue;
		if (state == PLUGIN_OK) {
			n_ok++;
			continue;
		}
		fprintf(out, "; %s %s: ", items[i].label, state_names[state]);
		put_sentence(&items[i], out);
	}
	if (n_ok > 0)
		fprintf(out, "; %zu other%s OK", n_ok, n_ok == 1 ? "" : "s");
}

int plugin_print(const struct plugin_item *items, size_t n, FILE *out)
{
	const struct plugin_item *worst = &items[0];

	for (size_t i = 1; i < n; i++)
		if (is_worse(&items[i], worst))
			worst = &items[i];
	for (const char *p = worst->label; *p; p++)
		fputc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, out);
	fprintf(out, " %s - ", state_names[plugin_judge(worst)]);
	put_sentence(worst, out);
	put_others(items, n, worst, out);
	fputs(" |", out);
	for (size_t i = 0; i < n; i++)
		put_perfdata(&items[i], out);
	putc('\n', out);
	return (int)plugin_judge(worst);
}

int plugin_print_unknown(const char *text, FILE *out)
{
	fputs("CONNWATCH UNKNOWN - ", out);
	put_text(text, out);
	putc('\n', out);
	return PLUGIN_UNKNOWN;
}
