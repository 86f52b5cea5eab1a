/* SPDX-License-Identifier: MIT */
#include "daemon/sched.h"

#include "tests/unit/test.h"

#define S INT64_C(1000000000)

static void wait_is_to_the_nearer_multiple(void **state)
{
	(void)state;
	assert_int_equal(sched_wait(1000 * S, 10, 1), S);
	assert_int_equal(sched_wait(1000 * S + 1, 10, 1), S - 1);
	assert_int_equal(sched_wait(1005 * S + S / 2, 10, 0), 4 * S + S / 2);
	assert_int_equal(sched_wait(1008 * S, 10, 3),
		0 + 2 * S); /* the row at 1010 before the look at 1011 */
	assert_int_equal(sched_wait(1010 * S, 10, 3), S); /* the look at 1011 */
	assert_int_equal(sched_wait(S / 2, 3600, 0), 3600 * S - S / 2);
}

static void wait_is_never_zero_which_would_disarm_the_timer(void **state)
{
	(void)state;
	for (int64_t now = 0; now < 100; now++)
		assert_in_range(sched_wait(now * S, 7, 2), 1, 2 * S);
	assert_in_range(
		sched_wait(-S / 2, 10, 1), 1, S); /* before 1970: a machine without a clock */
}

static void row_is_due_once_per_multiple(void **state)
{
	time_t stamp;

	(void)state;
	assert_true(sched_row_due(1010 * S, 10, 1000, &stamp));
	assert_int_equal(stamp, 1010);
	assert_false(sched_row_due(1010 * S, 10, 1010, &stamp));
	assert_false(sched_row_due(1019 * S + S - 1, 10, 1010, &stamp));
	assert_true(sched_row_due(1020 * S, 10, 1010, &stamp));
}

static void late_row_is_stamped_with_its_multiple(void **state)
{
	time_t stamp;

	(void)state;
	assert_true(sched_row_due(1099 * S, 10, 1010, &stamp)); /* after a suspend */
	assert_int_equal(stamp, 1090);
}

static void small_step_back_costs_no_row(void **state)
{
	time_t stamp;

	(void)state;
	assert_false(sched_row_due(1008 * S, 10, 1010, &stamp));
	assert_false(sched_row_due(1000 * S, 10, 1010, &stamp));
	assert_true(sched_row_due(1020 * S, 10, 1010, &stamp));
}

static void large_step_back_gives_earlier_stamps(void **state)
{
	time_t stamp;

	(void)state;
	assert_true(sched_row_due(330 * S, 10, 1020, &stamp));
	assert_int_equal(stamp, 330);
	assert_false(sched_row_due(331 * S, 10, 330, &stamp));
	assert_true(sched_row_due(340 * S, 10, 330, &stamp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_is_to_the_nearer_multiple),
		cmocka_unit_test(wait_is_never_zero_which_would_disarm_the_timer),
		cmocka_unit_test(row_is_due_once_per_multiple),
		cmocka_unit_test(late_row_is_stamped_with_its_multiple),
		cmocka_unit_test(small_step_back_costs_no_row),
		cmocka_unit_test(large_step_back_gives_earlier_stamps),
	};

	return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
