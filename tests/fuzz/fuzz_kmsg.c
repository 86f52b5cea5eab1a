/* SPDX-License-Identifier: MIT */
/* Any bytes as a record of the kernel's log: no step beyond the end, and what counts is the
 * kernel's own line. Seeds: tests/fuzz/seeds/kmsg. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/kmsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly this size, for the sanitizer */
	struct kmsg_record record;
	struct span text = {copy, size};

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (kmsg_parse(text, &record) == 0) {
		assert(record.message.at >= copy && record.message.len <= size);
		assert(record.message.at + record.message.len <= copy + size);
		assert(!memchr(record.message.at, '\n', record.message.len));
	}
	if (kmsg_counts(text)) {
		assert(copy[0] >= '0' && copy[0] <= '9');
		assert(memmem(copy, size, "table full", 10) &&
			memmem(copy, size, ", dropping packet", 17));
	}
	kmsg_is_table_full(text);
	free(copy);
	return 0;
}
