/* SPDX-License-Identifier: MIT */
/* What sockgen and ctgen have in common. */
#ifndef CONNWATCH_GEN_H
#define CONNWATCH_GEN_H

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds of CLOCK_MONOTONIC. */
static inline double gen_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* A namespace filled by accident is the host's: these tools stay out of the initial one, which
 * alone has this sysctl. */
static inline void gen_refuse_host(void)
{
	if (access("/proc/sys/net/ipv4/tcp_max_orphans", F_OK) == 0)
		errx(2, "this is the initial network namespace; run under 'ip netns exec'");
}

static inline void gen_sysctl(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		warn("%s", path);
	if (fd >= 0)
		close(fd);
}

/* A number from the command line; ends the program where it is none or not within 0..max. */
static inline long gen_count(const char *text, long max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < 0 || value > max)
		errx(2, "'%s' is not a number from 0 to %ld", text, max);
	return value;
}

/* Address number `index` of 127.net.0.0/16: 127.net.0.1 to 127.net.0.250, 127.net.1.1, ... */
static inline struct sockaddr_in gen_loopback(unsigned net, unsigned index, uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};

	a.sin_addr.s_addr = htonl(127U << 24 | net << 16 | index / 250 << 8 | (1 + index % 250));
	return a;
}

#endif
