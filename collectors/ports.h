/* SPDX-License-Identifier: MIT */
/*
 * The ports that the kernel gives to outgoing connections. It can give each of them once to a pair
 * of local address and remote end (a tuple); then connect() fails. The fullest tuple among all
 * sockets is found in bounded memory: a tuple belongs to one of PORTS_SETS sets, which remembers
 * PORTS_WAYS of its tuples. One more than those and one port of each of them cancel out (Misra and
 * Gries), so that what is counted is exact in a set of so few, else too low by at most a fifth of the
 * sockets in the set: about one in 5,000 of all.
 */
#ifndef CONNWATCH_PORTS_H
#define CONNWATCH_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/span.h"
#include "collectors/tcp_socket.h"

#define PORTS_SETS 1024
#define PORTS_WAYS 4

struct tuple {
	uint8_t local[16], remote[16]; /* as in struct tcp_socket */
	uint16_t remote_port;
};

struct ports_set {
	uint32_t n[PORTS_WAYS];   /* sockets; 0: free */
	uint32_t tag[PORTS_WAYS]; /* another hash of the tuple */
};

/* Zeroed to begin with. */
struct ports {
	uint64_t usable[65536 / 64]; /* a bit for each port that the kernel may choose */
	unsigned n_usable;
	struct ports_set sets[PORTS_SETS];
	struct tuple tuples[PORTS_SETS][PORTS_WAYS];
};

/*
 * Set which ports may be chosen, from the texts of net.ipv4.ip_local_port_range and
 * ip_local_reserved_ports (empty: none). Returns 0 or -EBADMSG, and then none may.
 */
int ports_set_usable(struct ports *ports, struct span range, struct span reserved);
/* Forget all sockets. */
void ports_begin(struct ports *ports);
void ports_add(struct ports *ports, const struct tcp_socket *socket);
/* Returns how many ports are in use for the tuple with most, and this; 0 if there is none. */
unsigned ports_fullest(const struct ports *ports, struct tuple *tuple);
/* "192.0.2.1 to 198.51.100.7:443", "2001:db8::1 to [2001:db8::2]:443" */
void tuple_describe(const struct tuple *tuple, char *out, size_t size);

#endif
