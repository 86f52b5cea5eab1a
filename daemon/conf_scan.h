/* SPDX-License-Identifier: MIT */
/*
 * The text of a configuration file taken apart into tokens, each with its exact line. Pure and
 * total: any bytes give a sequence of tokens that ends with TOKEN_END. It exists because
 * libconfuse 3.3 is silent about comments and sections that are never closed, expands ${NAME}, and
 * counts lines wrongly after comments.
 */
#ifndef CONNWATCH_CONF_SCAN_H
#define CONNWATCH_CONF_SCAN_H

#include <stddef.h>

enum token_kind {
	TOKEN_END,
	TOKEN_ERROR,  /* text says what is wrong on this line; the tokens around it are as good as
			 can be had */
	TOKEN_WORD,   /* without quotes */
	TOKEN_STRING, /* "..." or '...', taken out of its quotes */
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_OPEN_PAREN,
	TOKEN_CLOSE_PAREN,
	TOKEN_COMMA,
	TOKEN_EQUALS,
	TOKEN_PLUS_EQUALS,
};

struct token {
	enum token_kind kind;
	unsigned line;    /* from 1 */
	const char *text; /* NUL-terminated; of punctuation the character itself */
};

struct token_list {
	size_t n;
	struct token *token; /* the last is TOKEN_END */
	char *text;          /* what the tokens point into */
};

/* Take text[len] apart. Returns 0 and a list for conf_scan_free(), or -ENOMEM. */
int conf_scan(const char *text, size_t len, struct token_list *out);
void conf_scan_free(struct token_list *list);

#endif
