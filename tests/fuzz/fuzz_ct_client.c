/* SPDX-License-Identifier: MIT */
/*
 * The bytes are an answer of connwatch-ct, behind one that chooses who asked: connwatch top, the same for JSON, or the
 * daemon, for the counters.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cli.h"
#include "collectors/percpu.h"
#include "daemon/ct/ct_client.h"
#include "daemon/util.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t len);
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags);

static FILE *nowhere;
static const uint8_t *answer;
static size_t answer_size;
static int server;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	nowhere = fopen("/dev/null", "we");
	if (!nowhere)
		abort();
	return 0;
}

int __wrap_socket(int domain, int type, int protocol)
{
	int pair[2];

	if (socketpair(domain, type, protocol, pair) < 0)
		abort();
	server = pair[1];
	return pair[0];
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t len)
{
	(void)fd;
	(void)address;
	(void)len;
	return 0;
}

/* The request; the answer fits into the socket's buffer. */
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags)
{
	(void)fd;
	(void)data;
	(void)flags;
	if (write(server, answer, answer_size) != (ssize_t)answer_size)
		abort();
	close(server);
	return (ssize_t)size;
}

static void on_counters(void *arg, const char *text, const char *error)
{
	static const char *const names[] = {"found", "drop"};
	struct percpu percpu = {0};
	double values[2];

	(void)arg;
	assert(!text != !error);
	if (text)
		percpu_table(&percpu, (struct span){text, strlen(text)}, names, 2, values);
	percpu_reset(&percpu);
}

static void ask_top(int json)
{
	static char name[] = "top", option[] = "--json";
	const struct cli_context context = {0};
	char *argv[] = {name, json ? option : NULL, NULL};
	FILE *out = stdout, *err = stderr;

	optind = 0;
	stdout = stderr = nowhere;
	cmd_top(&context, 1 + json, argv);
	stdout = out;
	stderr = err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ct_asking counters = {"/", CT_COUNTERS, CT_TIMEOUT_USEC, on_counters, NULL};

	if (size == 0)
		return 0;
	answer = data + 1;
	answer_size = size - 1;
	if (data[0] % 3 == 2)
		assert(ct_ask_and_wait(&counters) == 0);
	else
		ask_top(data[0] % 3);
	return 0;
}
