/* SPDX-License-Identifier: MIT */
#include "daemon/conf_scan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where the scan stands. Each token takes at least one byte of text, so the arrays made for `len`
 * cannot overflow. */
struct scan {
	const char *p, *end;
	unsigned line;
	struct token_list list;
	char *out; /* next free byte of list.text */
	bool nul_said, return_said;
	const char *said; /* the newest error, and its line */
	unsigned said_line;
};

static void push(struct scan *s, enum token_kind kind, unsigned line, const char *text)
{
	s->list.token[s->list.n++] = (struct token){.kind = kind, .line = line, .text = text};
}

/* One of a kind after the other says nothing new, and what has a NUL byte is no text at all. */
static void fail(struct scan *s, unsigned line, const char *message)
{
	if (s->nul_said || (s->said == message && s->said_line == line))
		return;
	s->said = message;
	s->said_line = line;
	push(s, TOKEN_ERROR, line, message);
}

static bool at(const struct scan *s, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(s->end - s->p) >= n && memcmp(s->p, what, n) == 0;
}

/* A byte that no text file holds: said once per file, as a file in UTF-16 is full of them. */
static void odd_byte(struct scan *s)
{
	if (*s->p == '\0') {
		fail(s, s->line, "a NUL byte: this is no text file in UTF-8");
		s->nul_said = true;
	}
	if (*s->p == '\r' && !at(s, "\r\n") && !s->return_said) {
		s->return_said = true;
		fail(s, s->line, "a carriage return that ends no line");
	}
}

static void line_comment(struct scan *s)
{
	for (; s->p < s->end && *s->p != '\n'; s->p++)
		odd_byte(s);
}

static void block_comment(struct scan *s)
{
	unsigned opened = s->line;

	for (s->p += 2; s->p < s->end; s->p++) {
		if (at(s, "*/")) {
			s->p += 2;
			return;
		}
		odd_byte(s);
		s->line += *s->p == '\n';
	}
	fail(s, opened, "comment is never closed");
}

/* One escape of a string in double quotes, at its backslash. */
static void escape(struct scan *s)
{
	char c = '\0';

	if (s->p + 1 < s->end)
		c = s->p[1];
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
		fail(s, s->line, "unknown escape: a backslash stands before \\ and \" only");
		s->p++;
		return;
	}
	s->p++;
	if (c != '\0' && c != '\n' && c != '\r') {
		*s->out++ = c;
		s->p++;
	}
}

static void string_character(struct scan *s, char quote)
{
	unsigned char c = (unsigned char)*s->p;

	if (c == '\\' && quote == '"') {
		escape(s);
		return;
	}
	if (c == '\\' && (at(s, "\\'") || at(s, "\\\\")))
		s->p++;
	else if (quote == '"' && at(s, "${"))
		fail(s, s->line,
			"\"${\" in a string: variables of the environment are not used here; "
			"put '...' around it if it is meant as it stands");
	if (c == '\0' || c == '\r')
		odd_byte(s);
	else if ((c < ' ' && c != '\t') || c == 0x7f)
		fail(s, s->line, "a control character in a string");
	else
		*s->out++ = *s->p;
	s->p++;
}

/* Strings end on their line: libconfuse would let a forgotten quote swallow the rest of the file.
 */
static void string(struct scan *s)
{
	const char *text = s->out;
	char quote = *s->p++;

	while (s->p < s->end && *s->p != quote && *s->p != '\n')
		string_character(s, quote);
	if (s->p < s->end && *s->p == quote)
		s->p++;
	else
		fail(s, s->line, "string is not closed on its line");
	*s->out++ = '\0';
	push(s, TOKEN_STRING, s->line, text);
}

static bool in_word(const struct scan *s)
{
	unsigned char c = (unsigned char)*s->p;

	return c > ' ' && c != 0x7f && !strchr("#\"'={}()+,*", c) && !at(s, "//") && !at(s, "/*");
}

static void word(struct scan *s)
{
	const char *text = s->out;

	for (; s->p < s->end && in_word(s); s->p++) {
		if (at(s, "${"))
			break;
		*s->out++ = *s->p;
	}
	if (s->out == text) { /* a character that begins nothing */
		if (*s->p == '\0' || *s->p == '\r')
			odd_byte(s);
		else
			fail(s, s->line,
				at(s, "${")
					? "\"${\": variables of the environment are not used here"
					: "a character that has no meaning here (text with "
					  "special characters belongs in \"...\")");
		s->p++;
		return;
	}
	*s->out++ = '\0';
	push(s, TOKEN_WORD, s->line, text);
}

static bool punctuation(struct scan *s)
{
	static const struct {
		const char *text;
		enum token_kind kind;
	} marks[] = {
		{"{", TOKEN_OPEN},
		{"}", TOKEN_CLOSE},
		{"(", TOKEN_OPEN_PAREN},
		{")", TOKEN_CLOSE_PAREN},
		{",", TOKEN_COMMA},
		{"=", TOKEN_EQUALS},
		{"+=", TOKEN_PLUS_EQUALS},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (!at(s, marks[i].text))
			continue;
		push(s, marks[i].kind, s->line, marks[i].text);
		s->p += strlen(marks[i].text);
		return true;
	}
	return false;
}

static void next(struct scan *s)
{
	if (*s->p == '\n')
		s->line++;
	if (at(s, "\r\n") || *s->p == '\n' || *s->p == ' ' || *s->p == '\t')
		s->p++;
	else if (*s->p == '#' || at(s, "//"))
		line_comment(s);
	else if (at(s, "/*"))
		block_comment(s);
	else if (*s->p == '"' || *s->p == '\'')
		string(s);
	else if (!punctuation(s))
		word(s);
}

int conf_scan(const char *text, size_t len, struct token_list *out)
{
	struct scan s = {.p = text, .end = text + len, .line = 1};

	/* Per byte at most one error and one token ("string is not closed" and the string itself),
	 * then the end. */
	s.list.token = calloc(2 * len + 4, sizeof(*s.list.token));
	s.list.text = malloc(2 * len + 2);
	if (!s.list.token || !s.list.text) {
		conf_scan_free(&s.list);
		return -ENOMEM;
	}
	s.out = s.list.text;
	while (s.p < s.end)
		next(&s);
	push(&s, TOKEN_END, s.line, "the end of the file");
	*out = s.list;
	return 0;
}

void conf_scan_free(struct token_list *list)
{
	free(list->token);
	free(list->text);
	*list = (struct token_list){0};
}
