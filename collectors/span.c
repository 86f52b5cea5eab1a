/* SPDX-License-Identifier: MIT */
#include "collectors/span.h"

#include <string.h>

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

bool span_is_whole(struct span text)
{
	return text.len > 0 && text.at[text.len - 1] == '\n';
}

bool span_line(struct span *rest, struct span *line)
{
	const char *newline;

	if (!rest->len)
		return false;
	newline = memchr(rest->at, '\n', rest->len);
	line->at = rest->at;
	line->len = newline ? (size_t)(newline - rest->at) : rest->len;
	rest->at += line->len + (newline ? 1 : 0);
	rest->len -= line->len + (newline ? 1 : 0);
	return true;
}

bool span_word(struct span *rest, struct span *word)
{
	const char *at = rest->at, *end = rest->at + rest->len;

	while (at < end && blank(*at))
		at++;
	word->at = at;
	while (at < end && !blank(*at))
		at++;
	word->len = (size_t)(at - word->at);
	rest->at = at;
	rest->len = (size_t)(end - at);
	return word->len > 0;
}

bool span_equal(struct span word, const char *string)
{
	return word.len == strlen(string) && memcmp(word.at, string, word.len) == 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool number(struct span word, unsigned base, uint64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < word.len; i++) {
		unsigned d = (unsigned)digit(word.at[i]);

		if (d >= base || n > (UINT64_MAX - d) / base)
			return false;
		n = n * base + d;
	}
	if (!word.len)
		return false;
	*out = n;
	return true;
}

bool span_decimal(struct span word, uint64_t *out)
{
	return number(word, 10, out);
}

bool span_hex(struct span word, uint64_t *out)
{
	return number(word, 16, out);
}
