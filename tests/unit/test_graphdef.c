/* SPDX-License-Identifier: MIT */
/* Graphs as rrdtool's arguments and as pages, of real configurations. */
#include "cli/graphdef.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page.h"
#include "tests/unit/conf_text.h"
#include "tests/unit/test.h"

/* What a test looks at: one graph's arguments. */
struct drawing {
	struct conf *conf;
	struct graph_ref *refs;
	size_t n;
	struct arglist args;
};

static const struct graph_ref *find(const struct drawing *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->refs[i].name, name) == 0)
			return &d->refs[i];
	fail_msg("there is no graph %s", name);
	return NULL;
}

static void load(struct drawing *d, const char *text)
{
	*d = (struct drawing){.conf = conf_text_load(text)};
	assert_int_equal(graphdef_list(d->conf, &d->refs, &d->n), 0);
}

static void draw(struct drawing *d, const char *name, enum graph_form form, long span)
{
	const struct graph_request request = {
		.conf = d->conf,
		.ref = find(d, name),
		.form = form,
		.start = "end-1d",
		.end = "now",
		.span = span,
		.zone = "UTC",
	};

	arglist_free(&d->args);
	graphdef_add(&request, &d->args);
	assert_false(d->args.failed);
}

static void unload(struct drawing *d)
{
	arglist_free(&d->args);
	free(d->refs);
	conf_free(d->conf);
}

/* How many arguments begin so. */
static size_t count(const struct drawing *d, const char *begin)
{
	size_t n = 0;

	for (size_t i = 0; i < d->args.n; i++)
		n += strncmp(d->args.arg[i], begin, strlen(begin)) == 0;
	return n;
}

static bool has(const struct drawing *d, const char *whole)
{
	for (size_t i = 0; i < d->args.n; i++)
		if (strcmp(d->args.arg[i], whole) == 0)
			return true;
	return false;
}

static size_t position(const struct drawing *d, const char *whole)
{
	for (size_t i = 0; i < d->args.n; i++)
		if (strcmp(d->args.arg[i], whole) == 0)
			return i;
	fail_msg("there is no argument %s", whole);
	return 0;
}

static void every_graph_has_a_name_of_its_own(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "socket_group \"http\" { local_ports = { 80 } }\n"
		 "socket_group \"http-states\" { local_ports = { 81 } }\n"
		 "socket_group \"states\" { local_ports = { 82 } }\n"
		 "listener \"https\" { port = 443 }\n");
	assert_true(d.n > 20);
	for (size_t i = 0; i < d.n; i++) {
		assert_int_equal(strspn(d.refs[i].name, "abcdefghijklmnopqrstuvwxyz0123456789_-"),
			strlen(d.refs[i].name));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(d.refs[i].name, d.refs[k].name);
	}
	find(&d, "conntrack-table");
	find(&d, "sockets-states");
	find(&d, "sockets-http-states");
	find(&d, "sockets-states-states");
	find(&d, "listener-https-queue");
	unload(&d);
}

static void collector_that_is_switched_off_has_none(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "conntrack { enabled = false }\n");
	for (size_t i = 0; i < d.n; i++)
		assert_int_not_equal(strncmp(d.refs[i].name, "conntrack", 9), 0);
	unload(&d);
}

static void colons_and_backslashes_of_a_path_are_escaped(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "rrd { directory = \"/tmp/it's a:b \\\\ \\\"c\\\" %s\" }\n");
	draw(&d, "conntrack-table", GRAPH_PICTURE, 0);
	assert_true(has(&d, "DEF:a0=/tmp/it's a\\:b \\\\ \"c\" %s/conntrack.rrd:entries:AVERAGE"));
	unload(&d);
}

static void limit_and_thresholds_are_lines(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "");
	draw(&d, "conntrack-table", GRAPH_PAGE, 86400);
	assert_true(has(&d, "CDEF:n2=a2,0,GT,a2,UNKN,IF")); /* 0 is no limit */
	assert_true(has(&d, "LINE1.5:n2#000000"));
	assert_true(has(&d, "CDEF:t0=n2,80,*,100,/"));
	assert_true(has(&d, "LINE1:t0#e69f00::dashes=5,3"));
	assert_true(has(&d, "CDEF:t1=n2,90,*,100,/"));
	assert_true(has(&d, "LINE1:t1#d55e00::dashes=5,3"));
	/* No area hides them. */
	assert_true(position(&d, "LINE1.5:n2#000000") > position(&d, "AREA:a0#56b4e9"));
	assert_true(position(&d, "LINE1:t0#e69f00::dashes=5,3") > position(&d, "AREA:a0#56b4e9"));
	unload(&d);
}

static void rule_that_is_changed_moves_its_line(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "alert \"conntrack-full\" { warning = 50  critical = 0 }\n"
		 "alert \"orphans\" { enabled = false }\n"
		 "alert \"mine\" { value = \"tcp.attempt_fails\"  over = \"60s\"  warning = 7.5 "
		 "}\n");
	draw(&d, "conntrack-table", GRAPH_PICTURE, 0);
	assert_true(has(&d, "CDEF:t0=n2,50,*,100,/"));
	assert_true(has(&d, "LINE1:t0#e69f00:warning at 50%:dashes=5,3"));
	assert_int_equal(count(&d, "CDEF:t1"), 0);
	draw(&d, "limits-orphans", GRAPH_PICTURE, 0);
	assert_int_equal(count(&d, "CDEF:t"), 0);
	draw(&d, "tcp-opens", GRAPH_PICTURE, 0);
	assert_true(has(&d, "HRULE:7.5#e69f00:warning at 7.5:dashes=5,3"));
	unload(&d);
}

static void rule_about_any_increase_is_no_line(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "");
	draw(&d, "conntrack-drops", GRAPH_PAGE, 86400);
	assert_int_equal(count(&d, "HRULE"), 0);
	unload(&d);
}

static void listener_has_the_thresholds_of_its_pattern(void **state)
{
	struct graph_threshold thresholds[GRAPH_THRESHOLDS];
	struct drawing d;

	(void)state;
	load(&d, "listener \"https\" { port = 443 }\nlistener \"ssh\" { port = 22 }\n");
	assert_int_equal(
		graphdef_thresholds(d.conf, find(&d, "listener-ssh-queue"), thresholds), 2);
	assert_string_equal(thresholds[0].legend, "warning at 80%");
	assert_int_equal(thresholds[0].limit, 1);
	assert_int_equal(
		graphdef_thresholds(d.conf, find(&d, "listener-https-drops"), thresholds), 2);
	assert_string_equal(thresholds[1].legend, "critical at 5");
	assert_true(thresholds[1].limit == SIZE_MAX);
	unload(&d);
}

static void maxima_are_drawn_where_points_are_coarser_than_rows(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "");
	draw(&d, "limits-orphans", GRAPH_PAGE, 3600);
	assert_int_equal(count(&d, "DEF:m"), 0);
	draw(&d, "limits-orphans", GRAPH_PAGE, 86400);
	assert_true(has(&d,
		"DEF:m0=/var/lib/connwatchd/rrd/limits.rrd:orphans:AVERAGE:reduce=MAX:step=10"));
	assert_true(has(&d, "VDEF:x0=m0,MAXIMUM"));
	assert_true(has(&d, "LINE0.75:m0#56b4e9"));
	draw(&d, "limits-orphans", GRAPH_PAGE, 7 * 86400);
	assert_true(has(&d, "DEF:a0=/var/lib/connwatchd/rrd/limits.rrd:orphans:AVERAGE:step=60"));
	assert_true(has(&d, "DEF:m0=/var/lib/connwatchd/rrd/limits.rrd:orphans:MAX:step=60"));
	draw(&d, "limits-orphans", GRAPH_PICTURE, 0);
	assert_true(has(&d, "DEF:m0=/var/lib/connwatchd/rrd/limits.rrd:orphans:MAX"));
	unload(&d);
}

static void single_archive_is_asked_for_its_own_maxima(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "rrd { archives = { \"10s:2d\" } }\n");
	draw(&d, "limits-orphans", GRAPH_PAGE, 86400);
	assert_true(has(&d,
		"DEF:m0=/var/lib/connwatchd/rrd/limits.rrd:orphans:AVERAGE:reduce=MAX:step=10"));
	unload(&d);
}

/* The line of an instance's peaks stands for the maximum of the entries. */
static void peak_is_the_maximum_of_the_one_before(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "");
	draw(&d, "conntrack-table", GRAPH_PAGE, 86400);
	assert_true(has(&d, "LINE0.75:m1#0072b2"));
	assert_int_equal(count(&d, "LINE0.75:m0"), 0);
	unload(&d);
}

static void unknown_is_a_gap_but_not_what_is_not_to_be_known_yet(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "interval = 10\n");
	draw(&d, "sockets-states", GRAPH_PAGE, 3600);
	assert_true(has(&d, "CDEF:gap=a0,UN,TIME,NOW,20,-,LT,*,INF,UNKN,IF"));
	draw(&d, "sockets-states", GRAPH_PAGE, 365 * 86400);
	assert_true(has(&d, "CDEF:gap=a0,UN,TIME,NOW,131400,-,LT,*,INF,UNKN,IF"));
	unload(&d);
}

static void numbers_are_whole_and_rates_are_not(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "");
	draw(&d, "conntrack-table", GRAPH_PAGE, 86400);
	assert_true(has(&d, "PRINT:l0:%.0lf"));
	draw(&d, "tcp-segments", GRAPH_PAGE, 86400);
	assert_true(has(&d, "PRINT:p1:%.2lf"));
	unload(&d);
}

static void page_prints_what_its_legend_reads(void **state)
{
	struct drawing d;
	size_t first;

	(void)state;
	load(&d, "");
	draw(&d, "conntrack-table", GRAPH_PAGE, 86400);
	assert_int_equal(count(&d, "PRINT:"), 2 + 4 + 4 + 1);
	assert_int_equal(count(&d, "GPRINT:"), 0);
	first = d.args.n - (2 + 4 + 4 + 1);
	assert_string_equal(d.args.arg[first], "PRINT:l0:-->:strftime");
	assert_string_equal(d.args.arg[first + 1], "PRINT:l0:<!-- >:strftime");
	assert_string_equal(d.args.arg[first + 2], "PRINT:l0:%.0lf");
	assert_string_equal(d.args.arg[first + 9], "PRINT:p1:%.0lf");
	assert_string_equal(d.args.arg[first + 10], "PRINT:l2:%.0lf");
	unload(&d);
}

static void picture_has_legend_title_and_zone(void **state)
{
	struct drawing d;

	(void)state;
	load(&d, "");
	draw(&d, "conntrack-table", GRAPH_PICTURE, 0);
	assert_true(has(&d, "--title=conntrack: Connection tracking table"));
	assert_true(has(&d, "--watermark=times in UTC"));
	assert_int_equal(count(&d, "GPRINT:"), 4 + 4 + 1);
	assert_int_equal(count(&d, "PRINT:"), 0);
	unload(&d);
}

static char *quoted(const char *text)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	page_argument(text, f);
	assert_int_equal(fclose(f), 0);
	return out;
}

static void argument_of_a_tag_cannot_end_it(void **state)
{
	char *out = quoted("it's \"a\" b");

	(void)state;
	assert_string_equal(out, " 'it'\"'\"'s \"a\" b'");
	free(out);
	assert_true(page_can_hold("/var/lib/it's \"a\" b:c\\d"));
	assert_false(page_can_hold("/tmp/<RRD::CV x>"));
	assert_false(page_can_hold("/tmp/a>"));
	assert_false(page_can_hold("/tmp/a\nb"));
}

static void pages_take_no_parameter(void **state)
{
	struct pages pages = {.images = "/i", .alerts = "/a", .host = "<host> & \"co\""};
	char *text = NULL;
	struct drawing d;
	size_t size;
	FILE *out;

	(void)state;
	load(&d, "socket_group \"http\" { local_ports = { 80 } }\n");
	pages.conf = d.conf;
	pages.graphs = d.refs;
	pages.n_graphs = d.n;
	out = open_memstream(&text, &size);
	assert_non_null(out);
	page_index(&pages, out);
	for (size_t i = 0; i < d.n; i++)
		page_graph(&pages, &d.refs[i], out);
	assert_int_equal(fclose(out), 0);
	assert_null(strstr(text, "RRD::CV"));
	assert_null(strstr(text, "RRD::GETENV"));
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "style="));
	assert_null(strstr(text, "://"));
	assert_null(strstr(text, "<host>"));
	assert_non_null(strstr(text, "<h1>&lt;host&gt; &amp; &quot;co&quot;</h1>"));
	free(text);
	unload(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_graph_has_a_name_of_its_own),
		cmocka_unit_test(collector_that_is_switched_off_has_none),
		cmocka_unit_test(colons_and_backslashes_of_a_path_are_escaped),
		cmocka_unit_test(limit_and_thresholds_are_lines),
		cmocka_unit_test(rule_that_is_changed_moves_its_line),
		cmocka_unit_test(rule_about_any_increase_is_no_line),
		cmocka_unit_test(listener_has_the_thresholds_of_its_pattern),
		cmocka_unit_test(maxima_are_drawn_where_points_are_coarser_than_rows),
		cmocka_unit_test(single_archive_is_asked_for_its_own_maxima),
		cmocka_unit_test(peak_is_the_maximum_of_the_one_before),
		cmocka_unit_test(unknown_is_a_gap_but_not_what_is_not_to_be_known_yet),
		cmocka_unit_test(numbers_are_whole_and_rates_are_not),
		cmocka_unit_test(page_prints_what_its_legend_reads),
		cmocka_unit_test(picture_has_legend_title_and_zone),
		cmocka_unit_test(argument_of_a_tag_cannot_end_it),
		cmocka_unit_test(pages_take_no_parameter),
	};

	return cmocka_run_group_tests(tests, conf_text_setup, conf_text_teardown);
}
