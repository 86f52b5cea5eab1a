/* SPDX-License-Identifier: MIT */
#include "collectors/tcp_socket.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>

void tcp_end_text(const uint8_t address[16], uint16_t port, char *out, size_t size)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct in6_addr v6;
	bool is_v4;

	memcpy(&v6, address, sizeof(v6));
	is_v4 = IN6_IS_ADDR_V4MAPPED(&v6);
	inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? address + 12 : address, text, sizeof(text));
	if (!port)
		snprintf(out, size, "%s", text);
	else
		snprintf(out, size, is_v4 ? "%s:%u" : "[%s]:%u", text, port);
}
