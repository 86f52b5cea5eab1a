/* SPDX-License-Identifier: MIT */
#include "cli/accept.h"

#include "tests/unit/test.h"

static void expect_openmetrics(const char *accept)
{
	if (accept_format(accept) != EXPO_OPENMETRICS)
		fail_msg("text for %s", accept);
}

static void expect_text(const char *accept)
{
	if (accept_format(accept) != EXPO_TEXT)
		fail_msg("OpenMetrics for %s", accept);
}

static void who_names_openmetrics_gets_it(void **state)
{
	(void)state;
	expect_openmetrics("application/openmetrics-text");
	expect_openmetrics("APPLICATION/OpenMetrics-Text ; Version=1.0.0 ; charset=utf-8");
	expect_openmetrics("application/openmetrics-text;version=\"1.0.0\"");
	expect_openmetrics("text/html, application/openmetrics-text;q=0.1");
	expect_openmetrics("text/plain, application/openmetrics-text");
	/* Prometheus 2.42 */
	expect_openmetrics("application/openmetrics-text;version=1.0.0,"
			   "application/openmetrics-text;version=0.0.1;q=0.75,"
			   "text/plain;version=0.0.4;q=0.5,*/*;q=0.1");
}

static void everybody_else_gets_text(void **state)
{
	(void)state;
	expect_text(NULL);
	expect_text("");
	expect_text("*/*");
	expect_text("text/plain;version=0.0.4");
	expect_text("application/*");
	expect_text("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
	expect_text("image/png");
	/* Prometheus 2.4, which knows text alone */
	expect_text("text/plain;version=0.0.4;q=1,*/*;q=0.1");
}

static void weights_are_compared(void **state)
{
	(void)state;
	expect_text("application/openmetrics-text;q=0.4, text/plain;q=0.5");
	expect_text("application/openmetrics-text;q=0.4, */*;q=0.5");
	expect_openmetrics("application/openmetrics-text;q=0.5, text/plain;q=0.4");
	expect_text("application/openmetrics-text;q=0");
	expect_text("application/openmetrics-text;q=0.000, text/plain;q=0");
	expect_openmetrics("application/openmetrics-text;q=0.9, text/plain;version=0.0.3");
}

static void other_versions_are_not_ours(void **state)
{
	(void)state;
	expect_text("application/openmetrics-text;version=0.0.1");
	expect_text("application/openmetrics-text;version=2.0.0, */*");
	expect_text("application/openmetrics-text;version=");
}

static void nonsense_is_text(void **state)
{
	static const char *const nonsense[] = {",", ";", ",,;;==", "\"",
		"application/openmetrics-text\"", "\",application/openmetrics-text",
		"application/openmetrics-text;q=", "application/openmetrics-text;q=nan",
		"application/openmetrics-text;q=-1", "application/openmetrics-text;q=2",
		"application/openmetrics-text;q=0.5.5",
		"application/openmetrics-text;q=0.99999999999", "application/openmetrics-textual",
		"q=1;application/openmetrics-text"};

	(void)state;
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++)
		expect_text(nonsense[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_names_openmetrics_gets_it),
		cmocka_unit_test(everybody_else_gets_text),
		cmocka_unit_test(weights_are_compared),
		cmocka_unit_test(other_versions_are_not_ours),
		cmocka_unit_test(nonsense_is_text),
	};

	return cmocka_run_group_tests_name("accept", tests, NULL, NULL);
}
