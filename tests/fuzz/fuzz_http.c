/* SPDX-License-Identifier: MIT */
/* The bytes are what a client sends to connwatch-metrics: it gets a whole answer of HTTP or none, and the server ends well. */
#include <assert.h>
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <microhttpd.h>
#include <systemd/sd-daemon.h>

#include "daemon/util.h"
#include "tests/fuzz/memory.h"

#define ROUNDS 8 /* of the server's loop; it takes four from a connection to its end */

int connwatch_metrics_main(int argc, char **argv);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_sd_listen_fds(int unset);
int __wrap_sd_is_socket(int fd, int family, int type, int listening);
enum MHD_Result __real_MHD_run_wait(struct MHD_Daemon *daemon, int32_t msec);
enum MHD_Result __wrap_MHD_run_wait(struct MHD_Daemon *daemon, int32_t msec);

static char option[64];
static FILE *nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char status[] =
		"{\"version\":\"1\",\"time\":1796068800,\"interval\":10,\"pid\":42,\"readings\":{"
		"\"conntrack\":{"
		"\"entries\":214958,\"max\":262144}},\"errors\":{},\"alerts\":[]}";
	char path[32];

	(void)argc;
	(void)argv;
	nowhere = fopen("/dev/null", "we");
	if (!nowhere || memory_file(status, sizeof(status) - 1, path) < 0)
		err(2, "cannot begin");
	snprintf(option, sizeof(option), "--status=%s", path);
	assert(fcntl(SD_LISTEN_FDS_START, F_GETFD) >= 0); /* ours, to be replaced */
	return 0;
}

int __wrap_sd_listen_fds(int unset)
{
	(void)unset;
	return 1;
}

int __wrap_sd_is_socket(int fd, int family, int type, int listening)
{
	(void)fd;
	(void)family;
	(void)type;
	(void)listening;
	return 1;
}

/* All that comes is there. */
enum MHD_Result __wrap_MHD_run_wait(struct MHD_Daemon *daemon, int32_t msec)
{
	(void)msec;
	for (int i = 0; i < ROUNDS; i++)
		assert(__real_MHD_run_wait(daemon, 0) == MHD_YES);
	return MHD_NO;
}

/* The server's descriptor, and a client that has sent its bytes. */
static int connect_client(const uint8_t *data, size_t size)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(address);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* a name that the kernel chooses */
	if (bind(listener, (struct sockaddr *)&address, sizeof(address.sun_family)) < 0 ||
		listen(listener, 1) < 0 ||
		getsockname(listener, (struct sockaddr *)&address, &len) < 0 ||
		connect(client, (struct sockaddr *)&address, len) < 0 ||
		write(client, data, size) != (ssize_t)size || shutdown(client, SHUT_WR) < 0)
		err(2, "cannot connect");
	if (listener != SD_LISTEN_FDS_START) {
		dup2(listener, SD_LISTEN_FDS_START);
		close(listener);
	}
	return client;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "connwatch-metrics", answer[64 * 1024];
	char *argv[] = {name, option, NULL};
	FILE *saved = stderr;
	int client = connect_client(data, size);
	ssize_t n;

	optind = 0;
	stderr = nowhere; /* it says that it ends */
	connwatch_metrics_main(2, argv);
	stderr = saved;
	n = recv(client, answer, sizeof(answer) - 1, 0);
	close(client);
	if (n <= 0)
		return 0;
	answer[n] = '\0';
	assert(strncmp(answer, "HTTP/1.", 7) == 0 && strstr(answer, "\r\n\r\n"));
	return 0;
}
