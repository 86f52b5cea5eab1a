/* SPDX-License-Identifier: MIT */
/*
 * The bytes are what an rrdcached sends over its connections, one after the other, a NUL between them; behind the last it
 * refuses everything. A file of two columns is opened, written to and asked for its past: the answers to the loop are
 * such as it takes.
 */
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/cachedfile.h"

#define NOW 1796068800

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

static uint8_t packet[STORE_PACKET_SIZE];
static size_t packet_size;
static const uint8_t *rest;
static size_t left;
static int server; /* its end of the connection; -1: there is none */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct store_open open = {.name = "a",
		.directory = "/r",
		.daemon = "unix:/s",
		.step = 10,
		.heartbeat = 40,
		.past = 3,
		.n_columns = 2,
		.n_archives = 2,
		.columns = {{"entries", METRIC_GAUGE}, {"drop", METRIC_COUNTER}},
		.archives = {{10, 20}, {60, 10}}};
	ssize_t n = store_put_open(packet, 1, &open);

	(void)argc;
	(void)argv;
	assert(n > 0);
	packet_size = (size_t)n;
	server = -1;
	return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left_over)
{
	(void)time;
	(void)left_over;
	return 0;
}

static void send_all(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		err(2, "cannot answer");
}

/* In the place of the system's, for librrd: what will be answered is there before it is asked for. */
int connect(int fd, const struct sockaddr *address, socklen_t len)
{
	size_t n = strnlen((const char *)rest, left);
	int pair[2];

	(void)address;
	(void)len;
	if (server >= 0)
		close(server);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0 || dup2(pair[0], fd) < 0)
		err(2, "cannot connect");
	close(pair[0]);
	server = pair[1];
	send_all(server, rest, n);
	rest += n;
	left -= n;
	for (int i = 0; left == 0 && i < 100; i++)
		send_all(server, "-1 refused\n", 11);
	if (left) {
		rest++;
		left--;
	}
	shutdown(server, SHUT_WR);
	return 0;
}

static void say(void *arg, int priority, const char *text)
{
	(void)arg;
	(void)priority;
	assert(text[0]);
}

static bool busy(void *arg)
{
	(void)arg;
	return true;
}

static void take_past(void *arg, const struct store_past *past)
{
	static uint8_t buffer[STORE_PACKET_SIZE];

	(void)arg;
	assert(past->column < 2 && past->n <= STORE_PAST_ROWS);
	store_put_past(buffer, 1, past);
}

/* The loop takes it. */
static void check(const struct store_answer *answer)
{
	const struct store_packet head = {.type = STORE_ANSWER, .slot = 1};
	static uint8_t buffer[STORE_PACKET_SIZE];
	static struct store_answer again;
	ssize_t n = store_put_answer(buffer, &head, answer);

	assert(n > 0 && store_parse_answer(buffer, (size_t)n, &again) == 0);
	assert((answer->code == STORE_FAILED) == (answer->cause[0] != '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rrdcached_caller caller = {say, busy, NULL};
	struct store_row row = {.time = NOW, .n = 2, .values = {100, 5}};
	static struct store_answer answer;
	struct sigaction alarm;
	struct rrdcached *cached;
	struct cachedfile *file;

	sigaction(SIGALRM, NULL, &alarm); /* libFuzzer's */
	rest = data;
	left = size;
	if (rrdcached_new("unix:/s", &caller, &cached) < 0 ||
		cachedfile_new(packet, packet_size, &file) < 0)
		abort();
	cachedfile_open(file, cached, &answer);
	check(&answer);
	cachedfile_past(file, cached, take_past, NULL);
	for (int i = 0; i < 3; i++) {
		cachedfile_update(file, cached, &row, &answer);
		check(&answer);
		row.time += 10;
	}
	cachedfile_free(file);
	rrdcached_free(cached);
	sigaction(SIGALRM, &alarm, NULL);
	return 0;
}
