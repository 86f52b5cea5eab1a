/* SPDX-License-Identifier: MIT */
/* The index's table of limits: value, percent and level as of the last row. */
#include "cli/page_part.h"

#include <stdio.h>

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
		arglist_add(args, "CDEF:c=p,UN,UNKN,p,%.10g,GE,2,p,%.10g,GE,1,0,IF,IF,IF",
			rule->critical, rule->warning);
	else if (rule->critical > 0)
		arglist_add(args, "CDEF:c=p,UN,UNKN,p,%.10g,GE,2,0,IF,IF", rule->critical);
	else
		arglist_add(args, "CDEF:c=p,UN,UNKN,p,%.10g,GE,1,0,IF,IF", rule->warning);
}

/* Nothing is drawn; PRINTs from 2 on: value, limit, percent, level, time, and a percent that is 0
 * where it is unknown. */
static void limit_tag(const struct pages *pages, const struct limit *limit, FILE *out)
{
	const struct conf *conf = pages->conf;
	struct arglist args = {0};

	arglist_add(&args, "/dev/null");
	arglist_add(&args, "--imginfo");
	arglist_add(&args, "%s", PAGE_IMGINFO);
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
	page_tag("GRAPH", &args, out);
	arglist_free(&args);
}

static void meter(const struct rule *rule, FILE *out)
{
	double critical = rule->critical > 0 ? rule->critical : 100,
	       warning = rule->warning > 0 ? rule->warning : critical;

	fprintf(out,
		"<meter min=\"0\" max=\"100\" optimum=\"0\" low=\"%.4g\" high=\"%.4g\" value=\"",
		warning < 100 ? warning : 100, critical < 100 ? critical : 100);
	page_print(7, out);
	fputs("\"></meter>", out);
}

static void limit_row(const struct pages *pages, const struct limit *limit, FILE *out)
{
	const struct collector *collector = pages->conf->instances[limit->instance].collector;

	fputs("<tr><th scope=\"row\">", out);
	page_html(limit->label, out);
	fputs(" ", out);
	limit_tag(pages, limit, out);
	fputs("</th><td data-v=\"", out);
	page_print(2, out);
	fputs("\"><!-- ", out);
	page_print(0, out);
	fputs("<span>", out);
	page_print(2, out);
	fputs("<span data-v=\"", out);
	page_print(3, out);
	fputs("\"> of ", out);
	page_print(3, out);
	fputs("</span> ", out);
	page_html(collector->metrics[limit->metric].unit, out);
	fputs("</span></td><td data-v=\"", out);
	page_print(4, out);
	fputs("\"><span>", out);
	page_print(4, out);
	fputs("%</span></td><td data-v=\"", out);
	page_print(4, out);
	fputs("\"><span>", out);
	meter(limit->rule, out);
	fputs("</span></td><td data-level=\"", out);
	page_print(5, out);
	fputs("\"></td><td data-v=\"", out);
	page_print(2, out);
	fputs("\"><span>", out);
	page_print(6, out);
	fputs("</span></td></tr>\n<tr hidden><td colspan=\"6\">", out);
	page_print(1, out);
	fputs("-->cannot be read now</td></tr>\n", out);
}

void page_limits(const struct pages *pages, FILE *out)
{
	fputs("<section class=\"c2\" aria-labelledby=\"current-limits\">\n<h2 "
	      "id=\"current-limits\">Limits</h2>\n"
	      "<table class=\"limits\">\n<thead><tr><th scope=\"col\">limit</th><th "
	      "scope=\"col\">last value</th><th scope=\"col\">percent</th><th "
	      "scope=\"col\">used</th><th scope=\"col\">level</th><th "
	      "scope=\"col\">read at</th></tr></thead>\n<tbody>\n",
		out);
	for (size_t i = 0; i < pages->n_limits; i++)
		limit_row(pages, &pages->limits[i], out);
	fputs("</tbody>\n</table>\n</section>\n", out);
}
