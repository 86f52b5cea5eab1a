/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "daemon/conf_value.h"
#include "daemon/util.h"
#include "tests/unit/test.h"

static void whole_numbers_have_one_form(void **state)
{
	static const char *const bad[] = {"", "-", "010", "00", "0x10", "1e3", "+1", " 1", "1 ",
		"1.0", "1%", "five", "9223372036854775808", "99999999999999999999999"};
	long v = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(conf_parse_whole(bad[i], &v), -EINVAL);
	assert_int_equal(v, 7);
	assert_int_equal(conf_parse_whole("0", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(conf_parse_whole("-5", &v), 0);
	assert_int_equal(v, -5);
	assert_int_equal(conf_parse_whole("9223372036854775807", &v), 0);
	assert_int_equal(v, 9223372036854775807L);
}

static void numbers_are_plain_decimals(void **state)
{
	static const char *const bad[] = {"", ".", ".5", "5.", "80,5", "1%", "nan", "inf", "-inf",
		"NAN", "infinity", "1e3", "0x10", "010", "00.5", "1.2.3", "+1", "1 ", "1f",
		"1234567890123456", "0.1234567890123456"};
	double v = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(conf_parse_number(bad[i], &v), -EINVAL);
	assert_number(v, 7);
	assert_int_equal(conf_parse_number("80.5", &v), 0);
	assert_true(v == 80.5);
	assert_int_equal(conf_parse_number("0.1", &v), 0);
	assert_true(v == 0.1);
	assert_int_equal(conf_parse_number("-3", &v), 0);
	assert_true(v == -3.0);
	assert_int_equal(conf_parse_number("999999999999999", &v), 0);
	assert_true(v == 999999999999999.0);
}

static void numbers_are_the_same_in_every_locale(void **state)
{
	double v = 0;

	(void)state;
	/* Where the machine has no such locale, the default one is as good. */
	setlocale(LC_ALL, "de_DE.UTF-8");
	assert_int_equal(conf_parse_number("80.5", &v), 0);
	assert_int_equal(conf_parse_number("80,5", &v), -EINVAL);
	setlocale(LC_ALL, "C");
	assert_true(v == 80.5);
}

static void durations_need_a_unit(void **state)
{
	static const char *const bad[] = {"", "30", "m", "1.5h", "-1m", "030s", "1M", "1 m", "1ms",
		"1h30m", "1w", "00", "292471208678y", "9223372036854775807d"};
	static const struct {
		const char *text;
		long seconds;
	} good[] = {{"0", 0}, {"0s", 0}, {"45s", 45}, {"30m", 1800}, {"2h", 7200}, {"14d", 1209600},
		{"3y", 94608000}};
	long v = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(conf_parse_duration(bad[i], &v), -EINVAL);
	assert_int_equal(v, 7);
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_int_equal(conf_parse_duration(good[i].text, &v), 0);
		assert_int_equal(v, good[i].seconds);
	}
}

static void networks_of_both_families_are_kept_alike(void **state)
{
	static const uint8_t ten[16] = {[10] = 0xff, [11] = 0xff, [12] = 10};
	struct network n;

	(void)state;
	assert_int_equal(conf_parse_network("10.0.0.0/8", &n), 0);
	assert_memory_equal(n.address, ten, 16);
	assert_int_equal(n.prefix, 96 + 8);
	assert_int_equal(conf_parse_network("::ffff:10.0.0.0/104", &n), 0);
	assert_memory_equal(n.address, ten, 16);
	assert_int_equal(n.prefix, 104);
	assert_int_equal(conf_parse_network("192.0.2.1", &n), 0);
	assert_int_equal(n.prefix, 128);
	assert_int_equal(conf_parse_network("2001:db8::/32", &n), 0);
	assert_int_equal(n.prefix, 32);
	assert_int_equal(conf_parse_network("::/0", &n), 0);
	assert_int_equal(n.prefix, 0);
	assert_int_equal(conf_parse_network("0.0.0.0/0", &n), 0);
	assert_int_equal(n.prefix, 96);
}

static void bad_networks_are_refused(void **state)
{
	static const char *const bad[] = {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1",
		"10.0.0/8", "010.0.0.0/8", "10.0.0.0/08", "10.0.0.0/8/8", "::/129", "localhost",
		"1.2.3.4.5", "::g", "10.0.0.0 /8",
		"1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb"};
	struct network n;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(conf_parse_network(bad[i], &n), -EINVAL);
	assert_int_equal(conf_parse_network("10.1.2.3/8", &n), -EDOM);
	assert_int_equal(conf_parse_network("2001:db8::1/32", &n), -EDOM);
}

static void values_outside_the_range_differ_from_wrong_ones(void **state)
{
	static const struct setting whole = {.type = SETTING_INT, .min = 1, .max = 3600};
	static const struct setting duration = {.type = SETTING_DURATION, .min = 1, .max = 60};
	static const struct setting port = {.type = SETTING_PORTS};
	union conf_value v;

	(void)state;
	assert_int_equal(conf_value_parse(&whole, "0", &v), -ERANGE);
	assert_int_equal(conf_value_parse(&whole, "3601", &v), -ERANGE);
	assert_int_equal(conf_value_parse(&whole, "x", &v), -EINVAL);
	assert_int_equal(conf_value_parse(&whole, "3600", &v), 0);
	assert_int_equal(v.whole, 3600);
	assert_int_equal(conf_value_parse(&duration, "0", &v), -ERANGE);
	assert_int_equal(conf_value_parse(&duration, "2m", &v), -ERANGE);
	assert_int_equal(conf_value_parse(&port, "0", &v), -ERANGE);
	assert_int_equal(conf_value_parse(&port, "65536", &v), -ERANGE);
	assert_int_equal(conf_value_parse(&port, "65535", &v), 0);
	assert_int_equal(v.port, 65535);
}

static void years_are_for_archives_only(void **state)
{
	static const struct setting duration = {.type = SETTING_DURATION, .max = 1e9};
	union conf_value v;

	(void)state;
	assert_int_equal(conf_value_parse(&duration, "1y", &v), -EINVAL);
	assert_int_equal(conf_value_parse(&duration, "365d", &v), 0);
}

static void booleans_are_libconfuses(void **state)
{
	static const struct setting s = {.type = SETTING_BOOL};
	static const char *const yes[] = {"true", "on", "yes", "TRUE", "Yes"};
	static const char *const no[] = {"false", "off", "no"};
	static const char *const bad[] = {"", "1", "0", "maybe", "tru"};
	union conf_value v;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		assert_int_equal(conf_value_parse(&s, yes[i], &v), 0);
		assert_true(v.boolean);
	}
	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		assert_int_equal(conf_value_parse(&s, no[i], &v), 0);
		assert_false(v.boolean);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(conf_value_parse(&s, bad[i], &v), -EINVAL);
}

static void what_is_expected_is_said_with_its_range(void **state)
{
	static const char *const choices[] = {"auto", "proc", NULL};
	const struct setting whole = {.type = SETTING_INT, .min = 1, .max = 3600};
	const struct setting number = {.type = SETTING_NUMBER, .min = 0.1, .max = 100};
	const struct setting choice = {.type = SETTING_CHOICE, .choices = choices};
	const struct setting duration = {.type = SETTING_DURATION, .max = 3600};
	char text[CONF_EXPECT_SIZE];

	(void)state;
	conf_value_expected(&whole, text, sizeof(text));
	assert_string_equal(text, "a whole number in 1..3600");
	conf_value_expected(&number, text, sizeof(text));
	assert_string_equal(text, "a number in 0.1..100");
	conf_value_expected(&choice, text, sizeof(text));
	assert_string_equal(text, "one of auto, proc");
	conf_value_expected(&duration, text, sizeof(text));
	assert_string_equal(text, "a duration in 0..1h (a whole number with s, m, h or d)");
}

static void printed_values_are_read_back_the_same(void **state)
{
	static const double numbers[] = {
		0, 1, 80.5, 92.25, 0.1, 0.000001, 123456.789, 999999999999999.0};
	static const long durations[] = {0, 1, 59, 60, 90, 3600, 86400, 94608000};
	static const char *const networks[] = {
		"10.0.0.0/8", "192.0.2.1/32", "0.0.0.0/0", "::/0", "2001:db8::/32", "::1/128"};
	char text[CONF_VALUE_SIZE];
	struct network n;
	double d;
	long l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		conf_format_number(numbers[i], text);
		assert_int_equal(conf_parse_number(text, &d), 0);
		assert_true(d == numbers[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(durations); i++) {
		conf_format_duration(durations[i], text);
		assert_int_equal(conf_parse_duration(text, &l), 0);
		assert_int_equal(l, durations[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(networks); i++) {
		assert_int_equal(conf_parse_network(networks[i], &n), 0);
		conf_format_network(&n, text);
		assert_string_equal(text, networks[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_have_one_form),
		cmocka_unit_test(numbers_are_plain_decimals),
		cmocka_unit_test(numbers_are_the_same_in_every_locale),
		cmocka_unit_test(durations_need_a_unit),
		cmocka_unit_test(networks_of_both_families_are_kept_alike),
		cmocka_unit_test(bad_networks_are_refused),
		cmocka_unit_test(values_outside_the_range_differ_from_wrong_ones),
		cmocka_unit_test(years_are_for_archives_only),
		cmocka_unit_test(booleans_are_libconfuses),
		cmocka_unit_test(what_is_expected_is_said_with_its_range),
		cmocka_unit_test(printed_values_are_read_back_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
