/* SPDX-License-Identifier: MIT */
/*
 * queuegen - a listener that does not accept, and clients that connect to it.
 *
 *   queuegen [-6] PORT BACKLOG CLIENTS &
 *
 * Listens on all addresses (-6: of both families) with the backlog, starts as many connections over
 * loopback, prints "ready" and holds all until a signal ends it. What does not fit into the accept
 * queue is dropped by the kernel, again at each retransmission. Several may share a port.
 */
#include <stdio.h>
#include <sys/socket.h>

#include "tests/bench/gen.h"

#define CLIENTS_MAX 1000

static struct sockaddr_in6 any6(uint16_t port)
{
	return (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
}

static void start_listener(bool v6, uint16_t port, int backlog)
{
	const struct sockaddr_in6 a6 = any6(port);
	const struct sockaddr_in a4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	const struct sockaddr *address = v6 ? (const void *)&a6 : (const void *)&a4;
	int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &(int){1}, sizeof(int)) < 0)
		err(1, "socket");
	if (bind(fd, address, v6 ? sizeof(a6) : sizeof(a4)) < 0 || listen(fd, backlog) < 0)
		err(1, "port %u", (unsigned)port);
}

static void start_client(uint16_t port)
{
	const struct sockaddr_in server = gen_loopback(0, 0, port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		err(1, "socket");
	if (connect(fd, (const struct sockaddr *)&server, sizeof(server)) < 0 &&
		errno != EINPROGRESS)
		err(1, "connect");
}

int main(int argc, char **argv)
{
	bool v6 = argc > 1 && strcmp(argv[1], "-6") == 0;
	char **number = argv + 1 + v6;
	uint16_t port;

	if (argc != 4 + v6)
		errx(2, "usage: queuegen [-6] PORT BACKLOG CLIENTS");
	gen_refuse_host();
	port = (uint16_t)gen_count(number[0], UINT16_MAX);
	start_listener(v6, port, (int)gen_count(number[1], INT32_MAX));
	for (long left = gen_count(number[2], CLIENTS_MAX); left > 0; left--)
		start_client(port);
	puts("ready");
	fflush(stdout);
	pause();
	return 1;
}
