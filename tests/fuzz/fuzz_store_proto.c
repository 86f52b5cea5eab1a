/* SPDX-License-Identifier: MIT */
/* Any bytes as a packet between the loop and the store process. */
#include <stdint.h>
#include <string.h>

#include "daemon/store_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store_open open;
	static struct store_row row;
	static struct store_answer answer;
	static struct store_past past;
	struct store_packet packet;
	char text[STORE_TEXT_SIZE];
	int priority;

	store_parse_packet(data, size, &packet);
	if (store_parse_open(data, size, &open) == 0 &&
		(open.n_columns > STORE_MAX_COLUMNS || strlen(open.name) >= STORE_NAME_SIZE))
		__builtin_trap();
	if (store_parse_row(data, size, &row) == 0 && row.n > STORE_MAX_COLUMNS)
		__builtin_trap();
	if (store_parse_past(data, size, &past) == 0 && past.n > STORE_PAST_ROWS)
		__builtin_trap();
	store_parse_answer(data, size, &answer);
	store_parse_say(data, size, &priority, text);
	return 0;
}
