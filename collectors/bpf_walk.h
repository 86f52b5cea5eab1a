/* SPDX-License-Identifier: MIT */
/*
 * TCP sockets by the program of connwatch-bpf.service (daemon/bpf/tcp_walk.bpf.c), which walks the
 * kernel's table of connections: a twentieth of the cost of inet_diag. Listeners are in another
 * table and do not come. Needs the right to open what that service has pinned, and no capability.
 */
#ifndef CONNWATCH_BPF_WALK_H
#define CONNWATCH_BPF_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/tcp_socket.h"

struct tcp_walk; /* daemon/bpf/tcp_walk.h */

/* Who is told of the sockets of another network namespace. */
struct bpf_walk_target {
	uint64_t netns; /* its number (collectors/netns.h) */
	const struct socket_sink *sink;
};

/* Initialise with BPF_WALK. */
struct bpf_walk {
	int program, folder;        /* the folder is locked: one user at a time */
	const struct tcp_walk *out; /* the program's map */
	uint32_t next;              /* bucket */
	const struct bpf_walk_target *targets;
	size_t n_targets;
};
#define BPF_WALK ((struct bpf_walk){.program = -1, .folder = -1})

/*
 * Open what is pinned. Returns 0; or -errno with *what the object it is about: -ENOENT: the service
 * does not run, -EACCES: not for this user, -EPERM: a sandbox or the kernel forbids bpf(2),
 * -EBUSY: another process has it.
 */
int bpf_walk_open(struct bpf_walk *walk, const char **what);
void bpf_walk_close(struct bpf_walk *walk);

/* Begin at the start of the table. targets: besides the daemon's own namespace; borrowed until the end. */
void bpf_walk_begin(struct bpf_walk *walk, const struct bpf_walk_target *targets, size_t n);
/* Whether the program was loaded to tell of other namespaces than the daemon's own; known after the first run. */
bool bpf_walk_has_others(const struct bpf_walk *walk);
/*
 * One run, of some milliseconds at most: hand its sockets to sink, those of other namespaces to their targets (begin() is
 * not called). Returns
 * 1 if there is more of the table, 0 at its end, or -errno: -E2BIG, -ELOOP: chains too long for the
 * program, -EPROTO: a program of another version; after an error sink holds a part.
 */
int bpf_walk_step(struct bpf_walk *walk, const struct socket_sink *sink);

#endif
