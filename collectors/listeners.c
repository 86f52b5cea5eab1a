/* SPDX-License-Identifier: MIT */
#include "collectors/listeners.h"

#include <errno.h>
#include <string.h>

#include "collectors/proc_net_tcp.h"
#include "daemon/log.h"

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

void fullest_add(struct fullest *fullest, const struct tcp_socket *socket)
{
	if (fullest->any && !fuller(socket, &fullest->socket))
		return;
	fullest->socket = *socket;
	fullest->any = true;
}

void fullest_values(const struct fullest *fullest, double *queue, double *backlog)
{
	/*
	 * Without a listener both are UNKNOWN: the columns are about one, and an idle one would
	 * have queue 0.
	 */
	*queue = *backlog = UNKNOWN;
	if (!fullest->any)
		return;
	*queue = fullest->socket.queue;
	if (fullest->socket.backlog != BACKLOG_UNKNOWN)
		*backlog = (double)capacity(&fullest->socket);
}

void fullest_describe(const struct fullest *fullest, char *out, size_t size)
{
	out[0] = '\0';
	if (fullest->any)
		tcp_end_text(fullest->socket.local, fullest->socket.local_port, out, size);
}

void listeners_init(struct listeners *listeners, struct proc *proc)
{
	*listeners = (struct listeners){.proc = proc, .diag = {.fd = -1}};
}

int listeners_list(struct listeners *listeners, const struct socket_sink *sink, struct reading *r)
{
	const char *path;
	int error;

	if (proc_is_recorded(listeners->proc)) {
		error = proc_net_tcp_dump(listeners->proc, sink, &path);
		return error < 0 && error != -ENOENT ? reading_fail(r, error, path) : 0;
	}
	error = inet_diag_dump(&listeners->diag, INET_DIAG_LISTEN, sink);
	return error < 0 ? reading_fail(r, error, "listeners by netlink") : 0;
}

static void begin(void *arg)
{
	struct fullest *fullest = arg;

	fullest->any = false;
}

static void add(void *arg, const struct tcp_socket *socket)
{
	if (socket->state == TCP_LISTEN)
		fullest_add(arg, socket);
}

int listeners_look(struct listeners *listeners, double *queue, double *backlog, struct reading *r)
{
	const struct socket_sink sink = {begin, add, &listeners->fullest};
	struct reading own = {.error = ""};
	int error = listeners->refused ? 0 : listeners_list(listeners, &sink, &own);

	if (error < 0)
		listeners->fullest.any = false;
	fullest_values(&listeners->fullest, queue, backlog);
	if (inet_diag_is_refusal(error)) {
		listeners->refused = true;
		log_notice("limits: %s, so accept queues are not watched", own.error);
		return 0;
	}
	if (error < 0 && !r->error[0])
		memcpy(r->error, own.error, sizeof(r->error));
	return error;
}

void listeners_close(struct listeners *listeners)
{
	inet_diag_close(&listeners->diag);
}
