/* SPDX-License-Identifier: MIT */
#include "cli/page.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "cli/page_part.h"
#include "daemon/util.h"

/*
 * rrdcgi puts an error text in place of a tag that fails, and has no conditions. Here is how the
 * pages get along:
 *
 *	<p>GRAPH<!--SHOW <img ...></p><p hidden>END-->This graph cannot be drawn.</p>
 *
 * If all is well GRAPH becomes a comment, SHOW becomes "-->" and END "<!-- >": the image is shown,
 * and the sentence is in a paragraph that is not. If not, GRAPH becomes the reason, SHOW and END
 * some error text: the image is in a comment, the sentence is shown. Of an image that could not be
 * written the *next* tag tells; so around it SHOW and END are RRD::TIME::LAST, which fail with it.
 */
#define FILE_SIZE (GRAPH_NAME_SIZE + 32)

struct span {
	const char *name, *text, *start;
	long seconds;
};

static const struct span spans[] = {
	{"hour", "Last hour", "end-1h", 3600},
	{"day", "Last day", "end-1d", 86400},
	{"week", "Last week", "end-7d", 7 * 86400},
	{"month", "Last month", "end-31d", 31 * 86400},
	{"year", "Last year", "end-365d", 365 * 86400},
};
#define DAY 1 /* the index's */

bool page_can_hold(const char *text)
{
	for (; *text; text++)
		if (*text == '<' || *text == '>' || (unsigned char)*text < ' ')
			return false;
	return true;
}

void page_argument(const char *text, FILE *out)
{
	fputs(" '", out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\"'\"'", out); /* rrdcgi knows no escape, but quotes join as in a
						  shell */
		else
			fputc(*text, out);
	fputc('\'', out);
}

void page_html(const char *text, FILE *out)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*text, out);
		}
}

void page_tag(const char *name, const struct arglist *args, FILE *out)
{
	fprintf(out, "<RRD::%s", name);
	for (size_t i = 0; i < args->n; i++)
		page_argument(args->arg[i], out);
	fputc('>', out);
}

/* What the n-th PRINT of the graph before has given. */
void page_print(size_t n, FILE *out)
{
	fprintf(out, "<RRD::PRINT %zu>", n);
}

/* A cell with a number, which the style sheet hides where what it is of is unknown ("nan"): of no
 * value at all the percentile is 0. */
static void number_cell(size_t of, size_t n, FILE *out)
{
	fprintf(out, "<td data-v=\"<RRD::PRINT %zu>\"><span><RRD::PRINT %zu></span></td>", of, n);
}

static void head(const struct pages *pages, const char *title, FILE *out)
{
	fputs(PAGE_HEAD "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			"<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
		out);
	page_html(pages->host, out);
	fputs(": ", out);
	page_html(title, out);
	fputs("</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n"
	      "<link rel=\"icon\" type=\"image/svg+xml\" href=\"icon.svg\">\n</head>\n<body>\n"
	      "<RRD::SETENV XDG_CACHE_HOME",
		out);
	page_argument(pages->images, out); /* fontconfig wants to write somewhere */
	fputs(">", out);
	if (pages->conf->rrd_daemon[0]) {
		fputs("<RRD::SETENV RRDCACHED_ADDRESS", out);
		page_argument(pages->conf->rrd_daemon, out);
		fputs(">", out);
	}
	fputs("\n", out);
}

static void foot(FILE *out)
{
	fputs("<footer>\n<p>Times are in <RRD::TIME::NOW '%Z (UTC%z)'>. Areas and lines are "
	      "averages, the thin line above them the maximum; dashed are the thresholds of the "
	      "alert rules. A <span class=\"key gap\"></span> shaded gap is not known, which is "
	      "not zero.</p>\n"
	      "<p>connwatchd " CONNWATCH_VERSION "</p>\n</footer>\n</body>\n</html>\n",
		out);
}

static void add_last(struct arglist *args, const struct pages *pages, const struct graph_ref *graph,
	const char *format)
{
	arglist_add(args, "%s/%s.rrd", pages->conf->rrd_directory,
		pages->conf->instances[graph->instance].name);
	arglist_add(args, "%s", format);
}

/* SHOW or END around an image. */
static void last_tag(
	const struct pages *pages, const struct graph_ref *graph, const char *format, FILE *out)
{
	struct arglist args = {0};

	add_last(&args, pages, graph, format);
	page_tag("TIME::LAST", &args, out);
	arglist_free(&args);
}

/* Into the name of an image goes what it is drawn by: rrdtool leaves one alone that is young enough
 * (for a year's, a day), also after a change of the graph. FNV-1a. */
static uint32_t hash(const struct arglist *args)
{
	uint32_t value = 2166136261;

	for (size_t i = 0; i < args->n; i++)
		for (const char *c = args->arg[i]; *c; c++)
			value = (value ^ (unsigned char)*c) * 16777619;
	return value;
}

/* The graph's tag; file: the image's name. */
static void graph_tag(const struct pages *pages, const struct graph_ref *graph,
	const struct span *span, char file[static FILE_SIZE], FILE *out)
{
	const struct graph_request request = {
		.conf = pages->conf,
		.ref = graph,
		.form = GRAPH_PAGE,
		.start = span->start,
		.end = "now",
		.span = span->seconds,
	};
	struct arglist definition = {0}, args = {0};

	graphdef_add(&request, &definition);
	snprintf(file, FILE_SIZE, "%s-%s-%08" PRIx32 ".png", graph->name, span->name,
		hash(&definition));
	arglist_add(&args, "%s/%s", pages->images, file);
	arglist_add(&args, "--imginfo");
	arglist_add(&args, "%s", PAGE_IMGINFO);
	for (size_t i = 0; i < definition.n; i++)
		arglist_add(&args, "%s", definition.arg[i]);
	page_tag("GRAPH", &args, out);
	arglist_free(&definition);
	arglist_free(&args);
}

/* "entries last 1, average 1, maximum 1; ..." */
static void numbers_text(const struct graph *graph, FILE *out)
{
	size_t n = graphdef_series(graph), at = 2;

	for (size_t i = 0; i < n; i++) {
		fputs(i ? "; " : "", out);
		page_html(graph->series[i].legend, out);
		fputs(" last ", out);
		page_print(at, out);
		if (graph->series[i].style == GRAPH_LIMIT) {
			at++;
			continue;
		}
		fputs(", average ", out);
		page_print(at + 1, out);
		fputs(", maximum ", out);
		page_print(at + 2, out);
		at += 4;
	}
}

/* "Connection tracking table, last day, in entries: entries last 1, ..." Where a number of it is
 * "nan", the style sheet shows the twin instead. */
static void image_tag(const struct graph *graph, const struct span *span, const char *file,
	bool is_twin, FILE *out)
{
	fprintf(out, "<img%s src=\"images/%s\" width=\"%d\" height=\"%d\" alt=\"",
		is_twin ? " class=\"twin\"" : "", file, GRAPH_PAGE_WIDTH, GRAPH_PAGE_HEIGHT);
	page_html(graph->title, out);
	fprintf(out, ", %c%s, in ", span->text[0] | 0x20, span->text + 1);
	page_html(graph->unit, out);
	fputs(": ", out);
	if (is_twin)
		fputs("not all is known; the table has the numbers that are", out);
	else
		numbers_text(graph, out);
	fputs("\">", out);
}

static void image(const struct pages *pages, const struct graph_ref *graph, const struct span *span,
	bool is_index, FILE *out)
{
	char file[FILE_SIZE];

	fputs("<p class=\"graph\">", out);
	graph_tag(pages, graph, span, file, out);
	fputs("<!-- ", out);
	last_tag(pages, graph, GRAPHDEF_SHOW, out);
	if (is_index)
		fprintf(out, "<a href=\"%s.cgi\">", graph->name);
	image_tag(graph->graph, span, file, false, out);
	image_tag(graph->graph, span, file, true, out);
	fprintf(out, "%s</p><p hidden>", is_index ? "</a>" : "");
	last_tag(pages, graph, GRAPHDEF_END, out);
	fputs("--> This graph cannot be drawn now: ", out);
	page_html(pages->conf->rrd_directory, out);
	fprintf(out, "/%s.rrd is missing, damaged or not readable, or ",
		pages->conf->instances[graph->instance].name);
	page_html(pages->images, out);
	fputs(" not writable for the web server; see connwatch(1).</p>\n", out);
}

static const char *key_class(enum graph_style style)
{
	switch (style) {
	case GRAPH_AREA:
	case GRAPH_STACK:
		return "area";
	case GRAPH_LINE:
	case GRAPH_PEAK:
	case GRAPH_LIMIT:
		return "line";
	}
	return "";
}

static void legend_rows(const struct graph *graph, FILE *out)
{
	size_t n = graphdef_series(graph), at = 2;

	for (size_t i = 0; i < n; i++) {
		const struct graph_series *s = &graph->series[i];
		size_t numbers = s->style == GRAPH_LIMIT ? 1 : 4;

		fprintf(out, "<tr><th scope=\"row\"><span class=\"key %s k%d\"></span>",
			key_class(s->style), (int)s->colour);
		page_html(s->legend, out);
		fputs("</th>", out);
		for (size_t k = 0; k < numbers; k++)
			number_cell(at, at + k, out);
		at += numbers;
		fputs(numbers == 1 ? "<td colspan=\"3\"></td></tr>\n" : "</tr>\n", out);
	}
}

static void threshold_rows(const struct pages *pages, const struct graph_ref *graph, FILE *out)
{
	struct graph_threshold thresholds[GRAPH_THRESHOLDS];
	size_t n = graphdef_thresholds(pages->conf, graph, thresholds);

	for (size_t i = 0; i < n; i++) {
		fprintf(out,
			"<tr><th scope=\"row\" colspan=\"5\"><span class=\"key dash k%d\"></span>",
			thresholds[i].level == LEVEL_WARNING ? (int)COLOUR_ORANGE
							     : (int)COLOUR_VERMILION);
		page_html(thresholds[i].legend, out);
		fputs("</th></tr>\n", out);
	}
}

static void legend(const struct pages *pages, const struct graph_ref *graph, FILE *out)
{
	fputs("<!-- ", out);
	page_print(0, out);
	fputs("<table class=\"legend\">\n<thead><tr><th scope=\"col\">", out);
	page_html(graph->graph->unit, out);
	fputs("</th><th scope=\"col\">last</th><th scope=\"col\">average</th><th "
	      "scope=\"col\">maximum</th><th "
	      "scope=\"col\">95th&nbsp;%</th></tr></thead>\n<tbody>\n",
		out);
	legend_rows(graph->graph, out);
	threshold_rows(pages, graph, out);
	fputs("</tbody></table>", out);
	page_print(1, out);
	fputs("-->\n", out);
}

/* With a heading, which is a link where the page is another one. */
static void figure(const struct pages *pages, const struct graph_ref *graph,
	const struct span *span, bool is_index, FILE *out)
{
	fputs("<article>\n", out);
	if (is_index) {
		fprintf(out, "<h3><a href=\"%s.cgi\">", graph->name);
		page_html(graph->graph->title, out);
		fputs("</a></h3>\n", out);
	} else {
		fprintf(out, "<h2>%s</h2>\n", span->text);
	}
	image(pages, graph, span, is_index, out);
	legend(pages, graph, out);
	fputs("</article>\n", out);
}

/* The daemon's file begins and ends as GRAPHDEF_SHOW and GRAPHDEF_END do; it may be empty. */
static void alerts(const struct pages *pages, FILE *out)
{
	if (!pages->alerts)
		return;
	fputs("<section class=\"c1\" aria-labelledby=\"open-alerts\">\n<h2 id=\"open-alerts\">Open "
	      "alerts</h2>\n<p><!-- "
	      "<RRD::INCLUDE",
		out);
	page_argument(pages->alerts, out);
	fputs(">-->connwatchd does not run, or has told of none yet; see connwatch "
	      "status.</p>\n</section>\n",
		out);
}

static void navigation(const struct pages *pages, FILE *out)
{
	fputs("<nav aria-label=\"Sections\"><ul>", out);
	for (size_t i = 0; i < pages->conf->n_instances; i++)
		if (pages->conf->instances[i].collector->n_graphs)
			fprintf(out, "<li><a href=\"#%s\">%s</a></li>",
				pages->conf->instances[i].name, pages->conf->instances[i].name);
	fputs("</ul></nav>\n", out);
}

static void section(const struct pages *pages, size_t instance, FILE *out)
{
	const struct conf_instance *in = &pages->conf->instances[instance];
	size_t columns = in->collector->n_graphs < 3 ? in->collector->n_graphs : 3;

	fprintf(out, "<section class=\"c%zu\" aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n<p>",
		columns, in->name, in->name, in->name);
	page_html(in->collector->help, out);
	fputs("; the last day.</p>\n<div class=\"grid\">\n", out);
	for (size_t i = 0; i < pages->n_graphs; i++)
		if (pages->graphs[i].instance == instance)
			figure(pages, &pages->graphs[i], &spans[DAY], true, out);
	fputs("</div>\n</section>\n", out);
}

void page_index(const struct pages *pages, FILE *out)
{
	head(pages, "where Linux loses connections", out);
	fputs("<header><h1>", out);
	page_html(pages->host, out);
	fputs("</h1>\n", out);
	navigation(pages, out);
	fputs("</header>\n<main class=\"columns\">\n", out);
	alerts(pages, out);
	page_limits(pages, out);
	for (size_t i = 0; i < pages->conf->n_instances; i++)
		if (pages->conf->instances[i].collector->n_graphs)
			section(pages, i, out);
	fputs("</main>\n", out);
	foot(out);
}

static void meanings(const struct pages *pages, const struct graph_ref *graph, FILE *out)
{
	const struct collector *collector = pages->conf->instances[graph->instance].collector;
	size_t n = graphdef_series(graph->graph);

	fputs("<section aria-labelledby=\"meaning\">\n<h2 id=\"meaning\">What is "
	      "drawn</h2>\n<dl>\n",
		out);
	for (size_t i = 0; i < n; i++) {
		const struct graph_series *s = &graph->graph->series[i];

		fputs("<dt>", out);
		page_html(s->legend, out);
		fputs("</dt><dd>", out);
		page_html(collector->metrics[s->metric].help, out);
		fputs("</dd>\n", out);
	}
	fputs("</dl>\n</section>\n", out);
}

void page_graph(const struct pages *pages, const struct graph_ref *graph, FILE *out)
{
	head(pages, graph->graph->title, out);
	fputs("<header><nav aria-label=\"Back\"><ul><li><a href=\"index.cgi\">All "
	      "graphs</a></li></ul></nav>\n<h1>",
		out);
	page_html(graph->graph->title, out);
	fputs("</h1>\n<p>", out);
	page_html(pages->host, out);
	fprintf(out, ", %s</p></header>\n<main>\n<div class=\"grid\">\n",
		pages->conf->instances[graph->instance].name);
	for (size_t i = 0; i < ARRAY_LEN(spans); i++)
		figure(pages, graph, &spans[i], false, out);
	fputs("</div>\n", out);
	meanings(pages, graph, out);
	fputs("</main>\n", out);
	foot(out);
}
