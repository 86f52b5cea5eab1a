/* SPDX-License-Identifier: MIT */
#include "cli/graphdef.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/notify.h"
#include "daemon/text.h"
#include "daemon/util.h"

#define PICTURE_WIDTH 800 /* of the plot */
#define PICTURE_HEIGHT 260
#define FONT "DejaVu Sans"
#define LEGEND_WIDTH 24         /* of the longest legend */
#define SMALLEST_THRESHOLD 0.01 /* less is "any at all" (RULE_ANY) and no line to be seen */

static const char *const colours[] = {
	[COLOUR_SKY] = "#56b4e9",
	[COLOUR_BLUE] = "#0072b2",
	[COLOUR_GREEN] = "#009e73",
	[COLOUR_PURPLE] = "#cc79a7",
	[COLOUR_YELLOW] = "#f0e442",
	[COLOUR_GREY] = "#a8a8a8",
	[COLOUR_NAVY] = "#2b3a67",
	[COLOUR_LIME] = "#a6d96a",
	[COLOUR_BROWN] = "#7f4f24",
	[COLOUR_ORANGE] = "#e69f00",
	[COLOUR_VERMILION] = "#d55e00",
	[COLOUR_BLACK] = "#000000",
};
_Static_assert(ARRAY_LEN(colours) == N_COLOURS, "each colour");

static const enum graph_colour level_colours[] = {
	[LEVEL_WARNING] = COLOUR_ORANGE,
	[LEVEL_CRITICAL] = COLOUR_VERMILION,
};

const char *graphdef_colour(enum graph_colour colour)
{
	return colours[colour];
}

size_t graphdef_series(const struct graph *graph)
{
	size_t n = 0;

	while (n < GRAPH_SERIES_MAX && graph->series[n].legend)
		n++;
	return n;
}

int graphdef_list(const struct conf *conf, struct graph_ref **out, size_t *n)
{
	struct graph_ref *refs;
	size_t total = 0, k = 0;

	for (size_t i = 0; i < conf->n_instances; i++)
		total += conf->instances[i].collector->n_graphs;
	refs = calloc(total + 1, sizeof(*refs));
	if (!refs)
		return -ENOMEM;
	for (size_t i = 0; i < conf->n_instances; i++)
		for (size_t g = 0; g < conf->instances[i].collector->n_graphs; g++, k++) {
			refs[k].instance = i;
			refs[k].graph = &conf->instances[i].collector->graphs[g];
			snprintf(refs[k].name, sizeof(refs[k].name), "%s-%s",
				conf->instances[i].name, refs[k].graph->name);
		}
	*out = refs;
	*n = total;
	return 0;
}

/* The series of this graph that an operand names, or SIZE_MAX. */
static size_t find_series(const struct conf *conf, const struct graph_ref *ref, const char *operand)
{
	size_t instance, metric;
	int r = conf_operand_for(conf, operand, ref->instance, &instance, &metric);

	for (size_t i = 0; r == 0 && instance == ref->instance && i < graphdef_series(ref->graph);
		i++)
		if (ref->graph->series[i].metric == metric)
			return i;
	return SIZE_MAX;
}

static void name_threshold(struct graph_threshold *t, const struct graph *graph, bool several)
{
	const char *legend = t->limit == SIZE_MAX ? "" : graph->series[t->limit].legend;

	if (t->limit == SIZE_MAX)
		snprintf(t->legend, sizeof(t->legend), "%s at %.6g", level_names[t->level],
			t->value);
	else
		snprintf(t->legend, sizeof(t->legend), "%s at %.4g%%%s%s", level_names[t->level],
			t->value, several ? " of " : "", several ? legend : "");
}

static size_t count_limits(const struct graph *graph)
{
	size_t n = 0;

	for (size_t i = 0; i < graphdef_series(graph); i++)
		n += graph->series[i].style == GRAPH_LIMIT;
	return n;
}

/* Two rules may have the same threshold. */
static bool is_drawn(
	const struct graph_threshold *thresholds, size_t n, const struct graph_threshold *t)
{
	for (size_t i = 0; i < n; i++)
		if (thresholds[i].level == t->level && thresholds[i].limit == t->limit &&
			fabs(thresholds[i].value - t->value) < SMALLEST_THRESHOLD)
			return true;
	return false;
}

size_t graphdef_thresholds(const struct conf *conf, const struct graph_ref *ref,
	struct graph_threshold out[static GRAPH_THRESHOLDS])
{
	bool several = count_limits(ref->graph) > 1;
	size_t n = 0;

	for (size_t i = 0; i < conf->n_rules; i++) {
		const struct rule *rule = &conf->rules[i];
		size_t limit = SIZE_MAX;

		if (!rule->enabled || rule->ratio ||
			find_series(conf, ref, rule->value) == SIZE_MAX)
			continue;
		if (rule->limit)
			limit = find_series(conf, ref, rule->limit);
		if (rule->limit && limit == SIZE_MAX)
			continue;
		for (enum level level = LEVEL_WARNING; level <= LEVEL_CRITICAL; level++) {
			double value = level == LEVEL_WARNING ? rule->warning : rule->critical;

			const struct graph_threshold t = {level, limit, value, ""};

			if (value < SMALLEST_THRESHOLD || n == GRAPH_THRESHOLDS ||
				is_drawn(out, n, &t))
				continue;
			out[n] = t;
			name_threshold(&out[n++], ref->graph, several);
		}
	}
	return n;
}

/* A path may hold colons, and a backslash would escape what follows it. */
void graphdef_add_def(struct arglist *args, const struct conf *conf, size_t instance,
	const char *name, const char *column_and_rest)
{
	CLEANUP_FREE char *path = NULL, *escaped = NULL;
	char *p;

	if (asprintf(&path, "%s/%s.rrd", conf->rrd_directory, conf->instances[instance].name) < 0 ||
		!(escaped = malloc(2 * strlen(path) + 1))) {
		args->failed = true;
		return;
	}
	p = escaped;
	for (const char *c = path; *c; c++) {
		if (*c == ':' || *c == '\\')
			*p++ = '\\';
		*p++ = *c;
	}
	*p = '\0';
	arglist_add(args, "DEF:%s=%s:%s", name, escaped, column_and_rest);
}

/* State of one call. */
struct maker {
	const struct graph_request *request;
	const struct graph *graph;
	struct arglist *args;
	size_t n;
	long point; /* seconds that a point stands for; 0: not known */
	const struct archive
		*archive; /* the finest that reaches back to the start; NULL: not known */
	bool maxima;      /* a point stands for several rows */
};

static const struct metric *metric_of(const struct maker *m, size_t i)
{
	const struct graph_ref *ref = m->request->ref;

	return &m->request->conf->instances[ref->instance]
			.collector->metrics[m->graph->series[i].metric];
}

static bool is_rate(const struct maker *m, size_t i)
{
	return metric_of(m, i)->kind == METRIC_COUNTER;
}

/* Whether series i is drawn with maxima: a metric that is a maximum itself always, others by a line
 * of their own. */
static bool has_maxima(const struct maker *m, size_t i)
{
	return m->maxima && m->graph->series[i].style != GRAPH_LIMIT;
}

/* Short labels, so that none is cut off at the end; rrdtool's own choice has the weekday in the day.
 */
static void add_time_axis(const struct maker *m)
{
	static const struct {
		long span;
		const char *grid;
	} axes[] = {
		{3600, "MINUTE:5:MINUTE:10:MINUTE:10:0:%H:%M"},
		{86400, "HOUR:1:HOUR:4:HOUR:4:0:%H:%M"},
		{7 * 86400, "HOUR:6:DAY:1:DAY:1:86400:%a %d"},
		{31 * 86400, "DAY:1:WEEK:1:WEEK:1:0:%d %b"},
		{366 * 86400, "MONTH:1:MONTH:1:MONTH:1:2592000:%b"},
	};
	size_t i = 0;

	while (i < ARRAY_LEN(axes) - 1 && axes[i].span < m->request->span)
		i++;
	arglist_add(m->args, "--x-grid=%s", axes[i].grid);
}

static void add_options(const struct maker *m)
{
	const struct graph_request *r = m->request;
	bool page = r->form == GRAPH_PAGE;

	arglist_add(m->args, "--imgformat=%s", r->svg ? "SVG" : "PNG");
	arglist_add(m->args, "--width=%d", page ? GRAPH_PAGE_WIDTH : PICTURE_WIDTH);
	arglist_add(m->args, "--height=%d", page ? GRAPH_PAGE_HEIGHT : PICTURE_HEIGHT);
	if (page) {
		arglist_add(m->args, "--full-size-mode");
		arglist_add(m->args, "--no-legend");
		arglist_add(m->args, "--lazy");
		arglist_add(m->args, "--right-axis-label= "); /* room for half a label */
		add_time_axis(m);
	} else {
		arglist_add(m->args, "--title=%s: %s", r->conf->instances[r->ref->instance].name,
			m->graph->title);
		arglist_add(m->args, "--vertical-label=%s", m->graph->unit);
		arglist_add(m->args, "--watermark=times in %s", r->zone);
	}
	if (!r->svg)
		arglist_add(m->args, "--zoom=2");
	arglist_add(m->args, "--lower-limit=0");
	/* Of a quiet hour: no thousandths on the axis, and for numbers no fractions. */
	arglist_add(m->args, "--upper-limit=%d", is_rate(m, 0) ? 1 : page ? 5 : 10);
	arglist_add(m->args, "--border=0");
	arglist_add(m->args, "--disable-rrdtool-tag");
	arglist_add(m->args, "--grid-dash=1:0");
	arglist_add(m->args, "--font=DEFAULT:9:" FONT);
	arglist_add(m->args, "--font=TITLE:11:" FONT);
	arglist_add(m->args, "--font=LEGEND:9:" FONT " Mono");
}

static void add_colours(const struct maker *m)
{
	const char *back = m->request->form == GRAPH_PAGE ? "#ffffff00" : "#ffffff";

	arglist_add(m->args, "--color=BACK%s", back);
	arglist_add(m->args, "--color=CANVAS%s", back);
	arglist_add(m->args, "--color=FONT#202020");
	arglist_add(m->args, "--color=GRID#00000014");
	arglist_add(m->args, "--color=MGRID#00000030");
	arglist_add(m->args, "--color=AXIS#606060");
	arglist_add(m->args, "--color=ARROW#ffffff00");
	arglist_add(m->args, "--color=FRAME#ffffff00");
}

/* aN: averages, mN: maxima, and of both lN, gN, xN, pN: last, average, maximum, 95th percentile. */
static void add_definitions(const struct maker *m)
{
	const struct conf *conf = m->request->conf;
	size_t instance = m->request->ref->instance;
	bool rows = m->archive ? m->archive->step == conf->interval : conf->n_archives == 1;
	char name[24], rest[96], step[32] = "";

	/* Else rrdtool takes the one nearest to a point, whose last row may be hours old. */
	if (m->archive)
		snprintf(step, sizeof(step), ":step=%ld", m->archive->step);
	for (size_t i = 0; i < m->n; i++) {
		const char *column = metric_of(m, i)->name;

		snprintf(name, sizeof(name), "a%zu", i);
		snprintf(rest, sizeof(rest), "%s:AVERAGE%s", column, step);
		graphdef_add_def(m->args, conf, instance, name, rest);
		if (has_maxima(m, i)) {
			/* Of rows as they are there is no archive of maxima. */
			snprintf(name, sizeof(name), "m%zu", i);
			snprintf(rest, sizeof(rest), "%s:%s%s", column,
				rows ? "AVERAGE:reduce=MAX" : "MAX", step);
			graphdef_add_def(m->args, conf, instance, name, rest);
		}
		arglist_add(m->args, "VDEF:l%zu=a%zu,LAST", i, i);
		arglist_add(m->args, "VDEF:g%zu=a%zu,AVERAGE", i, i);
		arglist_add(m->args, "VDEF:x%zu=%c%zu,MAXIMUM", i, has_maxima(m, i) ? 'm' : 'a', i);
		arglist_add(m->args, "VDEF:p%zu=a%zu,95,PERCENTNAN", i, i);
		if (m->graph->series[i].style == GRAPH_LIMIT)
			arglist_add(m->args, "CDEF:n%zu=a%zu,0,GT,a%zu,UNKN,IF", i, i, i);
	}
}

/* What is unknown is a shaded gap; not so what is not to be known yet. */
static void add_gap(const struct maker *m)
{
	long young = m->archive && m->archive->step > m->point ? m->archive->step : m->point;

	if (young < m->request->conf->interval)
		young = m->request->conf->interval;
	arglist_add(m->args, "CDEF:gap=a0,UN,TIME,NOW,%ld,-,LT,*,INF,UNKN,IF", 2 * young);
	arglist_add(m->args, "AREA:gap#80808038");
}

/* The legend behind a line or area, ":" included, or "" for a page. */
static const char *legend(const struct maker *m, const char *text, char out[static 96])
{
	size_t n = 0;

	out[0] = '\0';
	if (m->request->form == GRAPH_PAGE)
		return out;
	out[n++] = ':';
	for (; *text && n < 90; text++) {
		if (*text == ':' || *text == '\\')
			out[n++] = '\\';
		out[n++] = *text;
	}
	out[n] = '\0';
	return out;
}

/* "  last 214958  average ..." under a picture. */
static void add_numbers(const struct maker *m, size_t i)
{
	static const struct {
		char name;
		const char *label;
	} numbers[] = {{'l', "last"}, {'g', "average"}, {'x', "maximum"}, {'p', "95th percentile"}};
	size_t n = m->graph->series[i].style == GRAPH_LIMIT ? 1 : ARRAY_LEN(numbers);

	if (m->request->form == GRAPH_PAGE)
		return;
	if (m->request->unknown & 1U << i) {
		arglist_add(m->args, "COMMENT:unknown\\l");
		return;
	}
	for (size_t k = 0; k < n; k++)
		arglist_add(m->args, "GPRINT:%c%zu:%s %s%s", numbers[k].name, i, numbers[k].label,
			is_rate(m, i) ? "%9.2lf" : "%9.0lf", k == n - 1 ? "\\l" : "");
}

static void add_item(const struct maker *m, size_t i)
{
	const struct graph_series *s = &m->graph->series[i];
	const char *colour = colours[s->colour];
	char padded[LEGEND_WIDTH + 1], text[96];

	snprintf(padded, sizeof(padded), "%-*s", LEGEND_WIDTH, s->legend);
	legend(m, padded, text);
	switch (s->style) {
	case GRAPH_STACK:
		/* The first one has nothing to stand on. */
		arglist_add(m->args, "AREA:a%zu%s%s%s", i, colour, text[0] ? text : ":", ":STACK");
		break;
	case GRAPH_LINE:
		arglist_add(m->args, "LINE1.5:a%zu%s%s", i, colour, text);
		break;
	case GRAPH_AREA:
		arglist_add(m->args, "AREA:a%zu%s%s", i, colour, text);
		break;
	case GRAPH_PEAK:
		arglist_add(m->args, "LINE0.75:%c%zu%s%s", has_maxima(m, i) ? 'm' : 'a', i, colour,
			text);
		break;
	case GRAPH_LIMIT:
		arglist_add(m->args, "LINE1.5:n%zu%s%s", i, colour, text);
		break;
	}
	add_numbers(m, i);
}

/* The next series tells the peaks. */
static bool has_peak(const struct maker *m, size_t i)
{
	return i + 1 < m->n && m->graph->series[i + 1].style == GRAPH_PEAK;
}

/* Above an area a line of its colour is seen; beside a line it has to be fainter. */
static void add_maximum(const struct maker *m, size_t i)
{
	enum graph_style style = m->graph->series[i].style;
	const char *colour = colours[m->graph->series[i].colour];

	if (!has_maxima(m, i) || has_peak(m, i))
		return;
	if (style == GRAPH_AREA)
		arglist_add(m->args, "LINE0.75:m%zu%s", i, colour);
	else if (style == GRAPH_LINE)
		arglist_add(m->args, "LINE0.5:m%zu%sa0", i, colour);
}

static void add_threshold(const struct maker *m, const struct graph_threshold *t, size_t i)
{
	const char *colour = colours[level_colours[t->level]];
	char text[96];

	legend(m, t->legend, text);
	if (t->limit == SIZE_MAX) {
		arglist_add(m->args, "HRULE:%.10g%s%s:dashes=5,3", t->value, colour,
			text[0] ? text : ":");
	} else {
		arglist_add(m->args, "CDEF:t%zu=n%zu,%.10g,*,100,/", i, t->limit, t->value);
		arglist_add(m->args, "LINE1:t%zu%s%s:dashes=5,3", i, colour, text[0] ? text : ":");
	}
	if (m->request->form == GRAPH_PICTURE)
		arglist_add(m->args, "COMMENT:\\l");
}

static void add_prints(const struct maker *m)
{
	arglist_add(m->args, "PRINT:l0:%s:strftime", GRAPHDEF_SHOW);
	arglist_add(m->args, "PRINT:l0:%s:strftime", GRAPHDEF_END);
	for (size_t i = 0; i < m->n; i++) {
		size_t n = m->graph->series[i].style == GRAPH_LIMIT ? 1 : 4;

		for (size_t k = 0; k < n; k++)
			arglist_add(m->args, "PRINT:%c%zu:%s", "lgxp"[k], i,
				is_rate(m, i) ? "%.2lf" : "%.0lf");
	}
}

static const struct archive *choose_archive(const struct conf *conf, long span)
{
	for (size_t i = 0; span && i < conf->n_archives; i++)
		if (conf->archives[i].step * conf->archives[i].rows >= span)
			return &conf->archives[i];
	return NULL;
}

static void add_items(const struct maker *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->graph->series[i].style != GRAPH_LIMIT)
			add_item(m, i);
	for (size_t i = 0; i < m->n; i++)
		add_maximum(m, i);
}

static void add_limits(const struct maker *m)
{
	struct graph_threshold thresholds[GRAPH_THRESHOLDS];
	size_t n = graphdef_thresholds(m->request->conf, m->request->ref, thresholds);

	for (size_t i = 0; i < n; i++)
		add_threshold(m, &thresholds[i], i);
	for (size_t i = 0; i < m->n; i++)
		if (m->graph->series[i].style == GRAPH_LIMIT)
			add_item(m, i);
}

void graphdef_add(const struct graph_request *request, struct arglist *args)
{
	const struct conf *conf = request->conf;
	int width = request->form == GRAPH_PAGE ? GRAPH_PAGE_WIDTH : PICTURE_WIDTH;
	struct maker m = {
		.request = request,
		.graph = request->ref->graph,
		.args = args,
		.n = graphdef_series(request->ref->graph),
		.point = request->span / width,
		.archive = choose_archive(conf, request->span),
		.maxima = request->span == 0 || request->span / width > conf->interval,
	};

	arglist_add(args, "--start=%s", request->start);
	arglist_add(args, "--end=%s", request->end);
	add_definitions(&m);
	if (request->form == GRAPH_AVERAGES) {
		for (size_t i = 0; i < m.n; i++)
			arglist_add(args, "PRINT:g%zu:%%.0le", i);
		return;
	}
	add_options(&m);
	add_colours(&m);
	add_gap(&m);
	add_items(&m);
	add_limits(&m);
	if (request->form == GRAPH_PAGE)
		add_prints(&m);
}
