/* SPDX-License-Identifier: MIT */
/*
 * One sum over counters that belong to sockets, each of which takes its count with it when it
 * closes. The sum starts at the kernel's values and never goes back.
 */
#ifndef CONNWATCH_DROPS_H
#define CONNWATCH_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sockets beyond this many are not counted (16 KiB). A server has one to four for each CPU. */
#define DROPS_MAX_SOCKETS 1024

struct drops_socket {
	uint64_t cookie; /* the kernel's name for the socket, never used again */
	uint32_t last;
	bool fresh; /* seen in this pass */
};

struct drops {
	struct drops_socket *sockets;
	size_t n, size;
	size_t next;   /* where the next one probably is: the kernel keeps an order */
	size_t missed; /* of the last pass, for want of room */
	uint64_t sum;
};

/* Returns 0 or -ENOMEM. */
int drops_init(struct drops *drops);
void drops_free(struct drops *drops);

/*
 * A pass: begin, add each socket's counter (32 bits that wrap), end. A pass may begin again before
 * its end: what was counted is not counted twice. Allocates nothing.
 */
void drops_begin(struct drops *drops);
void drops_add(struct drops *drops, uint64_t cookie, uint32_t count);
/* Forgets the sockets that are gone. */
void drops_end(struct drops *drops);

/*
 * Make room for those that were missed. True if there was none to make: the sum is complete. Else
 * the next pass completes it.
 */
bool drops_settle(struct drops *drops);

#endif
