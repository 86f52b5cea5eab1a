/* SPDX-License-Identifier: MIT */
/*
 * connects - clients of a socket that come and go, or behave badly. For tests.
 *
 *   connects PATH N        N connections: every fourth only connects, sends a wrong byte, asks "w"
 * and leaves, sends more than is asked for connects PATH silent   one that sends nothing: waits
 * until it is dropped, prints after how many seconds connects PATH BYTE     one that sends this
 * byte and prints the answer
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/un.h>

static int open_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		fprintf(stderr, "connects: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	return fd;
}

static void come_and_go(const char *path, long n)
{
	static const char *const sent[] = {"", "x", "w", "cccccccccccccccccccccccccccccccc"};

	for (long i = 0; i < n; i++) {
		int fd = open_socket(path);

		send(fd, sent[i % 4], strlen(sent[i % 4]), MSG_NOSIGNAL);
		close(fd);
	}
}

static void print_answer(int fd)
{
	char text[4096];
	ssize_t n;

	while ((n = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stdout);
}

int main(int argc, char **argv)
{
	time_t start = time(NULL);

	if (argc != 3) {
		fputs("usage: connects PATH N|silent|BYTE\n", stderr);
		return 2;
	}
	if (strcmp(argv[2], "silent") == 0) {
		print_answer(open_socket(argv[1]));
		printf("%ld\n", (long)(time(NULL) - start));
	} else if (atol(argv[2]) > 0) {
		come_and_go(argv[1], atol(argv[2]));
	} else {
		int fd = open_socket(argv[1]);

		send(fd, argv[2], 1, MSG_NOSIGNAL);
		print_answer(fd);
	}
	return 0;
}
