/* SPDX-License-Identifier: MIT */
#include "collectors/bpf_walk.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/bpf/tcp_walk.h"
#include "daemon/util.h"

static int sys_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	long r = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return r < 0 ? -errno : (int)r;
}

static int open_pinned(const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr)); /* the kernel wants 0 in what the command does not use */
	attr.pathname = (uint64_t)(uintptr_t)path;
	return sys_bpf(BPF_OBJ_GET, &attr);
}

static int map_sockets(struct bpf_walk *walk)
{
	CLEANUP_CLOSE int map = open_pinned(TCP_WALK_MAP);
	void *at;

	if (map < 0)
		return map;
	at = mmap(NULL, sizeof(struct tcp_walk), PROT_READ, MAP_SHARED, map, 0);
	if (at == MAP_FAILED)
		return -errno;
	walk->out = at;
	return 0;
}

int bpf_walk_open(struct bpf_walk *walk, const char **what)
{
	int r = 0;

	*what = TCP_WALK_FOLDER;
	walk->folder = open(TCP_WALK_FOLDER, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (walk->folder < 0)
		return -errno;
	if (flock(walk->folder, LOCK_EX | LOCK_NB) < 0)
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (r == 0) {
		*what = TCP_WALK_PROGRAM;
		r = walk->program = open_pinned(TCP_WALK_PROGRAM);
	}
	if (r >= 0) {
		*what = TCP_WALK_MAP;
		r = map_sockets(walk);
	}
	if (r < 0)
		bpf_walk_close(walk);
	return r < 0 ? r : 0;
}

void bpf_walk_close(struct bpf_walk *walk)
{
	void *out;

	memcpy(&out, &walk->out, sizeof(out)); /* it is const for us alone */
	if (out)
		munmap(out, sizeof(struct tcp_walk));
	cleanup_close(&walk->program);
	cleanup_close(&walk->folder);
	*walk = BPF_WALK;
}

void bpf_walk_begin(struct bpf_walk *walk, const struct bpf_walk_target *targets, size_t n)
{
	walk->next = 0;
	walk->targets = targets;
	walk->n_targets = n;
}

bool bpf_walk_has_others(const struct bpf_walk *walk)
{
	return walk->out->every_netns;
}

static int run(struct bpf_walk *walk)
{
	struct tcp_walk_request request = {.bucket = walk->next};
	union bpf_attr attr;
	int r;

	for (size_t i = 0; i < walk->n_targets; i++) {
		uint32_t netns = (uint32_t)walk->targets[i].netns;

		request.netns[tcp_walk_word(netns)] |= tcp_walk_bit(netns);
	}
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)walk->program;
	attr.test.ctx_in = (uint64_t)(uintptr_t)&request;
	attr.test.ctx_size_in = sizeof(request);
	r = sys_bpf(BPF_PROG_TEST_RUN, &attr);
	if (r < 0)
		return r;
	switch (attr.test.retval) {
	case TCP_WALK_DONE:
		return walk->out->size == sizeof(*walk->out) ? 0 : -EPROTO;
	case TCP_WALK_BUSY:
		return -EBUSY;
	case TCP_WALK_TOO_LONG:
		return -E2BIG;
	case TCP_WALK_ENDLESS:
		return -ELOOP;
	default:
		return -EPROTO;
	}
}

/* One socket, to whoever wants those of its namespace; a number of another may have the same bit. */
static void tell(const struct bpf_walk *walk, uint32_t netns, const struct socket_sink *own,
	const struct tcp_socket *socket)
{
	if (netns == walk->out->netns)
		own->add(own->arg, socket);
	for (size_t i = 0; i < walk->n_targets; i++)
		if (walk->targets[i].netns == netns)
			walk->targets[i].sink->add(walk->targets[i].sink->arg, socket);
}

static void hand_over(const struct bpf_walk *walk, const struct tcp_walk_socket *from, uint32_t n,
	const struct socket_sink *sink)
{
	struct tcp_socket socket = {.backlog = BACKLOG_UNKNOWN, .drops = DROPS_UNKNOWN};

	for (; n > 0; n--, from++) {
		if (from->state >= TCP_STATES)
			continue;
		socket.state = from->state;
		socket.local_port = from->local_port;
		socket.remote_port = ntohs(from->remote_port);
		tcp_socket_address(socket.local, from->family, from->local);
		tcp_socket_address(socket.remote, from->family, from->remote);
		tell(walk, from->netns, sink, &socket);
	}
}

int bpf_walk_step(struct bpf_walk *walk, const struct socket_sink *sink)
{
	uint32_t next;
	int r = run(walk);

	if (r < 0)
		return r;
	for (size_t lane = 0; lane < TCP_WALK_LANES; lane++) {
		uint32_t n = walk->out->n[lane];

		if (n > TCP_WALK_SOCKETS)
			return -EPROTO;
		hand_over(walk, walk->out->socket[lane], n, sink);
	}
	next = walk->out->next;
	if (next <= walk->next)
		return -EPROTO;
	walk->next = next;
	return next < walk->out->n_buckets;
}
