/* SPDX-License-Identifier: MIT */
#include "daemon/alerts_page.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/world.h"

static struct world w;

static int setup(void **state)
{
	(void)state;
	world_open(&w);
	world_configure(&w,
		"tcp { enabled = false }\nlimits { enabled = false }\nsockets { enabled = false }\n"
		"tcpext { enabled = false }\nkernlog { enabled = false }\n"
		"alert \"conntrack-full\" { forecast_warning = \"0\"  forecast_critical = \"0\" "
		"}\n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close(&w);
	return 0;
}

static char *render(void)
{
	struct status_source source = {w.readings, w.judge, 1796068800, w.now, WORLD_EPOCH + w.now};
	char *text = alerts_page_render(&source);

	assert_non_null(text);
	return text;
}

static void fits_between_comment_and_paragraph(void **state)
{
	static const char end[] = "<p hidden><!-- >";
	char *text = render();

	(void)state;
	assert_int_equal(strncmp(text, "--></p>", 7), 0);
	assert_string_equal(text + strlen(text) - strlen(end), end);
	assert_non_null(strstr(text, ">none</li>"));
	assert_non_null(strstr(text, "As of 20"));
	free(text);
}

static void open_alert_is_a_sentence(void **state)
{
	char *text;

	(void)state;
	world_conntrack(&w, "214958\n", "262144\n");
	world_row(&w);
	world_row(&w);
	text = render();
	assert_non_null(
		strstr(text, "<li class=\"warning\"><span class=\"level\">warning</span> since "));
	assert_non_null(strstr(text, "conntrack: 82% full (214958 of 262144 entries)</li>"));
	assert_null(strstr(text, ">none<"));
	free(text);
}

static void nothing_in_it_is_markup(void **state)
{
	char *text;

	(void)state;
	world_conntrack(&w, "1\n", "262144\n");
	world_row(&w);
	/* Said as it stands, an error text could be anything. */
	w.readings->instances[0].unreadable = true;
	text = render();
	assert_non_null(strstr(text, "conntrack: cannot be read"));
	free(text);
	world_configure(
		&w, "alert \"mine\" { value = \"conntrack.entries\"  warning = 1  hold = 1 }\n");
	world_conntrack(&w, "5\n", "262144\n");
	world_row(&w);
	text = render();
	assert_non_null(strstr(text, "mine: 5 entries"));
	assert_null(strstr(text, "<RRD"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			fits_between_comment_and_paragraph, setup, teardown),
		cmocka_unit_test_setup_teardown(open_alert_is_a_sentence, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_in_it_is_markup, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
