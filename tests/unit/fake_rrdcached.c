/* SPDX-License-Identifier: MIT */
#include "tests/unit/fake_rrdcached.h"

#include <fnmatch.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

struct server {
	int listener, control, client; /* client: -1 for none */
	const struct fake_line *next, *end;
};

static _Noreturn void complain(const char *what, const char *more)
{
	fprintf(stderr, "fake rrdcached: %s: %s\n", what, more);
	_exit(1);
}

static void answer(struct server *s, char *request)
{
	request[strcspn(request, "\n")] = 0;
	if (s->next == s->end)
		complain("not expected", request);
	if (fnmatch(s->next->request, request, 0) != 0)
		complain(s->next->request, request);
	if (!s->next->reply) {
		close(s->client);
		s->client = -1;
	} else if (write(s->client, s->next->reply, strlen(s->next->reply)) < 0) {
		complain("nobody waits for the reply to", request);
	}
	s->next++;
}

/* The client sends a line and waits for its answer. */
static void serve(struct server *s)
{
	char request[8192];
	ssize_t len = read(s->client, request, sizeof(request) - 1);

	if (len > 0) {
		request[len] = 0;
		answer(s, request);
		return;
	}
	close(s->client);
	s->client = -1;
}

static _Noreturn void run(struct server *s)
{
	for (;;) {
		struct pollfd p[] = {{.fd = s->control, .events = POLLIN},
			{.fd = s->client < 0 ? s->listener : s->client, .events = POLLIN}};

		poll(p, 2, -1);
		if (p[1].revents && s->client >= 0)
			serve(s);
		else if (p[1].revents)
			s->client = accept(s->listener, NULL, NULL);
		else if (p[0].revents && s->next != s->end)
			complain("was never asked", s->next->request);
		else if (p[0].revents)
			_exit(0);
	}
}

int fake_bind(char address[static FAKE_ADDRESS_SIZE])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(at);

	assert_int_equal(bind(fd, (struct sockaddr *)(void *)&at, size), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)(void *)&at, &size), 0);
	snprintf(address, FAKE_ADDRESS_SIZE, "127.0.0.1:%d", ntohs(at.sin_port));
	return fd;
}

void fake_start(struct fake_rrdcached *fake, int listener, const struct fake_line lines[], size_t n)
{
	struct server server = {
		.listener = listener, .client = -1, .next = lines, .end = lines + n};
	int control[2];
	pid_t pid;

	assert_int_equal(listen(listener, 5), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control), 0);
	server.control = control[1];
	pid = fork();
	if (pid == 0) {
		close(control[0]);
		run(&server);
	}
	assert_true(pid > 0);
	*fake = (struct fake_rrdcached){pid, control[0]};
	close(listener);
	close(control[1]);
}

void fake_end(struct fake_rrdcached *fake)
{
	int status = -1;

	close(fake->control);
	assert_int_equal(waitpid(fake->pid, &status, 0), fake->pid);
	assert_int_equal(status, 0);
}
