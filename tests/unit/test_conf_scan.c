/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "daemon/conf_scan.h"
#include "daemon/util.h"
#include "tests/unit/test.h"

/* The tokens of text as "LINE:TEXT" with one space between, strings in quotes, errors as
 * "LINE!MESSAGE". */
static void scan_bytes(const char *text, size_t len, char *out, size_t size)
{
	struct token_list tokens;
	size_t n = 0;

	assert_int_equal(conf_scan(text, len, &tokens), 0);
	assert_true(tokens.n > 0);
	assert_int_equal(tokens.token[tokens.n - 1].kind, TOKEN_END);
	out[0] = '\0';
	for (size_t i = 0; i + 1 < tokens.n && n < size; i++) {
		const struct token *t = &tokens.token[i];
		const char *quote = t->kind == TOKEN_STRING ? "\"" : "";

		n += (size_t)snprintf(out + n, size - n, "%s%u%c%s%s%s", i ? " " : "", t->line,
			t->kind == TOKEN_ERROR ? '!' : ':', quote, t->text, quote);
	}
	conf_scan_free(&tokens);
}

static void assert_scan(const char *text, const char *expected)
{
	char out[1024];

	scan_bytes(text, strlen(text), out, sizeof(out));
	assert_string_equal(out, expected);
}

static void statements_are_taken_apart(void **state)
{
	(void)state;
	assert_scan("", "");
	assert_scan("interval=10", "1:interval 1:= 1:10");
	assert_scan("alert \"x\" { a += { 1,b } }",
		"1:alert 1:\"x\" 1:{ 1:a 1:+= 1:{ 1:1 1:, 1:b 1:} 1:}");
	assert_scan(
		"include('a b')\n\nx = /var/lib", "1:include 1:( 1:\"a b\" 1:) 3:x 3:= 3:/var/lib");
}

static void comments_end_where_they_should(void **state)
{
	(void)state;
	assert_scan("# a\n// b\nc # d\n/* e\n\n*/ f /**/ g", "3:c 6:f 6:g");
	assert_scan("#", "");
	assert_scan("a//b\nc/*d*/e", "1:a 2:c 2:e");
	assert_scan("a = \"# no // comment /* here\"", "1:a 1:= 1:\"# no // comment /* here\"");
}

static void unclosed_comment_is_told_where_it_begins(void **state)
{
	(void)state;
	assert_scan("a\n/* b\nc\n", "1:a 2!comment is never closed");
	assert_scan("/*", "1!comment is never closed");
	assert_scan("/*/", "1!comment is never closed");
}

static void unclosed_string_ends_with_its_line(void **state)
{
	(void)state;
	assert_scan(
		"a = \"b\nc = 1", "1:a 1:= 1!string is not closed on its line 1:\"b\" 2:c 2:= 2:1");
	assert_scan("'", "1!string is not closed on its line 1:\"\"");
	assert_scan("\"a\\", "1!string is not closed on its line 1:\"a\"");
}

static void escapes_stand_for_quotes_and_backslashes(void **state)
{
	(void)state;
	assert_scan("\"a\\\"b\\\\c\"", "1:\"a\"b\\c\"");
	assert_scan("'a\\'b\\\\c\\d'", "1:\"a'b\\c\\d\"");
	assert_scan("\"\\101\"",
		"1!unknown escape: a backslash stands before \\ and \" only 1:\"101\"");
}

static void the_environment_is_refused(void **state)
{
	char out[512];

	(void)state;
	scan_bytes("a = \"${HOME}/x\"", 15, out, sizeof(out));
	assert_non_null(strstr(out, "1!\"${\" in a string"));
	scan_bytes("a = ${HOME}", 11, out, sizeof(out));
	assert_non_null(strstr(out, "1!\"${\""));
	assert_scan("'${HOME}'", "1:\"${HOME}\"");
	assert_scan("\"\\${HOME}\"", "1:\"${HOME}\"");
}

static void carriage_returns_belong_before_line_feeds(void **state)
{
	char out[512];

	(void)state;
	assert_scan("# c\r\na = 1\r\nb = \"x\"\r\n", "2:a 2:= 2:1 3:b 3:= 3:\"x\"");
	scan_bytes("# c\ra = 1\r", 10, out, sizeof(out));
	assert_string_equal(out, "1!a carriage return that ends no line");
}

static void nul_and_control_bytes_are_refused_once(void **state)
{
	static const char utf16[] = "a\0 \0=\0 \0001\0\n\0b";
	char out[512];

	(void)state;
	scan_bytes(utf16, sizeof(utf16) - 1, out, sizeof(out));
	assert_string_equal(out, "1:a 1!a NUL byte: this is no text file in UTF-8 1:= 1:1 2:b");
	scan_bytes("\"a\001b\"", 5, out, sizeof(out));
	assert_string_equal(out, "1!a control character in a string 1:\"ab\"");
	scan_bytes("a \001", 3, out, sizeof(out));
	assert_non_null(strstr(out, "1!a character that has no meaning here"));
}

static void every_short_text_comes_to_an_end(void **state)
{
	static const char bytes[] = "\"'\\/*#$a\n\r{+= \x80";
	const size_t n = sizeof(bytes); /* the NUL too */
	char text[4];
	struct token_list tokens;

	(void)state;
	for (size_t i = 0; i < n * n * n * n; i++) {
		for (size_t k = 0, rest = i; k < sizeof(text); k++, rest /= n)
			text[k] = bytes[rest % n];
		assert_int_equal(conf_scan(text, sizeof(text), &tokens), 0);
		assert_int_equal(tokens.token[tokens.n - 1].kind, TOKEN_END);
		conf_scan_free(&tokens);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements_are_taken_apart),
		cmocka_unit_test(comments_end_where_they_should),
		cmocka_unit_test(unclosed_comment_is_told_where_it_begins),
		cmocka_unit_test(unclosed_string_ends_with_its_line),
		cmocka_unit_test(escapes_stand_for_quotes_and_backslashes),
		cmocka_unit_test(the_environment_is_refused),
		cmocka_unit_test(carriage_returns_belong_before_line_feeds),
		cmocka_unit_test(nul_and_control_bytes_are_refused_once),
		cmocka_unit_test(every_short_text_comes_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
