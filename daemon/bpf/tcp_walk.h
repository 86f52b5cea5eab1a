/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * What tcp_walk.bpf.c hands over: the TCP sockets of a piece of the kernel's table of connections.
 * Shared by the program, its loader (connwatch_bpf.c) and the daemon (collectors/bpf_walk.c).
 */
#ifndef CONNWATCH_TCP_WALK_H
#define CONNWATCH_TCP_WALK_H

#include <linux/types.h>

/*
 * Where the loader pins the program and its map, for the group of the daemon's user. A bpffs of
 * our own: nobody but root may enter the one in /sys/fs/bpf.
 */
#define TCP_WALK_FOLDER "/run/bpf/connwatchd"
#define TCP_WALK_PROGRAM TCP_WALK_FOLDER "/walk"
#define TCP_WALK_MAP TCP_WALK_FOLDER "/sockets"

#define TCP_WALK_LANES 16    /* chains that are followed at once */
#define TCP_WALK_SOCKETS 512 /* room for those of one lane */

struct tcp_walk_socket {
	__u8 state;         /* as sock_diag shows it, but TCP_NEW_SYN_RECV as such */
	__u8 family;        /* AF_INET or AF_INET6 */
	__u16 local_port;   /* host byte order */
	__be16 remote_port; /* network byte order, as the addresses */
	__u16 unused;
	__u32 netns; /* number of its network namespace: the inode of /proc/PID/ns/net */
	__u32 remote[4], local[4]; /* of AF_INET the first number of each */
};

/*
 * What a run is given: the bucket to begin with, and which other network namespaces are wanted besides the caller's own, a
 * bit for each number modulo the size; those whose number has the same bit come too. None do unless the program was loaded
 * for it.
 */
#define TCP_WALK_NETNS 4 /* words of 64 bits */
struct tcp_walk_request {
	__u64 bucket;
	__u64 netns[TCP_WALK_NETNS];
};

static inline __u32 tcp_walk_word(__u32 netns)
{
	return netns / 64 % TCP_WALK_NETNS;
}

static inline __u64 tcp_walk_bit(__u32 netns)
{
	return 1ull << netns % 64;
}

/* What a run returns. */
enum tcp_walk_result {
	TCP_WALK_DONE,
	TCP_WALK_BUSY,     /* another process runs it */
	TCP_WALK_TOO_LONG, /* a chain has more sockets than there is room for */
	TCP_WALK_ENDLESS,  /* a chain did not end in time */
	TCP_WALK_NO_TABLE, /* it could not be read */
};

/* Filled by a run. */
struct tcp_walk {
	__u32 size;        /* of this struct, so that a program of another version is noticed */
	__u32 next;        /* bucket to go on with */
	__u32 n_buckets;   /* in the table */
	__u32 again;       /* chains walked again, as a socket had moved to another meanwhile */
	__u32 unsettled;   /* chains taken as they were after some tries */
	__u32 netns;       /* number of the caller's */
	__u32 every_netns; /* 1: it was loaded to tell of others too */
	__u32 n[TCP_WALK_LANES]; /* sockets that follow, of each lane */
	struct tcp_walk_socket socket[TCP_WALK_LANES][TCP_WALK_SOCKETS];
};

#endif
