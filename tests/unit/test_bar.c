/* SPDX-License-Identifier: MIT */
#include "cli/bar.h"

#include <string.h>

#include "tests/unit/test.h"

static void expect(double percent, int cells, bool utf8, const char *bar)
{
	char out[BAR_SIZE];

	assert_string_equal(bar_render(out, percent, cells, utf8), bar);
}

static void is_filled_in_proportion(void **state)
{
	(void)state;
	expect(0, 10, false, "..........");
	expect(50, 10, false, "#####.....");
	expect(82, 10, false, "########..");
	expect(100, 10, false, "##########");
}

static void shows_what_is_not_empty(void **state)
{
	(void)state;
	expect(0.001, 4, false, "#...");
	expect(0.001, 2, true, "\xe2\x96\x8f\xe2\x96\x91");
}

static void is_full_only_when_it_is_full(void **state)
{
	(void)state;
	expect(99.999, 4, false, "###.");
	expect(99.999, 2, true, "\xe2\x96\x88\xe2\x96\x89");
	expect(1e300, 4, false, "####");
}

static void has_eighths_of_a_cell_in_utf8(void **state)
{
	(void)state;
	expect(75, 2, true, "\xe2\x96\x88\xe2\x96\x8c");
	expect(100, 2, true, "\xe2\x96\x88\xe2\x96\x88");
}

static void of_an_unknown_percent_is_empty(void **state)
{
	(void)state;
	expect((double)NAN, 3, false, "...");
	expect(-5, 3, false, "...");
}

static void never_outgrows_its_buffer(void **state)
{
	char out[BAR_SIZE];

	(void)state;
	bar_render(out, 100, 100000, true);
	assert_int_equal(strlen(out), BAR_SIZE - 1);
	expect(100, -3, true, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_filled_in_proportion),
		cmocka_unit_test(shows_what_is_not_empty),
		cmocka_unit_test(is_full_only_when_it_is_full),
		cmocka_unit_test(has_eighths_of_a_cell_in_utf8),
		cmocka_unit_test(of_an_unknown_percent_is_empty),
		cmocka_unit_test(never_outgrows_its_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
