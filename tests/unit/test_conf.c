/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collectors/registry.h"
#include "daemon/conf.h"
#include "daemon/conf_schema.h"
#include "daemon/util.h"
#include "tests/unit/conf_text.h"
#include "tests/unit/test.h"

#define CASES SRCDIR "/tests/fixtures/cases/"

static void print(const struct conf *conf, char **text)
{
	size_t size;
	FILE *out = open_memstream(text, &size);

	assert_non_null(out);
	conf_print(conf, out);
	fclose(out);
}

/* Printed, the two are the same; everything in force is printed. */
static void assert_same(const struct conf *a, const struct conf *b)
{
	CLEANUP_FREE char *text_a = NULL, *text_b = NULL;

	print(a, &text_a);
	print(b, &text_b);
	assert_string_equal(text_a, text_b);
}

static bool is_there(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->n_instances; i++)
		if (strcmp(c->instances[i].name, name) == 0)
			return true;
	return false;
}

static size_t instance(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->n_instances; i++)
		if (strcmp(c->instances[i].name, name) == 0)
			return i;
	fail_msg("no instance %s", name);
	return 0;
}

static const struct rule *rule(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->n_rules; i++)
		if (strcmp(c->rules[i].name, name) == 0)
			return &c->rules[i];
	fail_msg("no rule %s", name);
	return c->rules;
}

static void assert_archives(const struct conf *c, const char *expected)
{
	char text[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < c->n_archives; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%lds*%ld", i ? " " : "",
			c->archives[i].step, c->archives[i].rows);
	assert_string_equal(text, expected);
}

static void nothing_is_a_complete_configuration(void **state)
{
	struct conf *c = conf_text_load("");
	struct conf *none = NULL;

	(void)state;
	assert_int_equal(c->interval, 10);
	assert_int_equal(c->watch_interval, 1);
	assert_string_equal(c->state_directory, "/var/lib/connwatchd");
	assert_string_equal(c->proc, "/proc");
	assert_string_equal(log_target_names[c->log_target], "auto");
	assert_string_equal(log_level_names[c->log_level], "info");
	assert_string_equal(c->rrd_directory, "/var/lib/connwatchd/rrd");
	assert_string_equal(c->rrd_daemon, "");
	assert_archives(c, "10s*17280 60s*20160 600s*12960 7200s*13140");
	assert_string_equal(c->instances[0].name, "conntrack");
	assert_true(is_there(c, "tcpext"));
	assert_non_null(rule(c, "conntrack-full"));
	assert_int_equal(conf_load(NULL, conf_text_unexpected, NULL, &none), 0);
	assert_same(c, none);
	conf_free(none);
	conf_free(c);
}

static void every_plain_key_is_read(void **state)
{
	struct conf *c =
		conf_text_load("interval = 60 watch_interval=0\nproc = '/srv/recorded/'\n"
			       "state_directory = \"/srv/a \\\"b\\\"\"\n"
			       "log { target = stderr level = debug }\n"
			       "rrd { directory = /srv/rrd daemon = \"\" archives = { 1m:1d } }\n");

	(void)state;
	assert_int_equal(c->interval, 60);
	assert_int_equal(c->watch_interval, 0);
	assert_string_equal(c->proc, "/srv/recorded");
	assert_string_equal(c->state_directory, "/srv/a \"b\"");
	assert_int_equal(c->log_target, LOG_TARGET_STDERR);
	assert_string_equal(log_level_names[c->log_level], "debug");
	assert_string_equal(c->rrd_directory, "/srv/rrd");
	assert_archives(c, "60s*1440");
	conf_free(c);
}

static void rrds_follow_the_state_directory(void **state)
{
	struct conf *c = conf_text_load("state_directory = \"/srv/state\"");

	(void)state;
	assert_string_equal(c->rrd_directory, "/srv/state/rrd");
	conf_free(c);
	c = conf_text_load("state_directory = \"/srv/state\" rrd { directory = \"/srv/rrd\" }");
	assert_string_equal(c->rrd_directory, "/srv/rrd");
	conf_free(c);
}

static void relative_paths_are_seen_from_the_file(void **state)
{
	const char *folder = conf_text_folder();
	struct conf *c =
		conf_text_load("state_directory = \"../run\" proc = ./a/b rrd { directory = rrd }");
	char expected[256];

	(void)state;
	assert_string_equal(c->state_directory, "/tmp/run");
	snprintf(expected, sizeof(expected), "%s/a/b", folder);
	assert_string_equal(c->proc, expected);
	snprintf(expected, sizeof(expected), "%s/rrd", folder);
	assert_string_equal(c->rrd_directory, expected);
	conf_free(c);
	c = conf_text_load("proc = ../../../../../x");
	assert_string_equal(c->proc, "/x");
	conf_free(c);
}

static void default_archives_are_made_to_fit(void **state)
{
	static const struct {
		const char *text, *archives;
	} cases[] = {
		{"interval = 1", "10s*17280 60s*20160 600s*12960 7200s*13140"},
		{"interval = 45", "45s*3840 90s*13440 630s*12343 7200s*13140"},
		{"interval = 60", "60s*20160 600s*12960 7200s*13140"},
		{"interval = 3600", "3600s*2160 7200s*13140"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct conf *c = conf_text_load(cases[i].text);

		assert_archives(c, cases[i].archives);
		conf_free(c);
	}
}

static void written_archives_are_merged_and_sorted(void **state)
{
	struct conf *c = conf_text_load(
		"interval = 60 rrd { archives = { 2h:1y, 10s:1d, 1m:12h, 30s:90m } }");

	(void)state;
	assert_archives(c, "60s*1440 7200s*4380");
	conf_free(c);
}

static void switched_off_collectors_make_no_instance(void **state)
{
	struct conf *c = conf_text_load("tcp { enabled = false }\nsockets { enabled = no }\n"
					"socket_group \"db\" { remote_ports = 5432 }\n");
	size_t i, m;

	(void)state;
	assert_false(is_there(c, "tcp"));
	assert_false(is_there(c, "sockets"));
	assert_false(is_there(c, "sockets-db"));
	assert_true(is_there(c, "tcpext"));
	assert_int_equal(conf_operand(c, "tcp.in_segs", &i, &m), -ENOENT);
	assert_int_equal(conf_operand(c, "tcp.nothing", &i, &m), -EINVAL);
	assert_int_equal(conf_operand(c, "sockets-db.time_wait", &i, &m), -ENOENT);
	conf_free(c);
}

static void groups_stand_behind_their_collector(void **state)
{
	struct conf *c = conf_text_load(
		"socket_group \"http\" { local_ports = { 443, 80, 443 } }\n"
		"socket_group db { networks = \"10.0.0.0/8\" }\nsockets { source = proc }\n");
	const struct conf_instance *all = &c->instances[instance(c, "sockets")];
	size_t i, m;

	(void)state;
	assert_string_equal(all[1].name, "sockets-http");
	assert_string_equal(all[1].title, "http");
	assert_ptr_equal(all[1].common, all->config);
	assert_string_equal(all[2].name, "sockets-db");
	assert_null(all->common);
	assert_int_equal(conf_operand(c, "sockets-db.time_wait", &i, &m), 0);
	assert_ptr_equal(&c->instances[i], &all[2]);
	assert_string_equal(all[2].collector->metrics[m].name, "time_wait");
	assert_int_equal(conf_operand(c, "sockets-web.time_wait", &i, &m), -EINVAL);
	assert_int_equal(conf_operand(c, "sockets-db", &i, &m), -EINVAL);
	assert_int_equal(conf_operand(c, "", &i, &m), -EINVAL);
	conf_free(c);
}

static void shipped_rules_change_key_by_key(void **state)
{
	struct conf *before = conf_text_load("");
	struct conf *c =
		conf_text_load("alert \"conntrack-full\" { warning = 50.5 remind = 0 hold = 1 }");
	const struct rule *old = rule(before, "conntrack-full"), *new = rule(c, "conntrack-full");

	(void)state;
	assert_number(new->warning, 50.5);
	assert_int_equal(new->remind, 0);
	assert_int_equal(new->hold, 1);
	assert_number(new->critical, old->critical);
	assert_int_equal(new->release, old->release);
	assert_string_equal(new->value, old->value);
	assert_ptr_equal(new->advice, old->advice);
	assert_ptr_equal(new->message_id, old->message_id);
	assert_int_equal(new->forecast_warning, 30 * 60);
	assert_int_equal(c->n_rules, before->n_rules);
	conf_free(before);
	conf_free(c);
}

static void a_rule_for_another_value_loses_its_words(void **state)
{
	struct conf *c = conf_text_load("alert \"conntrack-full\" { value = \"conntrack.peak\" }");

	(void)state;
	assert_null(rule(c, "conntrack-full")->advice);
	assert_null(rule(c, "conntrack-full")->above);
	assert_null(rule(c, "conntrack-full")->subject);
	assert_null(rule(c, "conntrack-full")->message_id);
	conf_free(c);
}

static void a_pattern_is_about_titled_instances(void **state)
{
	struct conf *c = conf_text_load("listener \"b\" { port = 80 }\n"
					"listener \"a\" { port = 443 }\n"
					"socket_group \"x\" { local_ports = 80 }\n");
	size_t metric = 99, n = 0, instance;

	(void)state;
	assert_true(conf_operand_is_pattern("listener-*.drops"));
	assert_false(conf_operand_is_pattern("listener-a.drops"));
	for (size_t i = 0; i < c->n_instances; i++)
		if (conf_operand_of(c, "listener-*.drops", i, &metric) == 0) {
			assert_int_equal(metric, 2);
			assert_string_equal(c->instances[i].collector->name, "listener");
			n++;
		}
	assert_int_equal(n, 2);
	assert_int_equal(conf_operand(c, "listener-*.drops", &instance, &metric), -ENOENT);
	assert_int_equal(conf_operand(c, "listener-*.x", &instance, &metric), -EINVAL);
	assert_int_equal(conf_operand(c, "tcp-*.in_segs", &instance, &metric), -EINVAL);
	assert_int_equal(conf_operand(c, "listener-a.backlog", &instance, &metric), 0);
	assert_string_equal(c->instances[instance].name, "listener-a");
	conf_free(c);
}

static void new_rules_get_the_defaults(void **state)
{
	struct conf *c =
		conf_text_load("alert \"a\" { value = \"tcp.curr_estab\" warning = 1000 }\n"
			       "alert \"b\" { value = \"limits.tw\" limit = \"limits.tw_max\" }\n"
			       "tcp { enabled = false }\n");
	const struct rule *a = rule(c, "a"), *b = rule(c, "b");

	(void)state;
	assert_ptr_equal(b, &c->rules[c->n_rules - 1]);
	assert_ptr_equal(a, b - 1);
	assert_true(a->enabled);
	assert_null(a->limit);
	assert_number(a->warning, 1000);
	assert_number(a->critical, 0);
	assert_number(a->clear, 0);
	assert_int_equal(a->hold, 2);
	assert_int_equal(a->release, 3);
	assert_int_equal(a->remind, 1800);
	assert_number(b->warning, 80);
	assert_number(b->critical, 90);
	assert_number(b->clear, 5);
	conf_free(c);
}

static void the_contracts_alert_is_taken(void **state)
{
	struct conf *c = conf_text_load("alert \"listen-drops\" {      # without limit\n"
					"  value = \"tcpext.listen_drops\"  over = \"60s\"  "
					"warning = 1  critical = 5  clear = 0\n}\n");

	(void)state;
	assert_int_equal(rule(c, "listen-drops")->over, 60);
	assert_number(rule(c, "listen-drops")->critical, 5);
	conf_free(c);
}

static void what_is_printed_reads_back_the_same(void **state)
{
	static const char *const texts[] = {
		"",
		"interval = 45 state_directory = 'a \"b\\\\c${d}' tcp { enabled = off } log { "
		"level = debug }",
		"socket_group \"x\" { local_ports = { 1, 65535 } networks = { ::/0, 192.0.2.1, "
		"2001:db8::/33 } }\n"
		"sockets { source = proc cpu_share = 0.3 }\n"
		"alert \"y\" { value = \"sockets-x.listen\" warning = 0.001 critical = 123456.789 "
		"remind = 90s }",
		"alert \"conntrack-full\" { limit = \"\" warning = 1 critical = 0 forecast_warning "
		"= 0\n"
		"  forecast_critical = 0 enabled = false }",
		"listener \"https\" { port = 443 } alert \"z\" { value = \"listener-*.drops\" "
		"warning "
		"= 1 }",
		"interval = 7 rrd { archives = { 7s:1d, 70s:1y } }",
		"netns \"gw\" { path = \"/run/netns/g w\" } netns \"0-b_\" { path = /proc/1/ns/net "
		"}\n"
		"alert \"gw.conntrack-full\" { warning = 61 } alert \"conntrack-full\" { critical "
		"= 91 }\n"
		"alert \"gw.mine\" { value = \"gw.tcp.curr_estab\" warning = 7 } tcp { enabled = "
		"false }",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP_FREE char *text = NULL;
		struct conf *c = conf_text_load(texts[i]), *again;

		print(c, &text);
		again = conf_text_load(text);
		assert_same(c, again);
		assert_int_equal(c->n_instances, again->n_instances);
		assert_int_equal(c->n_rules, again->n_rules);
		conf_free(again);
		conf_free(c);
	}
}

static void other_network_namespaces_have_instances_and_rules(void **state)
{
	struct conf *c = conf_text_load(
		"netns \"gw\" { path = \"/run/netns/gw\" } netns \"lan\" { path = /x }\n"
		"socket_group \"web\" { local_ports = { 80 } } sockets { cpu_share = 3 }\n"
		"alert \"conntrack-full\" { warning = 70 }\n"
		"alert \"lan.conntrack-full\" { critical = 99 }\n"
		"alert \"lan.conntrack-buckets\" { enabled = false }\n"
		"alert \"gw.mine\" { value = \"gw.sockets.listen\" warning = 5 }\n");
	size_t own = instance(c, "sockets"), gw = instance(c, "gw.sockets");
	const char *rest;

	(void)state;
	assert_int_equal(c->n_netns, 2);
	assert_string_equal(c->netns[0].path, "/run/netns/gw");
	assert_null(c->instances[own].netns);
	assert_ptr_equal(c->instances[gw].netns, &c->netns[0]);
	assert_ptr_equal(c->instances[gw].config, c->instances[own].config);
	assert_string_equal(c->instances[gw].title, "");
	assert_true(is_there(c, "gw.conntrack") && is_there(c, "lan.tcp"));
	assert_false(is_there(c, "gw.limits") || is_there(c, "gw.kernlog") ||
		     is_there(c, "gw.tcpext") || is_there(c, "gw.sockets-web"));
	/* As the own one is changed; a section of its own changes it further. */
	assert_number(rule(c, "gw.conntrack-full")->warning, 70);
	assert_number(rule(c, "gw.conntrack-full")->critical, 90);
	assert_string_equal(rule(c, "gw.conntrack-full")->value, "gw.conntrack.entries");
	assert_string_equal(rule(c, "gw.conntrack-full")->limit, "gw.conntrack.max");
	assert_string_equal(rule(c, "gw.conntrack-full")->subject, "gw.conntrack");
	assert_string_equal(rule(c, "gw.conntrack-dropping")->above, "gw.conntrack.max");
	assert_number(rule(c, "lan.conntrack-full")->warning, 70);
	assert_number(rule(c, "lan.conntrack-full")->critical, 99);
	assert_string_equal(rule(c, "lan.conntrack-full")->subject, "lan.conntrack");
	assert_false(rule(c, "lan.conntrack-buckets")->enabled);
	assert_true(rule(c, "gw.conntrack-buckets")->enabled);
	assert_string_equal(rule(c, "gw.mine")->value, "gw.sockets.listen");
	for (size_t i = 0; i < c->n_rules; i++)
		assert_true(strcmp(c->rules[i].name, "gw.conntrack-log") != 0 &&
			    strcmp(c->rules[i].name, "gw.orphans") != 0);
	assert_ptr_equal(conf_netns_of(c, "lan.tcp", &rest), &c->netns[1]);
	assert_string_equal(rest, "tcp");
	assert_null(conf_netns_of(c, "tcp.in_segs", &rest));
	assert_string_equal(rest, "tcp.in_segs");
	conf_free(c);
}

static void of_a_collector_that_is_off_there_is_none_in_namespaces(void **state)
{
	struct conf *c =
		conf_text_load("netns \"gw\" { path = \"/run/netns/gw\" } tcp { enabled = off }\n"
			       "alert \"x\" { value = \"gw.tcp.curr_estab\" warning = 1 }");
	size_t i, metric;

	(void)state;
	assert_false(is_there(c, "gw.tcp"));
	assert_int_equal(conf_operand(c, "gw.tcp.curr_estab", &i, &metric), -ENOENT);
	assert_int_equal(conf_operand(c, "gw.tcpext.timeouts", &i, &metric), -EINVAL);
	assert_int_equal(conf_operand(c, "gw.curr_estab", &i, &metric), -EINVAL);
	assert_int_equal(conf_operand(c, "wg.conntrack.entries", &i, &metric), -EINVAL);
	assert_int_equal(conf_operand(c, "gw.conntrack.entries", &i, &metric), 0);
	conf_free(c);
}

static void crlf_and_byte_order_marks_change_nothing(void **state)
{
	struct conf *c = conf_file_load(CASES "43-crlf/crlf.conf");

	(void)state;
	assert_int_equal(c->interval, 20);
	assert_string_equal(c->rrd_directory, "/var/lib/connwatchd/rrd");
	assert_number(rule(c, "conntrack-full")->warning, 50);
	conf_free(c);
	c = conf_text_load("\xef\xbb\xbfinterval = 20\r\n");
	assert_int_equal(c->interval, 20);
	conf_free(c);
}

static void given_cases_are_read(void **state)
{
	struct conf *c = conf_file_load(CASES "37-locale-comma/point.conf");

	(void)state;
	assert_true(rule(c, "conntrack-full")->warning == 80.5);
	assert_true(rule(c, "conntrack-full")->critical == 92.25);
	conf_free(c);
	c = conf_file_load(CASES "27-heartbeat-short/connwatchd.conf");
	assert_int_equal(c->interval, 60);
	conf_free(c);
	c = conf_file_load(CASES "47-interval-over-watchdog/hourly.conf");
	assert_int_equal(c->interval, 3600);
	conf_free(c);
	c = conf_file_load(CASES "45-flapping/connwatchd.conf");
	assert_int_equal(rule(c, "conntrack-full")->forecast_warning, 0);
	conf_free(c);
}

static void includes_are_read_in_place(void **state)
{
	struct conf *c;

	(void)state;
	conf_text_write(
		"sub.conf", "\xef\xbb\xbflog { level = err }\r\ninclude('deeper.conf')\r\n");
	conf_text_write("deeper.conf", "state_directory = state\n");
	c = conf_text_load("include(\"sub.conf\") interval = 5\n");
	assert_int_equal(c->interval, 5);
	assert_string_equal(log_level_names[c->log_level], "err");
	assert_string_equal(strrchr(c->state_directory, '/'), "/state");
	conf_free(c);
}

/* The shipped example with every commented key taken out of its comment: `#key`, where prose is `#
 * text`. */
static void the_example_shows_the_defaults(void **state)
{
	CLEANUP_FREE char *text = conf_file_text(SRCDIR "/conf/connwatchd.conf");
	struct conf *shipped = conf_file_load(SRCDIR "/conf/connwatchd.conf");
	struct conf *defaults = conf_text_load(""), *shown;
	char *out = text;

	(void)state;
	assert_same(shipped, defaults);
	for (const char *p = text; *p; p++)
		if (*p != '#' || (p > text && p[-1] != '\n') || p[1] == ' ' || p[1] == '\n')
			*out++ = *p;
	*out = '\0';
	shown = conf_text_load(text);
	assert_same(shown, defaults);
	conf_free(shipped);
	conf_free(defaults);
	conf_free(shown);
}

static void the_quickstart_stays_in_the_checkout(void **state)
{
	struct conf *c = conf_file_load(SRCDIR "/conf/quickstart.conf");

	(void)state;
	assert_int_equal(c->interval, 1);
	assert_int_equal(c->watch_interval, 1);
	assert_non_null(strstr(c->state_directory, "/build/run"));
	assert_null(strstr(c->state_directory, ".."));
	conf_free(c);
}

/* Every key of every section and every column is an item of the manual, every key stands in the
 * example. */
static void a_remote_rrdcached_has_a_directory_of_its_own(void **state)
{
	struct conf *c = conf_text_load(
		"rrd { daemon = \"unix:/run/r.sock\" directory = \"/srv/a\" queue = 90m }");

	(void)state;
	assert_string_equal(c->rrd_daemon, "unix:/run/r.sock");
	assert_string_equal(c->rrd_directory, "/srv/a");
	assert_int_equal(c->rrd_queue, 5400);
	conf_free(c);
	c = conf_text_load("rrd { daemon = \"[::1]:42217\" directory = \"/web1\" }");
	assert_string_equal(c->rrd_directory, "web1");
	assert_int_equal(c->rrd_queue, 3600);
	conf_free(c);
	c = conf_text_load("rrd { daemon = \"store.example:42217\" directory = web1/a }");
	assert_string_equal(c->rrd_directory, "web1/a");
	conf_free(c);
}

static void the_manual_names_every_key_and_column(void **state)
{
	CLEANUP_FREE char *manual = conf_file_text(SRCDIR "/man/connwatchd.conf.5");
	CLEANUP_FREE char *example = conf_file_text(SRCDIR "/conf/connwatchd.conf");
	struct arena arena = {0};
	const struct schema *schema = schema_new(&arena);
	char item[64];

	(void)state;
	assert_non_null(schema);
	for (size_t i = 0; i < schema->n; i++)
		for (size_t k = 0; k < schema_n_keys(&schema->section[i]); k++) {
			const char *key = schema_key(&schema->section[i], k)->name;

			snprintf(item, sizeof(item), ".It Cm %s ", key);
			if (!strstr(manual, item) || !strstr(example, key))
				fail_msg("%s { %s } is not documented", schema->section[i].name,
					key);
		}
	for (size_t i = 0; i < registry_len; i++)
		for (size_t k = 0; k < registry[i]->n_metrics; k++) {
			bool counter = registry[i]->metrics[k].kind == METRIC_COUNTER;

			snprintf(item, sizeof(item), ".It Cm %s%s\n", registry[i]->metrics[k].name,
				counter ? " No *" : "");
			if (!strstr(manual, item))
				fail_msg("column %s.%s is not documented", registry[i]->name,
					registry[i]->metrics[k].name);
		}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_a_complete_configuration),
		cmocka_unit_test(every_plain_key_is_read),
		cmocka_unit_test(rrds_follow_the_state_directory),
		cmocka_unit_test(relative_paths_are_seen_from_the_file),
		cmocka_unit_test(default_archives_are_made_to_fit),
		cmocka_unit_test(written_archives_are_merged_and_sorted),
		cmocka_unit_test(switched_off_collectors_make_no_instance),
		cmocka_unit_test(groups_stand_behind_their_collector),
		cmocka_unit_test(shipped_rules_change_key_by_key),
		cmocka_unit_test(a_rule_for_another_value_loses_its_words),
		cmocka_unit_test(a_pattern_is_about_titled_instances),
		cmocka_unit_test(new_rules_get_the_defaults),
		cmocka_unit_test(the_contracts_alert_is_taken),
		cmocka_unit_test(what_is_printed_reads_back_the_same),
		cmocka_unit_test(other_network_namespaces_have_instances_and_rules),
		cmocka_unit_test(of_a_collector_that_is_off_there_is_none_in_namespaces),
		cmocka_unit_test(crlf_and_byte_order_marks_change_nothing),
		cmocka_unit_test(given_cases_are_read),
		cmocka_unit_test(includes_are_read_in_place),
		cmocka_unit_test(the_example_shows_the_defaults),
		cmocka_unit_test(a_remote_rrdcached_has_a_directory_of_its_own),
		cmocka_unit_test(the_manual_names_every_key_and_column),
		cmocka_unit_test(the_quickstart_stays_in_the_checkout),
	};

	return cmocka_run_group_tests(tests, conf_text_setup, conf_text_teardown);
}
