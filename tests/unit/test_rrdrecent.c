/* SPDX-License-Identifier: MIT */
#include "daemon/rrdrecent.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static struct rrdrecent recent;

static int set_up(void **state)
{
	(void)state;
	memset(&recent, 0, sizeof(recent));
	return 0;
}

static void assert_next(size_t *at, const char *path, const char *update)
{
	const char *of, *is;

	assert_true(rrdrecent_next(&recent, at, &of, &is));
	assert_string_equal(of, path);
	assert_string_equal(is, update);
}

static void assert_end(size_t at)
{
	const char *path, *update;

	assert_false(rrdrecent_next(&recent, &at, &path, &update));
}

static void what_is_kept_comes_in_order(void **state)
{
	size_t at = 0;

	(void)state;
	assert_end(0);
	rrdrecent_put(&recent, "/a", "10:1:U");
	rrdrecent_put(&recent, "/ab", "15:2");
	rrdrecent_put(&recent, "/a", "20:3:4");
	assert_next(&at, "/a", "10:1:U");
	assert_next(&at, "/ab", "15:2");
	assert_next(&at, "/a", "20:3:4");
	assert_end(at);
}

static void oldest_make_room_for_the_last_block_and_more(void **state)
{
	const char *path, *update;
	char text[64];
	size_t at = 0;
	int n = 1000, first;

	(void)state;
	for (; n < 3000; n++) {
		snprintf(text, sizeof(text), "%d:%0*d", n, n % 50, 7);
		rrdrecent_put(&recent, "/a", text);
	}
	assert_true(rrdrecent_next(&recent, &at, &path, &update));
	assert_int_equal(sscanf(update, "%d:", &first), 1);
	for (n = first + 1; n < 3000; n++) {
		snprintf(text, sizeof(text), "%d:%0*d", n, n % 50, 7);
		assert_next(&at, "/a", text);
	}
	assert_end(at);
	assert_in_range(at, RRDRECENT_SIZE - sizeof(text), RRDRECENT_SIZE);
}

static void what_is_larger_than_all_is_not_kept(void **state)
{
	char text[RRDRECENT_SIZE];
	size_t at = 0;

	(void)state;
	rrdrecent_put(&recent, "/a", "10:1");
	memset(text, '3', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	rrdrecent_put(&recent, "/a", text);
	assert_next(&at, "/a", "10:1");
	assert_end(at);
	/* Exactly all of it. */
	text[sizeof(text) - 1 - sizeof("/a")] = '\0';
	rrdrecent_put(&recent, "/a", text);
	at = 0;
	assert_next(&at, "/a", text);
	assert_end(at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_is_kept_comes_in_order, set_up),
		cmocka_unit_test_setup(oldest_make_room_for_the_last_block_and_more, set_up),
		cmocka_unit_test_setup(what_is_larger_than_all_is_not_kept, set_up),
	};

	return cmocka_run_group_tests_name("rrdrecent", tests, NULL, NULL);
}
