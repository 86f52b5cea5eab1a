/* SPDX-License-Identifier: MIT */
#include "cli/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collector.h"
#include "tests/unit/test.h"

static const struct plugin_item conntrack = {
	.label = "conntrack",
	.unit = "entries",
	.object = "",
	.value = 214958,
	.limit = 262144,
	.warning = 80,
	.critical = 90,
};

static void expect(
	const struct plugin_item *items, size_t n, enum plugin_state state, const char *line)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(plugin_print(items, n, out), state);
	fclose(out);
	assert_string_equal(text, line);
	free(text);
}

static void a_limit_is_one_line_with_perfdata(void **state)
{
	(void)state;
	expect(&conntrack, 1, PLUGIN_WARNING,
		"CONNTRACK WARNING - 82% full (214958 of 262144 entries) | "
		"'conntrack'=214958;209715;235929;0;262144\n");
}

static void a_threshold_counts_from_its_exact_value_on(void **state)
{
	struct plugin_item item = conntrack;

	(void)state;
	item.limit = 100;
	item.value = 79;
	assert_int_equal(plugin_judge(&item), PLUGIN_OK);
	item.value = 80;
	assert_int_equal(plugin_judge(&item), PLUGIN_WARNING);
	item.value = 90;
	assert_int_equal(plugin_judge(&item), PLUGIN_CRITICAL);
	item.value = 130;
	assert_int_equal(plugin_judge(&item), PLUGIN_CRITICAL);
}

static void a_threshold_of_zero_is_off(void **state)
{
	struct plugin_item item = conntrack;

	(void)state;
	item.warning = 0;
	expect(&item, 1, PLUGIN_OK,
		"CONNTRACK OK - 82% full (214958 of 262144 entries) | "
		"'conntrack'=214958;;235929;0;262144\n");
}

static void no_limit_is_ok_and_has_no_thresholds(void **state)
{
	struct plugin_item item = conntrack;

	(void)state;
	item.limit = 0;
	expect(&item, 1, PLUGIN_OK,
		"CONNTRACK OK - 214958 entries, no limit | 'conntrack'=214958;;;0\n");
}

static void more_than_full_is_told_as_it_is(void **state)
{
	struct plugin_item item = conntrack;

	(void)state;
	item.value = 524288;
	expect(&item, 1, PLUGIN_CRITICAL,
		"CONNTRACK CRITICAL - 200% full (524288 of 262144 entries) | "
		"'conntrack'=524288;209715;235929;0;262144\n");
}

static void almost_full_is_not_called_full(void **state)
{
	struct plugin_item item = conntrack;

	(void)state;
	item.value = 262143;
	expect(&item, 1, PLUGIN_CRITICAL,
		"CONNTRACK CRITICAL - 99% full (262143 of 262144 entries) | "
		"'conntrack'=262143;209715;235929;0;262144\n");
}

static void what_cannot_be_read_is_unknown_with_its_reason(void **state)
{
	struct plugin_item item = conntrack;

	(void)state;
	item.value = UNKNOWN;
	item.error = "cannot open a|b:\nPermission denied\x1b[2J";
	expect(&item, 1, PLUGIN_UNKNOWN,
		"CONNTRACK UNKNOWN - cannot open a/b:?Permission denied?[2J | 'conntrack'=U\n");
	item = conntrack;
	item.limit = UNKNOWN;
	expect(&item, 1, PLUGIN_UNKNOWN,
		"CONNTRACK UNKNOWN - there is nothing to read here | 'conntrack'=214958;;;0\n");
}

static void the_object_is_named(void **state)
{
	const struct plugin_item item = {
		.label = "listen-queue",
		.unit = "connections",
		.object = "192.0.2.1:443",
		.value = 128,
		.limit = 128,
		.warning = 80,
		.critical = 100,
	};

	(void)state;
	expect(&item, 1, PLUGIN_CRITICAL,
		"LISTEN-QUEUE CRITICAL - 100% full (128 of 128 connections) at 192.0.2.1:443 | "
		"'listen-queue'=128;102;128;0;128\n");
}

static void the_worst_comes_first_and_the_others_follow(void **state)
{
	struct plugin_item items[] = {conntrack, conntrack, conntrack, conntrack, conntrack};

	(void)state;
	items[0].label = "a";
	items[0].value = UNKNOWN;
	items[1].label = "b";
	items[2].label = "c";
	items[2].value = 1;
	items[3].label = "d";
	items[3].value = 220000;
	items[4].label = "e";
	items[4].value = 2;
	expect(items, 5, PLUGIN_WARNING,
		"D WARNING - 84% full (220000 of 262144 entries); "
		"a UNKNOWN: there is nothing to read here; "
		"b WARNING: 82% full (214958 of 262144 entries); 2 others OK | "
		"'a'=U 'b'=214958;209715;235929;0;262144 'c'=1;209715;235929;0;262144 "
		"'d'=220000;209715;235929;0;262144 'e'=2;209715;235929;0;262144\n");
}

static void unknown_is_worse_than_ok_and_better_than_warning(void **state)
{
	struct plugin_item items[] = {conntrack, conntrack};

	(void)state;
	items[1].label = "b";
	items[1].value = UNKNOWN;
	items[0].value = 5;
	expect(items, 2, PLUGIN_UNKNOWN,
		"B UNKNOWN - there is nothing to read here; 1 other OK | "
		"'conntrack'=5;209715;235929;0;262144 'b'=U\n");
}

static void of_what_is_ok_the_first_leads(void **state)
{
	struct plugin_item items[] = {conntrack, conntrack};

	(void)state;
	items[0].value = 5;
	items[1].value = 50000;
	items[1].label = "b";
	expect(items, 2, PLUGIN_OK,
		"CONNTRACK OK - 0% full (5 of 262144 entries); 1 other OK | "
		"'conntrack'=5;209715;235929;0;262144 'b'=50000;209715;235929;0;262144\n");
}

static void percents_are_plain_numbers(void **state)
{
	static const char *const bad[] = {"", "%", "x", "8O", "-1", "1001", "nan", "inf", "0x50",
		"1e2", "80%%", " 80", "80 ", "10:20", "~:80", "@80",
		"00000000000000000000000000000080"};
	double percent;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (plugin_parse_percent(bad[i], &percent) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
	assert_int_equal(plugin_parse_percent("80", &percent), 0);
	assert_number(percent, 80);
	assert_int_equal(plugin_parse_percent("80.5%", &percent), 0);
	assert_number(percent, 80.5);
	assert_int_equal(plugin_parse_percent("0", &percent), 0);
	assert_number(percent, 0);
	assert_int_equal(plugin_parse_percent("1000", &percent), 0);
	assert_number(percent, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_is_one_line_with_perfdata),
		cmocka_unit_test(a_threshold_counts_from_its_exact_value_on),
		cmocka_unit_test(a_threshold_of_zero_is_off),
		cmocka_unit_test(no_limit_is_ok_and_has_no_thresholds),
		cmocka_unit_test(more_than_full_is_told_as_it_is),
		cmocka_unit_test(almost_full_is_not_called_full),
		cmocka_unit_test(what_cannot_be_read_is_unknown_with_its_reason),
		cmocka_unit_test(the_object_is_named),
		cmocka_unit_test(the_worst_comes_first_and_the_others_follow),
		cmocka_unit_test(unknown_is_worse_than_ok_and_better_than_warning),
		cmocka_unit_test(of_what_is_ok_the_first_leads),
		cmocka_unit_test(percents_are_plain_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
