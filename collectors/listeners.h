/* SPDX-License-Identifier: MIT */
/* The fullest accept queue among all TCP listeners, from sock_diag or a recorded net/tcp. */
#ifndef CONNWATCH_LISTENERS_H
#define CONNWATCH_LISTENERS_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/inet_diag.h"
#include "collectors/procfile.h"

struct listeners {
	struct proc *proc; /* borrowed */
	struct inet_diag diag;
	bool refused; /* for good: by a sandbox, or by a kernel without tcp_diag */
	bool any;     /* there is a fullest one */
	struct tcp_socket fullest;
};

void listeners_init(struct listeners *listeners, struct proc *proc);
/*
 * Find the fullest listener: highest queue per backlog, then smallest backlog. Sets *queue
 * (connections) and *backlog; both UNKNOWN without a listener or where the kernel refuses to list
 * them. Returns as a collector's look().
 */
int listeners_look(struct listeners *listeners, double *queue, double *backlog, struct reading *r);
/*
 * "192.0.2.1:443" or "[2001:db8::1]:443" of the last look's fullest listener; "" if there was none.
 */
void listeners_describe(const struct listeners *listeners, char *out, size_t size);
void listeners_close(struct listeners *listeners);

#endif
