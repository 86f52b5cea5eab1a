/* SPDX-License-Identifier: MIT */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/mib.h"
#include "daemon/util.h"

static const char *const names[] = {"CurrEstab", "InSegs"};

static int parse(const char *text, double values[2])
{
	return mib_parse((struct span){text, strlen(text)}, "Tcp:", names, 2, values);
}

static void assert_bad(const char *text)
{
	double values[2] = {1, 2};

	assert_int_equal(parse(text, values), -EBADMSG);
	assert_number(values[0], UNKNOWN);
	assert_number(values[1], UNKNOWN);
}

static void values_go_by_name_whatever_the_order(void **state)
{
	double values[2];

	(void)state;
	assert_int_equal(parse("Tcp: New InSegs CurrEstab\nTcp: 7 904417723 612\n", values), 0);
	assert_number(values[0], 612);
	assert_number(values[1], 904417723);
}

static void missing_name_is_unknown(void **state)
{
	double values[2] = {5, 5};

	(void)state;
	assert_int_equal(parse("Tcp: InSegs\nTcp: 0\n", values), 0);
	assert_number(values[0], UNKNOWN);
	assert_number(values[1], 0);
}

static void name_is_matched_whole(void **state)
{
	double values[2];

	(void)state;
	assert_int_equal(parse("Tcp: CurrEsta CurrEstab2 InSegs\nTcp: 1 2 3\n", values), 0);
	assert_number(values[0], UNKNOWN);
	assert_number(values[1], 3);
}

static void other_prefixes_do_no_harm(void **state)
{
	double values[2];

	(void)state;
	assert_int_equal(
		parse("IcmpMsg: InType3 InType8\nIcmpMsg: 1\nXTcp: CurrEstab\nXTcp: 9\n"
		      "Tcp: MaxConn CurrEstab InSegs\nTcp: -1 612 4\nTcpExt: InSegs\n\nOdd",
			values),
		-EBADMSG); /* torn: the last line has no end */
	assert_int_equal(
		parse("IcmpMsg: InType3 InType8\nIcmpMsg: 1\nXTcp: CurrEstab\nXTcp: 9\n"
		      "Tcp: MaxConn CurrEstab InSegs\nTcp: -1 612 4\nTcpExt: InSegs\n\nOdd\n",
			values),
		0);
	assert_number(values[0], 612);
	assert_number(values[1], 4);
}

static void negative_overlong_and_odd_values_are_unknown(void **state)
{
	double values[2];

	(void)state;
	assert_int_equal(parse("Tcp: CurrEstab InSegs\nTcp: -5 18446744073709551616\n", values), 0);
	assert_number(values[0], UNKNOWN);
	assert_number(values[1], UNKNOWN);
	assert_int_equal(
		parse("Tcp: CurrEstab InSegs\nTcp: 12x 18446744073709551615\n", values), 0);
	assert_number(values[0], UNKNOWN);
	assert_number(values[1], 18446744073709551615.0);
}

static void zero_bytes_are_part_of_a_word(void **state)
{
	static const char text[] = "Tcp:\0\0\0\0 InSegs\nTcp: InSegs\0\0\0\nTcp: 4\n";
	double values[2];

	(void)state;
	assert_int_equal(
		mib_parse((struct span){text, sizeof(text) - 1}, "Tcp:", names, 2, values), 0);
	assert_number(values[1], UNKNOWN);
}

static void unequal_counts_are_bad(void **state)
{
	(void)state;
	assert_bad("Tcp: CurrEstab InSegs\nTcp: 612\n");
	assert_bad("Tcp: CurrEstab InSegs\nTcp: 612 1 2\n");
}

static void half_a_pair_is_bad(void **state)
{
	(void)state;
	assert_bad("Tcp: CurrEstab InSegs\n");
	assert_bad("Tcp: CurrEstab InSegs\nUdp: 1 2\nTcp: 612 4\n");
	assert_bad("Tcp: CurrEstab InSegs\nTcp: 612 44");
	assert_bad("Udp: InSegs\nUdp: 4\n");
	assert_bad("\n");
	assert_bad("");
}

static void long_lines_are_read(void **state)
{
	static char text[200000];
	double values[2];
	size_t len = 0;

	(void)state;
	len += (size_t)sprintf(text + len, "Tcp:");
	for (int i = 0; i < 9000; i++)
		len += (size_t)sprintf(text + len, " Name%d", i);
	len += (size_t)sprintf(text + len, " InSegs\nTcp:");
	for (int i = 0; i < 9000; i++)
		len += (size_t)sprintf(text + len, " %d", i);
	sprintf(text + len, " 77\n");
	assert_int_equal(parse(text, values), 0);
	assert_number(values[1], 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_go_by_name_whatever_the_order),
		cmocka_unit_test(missing_name_is_unknown),
		cmocka_unit_test(name_is_matched_whole),
		cmocka_unit_test(other_prefixes_do_no_harm),
		cmocka_unit_test(negative_overlong_and_odd_values_are_unknown),
		cmocka_unit_test(zero_bytes_are_part_of_a_word),
		cmocka_unit_test(unequal_counts_are_bad),
		cmocka_unit_test(half_a_pair_is_bad),
		cmocka_unit_test(long_lines_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
