/* SPDX-License-Identifier: MIT */
/*
 * Lines, words and numbers of the kernel's text files. Pure: nothing is copied, written or
 * allocated.
 */
#ifndef CONNWATCH_SPAN_H
#define CONNWATCH_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a text, not NUL-terminated, borrowed from whoever holds the buffer. */
struct span {
	const char *at;
	size_t len;
};

/*
 * True if the text is not empty and its last line ends with a newline, as all of the kernel's do;
 * else it is torn.
 */
bool span_is_whole(struct span text);
/* Takes the next line (without its newline) off rest; false at the end. */
bool span_line(struct span *rest, struct span *line);
/* Takes the next word, separated by blanks, off rest; false if there is none. */
bool span_word(struct span *rest, struct span *word);
bool span_equal(struct span word, const char *string);

/* The whole word as an unsigned number; false for anything else: empty, signed, beyond 64 bits. */
bool span_decimal(struct span word, uint64_t *out);
/* The same for hexadecimal digits without a prefix. */
bool span_hex(struct span word, uint64_t *out);

#endif
