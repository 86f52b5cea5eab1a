/* SPDX-License-Identifier: MIT */
#include "daemon/notify.h"

#include <string.h>

#include "tests/unit/test.h"

static const struct metric entries = {.name = "entries", .unit = "entries", .kind = METRIC_GAUGE};
static const struct metric drops = {
	.name = "listen_drops", .unit = "connections", .kind = METRIC_COUNTER};
static const struct rule full = {RULE_DEFAULTS, RULE_PERCENT, .name = "conntrack-full",
	.subject = "conntrack", .value = "conntrack.entries", .limit = "conntrack.max"};
static const struct rule rate = {RULE_DEFAULTS, .name = "listen-drops",
	.value = "tcpext.listen_drops", .over = 60, .warning = 1, .critical = 5,
	.advice = "see which listener is full"};

static const struct alert_event quiet = {
	.kind = ALERT_CHANGE,
	.to = LEVEL_WARNING,
	.worst = LEVEL_WARNING,
	.value = 214958,
	.limit = 262144,
	.percent = 214958 * 100.0 / 262144,
	.growth = UNKNOWN,
	.seconds_to_full = UNKNOWN,
};

static void expect(const struct rule *rule, const struct metric *metric, const char *object,
	const struct alert_event *event, const char *text)
{
	char out[NOTIFY_TEXT_SIZE];

	notify_sentence(&(struct notify_subject){.rule = rule,
				.metric = metric,
				.object = object,
				.increase = 1520,
				.seconds = 10,
				.above = 262144},
		event, out);
	assert_string_equal(out, text);
}

static void warning_tells_percent_value_and_limit(void **state)
{
	(void)state;
	expect(&full, &entries, "", &quiet, "conntrack: 82% full (214958 of 262144 entries)");
}

static void trend_and_time_to_full_are_in_the_sentence(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.growth = 310;
	e.seconds_to_full = 152;
	expect(&full, &entries, "", &e,
		"conntrack: 82% full (214958 of 262144 entries), growing 310/s, full in about 2 "
		"min 32 s");
}

static void recovery_tells_how_bad_and_how_long(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.kind = ALERT_RECOVERY;
	e.to = LEVEL_OK;
	e.worst = LEVEL_CRITICAL;
	e.value = 152043;
	e.percent = 152043 * 100.0 / 262144;
	e.duration = 360;
	expect(&full, &entries, "", &e,
		"conntrack: back to normal: 58% full (152043 of 262144 entries), was critical for "
		"6 min");
}

static void recovery_for_want_of_a_limit_has_no_percent(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.kind = ALERT_RECOVERY;
	e.to = LEVEL_OK;
	e.limit = 0;
	e.percent = UNKNOWN;
	e.duration = 61;
	expect(&full, &entries, "", &e,
		"conntrack: back to normal: 214958 entries, no limit, was warning for 1 min 1 s");
}

static void more_than_full_is_told_as_it_is(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.to = LEVEL_CRITICAL;
	e.value = 300000;
	e.percent = 300000 * 100.0 / 262144;
	expect(&full, &entries, "", &e, "conntrack: 114% full (300000 of 262144 entries)");
}

static void almost_full_is_not_called_full(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.value = 262143;
	e.percent = 262143 * 100.0 / 262144;
	expect(&full, &entries, "", &e, "conntrack: 99% full (262143 of 262144 entries)");
}

static void rate_names_its_threshold_and_the_advice(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.value = 2.34;
	e.limit = e.percent = UNKNOWN;
	expect(&rate, &drops, "", &e,
		"listen-drops: 2.3 connections/s over the last 1 min (warning from 1); see which "
		"listener is full");
}

static const struct metric drop = {.name = "drop", .unit = "packets", .kind = METRIC_COUNTER};
static const struct rule dropping = {RULE_AT_ONCE, .name = "conntrack-dropping",
	.value = "conntrack.drop", .subject = "conntrack", .doing = "dropping packets",
	.done = "dropped", .advice = "raise net.netfilter.nf_conntrack_max",
	.above = "conntrack.max"};

static void increase_is_told_as_a_number_with_the_setting_to_raise(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.value = 152;
	e.limit = e.percent = UNKNOWN;
	expect(&dropping, &drop, "", &e,
		"conntrack: dropping packets: 1520 dropped in the last 10 s; "
		"raise net.netfilter.nf_conntrack_max above 262144");
	e.kind = ALERT_RECOVERY;
	e.to = LEVEL_OK;
	e.worst = LEVEL_CRITICAL;
	e.duration = 90;
	expect(&dropping, &drop, "", &e,
		"conntrack: back to normal: no longer dropping packets, was critical for 1 min "
		"30 s");
}

static void setting_that_is_not_known_is_left_out(void **state)
{
	struct notify_subject s = {
		.rule = &dropping, .metric = &drop, .object = "", .increase = 1, .seconds = 1};
	static const double above[] = {0, UNKNOWN};
	struct alert_event e = quiet;
	char out[NOTIFY_TEXT_SIZE];

	(void)state;
	e.limit = e.percent = UNKNOWN;
	for (size_t i = 0; i < 2; i++) {
		s.above = above[i];
		notify_sentence(&s, &e, out);
		assert_string_equal(out, "conntrack: dropping packets: 1 dropped in the last 1 s; "
					 "raise net.netfilter.nf_conntrack_max");
	}
}

static void ratio_is_not_called_full(void **state)
{
	static const struct rule buckets = {RULE_DEFAULTS, .name = "conntrack-buckets",
		.subject = "conntrack hash", .value = "conntrack.entries",
		.limit = "conntrack.buckets", .warning = 400, .ratio = "entries per bucket",
		.advice = "raise it"};
	struct alert_event e = quiet;

	(void)state;
	e.value = 1179648;
	e.percent = 450;
	expect(&buckets, &entries, "", &e,
		"conntrack hash: 4.5 entries per bucket (1179648 entries); raise it");
}

static void object_is_named(void **state)
{
	(void)state;
	expect(&full, &entries, "[2001:db8::1]:443", &quiet,
		"conntrack of [2001:db8::1]:443: 82% full (214958 of 262144 entries)");
}

static void coming_down_tells_what_it_was(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.from = LEVEL_CRITICAL;
	expect(&full, &entries, "", &e,
		"conntrack: 82% full (214958 of 262144 entries), was critical");
}

static void reminder_tells_for_how_long(void **state)
{
	struct alert_event e = quiet;

	(void)state;
	e.kind = ALERT_REMINDER;
	e.from = LEVEL_WARNING;
	e.duration = 1800;
	expect(&full, &entries, "", &e,
		"conntrack: 82% full (214958 of 262144 entries), warning for 30 min");
}

static void overlong_sentence_is_cut_and_stays_a_string(void **state)
{
	char object[2 * NOTIFY_TEXT_SIZE], out[NOTIFY_TEXT_SIZE];

	(void)state;
	memset(object, 'x', sizeof object - 1);
	object[sizeof object - 1] = '\0';
	notify_sentence(
		&(struct notify_subject){.rule = &full, .metric = &entries, .object = object},
		&quiet, out);
	assert_int_equal(strlen(out), NOTIFY_TEXT_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warning_tells_percent_value_and_limit),
		cmocka_unit_test(trend_and_time_to_full_are_in_the_sentence),
		cmocka_unit_test(recovery_tells_how_bad_and_how_long),
		cmocka_unit_test(recovery_for_want_of_a_limit_has_no_percent),
		cmocka_unit_test(more_than_full_is_told_as_it_is),
		cmocka_unit_test(almost_full_is_not_called_full),
		cmocka_unit_test(rate_names_its_threshold_and_the_advice),
		cmocka_unit_test(increase_is_told_as_a_number_with_the_setting_to_raise),
		cmocka_unit_test(setting_that_is_not_known_is_left_out),
		cmocka_unit_test(ratio_is_not_called_full),
		cmocka_unit_test(object_is_named),
		cmocka_unit_test(coming_down_tells_what_it_was),
		cmocka_unit_test(reminder_tells_for_how_long),
		cmocka_unit_test(overlong_sentence_is_cut_and_stays_a_string),
	};

	return cmocka_run_group_tests_name("notify", tests, NULL, NULL);
}
