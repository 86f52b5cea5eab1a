/* SPDX-License-Identifier: MIT */
/*
 * What a round of the daemon's loop costs, on the machine's own /proc and sockets.
 *
 *   rounds CONFIG RUNS     median CPU time of a look, of a row with all collectors, and of a bare
 * sock_diag pass that only counts states (the floor), interleaved
 *   rounds CONFIG RUNS -g  RUNS looks and a row each 10: fails if a look allocates, or if memory or
 * descriptors grow
 *   rounds CONFIG          a row for each line of standard input (serve.h); CONFIG has sockets alone,
 * and the result is the source of their count and how many are established
 */
#include <dirent.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "collectors/census.h"
#include "daemon/judge.h"
#include "daemon/readings.h"
#include "daemon/util.h"
#include "tests/bench/serve.h"

#define TCP_ALL 0xfff

static unsigned long allocations;

/* glibc's own, under ours; this program is built without sanitizers. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocations++;
	return __libc_realloc(p, size);
}

static long count_buffer(const char *buffer, ssize_t n, unsigned long states[16])
{
	const struct nlmsghdr *h = (const void *)buffer;
	long sockets = 0;

	for (unsigned left = (unsigned)n; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
			return -1 - sockets;
		states[((const struct inet_diag_msg *)NLMSG_DATA(h))->idiag_state & 15]++;
		sockets++;
	}
	return sockets;
}

static long bare_pass(void)
{
	static char buffer[32768] __attribute__((aligned(8)));
	static int fd = -1;
	struct {
		struct nlmsghdr h;
		struct inet_diag_req r;
	} request = {
		.h = {.nlmsg_len = sizeof(request),
			.nlmsg_type = TCPDIAG_GETSOCK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.r = {.idiag_states = TCP_ALL},
	};
	unsigned long states[16] = {0};
	long total = 0, n;

	if (fd < 0)
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (send(fd, &request, sizeof(request), 0) < 0)
		return -1;
	for (;;) {
		n = count_buffer(buffer, recv(fd, buffer, sizeof(buffer), 0), states);
		if (n < 0)
			return total - 1 - n;
		total += n;
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_ms(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), compare);
	return (values[(n - 1) / 2] + values[n / 2]) / 2 * 1e3;
}

static int compare_costs(struct readings *readings, struct judge *judge, int runs)
{
	double *cost[3];
	long sockets = 0;

	for (int k = 0; k < 3; k++)
		cost[k] = calloc((size_t)runs, sizeof(double));
	for (int i = 0; i < runs; i++) {
		for (int k = 0; k < 3; k++) {
			double start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);

			if (k == 0)
				sockets = bare_pass();
			else if (k == 1)
				readings_row(readings);
			else
				readings_look(readings);
			if (k)
				judge_look(judge, k == 1, i, i);
			cost[k][i] = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
		}
	}
	printf("sockets %ld: bare pass %.3f ms, row %.3f ms (+%.3f ms, %+.1f %%), look %.3f ms\n",
		sockets, median_ms(cost[0], runs), median_ms(cost[1], runs),
		median_ms(cost[1], runs) - median_ms(cost[0], runs),
		(median_ms(cost[1], runs) / median_ms(cost[0], runs) - 1) * 100,
		median_ms(cost[2], runs));
	return EXIT_SUCCESS;
}

static long descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* Private memory; statm's figures are only roughly kept by newer kernels. */
static long private_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	long kib = -1;

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		if (strncmp(line, "Private_Dirty:", 14) == 0)
			kib = strtol(line + 14, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static int watch_growth(struct readings *readings, struct judge *judge, int runs)
{
	long fds = 0, kib = 0, grown;
	unsigned long in_looks = 0, before;

	for (int i = 0; i < runs; i++) {
		if (i % 10 == 0)
			readings_row(readings);
		before = allocations;
		readings_look(readings);
		judge_look(judge, i % 10 == 0, i, i);
		if (i >= 100) /* buffers have found their size */
			in_looks += allocations - before;
		if (i == 100) {
			fds = descriptors();
			kib = private_kib();
		}
	}
	grown = private_kib() - kib;
	printf("%d looks, %d rows: %lu allocations in looks, %ld descriptors more, %ld KiB more\n",
		runs, runs / 10, in_looks, descriptors() - fds, grown);
	return in_looks == 0 && descriptors() == fds && grown <= 64 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static const char *count_sockets(void *arg)
{
	static char text[64];
	struct readings *readings = arg;
	struct census_state state = {.source = "none"};

	readings_row(readings);
	readings_census(readings, &state);
	snprintf(text, sizeof(text), "%s %.0f", state.source, readings->instances[0].values[0]);
	return text;
}

static void problem(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "rounds: %s\n", text);
}

int main(int argc, char **argv)
{
	bool growth = argc == 4 && strcmp(argv[3], "-g") == 0;
	int runs = argc >= 3 ? atoi(argv[2]) : 0, code;
	struct conf *conf;
	struct readings *readings;
	struct judge *judge;

	if (argc != 2 && (runs < 1 || argc != 3 + growth)) {
		fputs("usage: rounds CONFIG [RUNS [-g]]\n", stderr);
		return 2;
	}
	if (conf_load(argv[1], problem, NULL, &conf) < 0 || readings_new(conf, &readings) < 0 ||
		judge_new(conf, readings, &judge) < 0)
		return EXIT_FAILURE;
	if (argc == 2) {
		serve_runs(count_sockets, readings);
		code = EXIT_SUCCESS;
	} else {
		code = growth ? watch_growth(readings, judge, runs)
			      : compare_costs(readings, judge, runs);
	}
	judge_free(judge);
	readings_free(readings);
	conf_free(conf);
	return code;
}
