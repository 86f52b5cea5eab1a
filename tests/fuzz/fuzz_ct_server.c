/* SPDX-License-Identifier: MIT */
/*
 * connwatch-ct with its socket and ctnetlink in our hands: the first byte is the client's request, and then follow the
 * buffers of a dump, each behind its length of 16 bits. What it answers, the daemon and connwatch can read.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libmnl/libmnl.h>

#include "collectors/percpu.h"
#include "daemon/ct/summary.h"
#include "daemon/ct/tally.h"
#include "daemon/util.h"

#define TALLY_MAX (16 * 1024 * 1024)

int connwatch_ct_main(int argc, char **argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void __real_free(void *at);
void __wrap_free(void *at);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_msec);
struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *request, size_t len);
ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *nl, void *buffer, size_t size);
int __wrap_mnl_socket_close(struct mnl_socket *nl);

static struct {
	int client;        /* the server's end of its connection, -1 after it was accepted */
	const uint8_t *at; /* of the dump */
	size_t left;
} world;

/* The five tallies: of so much memory the sanitizer would have to mark all. */
static void *tallies[8];

void *__wrap_calloc(size_t n, size_t size)
{
	if (size < TALLY_KEYS)
		return __real_calloc(n, size);
	for (size_t i = 0; i < ARRAY_LEN(tallies); i++)
		if (!tallies[i]) {
			tallies[i] = mmap(NULL, TALLY_MAX, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
			assert(n == 1 && size <= TALLY_MAX && tallies[i] != MAP_FAILED);
			return tallies[i];
		}
	abort();
}

void __wrap_free(void *at)
{
	size_t i = 0;

	while (i < ARRAY_LEN(tallies) && tallies[i] != at)
		i++;
	if (at && i < ARRAY_LEN(tallies))
		munmap(take_ptr(tallies[i]), TALLY_MAX);
	else
		__real_free(at);
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	(void)fd;
	(void)address;
	(void)len;
	(void)flags;
	return take_fd(&world.client);
}

/* It is a listening socket. */
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	(void)fd;
	(void)level;
	(void)name;
	assert(*len == sizeof(int));
	*(int *)value = 1;
	return 0;
}

/* One client comes, who does not hang up. */
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_msec)
{
	(void)fds;
	(void)n;
	return timeout_msec > 0 && world.client >= 0;
}

struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags)
{
	(void)bus;
	(void)flags;
	return (struct mnl_socket *)&world;
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *request, size_t len)
{
	(void)nl;
	(void)request;
	return (ssize_t)len;
}

/* At the end an error, so that there is one. */
ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *nl, void *buffer, size_t size)
{
	uint16_t len;

	(void)nl;
	if (world.left < sizeof(len)) {
		errno = EIO;
		return -1;
	}
	memcpy(&len, world.at, sizeof(len));
	world.at += sizeof(len);
	world.left -= sizeof(len);
	if (len > world.left)
		len = (uint16_t)world.left;
	if (len > size)
		len = (uint16_t)size;
	memcpy(buffer, world.at, len);
	world.at += len;
	world.left -= len;
	return len;
}

int __wrap_mnl_socket_close(struct mnl_socket *nl)
{
	(void)nl;
	return 0;
}

static void check_counters(const char *answer, size_t len)
{
	static const char *const names[] = {"found", "drop"};
	struct percpu percpu = {0};
	double values[2];

	assert(percpu_table(&percpu, (struct span){answer, len}, names, 2, values) == 0);
	percpu_reset(&percpu);
}

static void check_who(const char *answer)
{
	CLEANUP_FREE struct summary *summary = malloc(sizeof(*summary));
	char sentence[512];

	assert(summary && summary_parse(answer, summary) == 0);
	summary_sentence(summary, sentence, sizeof(sentence));
}

/* Without a row of counters it is an empty line. */
static void check(char question, char *answer, size_t len)
{
	assert((len > 0) == (question == 'c' || question == 'w'));
	if (len < 2)
		return;
	assert(memcmp(answer + len - 2, "\n\n", 2) == 0 && !memchr(answer, '\0', len));
	answer[len - 1] = '\0';
	if (strncmp(answer, "error: ", 7) == 0)
		return;
	if (question == 'c')
		check_counters(answer, len - 1);
	else
		check_who(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "connwatch-ct", answer[256 * 1024];
	char *argv[] = {name, NULL};
	size_t len = 0;
	ssize_t n;
	int pair[2];

	if (size == 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || write(pair[1], data, 1) != 1)
		abort();
	world.client = pair[0];
	world.at = data + 1;
	world.left = size - 1;
	assert(connwatch_ct_main(1, argv) == 0);
	while ((n = read(pair[1], answer + len, sizeof(answer) - len)) > 0)
		len += (size_t)n;
	close(pair[1]);
	check((char)data[0], answer, len);
	return 0;
}
