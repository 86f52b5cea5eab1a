/* SPDX-License-Identifier: MIT */
/*
 * The bytes are what a run of the BPF program returns (the first one: its result, odd from 128 on: a struct of another
 * size) and leaves in its map: struct tcp_walk from its second member on.
 */
#include <assert.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "collectors/bpf_walk.h"
#include "daemon/bpf/tcp_walk.h"
#include "daemon/util.h"

#define INPUT_SIZE 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
long __wrap_syscall(long number, ...);

static struct tcp_walk map;
static uint8_t result;

/* The program runs. */
long __wrap_syscall(long number, ...)
{
	union bpf_attr *attr;
	va_list args;

	va_start(args, number);
	assert(number == SYS_bpf && va_arg(args, enum bpf_cmd) == BPF_PROG_TEST_RUN);
	attr = va_arg(args, union bpf_attr *);
	va_end(args);
	attr->test.retval = result;
	return 0;
}

static void begin(void *arg)
{
	(void)arg;
	abort();
}

static void add(void *arg, const struct tcp_socket *socket)
{
	char text[64];

	(void)arg;
	assert(socket->state < TCP_STATES);
	tcp_end_text(socket->local, socket->local_port, text, sizeof(text));
	tcp_end_text(socket->remote, socket->remote_port, text, sizeof(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct socket_sink sink = {begin, add, NULL};
	/* one whose number is the same to the program's set of them */
	const struct bpf_walk_target targets[] = {{1, &sink}, {257, &sink}};
	struct bpf_walk walk = BPF_WALK;
	uint32_t before = 0;

	if (size == 0 || size > INPUT_SIZE)
		return 0;
	memset(&map, 0, INPUT_SIZE + sizeof(map.size));
	map.size = sizeof(map) + (data[0] >> 7);
	memcpy((uint8_t *)&map + sizeof(map.size), data + 1, size - 1);
	result = data[0] & 127;
	walk.out = &map;
	bpf_walk_begin(&walk, targets, ARRAY_LEN(targets));
	while (bpf_walk_step(&walk, &sink) > 0) {
		assert(walk.next > before);
		before = walk.next;
	}
	return 0;
}
