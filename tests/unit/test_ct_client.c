/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "daemon/ct/ct_client.h"

/* A helper that is only a script: what it says, then the end of file unless it stays. */
struct server {
	char folder[32], path[64];
	pid_t pid;
};

static int setup(void **state)
{
	struct server *s = calloc(1, sizeof(*s));

	*state = s;
	strcpy(s->folder, "/tmp/test_ct_client.XXXXXX");
	if (!mkdtemp(s->folder))
		return -1;
	snprintf(s->path, sizeof(s->path), "%s/socket", s->folder);
	return 0;
}

static int teardown(void **state)
{
	struct server *s = *state;

	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	unlink(s->path);
	rmdir(s->folder);
	free(s);
	return 0;
}

static void serve(struct server *s, const char *text, size_t size, int stay)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char question;

	strcpy(address.sun_path, s->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 4), 0);
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (s->pid == 0) {
		int client = accept(fd, NULL, NULL);

		if (read(client, &question, 1) != 1 || question != 'w')
			_exit(1);
		while (size > 0) { /* in pieces */
			size_t n = size < 7000 ? size : 7000;

			if (send(client, text, n, MSG_NOSIGNAL) != (ssize_t)n)
				_exit(1);
			text += n;
			size -= n;
		}
		if (stay)
			pause();
		_exit(0);
	}
	close(fd);
}

struct heard {
	int calls;
	char *answer, *error;
};

static void on_answer(void *arg, const char *answer, const char *error)
{
	struct heard *h = arg;

	h->calls++;
	h->answer = answer ? strdup(answer) : NULL;
	h->error = error ? strdup(error) : NULL;
}

static struct heard ask(const char *path, uint64_t timeout_usec)
{
	struct heard h = {0};
	struct ct_asking asking = {path, CT_WHO, timeout_usec, on_answer, &h};

	assert_int_equal(ct_ask_and_wait(&asking), 0);
	assert_int_equal(h.calls, 1);
	assert_true(!h.answer != !h.error);
	return h;
}

static void forget(struct heard *h)
{
	free(h->answer);
	free(h->error);
}

static void assert_error(const struct server *s, uint64_t timeout_usec, const char *error)
{
	struct heard h = ask(s->path, timeout_usec);

	assert_non_null(h.error);
	assert_string_equal(h.error, error);
	forget(&h);
}

static void an_answer_comes_without_its_empty_line(void **state)
{
	struct server *s = *state;
	struct heard h;

	serve(s, "{}\n\n", 4, 0);
	h = ask(s->path, UINT64_MAX);
	assert_non_null(h.answer);
	assert_string_equal(h.answer, "{}\n");
	forget(&h);
}

static void a_long_answer_comes_whole(void **state)
{
	static char text[500000];
	struct server *s = *state;
	struct heard h;

	memset(text, 'x', sizeof(text) - 2);
	memcpy(text + sizeof(text) - 2, "\n\n", 2);
	serve(s, text, sizeof(text), 0);
	h = ask(s->path, UINT64_MAX);
	assert_non_null(h.answer);
	assert_int_equal(strlen(h.answer), sizeof(text) - 1);
	forget(&h);
}

static void an_answer_without_end_is_given_up(void **state)
{
	static char text[2000000];
	struct server *s = *state;

	memset(text, 'x', sizeof(text));
	serve(s, text, sizeof(text), 0);
	assert_error(s, UINT64_MAX, "cannot read the answer of connwatch-ct: Message too long");
}

static void an_error_is_told(void **state)
{
	struct server *s = *state;

	serve(s, "error: out of luck\n\n", 20, 0);
	assert_error(s, UINT64_MAX, "out of luck");
}

static void half_an_answer_is_none(void **state)
{
	struct server *s = *state;

	serve(s, "found drop\n0 0\n", 15, 0);
	assert_error(s, UINT64_MAX, "connwatch-ct gave no complete answer");
}

static void no_answer_is_none(void **state)
{
	struct server *s = *state;

	serve(s, "", 0, 0);
	assert_error(s, UINT64_MAX, "connwatch-ct gave no complete answer");
}

static void a_server_that_stays_silent_is_given_up(void **state)
{
	struct server *s = *state;

	serve(s, "{", 1, 1);
	assert_error(s, 50000, "connwatch-ct did not answer in time");
}

/* As root the helper itself would be run where nobody listens; a path that cannot be is an error
 * for everybody. */
static void an_impossible_socket_is_told(void **state)
{
	char path[200];
	struct heard h;

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	h = ask(path, UINT64_MAX);
	assert_non_null(strstr(h.error, ": File name too long"));
	forget(&h);
}

static void a_request_can_be_given_up(void **state)
{
	struct server *s = *state;
	struct heard h = {0};
	struct ct_asking asking = {s->path, CT_WHO, 50000, on_answer, &h};
	struct ct_request *request;
	sd_event *event;

	assert_int_equal(sd_event_new(&event), 0);
	serve(s, "{}\n\n", 4, 1);
	assert_int_equal(ct_ask(event, &asking, &request), 0);
	ct_request_free(request);
	assert_true(sd_event_run(event, 0) >= 0);
	sd_event_unref(event);
	assert_int_equal(h.calls, 0);
}

/* The real helper, as its socket unit starts it. */
static void serve_really(struct server *s)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 16);

	assert_true(len > 0);
	program[len] = '\0';
	strcpy(strrchr(program, '/') + 1, "connwatch-ct");
	strcpy(address.sun_path, s->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 4), 0);
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (s->pid == 0) {
		dup2(fd, 3);
		if (fd == 3)
			fcntl(fd, F_SETFD, 0);
		execl(program, "connwatch-ct", (char *)NULL);
		_exit(127);
	}
	close(fd);
}

static void no_byte_but_two_is_answered(void **state)
{
	struct server *s = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	serve_really(s);
	strcpy(address.sun_path, s->path);
	for (int question = 0; question < 256; question++) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		char bytes[2] = {(char)question, 'c'}, answer;

		if (question == 'c' || question == 'w')
			continue;
		assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
		assert_int_equal(send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL), sizeof(bytes));
		/* A byte that was not read is told as a reset. */
		assert_true(recv(fd, &answer, 1, 0) <= 0);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_answer_comes_without_its_empty_line, setup, teardown),
		cmocka_unit_test_setup_teardown(a_long_answer_comes_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(an_answer_without_end_is_given_up, setup, teardown),
		cmocka_unit_test_setup_teardown(an_error_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(half_an_answer_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(no_answer_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_server_that_stays_silent_is_given_up, setup, teardown),
		cmocka_unit_test_setup_teardown(an_impossible_socket_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(a_request_can_be_given_up, setup, teardown),
		cmocka_unit_test_setup_teardown(no_byte_but_two_is_answered, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
