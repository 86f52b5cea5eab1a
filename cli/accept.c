/* SPDX-License-Identifier: MIT */
#include "cli/accept.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SPACE " \t"

/* A part of the header. */
struct word {
	const char *text;
	size_t len;
};

static bool word_is(struct word word, const char *text)
{
	return word.len == strlen(text) && strncasecmp(word.text, text, word.len) == 0;
}

static struct word trim(struct word word)
{
	while (word.len && strchr(SPACE, word.text[word.len - 1]))
		word.len--;
	while (word.len && strchr(SPACE, word.text[0])) {
		word.text++;
		word.len--;
	}
	return word;
}

/* Takes what stands before the next separator off rest; one within quotes is none. False at the end. */
static bool next_word(struct word *rest, char separator, struct word *out)
{
	bool quoted = false;
	size_t len = 0;

	if (!rest->text)
		return false;
	while (len < rest->len && (quoted || rest->text[len] != separator))
		quoted ^= rest->text[len++] == '"';
	*out = trim((struct word){rest->text, len});
	if (len == rest->len)
		*rest = (struct word){0};
	else
		*rest = (struct word){rest->text + len + 1, rest->len - len - 1};
	return true;
}

/* A weight in 0..1, its text ending where the word does; 0 for anything else. */
static double weight(struct word word)
{
	char text[8] = "", *end;
	double q;

	if (word.len == 0 || word.len >= sizeof(text) || word.text[0] < '0' || word.text[0] > '1')
		return 0;
	memcpy(text, word.text, word.len);
	q = strtod(text, &end);
	return *end || !(q >= 0 && q <= 1) ? 0 : q;
}

static struct word value_of(struct word parameter)
{
	const char *equals = memchr(parameter.text, '=', parameter.len);
	struct word value = {equals ? equals + 1 : "", 0};

	if (!equals)
		return value;
	value.len = parameter.len - (size_t)(value.text - parameter.text);
	value = trim(value);
	if (value.len >= 2 && value.text[0] == '"' && value.text[value.len - 1] == '"')
		value = (struct word){value.text + 1, value.len - 2};
	return value;
}

/* Where it is one of ours: its weight, and which one it is; else a weight of 0. */
static double read_range(struct word range, enum expo_format *format)
{
	struct word type, parameter, version = {0};
	double q = 1;

	next_word(&range, ';', &type);
	while (next_word(&range, ';', &parameter)) {
		if (parameter.len >= 2 && strncasecmp(parameter.text, "q=", 2) == 0)
			q = weight(value_of(parameter));
		else if (parameter.len >= 8 && strncasecmp(parameter.text, "version=", 8) == 0)
			version = value_of(parameter);
	}
	*format = word_is(type, "application/openmetrics-text") ? EXPO_OPENMETRICS : EXPO_TEXT;
	if (*format == EXPO_OPENMETRICS)
		return !version.text || word_is(version, "1.0.0") ? q : 0;
	if (word_is(type, "text/plain"))
		return !version.text || word_is(version, "0.0.4") ? q : 0;
	return word_is(type, "text/*") || word_is(type, "*/*") ? q : 0;
}

enum expo_format accept_format(const char *accept)
{
	struct word rest = {accept, accept ? strlen(accept) : 0}, range;
	double best[] = {[EXPO_TEXT] = 0, [EXPO_OPENMETRICS] = 0};
	enum expo_format format;

	while (next_word(&rest, ',', &range)) {
		double q = read_range(range, &format);

		if (q > best[format])
			best[format] = q;
	}
	return best[EXPO_OPENMETRICS] > 0 && best[EXPO_OPENMETRICS] >= best[EXPO_TEXT]
		       ? EXPO_OPENMETRICS
		       : EXPO_TEXT;
}
