/* SPDX-License-Identifier: MIT */
/*
 * TCP sockets by netlink (sock_diag(7)): one dump for both families. Needs no capability. The
 * dump's cost is the kernel's (about 1.4 us a socket); memory here is one buffer on the stack,
 * whatever the number of sockets.
 */
#ifndef CONNWATCH_INET_DIAG_H
#define CONNWATCH_INET_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/tcp_socket.h"

#define INET_DIAG_ALL 0xfffu /* every state that has a name; NEW_SYN_RECV comes as SYN_RECV */
#define INET_DIAG_LISTEN (1u << TCP_LISTEN) /* cheap: the table of connections is not walked */

struct netns; /* collectors/netns.h */

/* Initialise with { .fd = -1 }. */
struct inet_diag {
	int fd;                    /* kept open between dumps that went well */
	const struct netns *netns; /* whose sockets; NULL: the daemon's own network namespace */
	uint32_t seq;
	uint32_t states;      /* asked for by the dump under way */
	unsigned interrupted; /* how often it was */
};

/*
 * Hand every socket in one of states (a mask of 1 << state) to sink. A dump that the kernel marks
 * as inconsistent, or whose messages got lost, is made anew: three times in all, then -EAGAIN.
 * Other errors: what the kernel answered; -ETIMEDOUT; -EMSGSIZE and -EBADMSG for what is no answer.
 * After an error the sink holds a part and is to be ignored. Drops are told if listeners alone are
 * asked for.
 */
int inet_diag_dump(struct inet_diag *diag, uint32_t states, const struct socket_sink *sink);
/*
 * The same piece by piece: begin, then steps of about 300 sockets until one returns INET_DIAG_DONE
 * instead of INET_DIAG_MORE. Errors of both as above; a dump that is given up is ended by
 * inet_diag_close().
 */
int inet_diag_begin(struct inet_diag *diag, uint32_t states, const struct socket_sink *sink);
int inet_diag_step(struct inet_diag *diag, const struct socket_sink *sink);
void inet_diag_close(struct inet_diag *diag);

/*
 * True for errors that asking again will not change: no permission, no such protocol in this
 * kernel.
 */
bool inet_diag_is_refusal(int error);

enum inet_diag_answer { INET_DIAG_MORE, INET_DIAG_DONE, INET_DIAG_INTERRUPTED };

/*
 * Parse one received buffer (pure; any alignment, any content). Messages of another seq are passed
 * over. Returns one of enum inet_diag_answer, or -errno: the kernel's, or -EBADMSG for lengths that
 * do not add up.
 */
int inet_diag_parse(const void *buffer, size_t len, uint32_t seq, const struct socket_sink *sink);

#endif
