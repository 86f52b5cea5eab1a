/* SPDX-License-Identifier: MIT */
/* Any bytes as a buffer from the kernel's sock_diag. */
#include <stdint.h>

#include "collectors/inet_diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void begin(void *arg)
{
	(void)arg;
}

static void add(void *arg, const struct tcp_socket *socket)
{
	(void)arg;
	if (socket->state >= TCP_STATES)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct socket_sink sink = {begin, add, NULL};

	inet_diag_parse(data, size, 0, &sink);
	return 0;
}
