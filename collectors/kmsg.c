/* SPDX-License-Identifier: MIT */
#include "collectors/kmsg.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define RECORD_SIZE (16 * 1024) /* bytes; the kernel makes none longer than 8 KiB */

/* Takes the text up to the separator off rest. */
static bool field(struct span *rest, char separator, struct span *out)
{
	const char *at = memchr(rest->at, separator, rest->len);

	if (!at)
		return false;
	*out = (struct span){rest->at, (size_t)(at - rest->at)};
	rest->len -= out->len + 1;
	rest->at = at + 1;
	return true;
}

int kmsg_parse(struct span record, struct kmsg_record *out)
{
	struct span header, word;
	uint64_t priority, number;

	/* A text of the kernel's cannot end the header, as the header is the first. */
	if (!field(&record, ';', &header) || !field(&header, ',', &word) ||
		!span_decimal(word, &priority))
		return -EBADMSG;
	if (!field(&header, ',', &word) || !span_decimal(word, &number) ||
		!field(&header, ',', &word) || !span_decimal(word, &number))
		return -EBADMSG;
	out->facility = priority >> 3;
	if (!span_line(&record, &out->message))
		out->message = (struct span){record.at, 0};
	return 0;
}

static bool skip(struct span *text, const char *prefix)
{
	size_t len = strlen(prefix);

	if (text->len < len || memcmp(text->at, prefix, len) != 0)
		return false;
	text->at += len;
	text->len -= len;
	return true;
}

/* The name that the line begins with. */
static bool skip_module(struct span *text)
{
	return skip(text, "nf_conntrack: ") || skip(text, "ip_conntrack: ");
}

/* " in netns 4026532246", since 2025 for a table that is not the initial namespace's. */
static bool skip_namespace(struct span *text)
{
	size_t digits = 0;

	if (!skip(text, " in netns "))
		return true;
	while (digits < text->len && text->at[digits] >= '0' && text->at[digits] <= '9')
		digits++;
	text->at += digits;
	text->len -= digits;
	return digits > 0;
}

bool kmsg_is_table_full(struct span message)
{
	if (!skip_module(&message))
		return false;
	skip_module(&message); /* twice where the file has a prefix of its own, as in 5.x */
	if (!skip(&message, "table full") || !skip_namespace(&message) ||
		!skip(&message, ", dropping packet"))
		return false;
	skip(&message, "."); /* in 2.6 */
	return message.len == 0;
}

bool kmsg_counts(struct span record)
{
	struct kmsg_record parsed;

	return kmsg_parse(record, &parsed) == 0 && parsed.facility == KMSG_KERNEL &&
	       kmsg_is_table_full(parsed.message);
}

/* EPIPE: what came next was overwritten; EINVAL: a record longer than any should be. Both are over
 * and done with, and the next read goes on behind them. */
static bool is_passed_over(int error)
{
	return error == EPIPE || error == EINTR || error == EINVAL;
}

ssize_t kmsg_drain(int fd, size_t max, uint64_t *lines)
{
	char record[RECORD_SIZE];
	size_t i;

	for (i = 0; i < max; i++) {
		ssize_t n = read(fd, record, sizeof(record));

		if (n > 0 && kmsg_counts((struct span){record, (size_t)n}))
			(*lines)++;
		if (n == 0 || (n < 0 && errno == EAGAIN))
			break;
		if (n < 0 && !is_passed_over(errno))
			return -errno;
	}
	return (ssize_t)i;
}
