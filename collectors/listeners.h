/* SPDX-License-Identifier: MIT */
/* TCP listeners and the fullest accept queue among them, from sock_diag or a recorded net/tcp. */
#ifndef CONNWATCH_LISTENERS_H
#define CONNWATCH_LISTENERS_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/inet_diag.h"
#include "collectors/procfile.h"

/* The fullest of the listeners it was shown: highest queue per backlog, then smallest backlog. */
struct fullest {
	bool any; /* there is one; begin with false */
	struct tcp_socket socket;
};

void fullest_add(struct fullest *fullest, const struct tcp_socket *socket);
/* Connections waiting, and how many may; UNKNOWN without a listener, the latter without a backlog.
 */
void fullest_values(const struct fullest *fullest, double *queue, double *backlog);
/* "192.0.2.1:443" or "[2001:db8::1]:443"; "" if there is none. */
void fullest_describe(const struct fullest *fullest, char *out, size_t size);

struct listeners {
	struct proc *proc; /* borrowed */
	struct inet_diag diag;
	bool refused; /* for good: by a sandbox, or by a kernel without tcp_diag */
	struct fullest fullest;
};

void listeners_init(struct listeners *listeners, struct proc *proc);
/*
 * Hand every listener to sink; of a recorded tree other sockets as well. Returns as a collector's
 * look(), and after a failure the sink holds a part. A tree without net/tcp has no listeners.
 */
int listeners_list(struct listeners *listeners, const struct socket_sink *sink, struct reading *r);
/*
 * Find the fullest of all. Sets *queue (connections) and *backlog; both UNKNOWN without a listener
 * or where the kernel refuses to list them, which is said once. Returns as a collector's look().
 */
int listeners_look(struct listeners *listeners, double *queue, double *backlog, struct reading *r);
void listeners_close(struct listeners *listeners);

#endif
