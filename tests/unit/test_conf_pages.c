/* SPDX-License-Identifier: MIT */
#include "daemon/conf_pages.h"

#include "tests/unit/conf_text.h"
#include "tests/unit/test.h"

static bool differ(const char *text, const char *other)
{
	struct conf *a = conf_text_load(text), *b = conf_text_load(other);
	bool is = conf_pages_differ(a, b);

	assert_int_equal(conf_pages_differ(b, a), is);
	assert_false(conf_pages_differ(a, a));
	conf_free(a);
	conf_free(b);
	return is;
}

static void what_pages_are_made_from_differs(void **state)
{
	(void)state;
	assert_true(differ("", "kernlog { enabled = false }\n"));
	assert_true(differ("", "socket_group \"http\" { local_ports = { 80 } }\n"));
	assert_true(differ("listener \"a\" { port = 1 }\n", "listener \"b\" { port = 1 }\n"));
	assert_true(differ("", "interval = 20\n"));
	assert_true(differ("", "rrd { archives = { \"10s:1d\" } }\n"));
	assert_true(differ("", "alert \"conntrack-full\" { warning = 81 }\n"));
	assert_true(differ("", "alert \"conntrack-full\" { enabled = false }\n"));
	assert_true(differ("", "alert \"mine\" { value = \"tcp.curr_estab\"  warning = 5 }\n"));
}

static void all_else_does_not(void **state)
{
	(void)state;
	assert_false(differ("", "watch_interval = 2\nlog { level = debug }\n"));
	assert_false(differ("", "alert \"conntrack-full\" { hold = 5  remind = \"1h\" }\n"));
	assert_false(differ("listener \"a\" { port = 1 }\n", "listener \"a\" { port = 2 }\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_pages_are_made_from_differs),
		cmocka_unit_test(all_else_does_not),
	};

	return cmocka_run_group_tests(tests, conf_text_setup, conf_text_teardown);
}
