/* SPDX-License-Identifier: MIT */
#include "daemon/ct/ct_client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "daemon/util.h"

enum {
	FIRST_SIZE = 32 * 1024,
	MAX_SIZE = 1024 * 1024, /* the longest answer: counters of 8192 CPUs */
	TIMER_USEC = 100 * 1000 /* as exact as the timeout is kept */
};

struct ct_request {
	sd_event_source *io, *timer, *failure;
	int fd;    /* a socket, or the pipe from a child; -1: none */
	pid_t pid; /* of the child; 0: none */
	char *text;
	size_t len, size;
	char error[256];
	ct_answer_fn *on_answer;
	void *arg;
};

/* Close what is open. A child is killed: it has said all, or is too late; its end is a matter of a
 * millisecond. */
static void stop(struct ct_request *q)
{
	q->io = sd_event_source_disable_unref(q->io);
	q->timer = sd_event_source_disable_unref(q->timer);
	q->failure = sd_event_source_disable_unref(q->failure);
	if (q->fd >= 0)
		close(take_fd(&q->fd));
	if (q->pid > 0) {
		kill(q->pid, SIGKILL);
		waitpid(q->pid, NULL, 0);
		q->pid = 0;
	}
}

void ct_request_free(struct ct_request *q)
{
	if (!q)
		return;
	stop(q);
	free(q->text);
	free(q);
}

/* The last thing that is done with a request: on_answer() may free it. */
static void finish(struct ct_request *q, const char *answer)
{
	stop(q);
	q->on_answer(q->arg, answer, answer ? NULL : q->error);
}

__attribute__((format(printf, 2, 3))) static void fail(
	struct ct_request *q, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(q->error, sizeof(q->error), format, args);
	va_end(args);
}

/* The other side has closed: an answer ends with an empty line, else a part of it is missing. */
static void finish_at_end(struct ct_request *q)
{
	static const char error[] = "error: ";

	if (q->len < 2 || memcmp(q->text + q->len - 2, "\n\n", 2) != 0) {
		fail(q, "connwatch-ct gave no complete answer");
		finish(q, NULL);
	} else if (q->len > sizeof(error) && memcmp(q->text, error, sizeof(error) - 1) == 0) {
		q->text[q->len - 2] = '\0';
		fail(q, "%s", q->text + sizeof(error) - 1);
		finish(q, NULL);
	} else {
		q->text[q->len - 1] = '\0';
		finish(q, q->text);
	}
}

/* Room for one more byte. */
static int grow(struct ct_request *q)
{
	size_t size = q->size ? 2 * q->size : FIRST_SIZE;
	char *text;

	if (q->len < q->size)
		return 0;
	if (size > MAX_SIZE)
		return -EMSGSIZE;
	text = realloc(q->text, size);
	if (!text)
		return -ENOMEM;
	q->text = text;
	q->size = size;
	return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct ct_request *q = arg;
	int r = grow(q);
	ssize_t n;

	(void)source;
	(void)events;
	n = r < 0 ? -1 : read(fd, q->text + q->len, q->size - q->len);
	if (n > 0) {
		q->len += (size_t)n;
	} else if (n == 0) {
		finish_at_end(q);
	} else if (r < 0 || (errno != EAGAIN && errno != EINTR)) {
		fail(q, "cannot read the answer of connwatch-ct: %s", strerror(r < 0 ? -r : errno));
		finish(q, NULL);
	}
	return 0;
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *arg)
{
	struct ct_request *q = arg;

	(void)source;
	(void)usec;
	fail(q, "connwatch-ct did not answer in time");
	finish(q, NULL);
	return 0;
}

static int on_failure(sd_event_source *source, void *arg)
{
	(void)source;
	finish(arg, NULL);
	return 0;
}

/* Beside the running program, as in a build folder; else where it is installed. */
static void find_helper(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);
	char *slash;

	out[n > 0 ? n : 0] = '\0';
	slash = strrchr(out, '/');
	if (slash) {
		snprintf(slash + 1, size - (size_t)(slash + 1 - out), "connwatch-ct");
		if (access(out, X_OK) == 0)
			return;
	}
	snprintf(out, size, "%s", CONNWATCH_LIBEXECDIR "/connwatch-ct");
}

/* Start path with this argument, its standard output being out, no signal blocked, and an empty
 * environment. */
static int spawn(const char *path, char argument, int out, pid_t *pid)
{
	char name[] = "connwatch-ct", letter[] = {argument, '\0'};
	char *argv[] = {name, letter, NULL}, *env[] = {NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	error = posix_spawn(pid, path, &actions, &attributes, argv, env);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

static int start_child(struct ct_request *q, enum ct_question question)
{
	char path[PATH_MAX];
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		r = -errno;
		fail(q, "cannot make a pipe: %s", strerror(-r));
		return r;
	}
	q->fd = ends[0];
	find_helper(path, sizeof(path));
	r = spawn(path, (char)question, ends[1], &q->pid);
	close(ends[1]);
	if (r < 0) {
		q->pid = 0;
		fail(q, "cannot run %s: %s", path, strerror(-r));
	}
	return r;
}

static int connect_socket(struct ct_request *q, const char *path, enum ct_question question)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char byte = (char)question;
	size_t length = strlen(path);

	if (length >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, length);
	q->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (q->fd < 0 || connect(q->fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		send(q->fd, &byte, 1, MSG_NOSIGNAL) != 1)
		return -errno;
	return 0;
}

static const char *advice(int r)
{
	if (r == -EACCES)
		return "; only root and the members of the group connwatchd may ask";
	if (r == -ENOENT || r == -ECONNREFUSED)
		return "; start connwatch-ct.socket, or run this as root";
	return "";
}

/* Open the way on which the answer will come, or set q->error. */
static int start(struct ct_request *q, const char *path, enum ct_question question)
{
	int r;

	if (question == CT_WHO_ALL)
		return start_child(q, question);
	r = connect_socket(q, path, question);
	if ((r == -ENOENT || r == -ECONNREFUSED) && geteuid() == 0) {
		close(take_fd(&q->fd));
		return start_child(q, question);
	}
	if (r < 0)
		fail(q, "cannot connect to %s: %s%s", path, strerror(-r), advice(r));
	return r;
}

static int watch(sd_event *event, struct ct_request *q, uint64_t timeout_usec)
{
	int r = sd_event_add_io(event, &q->io, q->fd, EPOLLIN, on_readable, q);

	if (r < 0 || timeout_usec == UINT64_MAX)
		return r;
	return sd_event_add_time_relative(
		event, &q->timer, CLOCK_MONOTONIC, timeout_usec, TIMER_USEC, on_timeout, q);
}

int ct_ask(sd_event *event, const struct ct_asking *asking, struct ct_request **out)
{
	struct ct_request *q = calloc(1, sizeof(*q));
	int r;

	if (!q)
		return -ENOMEM;
	*q = (struct ct_request){.fd = -1, .on_answer = asking->on_answer, .arg = asking->arg};
	if (start(q, asking->path, asking->question) < 0)
		r = sd_event_add_defer(event, &q->failure, on_failure, q);
	else
		r = watch(event, q, asking->timeout_usec);
	if (r < 0) {
		ct_request_free(q);
		return r;
	}
	*out = q;
	return 0;
}

struct waiting {
	sd_event *event;
	const struct ct_asking *asking;
};

static void on_awaited(void *arg, const char *answer, const char *error)
{
	const struct waiting *w = arg;

	w->asking->on_answer(w->asking->arg, answer, error);
	sd_event_exit(w->event, 0);
}

int ct_ask_and_wait(const struct ct_asking *asking)
{
	struct waiting w = {.asking = asking};
	struct ct_asking own = *asking;
	struct ct_request *q = NULL;
	int r = sd_event_new(&w.event);

	own.on_answer = on_awaited;
	own.arg = &w;
	if (r == 0)
		r = ct_ask(w.event, &own, &q);
	if (r == 0)
		r = sd_event_loop(w.event);
	ct_request_free(q);
	sd_event_unref(w.event);
	return r;
}
