/* SPDX-License-Identifier: MIT */
#include "daemon/judge.h"

#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/world.h"

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

/* conntrack alone; its forecast is another test's business. */
#define ONLY_LEVELS                                                                                \
	"tcp { enabled = false }\nlimits { enabled = false }\nsockets { enabled = false }\n"       \
	"tcpext { enabled = false }\n"                                                             \
	"alert \"conntrack-full\" { forecast_warning = \"0\" forecast_critical = \"0\" }\n"

static size_t open_alerts(void)
{
	struct open_alert alert;
	size_t n = 0;

	while (judge_open_alert(w.judge, n, &alert))
		n++;
	return n;
}

static void full_table_is_one_warning_at_the_second_look(void **state)
{
	(void)state;
	world_configure(&w, ONLY_LEVELS);
	world_conntrack(&w, "8010\n", "10000\n");
	world_look(&w);
	assert_string_equal(world_said(&w), "");
	world_look(&w);
	assert_string_equal(
		world_said(&w), "<4>connwatchd: conntrack: 80% full (8010 of 10000 entries)\n");
	world_look(&w);
	assert_string_equal(world_said(&w), "");
	assert_int_equal(open_alerts(), 1);
}

static void limit_of_zero_is_no_limit(void **state)
{
	(void)state;
	world_configure(&w, ONLY_LEVELS);
	world_conntrack(&w, "8010\n", "0\n");
	for (int i = 0; i < 5; i++)
		world_look(&w);
	assert_string_equal(world_said(&w), "");
}

static void rule_of_the_administrator_judges_any_reading(void **state)
{
	(void)state;
	world_configure(&w, ONLY_LEVELS
		"alert \"many\" { value = \"conntrack.entries\" warning = 100 hold = 1 }\n");
	world_conntrack(&w, "150\n", "10000\n");
	world_look(&w);
	assert_string_equal(
		world_said(&w), "<4>connwatchd: many: 150 entries (warning from 100)\n");
}

static void rule_switched_off_says_nothing(void **state)
{
	(void)state;
	world_configure(&w,
		"tcp { enabled = false }\nlimits { enabled = false }\nsockets { enabled = false }\n"
		"tcpext { enabled = false }\nalert \"conntrack-full\" { enabled = false }\n");
	world_conntrack(&w, "10000\n", "10000\n");
	for (int i = 0; i < 5; i++)
		world_look(&w);
	assert_string_equal(world_said(&w), "");
}

static void counter_is_judged_by_its_increase(void **state)
{
	(void)state;
	world_configure(&w,
		"tcp { enabled = false }\nlimits { enabled = false }\nsockets { enabled = false }\n"
		"conntrack { enabled = false }\n"
		"alert \"listen-drops\" { warning = 1 critical = 5 over = \"10s\" hold = 1 }\n");
	world_put(&w, "net/netstat", "TcpExt: ListenDrops\nTcpExt: 1000\n");
	world_look(&w);
	world_look(&w);
	assert_string_equal(world_said(&w), "");
	world_put(&w, "net/netstat", "TcpExt: ListenDrops\nTcpExt: 1020\n");
	world_look(&w);
	assert_non_null(strstr(world_said(&w), " 2 "));
	assert_non_null(strstr(w.said, "/s over the last 10 s (warning from 1)"));
}

#define NOTHING_ELSE                                                                               \
	"tcp { enabled = false }\nlimits { enabled = false }\nsockets { enabled = false }\n"       \
	"tcpext { enabled = false }\n"

/* Header and one CPU of the kernel's table; drop is the number. */
static void put_drops(const char *drop)
{
	char text[64];

	snprintf(text, sizeof text, "drop early_drop\n%s 00000000\n", drop);
	world_put(&w, "net/stat/nf_conntrack", text);
}

static void drops_are_told_at_once_with_number_and_remedy(void **state)
{
	(void)state;
	world_configure(&w, NOTHING_ELSE);
	world_conntrack(&w, "100\n", "262144\n");
	put_drops("00000010");
	world_row(&w);
	world_row(&w);
	assert_string_equal(world_said(&w), "");
	put_drops("00000600");
	world_row(&w);
	assert_string_equal(world_said(&w),
		"<4>connwatchd: conntrack: dropping packets: 1520 dropped in the last 1 s; "
		"raise net.netfilter.nf_conntrack_max above 262144\n");
	put_drops("00000601");
	world_look(&w); /* counters are read at rows only */
	assert_string_equal(world_said(&w), "");
	world_row(&w);
	assert_string_equal(world_said(&w),
		"<2>connwatchd: conntrack: dropping packets: 1 dropped in the last 2 s; "
		"raise net.netfilter.nf_conntrack_max above 262144\n");
	world_row(&w);
	world_row(&w);
	assert_string_equal(world_said(&w), "");
	world_row(&w);
	assert_string_equal(world_said(&w), "<5>connwatchd: conntrack: back to normal: no longer "
					    "dropping packets, was critical for 5 s\n");
}

static void line_in_the_kernels_log_is_told(void **state)
{
	(void)state;
	world_configure(&w, NOTHING_ELSE);
	world_conntrack(&w, "100\n", "262144\n");
	world_put(&w, "kmsg", "6,1,2,-;eth0: link up\n");
	world_row(&w);
	world_put(&w, "kmsg",
		"6,1,2,-;eth0: link up\n4,2,3,-;nf_conntrack: nf_conntrack: table full, dropping "
		"packet\n");
	world_row(&w);
	assert_string_equal(world_said(&w),
		"<4>connwatchd: conntrack: \"table full, dropping packet\" in the kernel's log: 1 "
		"logged in the last 1 s; "
		"raise net.netfilter.nf_conntrack_max above 262144\n");
}

#define LISTENER(port, queue)                                                                      \
	" 0: 00000000:" port " 00000000:0000 0A 00000000:" queue " 00:00000000 0 0 0 1\n"

static void pattern_has_a_state_for_each_instance(void **state)
{
	struct alert_episode episode = {.level = LEVEL_WARNING, .since = WORLD_EPOCH};
	struct open_alert alert;

	(void)state;
	world_configure(&w,
		NOTHING_ELSE "conntrack { enabled = false }\n"
			     "listener \"http\" { port = 80 }\nlistener \"https\" { port = 443 }\n"
			     "alert \"long\" { value = \"listener-*.accept_queue\" warning = 5 "
			     "hold = 1 release = 1 }\n");
	world_put(&w, "net/tcp", LISTENER("0050", "00000001") LISTENER("01BB", "00000009"));
	world_look(&w);
	assert_string_equal(world_said(&w),
		"<4>connwatchd: long of 0.0.0.0:443: 9 connections (warning from 5)\n");
	assert_true(judge_open_alert(w.judge, 0, &alert));
	assert_string_equal(alert.name, "long");
	assert_string_equal(alert.instance, "listener-https");
	assert_int_equal(open_alerts(), 1);
	judge_restore(w.judge, &(struct open_alert){.name = "long", .instance = "listener-http"},
		&episode, w.now, WORLD_EPOCH + w.now);
	assert_int_equal(open_alerts(), 2);
	world_put(&w, "net/tcp", LISTENER("0050", "00000009") LISTENER("01BB", "00000001"));
	world_look(&w);
	assert_string_equal(world_said(&w), "<5>connwatchd: long of 0.0.0.0:443: back to normal: 1 "
					    "connections, was warning for 1 s\n");
	assert_true(judge_open_alert(w.judge, 0, &alert));
	assert_string_equal(alert.instance, "listener-http");
}

static void instance_without_an_object_goes_by_its_title(void **state)
{
	(void)state;
	world_configure(&w,
		"tcp { enabled = false }\nlimits { enabled = false }\ntcpext { enabled = false }\n"
		"conntrack { enabled = false }\n"
		"socket_group \"web\" { local_ports = 80 }\n"
		"alert \"any\" { value = \"sockets-*.listen\" warning = 1 hold = 1 }\n");
	world_put(&w, "net/tcp", LISTENER("0050", "00000001"));
	world_row(&w);
	assert_string_equal(
		world_said(&w), "<4>connwatchd: any of web: 1 sockets (warning from 1)\n");
}

static void episode_goes_on_after_a_reload(void **state)
{
	(void)state;
	world_configure(&w, ONLY_LEVELS);
	world_conntrack(&w, "8010\n", "10000\n");
	world_look(&w);
	world_look(&w);
	world_said(&w);
	world_reload(&w, ONLY_LEVELS "interval = 5\n");
	for (int i = 0; i < 5; i++)
		world_look(&w);
	assert_string_equal(world_said(&w), "");
	world_conntrack(&w, "100\n", "10000\n");
	for (int i = 0; i < 5; i++)
		world_look(&w);
	assert_non_null(strstr(
		world_said(&w), "<5>connwatchd: conntrack: back to normal: 1% full (100 of 10000"));
}

static void episode_of_a_table_that_went_is_over_after_a_while(void **state)
{
	(void)state;
	world_configure(&w, ONLY_LEVELS);
	world_conntrack(&w, "8010\n", "10000\n");
	world_row(&w);
	world_row(&w);
	world_conntrack(&w, NULL, NULL);
	for (int i = 0; i < 25; i++)
		world_row(&w);
	assert_null(strstr(world_said(&w), "back to normal"));
	assert_int_equal(open_alerts(), 1);
	for (int i = 0; i < 10; i++)
		world_row(&w);
	assert_string_equal(world_said(&w),
		"<5>connwatchd: conntrack: back to normal: no longer there, "
		"was warning for 31 s\n");
	assert_int_equal(open_alerts(), 0);
}

static void restored_episode_ends_with_a_recovery(void **state)
{
	struct alert_episode episode = {
		.level = LEVEL_WARNING, .worst = LEVEL_CRITICAL, .since = WORLD_EPOCH + 1000 - 300};

	(void)state;
	world_configure(&w, ONLY_LEVELS);
	judge_restore(w.judge, &(struct open_alert){.name = "conntrack-full"}, &episode, w.now,
		WORLD_EPOCH + w.now);
	world_conntrack(&w, "8010\n", "10000\n");
	for (int i = 0; i < 5; i++)
		world_look(&w);
	assert_string_equal(world_said(&w), "");
	world_conntrack(&w, "100\n", "10000\n");
	for (int i = 0; i < 5; i++)
		world_look(&w);
	assert_string_equal(world_said(&w),
		"<5>connwatchd: conntrack: back to normal: 1% full (100 of 10000 entries), "
		"was critical for 5 min 8 s\n");
	assert_int_equal(open_alerts(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			full_table_is_one_warning_at_the_second_look, setup, teardown),
		cmocka_unit_test_setup_teardown(limit_of_zero_is_no_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(
			rule_of_the_administrator_judges_any_reading, setup, teardown),
		cmocka_unit_test_setup_teardown(rule_switched_off_says_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(counter_is_judged_by_its_increase, setup, teardown),
		cmocka_unit_test_setup_teardown(
			drops_are_told_at_once_with_number_and_remedy, setup, teardown),
		cmocka_unit_test_setup_teardown(line_in_the_kernels_log_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(
			pattern_has_a_state_for_each_instance, setup, teardown),
		cmocka_unit_test_setup_teardown(
			instance_without_an_object_goes_by_its_title, setup, teardown),
		cmocka_unit_test_setup_teardown(episode_goes_on_after_a_reload, setup, teardown),
		cmocka_unit_test_setup_teardown(
			episode_of_a_table_that_went_is_over_after_a_while, setup, teardown),
		cmocka_unit_test_setup_teardown(
			restored_episode_ends_with_a_recovery, setup, teardown),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
