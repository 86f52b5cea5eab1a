/* SPDX-License-Identifier: MIT */
#include "daemon/store_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store_proto.h"
#include "daemon/util.h"

#define PROGRAM "connwatchd-store"
/* How often a child that is being waited for is looked at. */
#define WAIT_STEP_MS 2

static void tell_failure(const char *path, int error)
{
	struct store_packet head = {.type = STORE_ANSWER};
	struct store_answer answer = {.code = STORE_NO_EXEC, .priority = LOG_ERR};
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len;

	snprintf(answer.cause, sizeof(answer.cause), "%.400s: %s", path, strerror(error));
	len = store_put_answer(packet, &head, &answer);
	send(STORE_FD, packet, (size_t)len, MSG_NOSIGNAL);
}

/* In the child. What concerns the whole service (TERM, ^C, HUP) is ignored from before exec on. */
static _Noreturn void child_run(int fd)
{
	static const int ignored[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
	char name[] = "connwatchd: store", *const argv[] = {name, NULL}, path[4096];
	sigset_t none;
	ssize_t len;
	char *slash;

	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* What the loop needs to enter network namespaces does not go beyond exec. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (fd == STORE_FD)
		fcntl(fd, F_SETFD, 0);
	else
		dup2(fd, STORE_FD);
	close_range(STORE_FD + 1, ~0U, 0);
	len = readlink("/proc/self/exe", path, sizeof(path) - sizeof(PROGRAM) - 1);
	path[len > 0 ? len : 0] = 0;
	slash = strrchr(path, '/');
	if (slash) {
		memcpy(slash + 1, PROGRAM, sizeof(PROGRAM));
		execv(path, argv);
	}
	if (!slash || errno == ENOENT) {
		snprintf(path, sizeof(path), "%s", CONNWATCH_LIBEXECDIR "/" PROGRAM);
		execv(path, argv);
	}
	tell_failure(path, errno);
	_exit(127);
}

int child_start(pid_t *pid, int *fd)
{
	CLEANUP_CLOSE int ours = -1;
	CLEANUP_CLOSE int theirs = -1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	if (fcntl(ours, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	*pid = fork();
	if (*pid < 0)
		return -errno;
	if (*pid == 0)
		child_run(theirs);
	*fd = take_fd(&ours);
	return 0;
}

bool child_wait(pid_t pid, int timeout_ms)
{
	const struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000L};

	for (;; timeout_ms -= WAIT_STEP_MS) {
		siginfo_t info = {0};

		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) < 0)
			return true;
		if (info.si_pid == pid)
			return true;
		if (timeout_ms <= 0)
			return false;
		nanosleep(&step, NULL);
	}
}
