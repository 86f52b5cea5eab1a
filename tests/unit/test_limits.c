/* SPDX-License-Identifier: MIT */
#include "cli/limits.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/registry.h"
#include "daemon/util.h"
#include "tests/unit/test.h"

static const struct conf_instance instances[] = {
	{.collector = &collector_conntrack, .name = "conntrack", .title = ""},
	{.collector = &collector_sockets, .name = "sockets", .title = ""},
	{.collector = &collector_sockets, .name = "sockets-http", .title = "http"},
	{.collector = &collector_sockets, .name = "sockets-db", .title = "db"},
};

/* The labels of the limits of these rules, each followed by a space. */
static void expect(const struct rule *rules, size_t n_rules, const char *labels)
{
	const struct conf conf = {
		.instances = instances,
		.n_instances = ARRAY_LEN(instances),
		.rules = rules,
		.n_rules = n_rules,
	};
	struct limit *limits;
	char got[512] = "";
	size_t n;

	assert_int_equal(limits_find(&conf, &limits, &n), 0);
	for (size_t i = 0; i < n; i++) {
		strcat(got, limits[i].label);
		strcat(got, " ");
	}
	free(limits);
	assert_string_equal(got, labels);
}

static void are_the_enabled_rules_with_a_limit(void **state)
{
	const struct rule rules[] = {
		{.name = "a",
			.value = "conntrack.entries",
			.limit = "conntrack.max",
			.enabled = true},
		{.name = "off", .value = "conntrack.entries", .limit = "conntrack.max"},
		{.name = "drops", .value = "conntrack.drop", .enabled = true},
		{.name = "not-read",
			.value = "limits.orphans",
			.limit = "limits.orphans_max",
			.enabled = true},
		{.name = "b",
			.value = "sockets-db.established",
			.limit = "conntrack.max",
			.enabled = true},
	};

	(void)state;
	expect(rules, ARRAY_LEN(rules), "a b ");
}

static void are_called_without_full_where_the_name_is_free(void **state)
{
	const struct rule rules[] = {
		{.name = "conntrack-full",
			.value = "conntrack.entries",
			.limit = "conntrack.max",
			.enabled = true},
		{.name = "x-full",
			.value = "conntrack.entries",
			.limit = "conntrack.max",
			.enabled = true},
		{.name = "x",
			.value = "conntrack.entries",
			.limit = "conntrack.max",
			.enabled = true},
		{.name = "-full",
			.value = "conntrack.entries",
			.limit = "conntrack.max",
			.enabled = true},
	};

	(void)state;
	expect(rules, ARRAY_LEN(rules), "conntrack x-full x -full ");
}

static void are_one_per_instance_of_a_rule_about_several(void **state)
{
	const struct rule rules[] = {
		{.name = "many",
			.value = "sockets-*.established",
			.limit = "conntrack.max",
			.enabled = true},
		{.name = "own",
			.value = "sockets-*.established",
			.limit = "sockets-*.listen",
			.enabled = true},
	};

	(void)state;
	expect(rules, ARRAY_LEN(rules), "many-http many-db own-http own-db ");
}

static void percent_needs_a_limit(void **state)
{
	(void)state;
	assert_number(limit_percent(80, 100), 80);
	assert_number(limit_percent(80, 0), (double)NAN);
	assert_number(limit_percent((double)NAN, 100), (double)NAN);
	assert_number(limit_percent(80, (double)NAN), (double)NAN);
}

static void levels_begin_at_their_threshold(void **state)
{
	(void)state;
	assert_int_equal(limit_level(79.9, 80, 90), LEVEL_OK);
	assert_int_equal(limit_level(80, 80, 90), LEVEL_WARNING);
	assert_int_equal(limit_level(90, 80, 90), LEVEL_CRITICAL);
	assert_int_equal(limit_level(99, 0, 0), LEVEL_OK);
	assert_int_equal(limit_level(99, 0, 90), LEVEL_CRITICAL);
	assert_int_equal(limit_level((double)NAN, 80, 90), LEVEL_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_the_enabled_rules_with_a_limit),
		cmocka_unit_test(are_called_without_full_where_the_name_is_free),
		cmocka_unit_test(are_one_per_instance_of_a_rule_about_several),
		cmocka_unit_test(percent_needs_a_limit),
		cmocka_unit_test(levels_begin_at_their_threshold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
