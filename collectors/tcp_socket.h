/* SPDX-License-Identifier: MIT */
/*
 * One TCP socket as every source of sockets (inet_diag, proc_net_tcp) describes it, and who is told
 * of it.
 */
#ifndef CONNWATCH_TCP_SOCKET_H
#define CONNWATCH_TCP_SOCKET_H

#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#define TCP_NEW_SYN_RECV                                                                           \
	12 /* the kernel's request sockets, since Linux 4.1; sock_diag and procfs show 3 */
#define TCP_STATES 13 /* 1..12, TCP_ESTABLISHED (netinet/tcp.h) and up */

#define BACKLOG_UNKNOWN (-1)
#define DROPS_UNKNOWN (-1)

struct tcp_socket {
	uint8_t state;                    /* below TCP_STATES */
	uint16_t local_port, remote_port; /* host byte order */
	uint8_t local[16], remote[16];    /* IPv4 as ::ffff:a.b.c.d, whatever the socket's family */
	uint32_t queue;                   /* of a listener: connections waiting for accept() */
	int64_t backlog;                  /* of a listener: its limit, or BACKLOG_UNKNOWN */
	int64_t drops;                    /* of a listener: packets since it was opened, 32 bits; or
					     DROPS_UNKNOWN */
	uint64_t cookie;                  /* the kernel's name for it where drops are known */
};

/* The kernel's way to keep an address, in network byte order (of AF_INET the first number), into
 * ours. */
static inline void tcp_socket_address(uint8_t to[16], uint8_t family, const uint32_t from[4])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (family == AF_INET) {
		memcpy(to, mapped, sizeof(mapped));
		memcpy(to + sizeof(mapped), from, 4);
	} else {
		memcpy(to, from, 16);
	}
}

/* "192.0.2.1:443" or "[2001:db8::1]:443"; without the port, and then no brackets, where it is 0. */
void tcp_end_text(const uint8_t address[16], uint16_t port, char *out, size_t size);

struct socket_sink {
	/* Called before the first socket, and again when the whole listing has to start anew. */
	void (*begin)(void *arg);
	void (*add)(void *arg, const struct tcp_socket *socket);
	void *arg;
};

#endif
