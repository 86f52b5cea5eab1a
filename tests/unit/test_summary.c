/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/ct/summary.h"

#define EMPTY "{\"undercount\":0,\"different\":0,\"top\":[]}"

/* An answer with these lists of sources, ports and states. */
static void make(char *out, size_t size, const char *sample, const char *const lists[3])
{
	snprintf(out, size,
		"{\"entries\":250000,\"sample\":%s,\"assured\":1200,\"unreplied\":248000,"
		"\"sources\":%s,"
		"\"destinations\":" EMPTY ",\"ports\":%s,\"protocols\":" EMPTY ",\"states\":%s}",
		sample, lists[0], lists[1], lists[2]);
}

#define ITEM(name, entries, percent)                                                               \
	"{\"name\":\"" name "\",\"entries\":" #entries ",\"percent\":" #percent "}"
#define LIST(different, items) "{\"undercount\":3,\"different\":" different ",\"top\":[" items "]}"

static const char *const flood[] = {
	LIST("null", ITEM("192.0.2.7", 152500, 61.0) "," ITEM("192.0.2.9", 29950, 12.0) "," ITEM(
			     "10.0.0.1", 1, 0.0)),
	LIST("2", ITEM("443/tcp", 220000, 88.0) "," ITEM("80/tcp", 10, 0.0)),
	LIST("1", ITEM("syn_sent", 177500, 71.0) "," ITEM("established", 50000, 20.0)),
};

static struct summary parsed(const char *sample, const char *const lists[3])
{
	static struct summary s;
	char text[2048];

	make(text, sizeof(text), sample, lists);
	assert_int_equal(summary_parse(text, &s), 0);
	return s;
}

static void every_figure_is_read(void **state)
{
	struct summary s = parsed("true", flood);
	const struct summary_list *sources = &s.list[SUMMARY_SOURCES];

	(void)state;
	assert_true(s.entries == 250000 && s.sample && s.assured == 1200 && s.unreplied == 248000);
	assert_true(sources->undercount == 3 && isnan(sources->different));
	assert_int_equal(sources->n, 3);
	assert_string_equal(sources->top[1].name, "192.0.2.9");
	assert_true(sources->top[1].entries == 29950 && sources->top[1].percent == 12.0);
	assert_true(s.list[SUMMARY_PORTS].different == 2);
}

static void the_sentence_names_what_matters(void **state)
{
	struct summary s = parsed("false", flood);
	char text[256];

	(void)state;
	summary_sentence(&s, text, sizeof(text));
	assert_string_equal(text, "top sources 192.0.2.7 (61%), 192.0.2.9 (12%); top ports 443/tcp "
				  "(88%); 71% syn_sent");
}

static void the_sentence_of_a_sample_says_so(void **state)
{
	struct summary s = parsed("true", flood);
	char text[256];

	(void)state;
	summary_sentence(&s, text, sizeof(text));
	assert_non_null(strstr(text, "; 71% syn_sent; shares of a sample of 250000 entries"));
}

static void a_flood_from_everywhere_has_no_top_source(void **state)
{
	static const char *const everywhere[] = {LIST("9", ITEM("10.0.0.1", 2, 0.0)), EMPTY, EMPTY};
	struct summary s = parsed("false", everywhere);
	char text[256];

	(void)state;
	summary_sentence(&s, text, sizeof(text));
	assert_string_equal(text, "no source above 5%");
}

static void a_long_sentence_is_cut(void **state)
{
	struct summary s = parsed("true", flood);
	char text[20];

	(void)state;
	summary_sentence(&s, text, sizeof(text));
	assert_string_equal(text, "top sources 192.0.2");
}

static void an_empty_table_has_a_sentence(void **state)
{
	static struct summary s;
	char text[64];

	(void)state;
	memset(&s, 0, sizeof(s));
	summary_sentence(&s, text, sizeof(text));
	assert_string_equal(text, "the table is empty");
}

static void anything_else_is_refused(void **state)
{
	static const char *const no_list[] = {"7", EMPTY, EMPTY};
	static const char *const no_item[] = {LIST("1", "7"), EMPTY, EMPTY};
	static const char *const no_name[] = {
		LIST("1", "{\"entries\":1,\"percent\":1.0}"), EMPTY, EMPTY};
	static const char *const long_name[] = {
		LIST("1", ITEM("012345678901234567890123456789012345678901234567", 1, 1.0)), EMPTY,
		EMPTY};
	const char *const *const bad[] = {no_list, no_item, no_name, long_name};
	static struct summary s;
	char text[2048];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		make(text, sizeof(text), "false", bad[i]);
		assert_int_equal(summary_parse(text, &s), -EBADMSG);
	}
	make(text, sizeof(text), "3", flood);
	assert_int_equal(summary_parse(text, &s), -EBADMSG);
	text[strlen(text) - 1] = '\0';
	assert_int_equal(summary_parse(text, &s), -EBADMSG);
	assert_int_equal(summary_parse("", &s), -EBADMSG);
	assert_int_equal(summary_parse("[]", &s), -EBADMSG);
}

static void a_list_that_is_too_long_is_refused(void **state)
{
	static struct summary s;
	static char items[8192], text[16384];
	const char *const lists[] = {items, EMPTY, EMPTY};
	size_t used;

	(void)state;
	strcpy(items, "{\"undercount\":0,\"different\":1,\"top\":[");
	for (int i = 0; i <= SUMMARY_TOP; i++) {
		used = strlen(items);
		snprintf(items + used, sizeof(items) - used, "%s%s", i ? "," : "",
			ITEM("a", 1, 1.0));
	}
	strcat(items, "]}");
	make(text, sizeof(text), "false", lists);
	assert_int_equal(summary_parse(text, &s), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_is_read),
		cmocka_unit_test(the_sentence_names_what_matters),
		cmocka_unit_test(the_sentence_of_a_sample_says_so),
		cmocka_unit_test(a_flood_from_everywhere_has_no_top_source),
		cmocka_unit_test(a_long_sentence_is_cut),
		cmocka_unit_test(an_empty_table_has_a_sentence),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(a_list_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
