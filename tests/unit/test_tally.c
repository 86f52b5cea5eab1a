/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/ct/tally.h"

static void add(struct tally *t, uint32_t number, unsigned times)
{
	uint8_t key[16] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
		(uint8_t)number};

	for (unsigned i = 0; i < times; i++)
		tally_add(t, key);
}

static uint32_t number(const struct tally_item *item)
{
	return (uint32_t)item->key[0] << 24 | (uint32_t)item->key[1] << 16 |
	       (uint32_t)item->key[2] << 8 | item->key[3];
}

static void an_empty_tally_has_no_top(void **state)
{
	struct tally_item top[3];
	struct tally *t;

	(void)state;
	assert_int_equal(tally_new(&t), 0);
	assert_int_equal(tally_top(t, top, 3), 0);
	assert_int_equal(tally_keys(t), 0);
	tally_free(t);
}

static void the_zero_key_is_a_key(void **state)
{
	struct tally_item top[3];
	struct tally *t;

	(void)state;
	assert_int_equal(tally_new(&t), 0);
	add(t, 0, 3);
	assert_int_equal(tally_top(t, top, 3), 1);
	assert_int_equal(top[0].count, 3);
	tally_free(t);
}

static void top_is_descending_and_equal_counts_go_by_key(void **state)
{
	static const uint32_t want[][2] = {{9, 7}, {2, 5}, {5, 5}, {1, 1}};
	struct tally_item top[4];
	struct tally *t;

	(void)state;
	assert_int_equal(tally_new(&t), 0);
	for (unsigned i = 0; i < 5; i++) {
		add(t, 5, 1);
		add(t, 2, 1);
	}
	add(t, 3, 1);
	add(t, 9, 7);
	add(t, 1, 1);
	assert_int_equal(tally_top(t, top, 4), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(number(&top[i]), want[i][0]);
		assert_int_equal(top[i].count, want[i][1]);
	}
	assert_int_equal(tally_top(t, top, 0), 0);
	tally_free(t);
}

static void counts_are_exact_up_to_the_limit_of_keys(void **state)
{
	struct tally_item top[2];
	struct tally *t;

	(void)state;
	assert_int_equal(tally_new(&t), 0);
	for (uint32_t i = 0; i < TALLY_KEYS; i++)
		add(t, i, 1);
	for (uint32_t i = 0; i < TALLY_KEYS; i += 2)
		add(t, i, 1);
	add(t, 77777, 5);
	assert_int_equal(tally_keys(t), TALLY_KEYS);
	assert_int_equal(tally_undercount(t), 0);
	assert_int_equal(tally_top(t, top, 2), 2);
	assert_int_equal(number(&top[0]), 77777);
	assert_int_equal(top[0].count, 6);
	assert_int_equal(number(&top[1]), 0);
	assert_int_equal(top[1].count, 2);
	tally_free(t);
}

/* Three million keys, most of them different; two that are frequent, and some that come twelve
 * times. */
static void beyond_the_limit_the_error_is_known(void **state)
{
	const uint32_t keys = 3000000, big = 0xffffffff, second = 0xfffffffe;
	struct tally_item top[3];
	uint32_t error, added = 0;
	struct tally *t;

	(void)state;
	assert_int_equal(tally_new(&t), 0);
	for (uint32_t i = 0; i < keys; i++) {
		add(t, i % 100 < 12 ? i / 1200 : i, 1);
		add(t, i % 10 == 0 ? big : second, i % 20 < 11 ? 1 : 0);
		added += i % 20 < 11 ? 2 : 1;
	}
	error = tally_undercount(t);
	assert_in_range(error, 1, 3ull * added / TALLY_KEYS);
	assert_in_range(tally_keys(t), 1, TALLY_KEYS);
	assert_int_equal(tally_top(t, top, 3), 3);
	assert_int_equal(number(&top[0]), second);
	assert_in_range(top[0].count, keys / 20 * 9 - error, keys / 20 * 9);
	assert_int_equal(number(&top[1]), big);
	assert_in_range(top[1].count, keys / 10 - error, keys / 10);
	tally_free(t);
}

/* Every key many times: a count of 1 would free nothing. */
static void frequent_keys_make_room_too(void **state)
{
	struct tally_item top[1];
	struct tally *t;

	(void)state;
	assert_int_equal(tally_new(&t), 0);
	for (uint32_t i = 0; i < TALLY_KEYS + 1; i++)
		add(t, i, 5);
	assert_int_equal(tally_undercount(t), 8);
	assert_int_equal(tally_keys(t), 1);
	assert_int_equal(tally_top(t, top, 1), 1);
	assert_int_equal(number(&top[0]), TALLY_KEYS);
	assert_int_equal(top[0].count, 5);
	tally_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_tally_has_no_top),
		cmocka_unit_test(the_zero_key_is_a_key),
		cmocka_unit_test(top_is_descending_and_equal_counts_go_by_key),
		cmocka_unit_test(counts_are_exact_up_to_the_limit_of_keys),
		cmocka_unit_test(beyond_the_limit_the_error_is_known),
		cmocka_unit_test(frequent_keys_make_room_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
