/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * Walks a piece of the kernel's table of TCP connections and copies out the addresses, ports and
 * states of the sockets that belong to the caller's network namespace, or to others that it asks for
 * (connwatch-bpf --netns). Many chains are followed at
 * once: following one is waiting for memory, and so the waits overlap.
 *
 * Run by BPF_PROG_TEST_RUN, never attached. It is a raw tracepoint program because those are run
 * under RCU, by which the table may be read without a lock; a syscall program would have to ask for
 * it, which Linux before 6.2 lacks.
 *
 * Who may run it gains nothing by it: its only input is the number of a bucket, it changes nothing,
 * and what it hands out sock_diag tells any user; with --netns, any user who may enter the namespace. The map with kernel addresses (.bss) is not
 * pinned, so the program alone has it.
 *
 * Built twice: as it stands for kernels with bpf_rdonly_cast() (Linux 6.2), with which a socket is
 * read where it is, and with -DPROBE for older ones, where each field is copied by a helper.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
/* after linux/bpf.h */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "daemon/bpf/tcp_walk.h"

#define CHUNK 16384       /* buckets of a run at most, and */
#define CHUNK_MIN 2048    /* where a run came no further than that */
#define LONGEST 128       /* sockets of a chain for which there is surely room */
#define TRIES 8           /* at a chain that changes */
#define ENOUGH_NS 2000000 /* of time, after which a run begins no further bucket */
#define CLOCK_STEPS 32    /* between looks at the clock */
#define STEPS 4096        /* of a run at most: some 65,000 sockets, should a chain not end */
#define EMPTY 32          /* buckets that a lane passes over in a step */

#define IPV4 2
#define IPV6 10
#define TIME_WAIT 6

/* A list ends with an odd number: that of its bucket, shifted. */
#define IS_END(node) ((node)&1)
#define END_OF(bucket) ((__u64)(bucket) << 1 | 1)
#define NO_END (~0ull - 2) /* of no bucket: the chain could not be read */
#define PARKED (~0ull)     /* the lane has nothing left to do */

/* Of the kernel's structures what is needed; the offsets are the running kernel's (CO-RE). */
#define KERNEL __attribute__((preserve_access_index))

struct hlist_nulls_node {
	struct hlist_nulls_node *next;
} KERNEL;

struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
} KERNEL;

struct net;

typedef struct {
	struct net *net;
} KERNEL possible_net_t;

struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num; /* the local port */
	unsigned short skc_family;
	unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
	struct hlist_nulls_node skc_nulls_node;
} KERNEL;

struct inet_timewait_sock {
	unsigned char tw_substate;
} KERNEL;

struct inet_ehash_bucket {
	struct hlist_nulls_node *chain;
} KERNEL;

struct inet_hashinfo {
	struct inet_ehash_bucket *ehash;
	unsigned int ehash_mask;
} KERNEL;

struct inet_timewait_death_row {
	struct inet_hashinfo *hashinfo;
} KERNEL;

struct netns_ipv4 {
	struct inet_timewait_death_row tcp_death_row;
} KERNEL;

struct ns_common {
	unsigned int inum;
} KERNEL;

struct net {
	struct ns_common ns;
	struct netns_ipv4 ipv4;
} KERNEL;

struct nsproxy {
	struct net *net_ns;
} KERNEL;

struct task_struct {
	struct nsproxy *nsproxy;
} KERNEL;

/* Set by the loader, so that what is not asked for is no part of the program. */
const volatile bool every_netns = false;

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tcp_walk);
} sockets SEC(".maps");

/*
 * The state of a run. In a map of the program's own, which nobody else can open: kernel addresses
 * are in it, and to the verifier a number that comes from there is any number, so that all lanes
 * are one case.
 */
static struct run {
	volatile __u64 table; /* volatile, so that what is written is read back as a number */
	__u64 this_net, started;
	__u64 wanted[TCP_WALK_NETNS];
	__u32 this_number;
	__u32 first, count, taken; /* the first bucket; how many; how many of them were begun */
	__u32 parked;              /* lanes */
	__u32 result, busy;
	bool enough;
	struct lane {
		volatile __u64 node, next;
		volatile __u32 bucket;
		volatile __u32 n, begin; /* in out->socket */
		volatile __u8 tries, state;
	} lane[TCP_WALK_LANES];
	__u64 heads[CHUNK];
} run;

/* Keeps the compiler from taking the address anew for each field. */
#define STATE(r)                                                                                   \
	struct run *r = &run;                                                                      \
	barrier_var(r)

#ifdef PROBE
#define AT(type, address) ((struct type *)(address))
#define GET(object, field) BPF_CORE_READ(object, field)
#else
extern void *bpf_rdonly_cast(void *object, __u32 type) __ksym;
#define AT(type, address)                                                                          \
	((struct type *)bpf_rdonly_cast((void *)(address), bpf_core_type_id_kernel(struct type)))
#define GET(object, field) ((object)->field)
#endif

/* A list runs through the middle of its sockets. */
#define SOCKET_OF(type, node)                                                                      \
	AT(type, (node)-bpf_core_field_offset(struct sock_common, skc_nulls_node))

static __always_inline void park(struct run *r, int l)
{
	r->lane[l].node = PARKED;
	r->parked++;
}

static __always_inline void next_bucket(struct run *r, int l)
{
	__u32 n = r->taken;

	if (r->enough || n >= r->count || r->lane[l].n > TCP_WALK_SOCKETS - LONGEST) {
		park(r, l);
		return;
	}
	/* In a table that is nearly empty, this is most of the work. */
	for (int k = 0; k < EMPTY && n + 1 < r->count && IS_END(r->heads[n & (CHUNK - 1)]); k++)
		n++;
	r->taken = n + 1;
	r->lane[l].bucket = r->first + n;
	r->lane[l].begin = r->lane[l].n;
	r->lane[l].tries = 0;
	r->lane[l].node = r->heads[n & (CHUNK - 1)];
}

/* At the end of a list: that of another bucket means that a socket was moved under the lane. */
static __always_inline void end_of_chain(struct run *r, int l, __u64 node, struct tcp_walk *out)
{
	__u64 head;

	if (node == PARKED)
		return;
	if (node == END_OF(r->lane[l].bucket)) {
		next_bucket(r, l);
		return;
	}
	if (r->lane[l].tries >= TRIES) {
		out->unsettled++;
		next_bucket(r, l);
		return;
	}
	r->lane[l].tries++;
	out->again++;
	r->lane[l].n = r->lane[l].begin;
	if (bpf_probe_read_kernel(
		    &head, sizeof(head), (void *)(r->table + sizeof(head) * r->lane[l].bucket)))
		head = NO_END;
	r->lane[l].node = head;
}

/* Whether a socket of this namespace is to be handed out; then *number is the namespace's. */
static __always_inline bool is_wanted(const struct run *r, __u64 net, __u32 *number)
{
	if (net == r->this_net) {
		*number = r->this_number;
		return true;
	}
	if (!every_netns)
		return false;
	*number = GET(AT(net, net), ns.inum);
	return r->wanted[tcp_walk_word(*number)] & tcp_walk_bit(*number);
}

static __always_inline void copy_out(struct run *r, int l, __u64 node, struct tcp_walk *out)
{
	struct sock_common *sk = SOCKET_OF(sock_common, node);
	__u32 n = r->lane[l].n, number;
	__u8 state = r->lane[l].state;
	struct tcp_walk_socket *to;

	if (!is_wanted(r, (__u64)GET(sk, skc_net.net), &number))
		return;
	if (n >= TCP_WALK_SOCKETS) {
		r->result = TCP_WALK_TOO_LONG;
		park(r, l);
		return;
	}
	to = &out->socket[l][n];
	r->lane[l].n = n + 1;
	if (state == TIME_WAIT) {
		struct inet_timewait_sock *tw = SOCKET_OF(inet_timewait_sock, node);

		state = GET(tw, tw_substate);
	}
	to->state = state;
	to->netns = number;
	to->family = GET(sk, skc_family);
	to->local_port = GET(sk, skc_num);
	to->remote_port = GET(sk, skc_dport);
	if (to->family == IPV4) {
		to->remote[0] = GET(sk, skc_daddr);
		to->local[0] = GET(sk, skc_rcv_saddr);
	} else if (to->family == IPV6) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			to->remote[i] = GET(sk, skc_v6_daddr.in6_u.u6_addr32[i]);
			to->local[i] = GET(sk, skc_v6_rcv_saddr.in6_u.u6_addr32[i]);
		}
	}
}

static long step(__u32 i, void *unused)
{
	const __u32 zero = 0;
	struct tcp_walk *out = bpf_map_lookup_elem(&sockets, &zero);
	STATE(r);

	if (!out)
		return 1;
		/* All lanes ask for their memory before one waits. An end is no address: it reads as 0. */
#pragma unroll
	for (int l = 0; l < TCP_WALK_LANES; l++) {
		struct sock_common *sk = SOCKET_OF(sock_common, r->lane[l].node);

		r->lane[l].next = (__u64)GET(sk, skc_nulls_node.next);
		r->lane[l].state = GET(sk, skc_state);
	}
#pragma unroll
	for (int l = 0; l < TCP_WALK_LANES; l++) {
		__u64 node = r->lane[l].node;

		if (!IS_END(node)) {
			r->lane[l].node = r->lane[l].next ? r->lane[l].next : NO_END;
			copy_out(r, l, node, out);
			node = r->lane[l].node;
		}
		if (IS_END(node))
			end_of_chain(r, l, node, out);
	}
	if (i % CLOCK_STEPS == 0)
		r->enough = bpf_ktime_get_ns() - r->started > ENOUGH_NS;
	return r->parked == TCP_WALK_LANES;
}

static __always_inline int walk_from(struct run *r, __u64 bucket, struct tcp_walk *out)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct net *net = task->nsproxy->net_ns;
	struct inet_hashinfo *info = net->ipv4.tcp_death_row.hashinfo;
	__u64 count;

	r->started = bpf_ktime_get_ns();
	r->this_net = (__u64)net;
	r->this_number = net->ns.inum;
	r->table = (__u64)info->ehash;
	out->size = sizeof(*out);
	out->n_buckets = info->ehash_mask + 1;
	out->netns = r->this_number;
	out->every_netns = every_netns;
	out->again = out->unsettled = 0;
	if (bucket >= out->n_buckets ||
		bpf_core_type_size(struct inet_ehash_bucket) != sizeof(*r->heads))
		return TCP_WALK_NO_TABLE;
	/* Twice as many as the run before came to: few runs for an empty table, no heads for nothing from a full one. */
	count = 2 * (__u64)r->taken;
	if (count < CHUNK_MIN)
		count = CHUNK_MIN;
	if (count > CHUNK)
		count = CHUNK;
	if (count > out->n_buckets - bucket)
		count = out->n_buckets - bucket;
	if (bpf_probe_read_kernel(r->heads, count * sizeof(*r->heads),
		    (void *)(r->table + sizeof(*r->heads) * bucket)))
		return TCP_WALK_NO_TABLE;
	r->first = bucket;
	r->count = count;
	r->taken = r->parked = r->enough = 0;
	r->result = TCP_WALK_DONE;
#pragma unroll
	for (int l = 0; l < TCP_WALK_LANES; l++) { /* at an end: the first step takes a bucket */
		r->lane[l].n = r->lane[l].bucket = 0;
		r->lane[l].node = END_OF(0);
	}
	bpf_loop(STEPS, step, NULL, 0);
	if (r->parked < TCP_WALK_LANES)
		r->result = TCP_WALK_ENDLESS;
	out->next = r->first + r->taken;
#pragma unroll
	for (int l = 0; l < TCP_WALK_LANES; l++)
		out->n[l] = r->lane[l].n;
	return r->result;
}

SEC("raw_tp")
int walk(__u64 *arguments)
{
	const __u32 zero = 0;
	struct tcp_walk *out = bpf_map_lookup_elem(&sockets, &zero);
	int result;
	STATE(r);

	if (!out || __sync_lock_test_and_set(&r->busy, 1))
		return TCP_WALK_BUSY;
#pragma unroll
	for (int i = 0; i < TCP_WALK_NETNS; i++)
		r->wanted[i] = arguments[1 + i];
	result = walk_from(r, arguments[0], out);
	r->busy = 0;
	return result;
}
