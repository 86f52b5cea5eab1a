/* SPDX-License-Identifier: MIT */
#include "collectors/drops.h"

#include <string.h>

#include "tests/unit/test.h"

/* One pass over sockets 1..n, each with this count. */
static void pass(struct drops *drops, uint64_t n, uint32_t count)
{
	drops_begin(drops);
	for (uint64_t cookie = 1; cookie <= n; cookie++)
		drops_add(drops, cookie, count);
	drops_end(drops);
}

static void sum_starts_at_what_the_kernel_has(void **state)
{
	struct drops drops;

	(void)state;
	assert_int_equal(drops_init(&drops), 0);
	pass(&drops, 3, 10);
	assert_int_equal(drops.sum, 30);
	pass(&drops, 3, 12);
	assert_int_equal(drops.sum, 36);
	drops_free(&drops);
}

static void sum_stays_when_a_socket_closes(void **state)
{
	struct drops drops;

	(void)state;
	assert_int_equal(drops_init(&drops), 0);
	pass(&drops, 3, 10);
	pass(&drops, 1, 10);
	assert_int_equal(drops.sum, 30);
	assert_int_equal(drops.n, 1);
	pass(&drops, 0, 0);
	assert_int_equal(drops.sum, 30);
	drops_begin(&drops); /* the server comes back with another socket */
	drops_add(&drops, 99, 2);
	drops_end(&drops);
	assert_int_equal(drops.sum, 32);
	drops_free(&drops);
}

static void order_does_not_matter(void **state)
{
	struct drops drops;

	(void)state;
	assert_int_equal(drops_init(&drops), 0);
	pass(&drops, 5, 1);
	drops_begin(&drops);
	for (uint64_t cookie = 5; cookie > 0; cookie--)
		drops_add(&drops, cookie, 2);
	drops_end(&drops);
	assert_int_equal(drops.sum, 10);
	assert_int_equal(drops.n, 5);
	drops_free(&drops);
}

static void counter_of_a_socket_wraps(void **state)
{
	struct drops drops;

	(void)state;
	assert_int_equal(drops_init(&drops), 0);
	pass(&drops, 1, UINT32_MAX);
	pass(&drops, 1, 4);
	assert_int_equal(drops.sum, (uint64_t)UINT32_MAX + 5);
	drops_free(&drops);
}

static void pass_that_begins_again_counts_nothing_twice(void **state)
{
	struct drops drops;

	(void)state;
	assert_int_equal(drops_init(&drops), 0);
	drops_begin(&drops);
	drops_add(&drops, 1, 10);
	drops_add(&drops, 2, 20);
	pass(&drops, 1, 11);
	assert_int_equal(drops.sum, 31);
	assert_int_equal(drops.n, 1);
	drops_free(&drops);
}

static void room_is_made_for_many_sockets(void **state)
{
	struct drops drops;

	(void)state;
	assert_int_equal(drops_init(&drops), 0);
	pass(&drops, 300, 1);
	assert_int_not_equal(drops.missed, 0);
	assert_false(drops_settle(&drops));
	pass(&drops, 300, 1);
	assert_int_equal(drops.missed, 0);
	assert_true(drops_settle(&drops));
	assert_int_equal(drops.sum, 300);
	drops_free(&drops);
}

static void memory_is_bounded(void **state)
{
	struct drops drops;

	(void)state;
	assert_int_equal(drops_init(&drops), 0);
	for (int i = 0; i < 5; i++) {
		pass(&drops, 2 * DROPS_MAX_SOCKETS, 1);
		drops_settle(&drops);
	}
	assert_true(drops_settle(&drops));
	assert_int_equal(drops.size, DROPS_MAX_SOCKETS);
	assert_int_equal(drops.sum, DROPS_MAX_SOCKETS);
	drops_free(&drops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sum_starts_at_what_the_kernel_has),
		cmocka_unit_test(sum_stays_when_a_socket_closes),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(counter_of_a_socket_wraps),
		cmocka_unit_test(pass_that_begins_again_counts_nothing_twice),
		cmocka_unit_test(room_is_made_for_many_sockets),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests_name("drops", tests, NULL, NULL);
}
