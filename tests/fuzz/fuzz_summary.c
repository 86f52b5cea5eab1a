/* SPDX-License-Identifier: MIT */
/* The bytes are an answer of connwatch-ct. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ct/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct summary *summary = malloc(sizeof(*summary));
	char *text = malloc(size + 1), sentence[256];

	if (!summary || !text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (summary_parse(text, summary) == 0)
		summary_sentence(summary, sentence, sizeof(sentence));
	free(text);
	free(summary);
	return 0;
}
