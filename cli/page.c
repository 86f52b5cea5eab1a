/* SPDX-License-Identifier: MIT */
#include "cli/page.h"

#include <stdbool.h>
#include <string.h>

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
#define IMGINFO "<!--%s %lu %lu-->"

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

static void html(const char *text, FILE *out)
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

static void tag(const char *name, const struct arglist *args, FILE *out)
{
	fprintf(out, "<RRD::%s", name);
	for (size_t i = 0; i < args->n; i++)
		page_argument(args->arg[i], out);
	fputc('>', out);
}

/* What the n-th PRINT of the graph before has given. */
static void print(size_t n, FILE *out)
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
	html(pages->host, out);
	fputs(": ", out);
	html(title, out);
	fputs("</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n</head>\n<body>\n"
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
	tag("TIME::LAST", &args, out);
	arglist_free(&args);
}

static void graph_tag(const struct pages *pages, const struct graph_ref *graph,
	const struct span *span, FILE *out)
{
	const struct graph_request request = {
		.conf = pages->conf,
		.ref = graph,
		.form = GRAPH_PAGE,
		.start = span->start,
		.end = "now",
		.span = span->seconds,
	};
	struct arglist args = {0};

	arglist_add(&args, "%s/%s-%s.png", pages->images, graph->name, span->name);
	arglist_add(&args, "--imginfo");
	arglist_add(&args, "%s", IMGINFO);
	graphdef_add(&request, &args);
	tag("GRAPH", &args, out);
	arglist_free(&args);
}

/* "Connection tracking table, last day, in entries: entries last 1, average 1, maximum 1; ..." */
static void alternative_text(const struct graph *graph, const struct span *span, FILE *out)
{
	size_t n = graphdef_series(graph), at = 2;

	html(graph->title, out);
	fprintf(out, ", %c%s, in ", span->text[0] | 0x20, span->text + 1);
	html(graph->unit, out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "; " : ": ", out);
		html(graph->series[i].legend, out);
		fputs(" last ", out);
		print(at, out);
		if (graph->series[i].style == GRAPH_LIMIT) {
			at++;
			continue;
		}
		fputs(", average ", out);
		print(at + 1, out);
		fputs(", maximum ", out);
		print(at + 2, out);
		at += 4;
	}
}

static void image(const struct pages *pages, const struct graph_ref *graph, const struct span *span,
	bool is_index, FILE *out)
{
	fputs("<p class=\"graph\">", out);
	graph_tag(pages, graph, span, out);
	fputs("<!--", out);
	last_tag(pages, graph, GRAPHDEF_SHOW, out);
	if (is_index)
		fprintf(out, "<a href=\"%s.cgi\">", graph->name);
	fprintf(out, "<img src=\"images/%s-%s.png\" width=\"%d\" height=\"%d\" alt=\"", graph->name,
		span->name, GRAPH_PAGE_WIDTH, GRAPH_PAGE_HEIGHT);
	alternative_text(graph->graph, span, out);
	fprintf(out, "\">%s</p><p hidden>", is_index ? "</a>" : "");
	last_tag(pages, graph, GRAPHDEF_END, out);
	fputs("--> This graph cannot be drawn now: ", out);
	html(pages->conf->rrd_directory, out);
	fprintf(out, "/%s.rrd is missing, damaged or not readable, or ",
		pages->conf->instances[graph->instance].name);
	html(pages->images, out);
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
		html(s->legend, out);
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
		html(thresholds[i].legend, out);
		fputs("</th></tr>\n", out);
	}
}

static void legend(const struct pages *pages, const struct graph_ref *graph, FILE *out)
{
	fputs("<!--", out);
	print(0, out);
	fputs("<table class=\"legend\">\n<thead><tr><th scope=\"col\">", out);
	html(graph->graph->unit, out);
	fputs("</th><th scope=\"col\">last</th><th scope=\"col\">average</th><th "
	      "scope=\"col\">maximum</th><th "
	      "scope=\"col\">95th&nbsp;%</th></tr></thead>\n<tbody>\n",
		out);
	legend_rows(graph->graph, out);
	threshold_rows(pages, graph, out);
	fputs("</tbody></table>", out);
	print(1, out);
	fputs("-->\n", out);
}

/* With a heading, which is a link where the page is another one. */
static void figure(const struct pages *pages, const struct graph_ref *graph,
	const struct span *span, bool is_index, FILE *out)
{
	fputs("<article>\n", out);
	if (is_index) {
		fprintf(out, "<h3><a href=\"%s.cgi\">", graph->name);
		html(graph->graph->title, out);
		fputs("</a></h3>\n", out);
	} else {
		fprintf(out, "<h2>%s</h2>\n", span->text);
	}
	image(pages, graph, span, is_index, out);
	legend(pages, graph, out);
	fputs("</article>\n", out);
}

static void add_reading(struct arglist *args, const struct conf *conf, const char *name,
	size_t instance, size_t metric)
{
	char rest[64];

	/* As it was read: a coarser row may not be there yet. */
	snprintf(rest, sizeof(rest), "%s:AVERAGE:step=%ld",
		conf->instances[instance].collector->metrics[metric].name, conf->interval);
	graphdef_add_def(args, conf, instance, name, rest);
}

/* c: 0, 1 for a warning, 2 for critical. */
static void add_level(struct arglist *args, const struct rule *rule)
{
	if (rule->critical > 0 && rule->warning > 0)
		arglist_add(args, "CDEF:c=p,%.10g,GE,2,p,%.10g,GE,1,0,IF,IF", rule->critical,
			rule->warning);
	else if (rule->critical > 0)
		arglist_add(args, "CDEF:c=p,%.10g,GE,2,0,IF", rule->critical);
	else
		arglist_add(args, "CDEF:c=p,%.10g,GE,1,0,IF", rule->warning);
}

/* Nothing is drawn; PRINTs from 2 on: value, limit, percent, level, time, and a percent that is 0
 * where it is unknown. */
static void limit_tag(const struct pages *pages, const struct limit *limit, FILE *out)
{
	const struct conf *conf = pages->conf;
	struct arglist args = {0};

	arglist_add(&args, "/dev/null");
	arglist_add(&args, "--imginfo");
	arglist_add(&args, "%s", IMGINFO);
	arglist_add(&args, "--start=end-%ld", conf->interval > 200 ? 3 * conf->interval : 600);
	add_reading(&args, conf, "v", limit->instance, limit->metric);
	add_reading(&args, conf, "m", limit->limit_instance, limit->limit_metric);
	arglist_add(&args, "CDEF:p=m,0,GT,v,100,*,m,/,UNKN,IF");
	arglist_add(&args, "CDEF:z=p,UN,COUNT,1,EQ,0,PREV,IF,p,IF");
	add_level(&args, limit->rule);
	for (const char *name = "vmpzc"; *name; name++)
		arglist_add(&args, "VDEF:l%c=%c,LAST", *name, *name);
	arglist_add(&args, "PRINT:lv:" GRAPHDEF_SHOW ":strftime");
	arglist_add(&args, "PRINT:lv:" GRAPHDEF_END ":strftime");
	arglist_add(&args, "PRINT:lv:%%.0lf");
	arglist_add(&args, "PRINT:lm:%%.0lf");
	arglist_add(&args, "PRINT:lp:%%.1lf");
	arglist_add(&args, "PRINT:lc:%%.0lf");
	arglist_add(&args, "PRINT:lv:%%H\\:%%M\\:%%S:strftime");
	arglist_add(&args, "PRINT:lz:%%.1lf");
	tag("GRAPH", &args, out);
	arglist_free(&args);
}

static void meter(const struct rule *rule, FILE *out)
{
	double critical = rule->critical > 0 ? rule->critical : 100,
	       warning = rule->warning > 0 ? rule->warning : critical;

	fprintf(out,
		"<meter min=\"0\" max=\"100\" optimum=\"0\" low=\"%.4g\" high=\"%.4g\" value=\"",
		warning < 100 ? warning : 100, critical < 100 ? critical : 100);
	print(7, out);
	fputs("\"></meter>", out);
}

static void limit_row(const struct pages *pages, const struct limit *limit, FILE *out)
{
	const struct collector *collector = pages->conf->instances[limit->instance].collector;

	fputs("<tr><th scope=\"row\">", out);
	html(limit->label, out);
	fputs(" ", out);
	limit_tag(pages, limit, out);
	fputs("</th><td data-v=\"", out);
	print(2, out);
	fputs("\"><!--", out);
	print(0, out);
	fputs("<span>", out);
	print(2, out);
	fputs("<span data-v=\"", out);
	print(3, out);
	fputs("\"> of ", out);
	print(3, out);
	fputs("</span> ", out);
	html(collector->metrics[limit->metric].unit, out);
	fputs("</span></td><td data-v=\"", out);
	print(4, out);
	fputs("\"><span>", out);
	print(4, out);
	fputs("%</span></td><td data-v=\"", out);
	print(4, out);
	fputs("\"><span>", out);
	meter(limit->rule, out);
	fputs("</span></td><td data-level=\"", out);
	print(5, out);
	fputs("\"></td><td data-v=\"", out);
	print(2, out);
	fputs("\"><span>", out);
	print(6, out);
	fputs("</span></td></tr>\n<tr hidden><td colspan=\"6\">", out);
	print(1, out);
	fputs("-->cannot be read now</td></tr>\n", out);
}

static void limits(const struct pages *pages, FILE *out)
{
	fputs("<section aria-labelledby=\"limits\">\n<h2 id=\"limits\">Limits</h2>\n"
	      "<table class=\"limits\">\n<thead><tr><th scope=\"col\">limit</th><th "
	      "scope=\"col\">last value</th><th scope=\"col\">percent</th><th "
	      "scope=\"col\">used</th><th scope=\"col\">level</th><th "
	      "scope=\"col\">read at</th></tr></thead>\n<tbody>\n",
		out);
	for (size_t i = 0; i < pages->n_limits; i++)
		limit_row(pages, &pages->limits[i], out);
	fputs("</tbody>\n</table>\n</section>\n", out);
}

/* The daemon's file begins and ends as GRAPHDEF_SHOW and GRAPHDEF_END do; it may be empty. */
static void alerts(const struct pages *pages, FILE *out)
{
	if (!pages->alerts)
		return;
	fputs("<section aria-labelledby=\"alerts\">\n<h2 id=\"alerts\">Open alerts</h2>\n<p><!--"
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

	fprintf(out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n<p>", in->name,
		in->name, in->name);
	html(in->collector->help, out);
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
	html(pages->host, out);
	fputs("</h1>\n", out);
	navigation(pages, out);
	fputs("</header>\n<main>\n", out);
	alerts(pages, out);
	limits(pages, out);
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
		html(s->legend, out);
		fputs("</dt><dd>", out);
		html(collector->metrics[s->metric].help, out);
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
	html(graph->graph->title, out);
	fputs("</h1>\n<p>", out);
	html(pages->host, out);
	fprintf(out, ", %s</p></header>\n<main>\n<div class=\"grid\">\n",
		pages->conf->instances[graph->instance].name);
	for (size_t i = 0; i < ARRAY_LEN(spans); i++)
		figure(pages, graph, &spans[i], false, out);
	fputs("</div>\n", out);
	meanings(pages, graph, out);
	fputs("</main>\n", out);
	foot(out);
}

/* The picture is made dark as the page is, by turning its lightness round and keeping its hues. */
static const char style[] =
	":root{--back:#fff;--text:#1c1f23;--soft:#5a6068;--line:#d9dde2;--link:#0057a3;"
	"--bad:#a33b00}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:.75rem;max-width:100rem;background:var(--back);"
	"color:var(--text);font:1rem/1.4 system-ui,\"DejaVu Sans\",sans-serif}\n"
	"a{color:var(--link)}\n"
	"h1{font-size:1.4rem;margin:.25rem 0;overflow-wrap:anywhere}\n"
	"h2{font-size:1.15rem;margin:1.25rem 0 .25rem}\n"
	"h3{font-size:1rem;margin:0 0 .25rem}\n"
	"p{margin:.25rem 0}\n"
	"section>p,header p,footer{color:var(--soft);font-size:.9rem}\n"
	"nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1rem}\n"
	"nav a{display:inline-block;padding:.2rem 0}\n"
	".grid{display:grid;gap:1.25rem 1.5rem;align-items:start;"
	"grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr))}\n"
	"article{min-width:0;break-inside:avoid}\n"
	"article h2{margin-top:.5rem}\n"
	".graph{margin:0;overflow-wrap:anywhere}\n"
	".graph img{display:block;width:100%;max-width:30rem;height:auto}\n"
	"table{border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums}\n"
	"th{text-align:left;font-weight:normal}\n"
	"thead th{color:var(--soft)}\n"
	"td,thead th+th{text-align:right}\n"
	"th,td{padding:.1rem .3rem;vertical-align:top}\n"
	".legend{width:100%;max-width:30rem}\n"
	".legend th:first-child{padding-left:1.25rem;text-indent:-1.25rem;width:40%}\n"
	".limits{margin:.25rem 0}\n"
	".limits tr{border-bottom:1px solid var(--line)}\n"
	".limits td:nth-child(2),.limits th:nth-child(2),.limits th:nth-child(4){text-align:left}\n"
	".limits meter{width:5rem}\n"
	"td[data-v*=\"nan\"] span,span[data-v*=\"nan\"]{display:none}\n"
	"td[data-v*=\"nan\"]::after{content:\"\\2013\"}\n"
	"td[data-level=\"1\"]::after{content:\"warning\";font-weight:bold}\n"
	"td[data-level=\"2\"]::after{content:\"critical\";font-weight:bold;color:var(--bad)}\n"
	"td[data-level=\"0\"]::after{content:\"ok\"}\n"
	".key{display:inline-block;text-indent:0;width:.9rem;height:.7rem;margin-right:.35rem}\n"
	".key.line{height:.2rem;vertical-align:middle}\n"
	".key.dash{height:.2rem;vertical-align:middle;"
	"-webkit-mask:repeating-linear-gradient(90deg,#000 0 .3rem,#0000 .3rem .45rem);"
	"mask:repeating-linear-gradient(90deg,#000 0 .3rem,#0000 .3rem .45rem)}\n"
	".key.gap{background:#80808038;margin-right:0}\n"
	"ul.alerts{margin:.25rem 0;padding-left:1.2rem}\n"
	".level{font-weight:bold}\n"
	".critical .level{color:var(--bad)}\n"
	"dl{font-size:.9rem}\ndt{font-weight:bold}\ndd{margin:0 0 .4rem}\n"
	"footer{margin-top:1.5rem;border-top:1px solid var(--line)}\n"
	"@media (max-width:40rem){.legend th:first-child{width:32%}.limits thead,.limits "
	"td:nth-child(4),"
	".limits td:nth-child(6){display:none}}\n"
	"@media (prefers-color-scheme:dark){:root{--back:#121417;--text:#e4e7eb;--soft:#a2a9b3;"
	"--line:#343a42;--link:#7ab8f5;--bad:#ff9a5c}\n"
	".graph img,.key{filter:invert(1) hue-rotate(180deg) brightness(1.35)}}\n"
	"@media print{:root{--back:#fff;--text:#000;--soft:#333;--line:#bbb;--link:#000;"
	"--bad:#000}\nbody{max-width:none;padding:0;font-size:10pt}\nnav{display:none}\n"
	".graph img,.key{filter:none;-webkit-print-color-adjust:exact;"
	"print-color-adjust:exact}\n.grid{grid-template-columns:1fr 1fr}}\n";

void page_style(FILE *out)
{
	fputs(style, out);
	for (int i = 0; i < N_COLOURS; i++)
		fprintf(out, ".k%d{background:%s}\n", i, graphdef_colour((enum graph_colour)i));
}
