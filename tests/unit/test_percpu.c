/* SPDX-License-Identifier: MIT */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>

#include "collectors/percpu.h"
#include "daemon/collector.h"

static const char *const names[] = {"drop", "found"};

static int table(struct percpu *p, const char *text, double sums[2])
{
	return percpu_table(p, (struct span){text, strlen(text)}, names, 2, sums);
}

static void rows_are_summed_by_header_name(void **state)
{
	struct percpu p = {0};
	double sums[2];

	(void)state;
	assert_int_equal(
		table(&p, "entries  found drop\n0000000a 00000010 00000001 \n0000000a ff 2\n",
			sums),
		0);
	assert_number(sums[0], 3);
	assert_number(sums[1], 0x10f);
	percpu_reset(&p);
}

static void absent_column_is_unknown(void **state)
{
	struct percpu p = {0};
	double sums[2];

	(void)state;
	assert_int_equal(table(&p, "searched found\n1 2\n", sums), 0);
	assert_number(sums[0], UNKNOWN);
	assert_number(sums[1], 2);
	percpu_reset(&p);
}

static void wrap_of_32_bits_is_carried_per_cpu(void **state)
{
	struct percpu p = {0};
	double sums[2];

	(void)state;
	assert_int_equal(table(&p, "drop found\nfffffff0 0\nfffffffe 0\n", sums), 0);
	assert_number(sums[0], 4294967280.0 + 4294967294.0);
	assert_int_equal(table(&p, "drop found\n00000010 0\nffffffff 0\n", sums), 0);
	assert_number(sums[0], 4294967280.0 + 4294967294.0 + 0x20 + 1);
	percpu_reset(&p);
}

static void large_step_is_a_reset_of_its_column_only(void **state)
{
	struct percpu p = {0};
	double sums[2];

	(void)state;
	assert_int_equal(table(&p, "drop found\n100 10\n200 20\n", sums), 0);
	assert_int_equal(table(&p, "drop found\n5 11\n201 20\n", sums), 0);
	assert_number(sums[0], 0x5 + 0x201);
	assert_number(sums[1], 0x31);
	assert_int_equal(table(&p, "drop found\n40000004 11\n201 20\n", sums), 0);
	assert_number(
		sums[0], 0x40000004 + 0x201); /* one below 2^30: an increase, with the same sum */
	assert_int_equal(table(&p, "drop found\n80000004 11\n201 20\n", sums), 0);
	assert_number(sums[0], 0x80000004 + 0x201);
	percpu_reset(&p);
}

static void step_just_below_the_limit_is_an_increase(void **state)
{
	struct percpu p = {0};
	double sums[2];

	(void)state;
	assert_int_equal(table(&p, "drop found\nfffffffe 0\n", sums), 0);
	assert_int_equal(table(&p, "drop found\n3ffffffd 0\n", sums), 0);
	assert_number(sums[0], 4294967294.0 + 1073741823.0);
	assert_int_equal(table(&p, "drop found\n7ffffffd 0\n", sums), 0);
	assert_number(sums[0], 2147483645.0);
	percpu_reset(&p);
}

static void new_cpu_adds_its_value(void **state)
{
	struct percpu p = {0};
	double sums[2];

	(void)state;
	assert_int_equal(table(&p, "drop found\n5 1\n", sums), 0);
	assert_int_equal(table(&p, "drop found\n6 1\nfffffff0 2\n", sums), 0);
	assert_number(sums[0], 6 + 4294967280.0);
	assert_number(sums[1], 3);
	percpu_reset(&p);
}

static void cpu_that_was_away_goes_on_from_its_last_value(void **state)
{
	struct percpu p = {0};

	(void)state;
	percpu_begin(&p);
	assert_int_equal(percpu_add(&p, 0, (uint32_t[]){10}, 1), 0);
	assert_int_equal(percpu_add(&p, 7, (uint32_t[]){100}, 1), 0);
	percpu_end(&p);
	percpu_begin(&p);
	assert_int_equal(percpu_add(&p, 0, (uint32_t[]){11}, 1), 0);
	percpu_end(&p);
	assert_int_equal(p.sum[0], 111);
	percpu_begin(&p);
	assert_int_equal(percpu_add(&p, 7, (uint32_t[]){103}, 1), 0);
	percpu_end(&p);
	assert_int_equal(p.sum[0], 114);
	assert_int_equal(percpu_add(&p, UINT32_MAX, (uint32_t[]){1}, 1), -EBADMSG);
	percpu_reset(&p);
}

static void bad_table_counts_for_nothing(void **state)
{
	static const char *const bad[] = {"", "\n", "drop found\n", "drop found\n1\n",
		"drop found\n1 2 3\n", "drop found\n1 2\n1 x\n",
		"drop found\n1 2\n1 10000000000000000\n", "drop found\n1 2\n1 2"};
	struct percpu p = {0};
	double sums[2];

	(void)state;
	assert_int_equal(table(&p, "drop found\n1 1\n1 1\n", sums), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		sums[0] = sums[1] = 7;
		assert_int_equal(table(&p, bad[i], sums), -EBADMSG);
		assert_number(sums[0], UNKNOWN);
		assert_number(sums[1], UNKNOWN);
	}
	assert_int_equal(table(&p, "drop found\n3 1\n2 1\n", sums), 0);
	assert_number(sums[0], 5);
	assert_number(sums[1], 2);
	percpu_reset(&p);
}

static void forgotten_sums_start_at_the_kernels_values(void **state)
{
	struct percpu p = {0};
	double sums[2];

	(void)state;
	assert_int_equal(table(&p, "drop found\n9 9\n", sums), 0);
	percpu_reset(&p);
	assert_int_equal(table(&p, "drop found\na 1\n", sums), 0);
	assert_number(sums[0], 10);
	assert_number(sums[1], 1);
	percpu_reset(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_summed_by_header_name),
		cmocka_unit_test(absent_column_is_unknown),
		cmocka_unit_test(wrap_of_32_bits_is_carried_per_cpu),
		cmocka_unit_test(large_step_is_a_reset_of_its_column_only),
		cmocka_unit_test(step_just_below_the_limit_is_an_increase),
		cmocka_unit_test(new_cpu_adds_its_value),
		cmocka_unit_test(cpu_that_was_away_goes_on_from_its_last_value),
		cmocka_unit_test(bad_table_counts_for_nothing),
		cmocka_unit_test(forgotten_sums_start_at_the_kernels_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
