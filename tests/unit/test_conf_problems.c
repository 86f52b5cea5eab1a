/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/util.h"
#include "tests/unit/conf_text.h"
#include "tests/unit/test.h"

#define CASES SRCDIR "/tests/fixtures/cases/"

static void assert_problems(const char *text, const char *expected)
{
	CLEANUP_FREE char *problems = conf_text_problems(text);

	assert_string_equal(problems, expected);
}

static void assert_case(const char *path, const char *expected)
{
	CLEANUP_FREE char *problems = conf_file_problems(path, -EINVAL);
	const char *name = strrchr(path, '/') + 1, *line = strstr(problems, name);

	assert_non_null(line);
	assert_string_equal(line, expected);
}

static void given_cases_are_refused(void **state)
{
	(void)state;
	assert_case(CASES "35-interval-zero/zero.conf",
		"zero.conf:1: interval: \"0\" is not a whole number in 1..3600\n");
	assert_case(CASES "35-interval-zero/negative.conf",
		"negative.conf:2: interval: \"-5\" is not a whole number in 1..3600\n");
	assert_case(CASES "37-locale-comma/comma.conf",
		"comma.conf:2: alert \"conntrack-full\": warning: unexpected \",\" after \"80\" "
		"(decimals have a point, lists stand in { })\n");
	assert_case(CASES "39-section-twice/misspelt-section.conf",
		"misspelt-section.conf:1: unknown section \"allert\", did you mean \"alert\"?\n");
	assert_case(CASES "39-section-twice/misspelt.conf",
		"misspelt.conf:1: unknown key \"intervall\", did you mean \"interval\"?\n");
	assert_case(CASES "39-section-twice/option-twice.conf",
		"option-twice.conf:2: interval is given twice, first at " CASES
		"39-section-twice/option-twice.conf:1\n");
	assert_case(CASES "39-section-twice/twice.conf",
		"twice.conf:4: section alert \"conntrack-full\" is given twice, first at " CASES
		"39-section-twice/twice.conf:1\n");
}

static void all_problems_are_told_in_order(void **state)
{
	(void)state;
	conf_text_write("sub.conf", "\ninterval = 9\nlog { level = loud }\n");
	assert_problems("watch_interval = nan\n"
			"include(\"sub.conf\")\n"
			"intervall = 5\n"
			"/* two\nlines */ proc = \"\"\n"
			"interval = 5\n"
			"tcp { enabled = 1 }\n",
		"main.conf:1: watch_interval: \"nan\" is not a whole number in 0..3600\n"
		"main.conf:3: unknown key \"intervall\", did you mean \"interval\"?\n"
		"main.conf:5: proc: \"\" is not a path\n"
		"main.conf:6: interval is given twice, first at sub.conf:2\n"
		"main.conf:7: tcp.enabled: \"1\" is not true or false\n"
		"sub.conf:3: log.level: \"loud\" is not one of err, warning, notice, info, "
		"debug\n");
}

static void what_is_never_closed_is_told_where_it_begins(void **state)
{
	(void)state;
	assert_problems("\nlog {\n\n", "main.conf:2: section \"log\" is never closed\n");
	assert_problems("log { }\n/* x\n", "main.conf:2: comment is never closed\n");
	assert_problems("\nproc = \"/x\n\n", "main.conf:2: string is not closed on its line\n");
	assert_problems("\nrrd { archives = { 1m:1d\n}\n",
		"main.conf:2: section \"rrd\" is never closed\n");
	assert_problems("\nrrd { archives = { 1m:1d\n directory = x }\n",
		"main.conf:2: rrd.archives: the list is never closed\n");
	assert_problems("rrd {\nlog { level = info }\n",
		"main.conf:1: section \"rrd\" is never closed: "
		"section \"log\" of line 2 begins inside it\n");
	assert_problems("log { }\n}\n", "main.conf:2: \"}\" without a section that it closes\n");
	assert_problems("rrd {\nlog { level = info }\n}\n",
		"main.conf:2: section \"log\" inside section "
		"\"rrd\" of line 1: sections do not nest\n");
}

static void deep_nesting_ends_no_process(void **state)
{
	enum { DEPTH = 60000 };
	CLEANUP_FREE char *text = malloc(DEPTH * 4 + 1), *problems = NULL;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < DEPTH; i++)
		memcpy(text + i * 4, "a {\n", 5);
	problems = conf_text_problems(text);
	assert_non_null(strstr(problems, "main.conf:1: unknown section \"a\"\n"));
	assert_non_null(strstr(problems, "further problems\n"));
}

static void names_are_whole_and_known(void **state)
{
	(void)state;
	assert_problems("x = 1", "main.conf:1: unknown key \"x\"\n");
	assert_problems("log { levl = info }",
		"main.conf:1: unknown key \"levl\" in section log, did you mean \"level\"?\n");
	assert_problems("zzz { a = { 1, 2 } b = 3 }", "main.conf:1: unknown section \"zzz\"\n");
	assert_problems("INTERVAL = 5", "main.conf:1: unknown key \"INTERVAL\"\n");
	assert_problems("log = info", "main.conf:1: \"log\" is a section: write log { ... }\n");
	assert_problems("interval { }",
		"main.conf:1: \"interval\" is no section: write interval = VALUE\n");
	assert_problems("'' = 1", "main.conf:1: unknown key \"\"\n");
	assert_problems("\033[31m = 1",
		"main.conf:1: a character that has no meaning here (text with special characters "
		"belongs in \"...\")\nmain.conf:1: unknown key \"[31m\"\n");
}

static void sections_come_once(void **state)
{
	(void)state;
	assert_problems("log { }\n\nlog { }\n",
		"main.conf:3: section log is given twice, first at main.conf:1\n");
	assert_problems("tcp { }\ntcp { enabled = yes }\n",
		"main.conf:2: section tcp is given twice, first at main.conf:1\n");
	assert_problems("log { level = err\nlevel = err }",
		"main.conf:2: log.level is given twice, first at main.conf:1\n");
}

static void titles_stand_where_they_belong(void **state)
{
	static const char *const bad[] = {"", "A", "-a", "_a", "a b", "a.b", "../x", "\xc3\xa4",
		"a23456789012345678901234567890123"};
	char text[128], expected[256];

	(void)state;
	assert_problems(
		"log \"x\" { }", "main.conf:1: section log has no title: take \"x\" away\n");
	assert_problems("sockets \"x\" { }",
		"main.conf:1: section sockets has no title, did you mean socket_group \"x\"?\n");
	assert_problems("socket_group { }",
		"main.conf:1: section socket_group needs a title: socket_group \"NAME\" { ... }\n");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		snprintf(text, sizeof(text), "socket_group \"%s\" { local_ports = 1 }", bad[i]);
		snprintf(expected, sizeof(expected),
			"main.conf:1: socket_group: bad title \"%s\": 1 to 32 of a-z, 0-9, _ and "
			"-, first a letter or "
			"digit\n",
			bad[i]);
		assert_problems(text, expected);
	}
}

static void network_namespaces_have_a_path_and_a_name_of_their_own(void **state)
{
	(void)state;
	assert_problems("netns \"gw\" { path = \"run/gw\" }\nnetns \"lan\" { }\n",
		"main.conf:1: netns \"gw\": path: \"run/gw\" is not absolute\n"
		"main.conf:2: netns \"lan\": needs path, such as \"/run/netns/lan\"\n");
	assert_problems("netns \"gw\" { path = /a }\nnetns \"gw\" { path = /b }\n",
		"main.conf:2: section netns \"gw\" is given twice, first at main.conf:1\n");
	assert_problems("netns \"gw\" { path = \"\" }",
		"main.conf:1: netns \"gw\": path: \"\" is not absolute\n");
	assert_problems("netns \"gw\" { path = /a paths = /b }",
		"main.conf:1: unknown key \"paths\" in section netns, did you mean \"path\"?\n");
	assert_problems("netns \"g.w\" { path = /a }",
		"main.conf:1: netns: bad title \"g.w\": 1 to 32 of a-z, 0-9, _ and -, first a "
		"letter or "
		"digit\n");
	/* A point in the name of an alert stands behind one of them. */
	assert_problems("alert \"wg.conntrack-full\" { warning = 1 }\nnetns \"gw\" { path = /a }",
		"main.conf:1: alert \"wg.conntrack-full\": there is no netns \"wg\" that it could "
		"be of\n");
	for (size_t i = 0; i < 4; i++) {
		static const char *const bad[] = {"gw.", ".x", "gw.x.y", "gw.-x"};
		char text[128], expected[256];

		snprintf(text, sizeof(text), "netns \"gw\" { path = /a } alert \"%s\" { }", bad[i]);
		snprintf(expected, sizeof(expected),
			"main.conf:1: alert: bad title \"%s\": 1 to 32 of a-z, 0-9, _ and -, first "
			"a "
			"letter or digit; or NETNS.RULE, both of them such\n",
			bad[i]);
		assert_problems(text, expected);
	}
	assert_problems("netns \"gw\" { path = /a }\nalert \"gw.x\" { value = \"gw.limits.tw\" "
			"warning = 1 }",
		"main.conf:2: alert \"gw.x\": value: there is no \"gw.limits.tw\" "
		"(INSTANCE.COLUMN, as in "
		"status.json)\n");
}

static void values_have_one_form(void **state)
{
	static const char *const bad[] = {
		"\"\"", "010", "0x10", "nan", "inf", "1%", "5s", "1e1", "5;", "''"};
	char text[64], expected[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		size_t quoted = bad[i][0] == '"' || bad[i][0] == '\'';

		snprintf(text, sizeof(text), "\ninterval = %s", bad[i]);
		snprintf(expected, sizeof(expected),
			"main.conf:2: interval: \"%s\" is not a whole number in 1..3600\n",
			quoted ? "" : bad[i]);
		assert_problems(text, expected);
	}
	assert_problems("interval = { 5 }", "main.conf:1: interval: takes one value, not a list\n");
	assert_problems("interval =\nproc = x", "main.conf:1: interval has no value\n");
	assert_problems("interval =", "main.conf:1: interval has no value\n");
	assert_problems("interval 5", "main.conf:1: expected \"=\" or \"{\" after \"interval\"\n");
	assert_problems("= 5", "main.conf:1: unexpected \"=\"\n");
	assert_problems("interval += 5", "main.conf:1: interval: \"+=\" is not supported, write "
					 "the whole list with \"=\"\n");
	assert_problems("interval = 5\nwatch_interval = 6",
		"main.conf:2: watch_interval: 6 is longer than interval (5)\n");
	assert_problems("proc = \"${HOME}\"",
		"main.conf:1: \"${\" in a string: variables of the environment are not used here; "
		"put '...' around it if it "
		"is meant as it stands\n");
}

static void lists_are_checked_value_by_value(void **state)
{
	(void)state;
	assert_problems("socket_group \"x\" { local_ports = {} }",
		"main.conf:1: socket_group \"x\": local_ports: the list is empty\n");
	assert_problems("socket_group \"x\" { local_ports = { 80 443 } }",
		"main.conf:1: socket_group \"x\": local_ports: a \",\" is missing before "
		"\"443\"\n");
	assert_problems("socket_group \"x\" { local_ports = { 80,,443 } }",
		"main.conf:1: socket_group \"x\": local_ports: a value is missing before \",\"\n");
	assert_problems("socket_group \"x\" { local_ports = { 80,\n0,\n65536 } }",
		"main.conf:2: socket_group \"x\": local_ports: \"0\" is not a port in 1..65535\n"
		"main.conf:3: socket_group \"x\": local_ports: \"65536\" is not a port in "
		"1..65535\n");
	assert_problems("\nsocket_group \"x\" { }",
		"main.conf:2: socket_group \"x\": needs local_ports, remote_ports or networks\n");
}

static void archives_fit_or_are_refused(void **state)
{
	(void)state;
	assert_problems("rrd {\narchives = { 15s:1d } }",
		"main.conf:2: rrd.archives: \"15s:1d\": the "
		"resolution is no multiple of interval (10 s)\n");
	assert_problems("rrd { archives = { 1h:1m } }",
		"main.conf:1: rrd.archives: \"1h:1m\": the span is shorter than the resolution\n");
	assert_problems("rrd { archives = { 10s:99y } }",
		"main.conf:1: rrd.archives: \"10s:99y\" makes "
		"312206400 rows, more than 10000000\n");
	assert_problems("rrd { archives = { 10s:101y } }",
		"main.conf:1: rrd.archives: \"10s:101y\": the span is longer than 100 years\n");
	assert_problems("rrd { archives = { 10s } }",
		"main.conf:1: rrd.archives: \"10s\" is not RESOLUTION:SPAN, durations with s, m, "
		"h, d or y such as \"10s:2d\"\n");
	assert_problems("rrd { archives = {} }", "main.conf:1: rrd.archives: the list is empty\n");
	assert_problems("rrd {\ndaemon = \"/run/x\" }",
		"main.conf:2: rrd.daemon: \"/run/x\" is neither unix:/PATH nor HOST:PORT\n");
	assert_problems("rrd { daemon = \"unix:x\" }",
		"main.conf:1: rrd.daemon: \"unix:x\" is neither unix:/PATH nor HOST:PORT\n");
	assert_problems("rrd { daemon = \"host:http\" }",
		"main.conf:1: rrd.daemon: \"host:http\" is neither unix:/PATH nor HOST:PORT\n");
}

static void rules_must_make_sense(void **state)
{
	static const struct {
		const char *keys, *problem;
	} cases[] = {
		{"warning = 5", "2: alert \"x\": needs a value: INSTANCE.COLUMN, such as "
				"\"conntrack.entries\""},
		{"value = \"tcp.curr_estab\"", "2: alert \"x\": needs warning or critical (enabled "
					       "= false switches a rule off)"},
		{"warning = 1 value = \"tcp.x\"", "2: alert \"x\": value: there is no \"tcp.x\" "
						  "(INSTANCE.COLUMN, as in status.json)"},
		{"warning = 1 value = \"listener-*.x\"",
			"2: alert \"x\": value: there is no \"listener-*.x\" (INSTANCE.COLUMN, "
			"as in status.json)"},
		{"warning = 1 value = \"tcp-*.in_segs\"",
			"2: alert \"x\": value: there is no \"tcp-*.in_segs\" (INSTANCE.COLUMN, "
			"as in status.json)"},
		{"value = \"tcp.curr_estab\" limit = \"listener-*.backlog\" warning = 1",
			"2: alert \"x\": limit: \"listener-*.backlog\" needs a value of the same "
			"instances"},
		{"value = \"conntrack.drop\" limit = \"conntrack.max\"",
			"2: alert \"x\": limit: \"conntrack.drop\" is a counter, which has no "
			"limit"},
		{"value = \"conntrack.entries\" limit = \"conntrack.drop\"",
			"2: alert \"x\": limit: \"conntrack.drop\" is a counter"},
		{"value = \"conntrack.entries\" over = 5s warning = 1",
			"2: alert \"x\": over: \"conntrack.entries\" is no counter"},
		{"value = \"conntrack.drop\" warning = 2 critical = 1",
			"2: alert \"x\": warning is above critical"},
		{"value = \"conntrack.entries\" limit = \"conntrack.max\" critical = 1001",
			"2: alert \"x\": critical: more than 1000 percent of the limit"},
		{"value = \"conntrack.drop\" warning = 1 forecast_critical = 5m",
			"2: alert \"x\": a forecast needs a limit"},
		{"value = \"conntrack.drop\" warning = -1",
			"2: alert \"x\": warning: \"-1\" is not a number in 0..999999999999999\n"
			"main.conf:2: alert \"x\": needs warning or critical (enabled = false "
			"switches a rule off)"},
		{"value = \"conntrack.drop\" warning = 1 hold = 0",
			"2: alert \"x\": hold: \"0\" is not a whole number in 1..1000"},
		{"value = \"conntrack.drop\" warning = 1 remind = 30",
			"2: alert \"x\": remind: \"30\" is not a duration in 0..365d (a whole "
			"number with s, m, h or d)"},
	};
	char text[256], expected[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(text, sizeof(text), "\nalert \"x\" { %s }\n", cases[i].keys);
		snprintf(expected, sizeof(expected), "main.conf:%s\n", cases[i].problem);
		assert_problems(text, expected);
	}
}

static void include_loops_name_their_files(void **state)
{
	(void)state;
	assert_case(CASES "41-include-loop/a.conf",
		"a.conf\") makes a loop: " CASES "41-include-loop/a.conf:1 -> " CASES
		"41-include-loop/b.conf:1 -> " CASES "41-include-loop/a.conf\n");
	conf_text_write("b.conf", "\n\ninclude(\"main.conf\")\n");
	assert_problems("\ninclude(\"b.conf\")", "b.conf:3: include(\"main.conf\") makes a loop: "
						 "main.conf:2 -> b.conf:3 -> main.conf\n");
}

static void includes_are_regular_files(void **state)
{
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", conf_text_folder());
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_problems("\ninclude(\"nowhere.conf\")\ninclude(\".\")\ninclude(\"fifo\")\ninclude("
			"\"*.conf\")\n",
		"main.conf:2: include(\"nowhere.conf\"): nowhere.conf: No such file or directory\n"
		"main.conf:3: include(\".\"): .: is a folder, not a regular file\n"
		"main.conf:4: include(\"fifo\"): fifo: is not a regular file\n"
		"main.conf:5: include(\"*.conf\"): patterns are not supported, name one file\n");
	assert_problems(
		"include \"x\"", "main.conf:1: expected \"=\" or \"{\" after \"include\"\n");
	assert_problems("include()", "main.conf:1: expected include(\"FILE\")\n");
	assert_problems("log { include(\"x\") }", "main.conf:1: include stands outside of sections "
						  "only, this is in \"log\" of line 1\n");
	assert_problems("require(\"x\")", "main.conf:1: unknown function \"require\"\n");
}

static void includes_do_not_nest_for_ever(void **state)
{
	char name[32], text[64];

	(void)state;
	for (unsigned i = 1; i <= 9; i++) {
		snprintf(name, sizeof(name), "deep%u", i);
		snprintf(text, sizeof(text), "include(\"deep%u\")", i + 1);
		conf_text_write(name, text);
	}
	assert_problems("include(\"deep1\")",
		"deep8:1: include(\"deep9\"): includes nest deeper than 8, or are more than 100\n");
}

static void main_file_must_be_readable(void **state)
{
	CLEANUP_FREE char *missing = conf_file_problems("/nowhere/connwatchd.conf", -ENOENT);
	CLEANUP_FREE char *folder = conf_file_problems(conf_text_folder(), -EISDIR);
	CLEANUP_FREE char *device = conf_file_problems("/dev/zero", -ENOTSUP);

	(void)state;
	assert_string_equal(missing, "/nowhere/connwatchd.conf: No such file or directory\n");
	assert_non_null(strstr(folder, ": is a folder, not a regular file\n"));
	assert_string_equal(device, "/dev/zero: is not a regular file\n");
}

static void large_files_are_refused(void **state)
{
	CLEANUP_FREE char *text = malloc(1024 * 1024 + 2), *problems = NULL;
	char path[256];

	(void)state;
	assert_non_null(text);
	memset(text, '\n', 1024 * 1024 + 1);
	text[1024 * 1024 + 1] = '\0';
	conf_text_write("large.conf", text);
	snprintf(path, sizeof(path), "%s/large.conf", conf_text_folder());
	problems = conf_file_problems(path, -EFBIG);
	assert_string_equal(problems, "large.conf: is larger than 1 MiB\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_cases_are_refused),
		cmocka_unit_test(network_namespaces_have_a_path_and_a_name_of_their_own),
		cmocka_unit_test(all_problems_are_told_in_order),
		cmocka_unit_test(what_is_never_closed_is_told_where_it_begins),
		cmocka_unit_test(deep_nesting_ends_no_process),
		cmocka_unit_test(names_are_whole_and_known),
		cmocka_unit_test(sections_come_once),
		cmocka_unit_test(titles_stand_where_they_belong),
		cmocka_unit_test(values_have_one_form),
		cmocka_unit_test(lists_are_checked_value_by_value),
		cmocka_unit_test(archives_fit_or_are_refused),
		cmocka_unit_test(rules_must_make_sense),
		cmocka_unit_test(include_loops_name_their_files),
		cmocka_unit_test(includes_are_regular_files),
		cmocka_unit_test(includes_do_not_nest_for_ever),
		cmocka_unit_test(main_file_must_be_readable),
		cmocka_unit_test(large_files_are_refused),
	};

	return cmocka_run_group_tests(tests, conf_text_setup, conf_text_teardown);
}
