/* SPDX-License-Identifier: MIT */
/*
 * ctgen - fill the conntrack table of a network namespace with UDP flows over loopback.
 *
 *   ip netns add n && ip netns exec n ip link set lo up
 *   ip netns exec n ctgen -r -n 100000
 *
 *   -n N  send N datagrams of distinct tuples (1000), an entry each; another run makes others
 *   -s N  from N source addresses 127.2.0.0/16 (256): a few of them get most of the flows
 *   -p R  at most R a second (0: as fast as it goes)
 *   -r    first load the nft rules that switch tracking on, and let UDP entries live for a day
 *
 * Prints "done sent=N failed=F count=C max=M seconds=S" with the kernel's count and maximum. A full
 * table refuses the datagram: it is counted as failed. To empty the table: conntrack -F.
 */
#include <stdio.h>
#include <sys/socket.h>

#include "tests/bench/gen.h"

#define COUNT_MAX 100000000
#define SOURCES_MAX 4096
#define BATCH 64
#define PORTS 60000 /* destination ports used of one address */

struct gen {
	long flows, sources, pace;
	bool rules;
	int fd[SOURCES_MAX];
	long next[SOURCES_MAX]; /* number of the next flow of this source */
};

static void load_rules(void)
{
	/* `ct state` is what switches tracking on; the drop spares the answers "port unreachable".
	 */
	static const char rules[] = "table inet ctgen {\n"
				    "	chain input {\n"
				    "		type filter hook input priority 0\n"
				    "		ct state new counter\n"
				    "		meta l4proto udp ip daddr 127.3.0.0/16 drop\n"
				    "	}\n"
				    "}\n";
	FILE *nft = popen("nft -f -", "we"); /* NOLINT(cert-env33-c): found by the tester's PATH */

	if (!nft)
		err(1, "nft");
	fputs(rules, nft);
	if (pclose(nft) != 0)
		errx(1, "nft failed");
	gen_sysctl("/proc/sys/net/netfilter/nf_conntrack_udp_timeout", "86400");
}

static long read_number(const char *path)
{
	char line[32] = "";
	FILE *f = fopen(path, "re");

	if (!f || !fgets(line, sizeof(line), f))
		err(1, "%s", path);
	fclose(f);
	return strtol(line, NULL, 10);
}

static void parse_options(struct gen *g, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "n:s:p:r")) != -1) {
		switch (opt) {
		case 'n':
			g->flows = gen_count(optarg, COUNT_MAX);
			break;
		case 's':
			g->sources = gen_count(optarg, SOURCES_MAX);
			break;
		case 'p':
			g->pace = gen_count(optarg, COUNT_MAX);
			break;
		case 'r':
			g->rules = true;
			break;
		default:
			errx(2, "the head of ctgen.c lists the options");
		}
	}
	if (g->sources < 1)
		errx(2, "-s takes 1 to %d", SOURCES_MAX);
}

static void open_sources(struct gen *g)
{
	for (long k = 0; k < g->sources; k++) {
		struct sockaddr_in a = gen_loopback(2, (unsigned)k, 0);

		g->fd[k] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (g->fd[k] < 0 || bind(g->fd[k], (const struct sockaddr *)&a, sizeof(a)) < 0)
			err(1, "source socket");
	}
}

/* Sends the next n flows of source k; returns how many of them the kernel refused. */
static long send_batch(struct gen *g, long k, long n)
{
	struct sockaddr_in to[BATCH];
	struct mmsghdr messages[BATCH];
	struct iovec text = {.iov_base = (char[]){'x'}, .iov_len = 1};
	long failed = 0;

	for (long i = 0; i < n; i++, g->next[k]++) {
		to[i] = gen_loopback(
			3, (unsigned)(g->next[k] / PORTS), (uint16_t)(1024 + g->next[k] % PORTS));
		messages[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &to[i],
						       .msg_namelen = sizeof(to[i]),
						       .msg_iov = &text,
						       .msg_iovlen = 1}};
	}
	for (long i = 0; i < n;) {
		int done = sendmmsg(g->fd[k], messages + i, (unsigned)(n - i), 0);

		if (done <= 0) { /* a full table shows as EPERM: go on with the next one */
			failed++;
			done = 1;
		}
		i += done;
	}
	return failed;
}

/* The same source for the same batch in every run; the lower the number, the more flows. */
static long pick_source(const struct gen *g, unsigned *seed)
{
	double u;

	*seed = *seed * 1664525U + 1013904223U;
	u = (double)*seed / 4294967296.0;
	return (long)(u * u * (double)g->sources);
}

static long send_flows(struct gen *g, double start)
{
	long failed = 0, n;
	unsigned seed = 1;

	for (long sent = 0; sent < g->flows; sent += n) {
		long k = pick_source(g, &seed);

		n = g->flows - sent < BATCH ? g->flows - sent : BATCH;
		failed += send_batch(g, k, n);
		if (g->pace) {
			double ahead = (double)(sent + n) / (double)g->pace - (gen_now() - start);

			if (ahead > 0)
				usleep((useconds_t)(ahead * 1e6));
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	static struct gen g = {.flows = 1000, .sources = 256};
	double start;
	long failed;

	parse_options(&g, argc, argv);
	gen_refuse_host();
	if (g.rules)
		load_rules();
	open_sources(&g);
	start = gen_now();
	failed = send_flows(&g, start);
	printf("done sent=%ld failed=%ld count=%ld max=%ld seconds=%.1f\n", g.flows, failed,
		read_number("/proc/sys/net/netfilter/nf_conntrack_count"),
		read_number("/proc/sys/net/netfilter/nf_conntrack_max"), gen_now() - start);
	return 0;
}
