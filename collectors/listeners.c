/* SPDX-License-Identifier: MIT */
#include "collectors/listeners.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "collectors/proc_net_tcp.h"
#include "daemon/log.h"

void listeners_init(struct listeners *listeners, struct proc *proc)
{
	*listeners = (struct listeners){.proc = proc, .diag = {.fd = -1}};
}

/* The backlog as it works: the kernel lets one connection wait even with a backlog of 0. */
static uint64_t capacity(const struct tcp_socket *socket)
{
	return socket->backlog > 1 ? (uint64_t)socket->backlog : 1;
}

static bool fuller(const struct tcp_socket *a, const struct tcp_socket *b)
{
	/* Both below 2^32, so the products fit. */
	uint64_t left = a->queue * capacity(b), right = b->queue * capacity(a);

	return left > right || (left == right && capacity(a) < capacity(b));
}

static void begin(void *arg)
{
	struct listeners *listeners = arg;

	listeners->any = false;
}

static void add(void *arg, const struct tcp_socket *socket)
{
	struct listeners *listeners = arg;

	if (socket->state != TCP_LISTEN || (listeners->any && !fuller(socket, &listeners->fullest)))
		return;
	listeners->fullest = *socket;
	listeners->any = true;
}

static int list(struct listeners *listeners, struct reading *r)
{
	const struct socket_sink sink = {begin, add, listeners};
	const char *path;
	int error;

	if (proc_is_recorded(listeners->proc)) {
		error = proc_net_tcp_dump(listeners->proc, &sink, &path);
		/* A tree without net/tcp has no listeners recorded; that is no failure. */
		return error < 0 && error != -ENOENT ? reading_fail(r, error, path) : 0;
	}
	error = inet_diag_dump(&listeners->diag, INET_DIAG_LISTEN, &sink);
	if (inet_diag_is_refusal(error)) {
		listeners->refused = true;
		log_notice(
			"limits: listeners cannot be listed (%s), so accept queues are not watched",
			strerror(-error));
		return 0;
	}
	return error < 0 ? reading_fail(r, error, "listeners by netlink") : 0;
}

int listeners_look(struct listeners *listeners, double *queue, double *backlog, struct reading *r)
{
	int error = listeners->refused ? 0 : list(listeners, r);

	if (error < 0)
		listeners->any = false;
	/*
	 * Without a listener both are UNKNOWN: the columns are about one, and an idle one would
	 * have queue 0.
	 */
	*queue = *backlog = UNKNOWN;
	if (!listeners->any)
		return error;
	*queue = listeners->fullest.queue;
	if (listeners->fullest.backlog != BACKLOG_UNKNOWN)
		*backlog = (double)capacity(&listeners->fullest);
	return 0;
}

void listeners_describe(const struct listeners *listeners, char *out, size_t size)
{
	char address[INET6_ADDRSTRLEN] = "";
	struct in6_addr v6;

	out[0] = '\0';
	if (!listeners->any)
		return;
	memcpy(&v6, listeners->fullest.local, sizeof(v6));
	if (IN6_IS_ADDR_V4MAPPED(&v6)) {
		inet_ntop(AF_INET, listeners->fullest.local + 12, address, sizeof(address));
		snprintf(out, size, "%s:%u", address, (unsigned)listeners->fullest.local_port);
	} else {
		inet_ntop(AF_INET6, &v6, address, sizeof(address));
		snprintf(out, size, "[%s]:%u", address, (unsigned)listeners->fullest.local_port);
	}
}

void listeners_close(struct listeners *listeners)
{
	inet_diag_close(&listeners->diag);
}
