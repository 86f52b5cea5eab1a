/* SPDX-License-Identifier: MIT */
#include "daemon/readings.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/world.h"

#define CONNTRACK_ONLY                                                                             \
	"tcp { enabled = false }\ntcpext { enabled = false }\nlimits { enabled = false }\n"        \
	"sockets { enabled = false }\n"

static struct world w;

static int setup(void **state)
{
	(void)state;
	world_open(&w);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close(&w);
	return 0;
}

static void absent_table_is_one_notice(void **state)
{
	(void)state;
	world_configure(&w, CONNTRACK_ONLY);
	for (int i = 0; i < 30; i++)
		world_row(&w);
	assert_ptr_equal(
		strstr(world_said(&w), "<5>connwatchd: conntrack: is not there: "), w.said);
	assert_ptr_equal(strchr(w.said, '\n') + 1, w.said + strlen(w.said));
}

/* A recorded tree has one namespace. */
static void away_namespace_is_one_notice_and_unknown(void **state)
{
	size_t gw = 0;

	(void)state;
	world_configure(&w, CONNTRACK_ONLY "netns \"gw\" { path = \"/run/netns/gw\" }\n");
	world_conntrack(&w, "10\n", "1000\n");
	for (int i = 0; i < 30; i++)
		world_row(&w);
	assert_string_equal(world_said(&w), "<5>connwatchd: netns gw: a recorded tree has no other "
					    "network namespaces; its readings are "
					    "unknown\n");
	while (strcmp(w.readings->instances[gw].conf->name, "gw.conntrack") != 0)
		gw++;
	assert_number(w.readings->instances[gw].values[0], UNKNOWN);
	assert_int_equal(instance_failure(&w.readings->instances[gw])->r, -ENOENT);
	assert_number(w.readings->instances[0].values[0], 10);
	/* Nor is it said again after a reload. */
	world_reload(
		&w, CONNTRACK_ONLY "netns \"gw\" { path = \"/run/netns/gw\" }\ninterval = 5\n");
	world_row(&w);
	assert_null(strstr(world_said(&w), "netns"));
	/* Another path is another one. */
	world_reload(&w, CONNTRACK_ONLY "netns \"gw\" { path = \"/run/netns/wg\" }\n");
	world_row(&w);
	assert_non_null(strstr(world_said(&w), "netns gw: "));
}

static void table_that_appears_and_vanishes_is_a_notice_each(void **state)
{
	(void)state;
	world_configure(&w, CONNTRACK_ONLY);
	world_row(&w);
	world_said(&w);
	world_conntrack(&w, "10\n", "1000\n");
	world_row(&w);
	assert_string_equal(world_said(&w), "<5>connwatchd: conntrack: is there now\n");
	world_conntrack(&w, NULL, NULL);
	world_row(&w);
	world_row(&w);
	assert_non_null(strstr(world_said(&w), "<5>connwatchd: conntrack: is gone: "));
	assert_ptr_equal(strchr(w.said, '\n') + 1, w.said + strlen(w.said));
	assert_number(w.readings->instances[0].values[0], UNKNOWN);
}

static void changed_maximum_is_a_notice(void **state)
{
	(void)state;
	world_configure(&w, CONNTRACK_ONLY);
	world_conntrack(&w, "10\n", "262144\n");
	world_look(&w);
	world_row(&w);
	assert_string_equal(world_said(&w), "");
	world_conntrack(&w, "10\n", "524288\n");
	world_look(&w);
	world_look(&w);
	assert_string_equal(world_said(&w),
		"<5>connwatchd: conntrack: maximum changed from 262144 to 524288\n");
}

static void unreadable_table_is_an_alert_after_three_intervals(void **state)
{
	(void)state;
	world_configure(&w, CONNTRACK_ONLY "interval = 10\n");
	world_conntrack(&w, "10\n", "1000\n");
	world_row(&w);
	world_conntrack(&w, "", "1000\n"); /* torn */
	for (int i = 0; i < 30; i++)
		world_look(&w);
	assert_string_equal(world_said(&w), "");
	for (int i = 0; i < 30; i++)
		world_look(&w);
	assert_non_null(
		strstr(world_said(&w), "<4>connwatchd: conntrack: cannot be read for 30 s: "));
	assert_ptr_equal(strchr(w.said, '\n') + 1, w.said + strlen(w.said));
	assert_true(w.readings->instances[0].unreadable);
	world_conntrack(&w, "10\n", "1000\n");
	for (int i = 0; i < 60; i++)
		world_look(&w);
	assert_string_equal(
		world_said(&w), "<5>connwatchd: conntrack: can be read again, after 1 min\n");
	assert_false(w.readings->instances[0].unreadable);
}

static void source_that_fails_from_the_start_is_said_at_once(void **state)
{
	(void)state;
	world_configure(&w, CONNTRACK_ONLY);
	world_conntrack(&w, "rubbish\n", "1000\n");
	world_row(&w);
	world_row(&w);
	assert_non_null(strstr(world_said(&w), "<4>connwatchd: conntrack: cannot be read: "));
	assert_ptr_equal(strchr(w.said, '\n') + 1, w.said + strlen(w.said));
}

static void what_is_known_survives_a_reload(void **state)
{
	(void)state;
	world_configure(&w, CONNTRACK_ONLY);
	world_conntrack(&w, "10\n", "1000\n");
	world_row(&w);
	world_reload(&w, CONNTRACK_ONLY "interval = 5\n");
	assert_number(w.readings->instances[0].values[0], 10);
	world_conntrack(&w, "10\n", "2000\n");
	world_look(&w);
	assert_string_equal(
		world_said(&w), "<5>connwatchd: conntrack: maximum changed from 1000 to 2000\n");
}

static void sums_beyond_32_bits_survive_a_reload(void **state)
{
	double before;
	size_t instance, drop;

	(void)state;
	world_configure(&w, CONNTRACK_ONLY);
	world_conntrack(&w, "10\n", "1000\n");
	world_put(&w, "net/stat/nf_conntrack", "entries drop\n0a fffffff0\n");
	world_row(&w);
	world_put(&w, "net/stat/nf_conntrack", "entries drop\n0a 10\n");
	world_row(&w);
	assert_int_equal(conf_operand(w.conf, "conntrack.drop", &instance, &drop), 0);
	before = w.readings->instances[instance].values[drop];
	assert_number(before, 4294967312.0);
	world_reload(&w, CONNTRACK_ONLY "interval = 5\n");
	world_row(&w);
	assert_number(w.readings->instances[instance].values[drop], before);
}

static void failure_of_shared_work_is_told_once(void **state)
{
	(void)state;
	world_configure(&w, "conntrack { enabled = false }\ntcp { enabled = false }\n"
			    "tcpext { enabled = false }\nlimits { enabled = false }\n"
			    "socket_group \"a\" { local_ports = { 80 } }\n"
			    "socket_group \"b\" { local_ports = { 443 } }\n");
	world_put(&w, "net/tcp", "rubbish\n");
	world_row(&w);
	world_row(&w);
	assert_non_null(strstr(world_said(&w), "<4>connwatchd: sockets: cannot be read: "));
	assert_null(strstr(w.said, "sockets-"));
	assert_non_null(instance_failure(&w.readings->instances[w.readings->n - 1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			away_namespace_is_one_notice_and_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(absent_table_is_one_notice, setup, teardown),
		cmocka_unit_test_setup_teardown(
			table_that_appears_and_vanishes_is_a_notice_each, setup, teardown),
		cmocka_unit_test_setup_teardown(changed_maximum_is_a_notice, setup, teardown),
		cmocka_unit_test_setup_teardown(
			unreadable_table_is_an_alert_after_three_intervals, setup, teardown),
		cmocka_unit_test_setup_teardown(
			source_that_fails_from_the_start_is_said_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(
			sums_beyond_32_bits_survive_a_reload, setup, teardown),
		cmocka_unit_test_setup_teardown(
			failure_of_shared_work_is_told_once, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_known_survives_a_reload, setup, teardown),
	};

	return cmocka_run_group_tests_name("readings", tests, NULL, NULL);
}
