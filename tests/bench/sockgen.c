/* SPDX-License-Identifier: MIT */
/*
 * sockgen - fill a network namespace with a known population of real TCP sockets.
 *
 *   ip netns add n && ip netns exec n ip link set lo up
 *   ip netns exec n sockgen -e 500000 -t 1000 -l 50 </dev/zero &
 *
 * Counts, all 0 unless given:
 *   -e N  established IPv4 pairs (2N sockets), the server's end on port -p, clients from
 * 127.2.0.0/16 -6 N  established IPv6 pairs over ::1, up to 60000 on a port of their own, from -p
 * upwards -m N  established pairs of IPv4 clients and a dual-stack server on port -M (8080):
 * v4-mapped -f N  half-closed pairs: N FIN_WAIT2 and N CLOSE_WAIT -w N  of each: FIN_WAIT1,
 * LAST_ACK, CLOSING (pairs whose one end no longer hears the other) -o N  orphans: N FIN_WAIT2
 * without an owner, which the kernel keeps for 60 s, and N CLOSE_WAIT -t N  TIME_WAIT, topped up
 * until the end -l N  more listeners, on 127.9.0.0/16, ports from 10000 upwards -s N  SYN_RECV, by
 * forged SYNs (CAP_NET_RAW) -n N  SYN_SENT -c R  from "ready" on open and close R connections a
 * second; with -x by RST, without TIME_WAIT -s and -n need a route that swallows packets: ip route
 * add 10.99.0.0/16 dev lo
 *
 * Prints "ready TOTAL STATE=COUNT ... seconds=S" with what the kernel counts, then holds the
 * sockets until standard input ends or SIGTERM or SIGINT comes. All are closed by RST: nothing
 * lingers. The descriptors are spread over as many child processes as RLIMIT_NOFILE asks for. In
 * its namespace it raises tcp_max_tw_buckets, tcp_max_syn_backlog, somaxconn and
 * ip_local_port_range and switches tcp_syncookies off.
 */
#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/bench/gen.h"

#define COUNT_MAX 4000000
#define SERVER_ADDRESSES 64    /* 127.1.0.1 upwards */
#define CLIENT_ADDRESSES 1024  /* 127.2.0.1 upwards */
#define PAIRS_PER_PORT6 60000L /* ::1 to ::1 has 64512 source ports for one service */
#define SINK 0x0a630100U       /* 10.99.1.0 */
#define SINK_ADDRESSES 60000

enum {
	ESTABLISHED,
	ESTABLISHED6,
	MAPPED,
	HALF_CLOSED,
	STUCK,
	ORPHANS,
	TIME_WAITS,
	LISTENERS,
	QUEUED,
	SYN_RECVS,
	SYN_SENTS,
	CHURN,
	N_COUNTS
};

struct gen {
	uint16_t port, mapped_port;
	long count[N_COUNTS];
	bool churn_by_reset;
	int listener, mapped_listener;
	int release[2]; /* holders live until its write end is closed */
	long fds_per_holder;
	long next_pair; /* of those made in this process: TIME_WAIT and churn */
};

static void raise_limits(struct gen *g)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) < 0)
		err(1, "RLIMIT_NOFILE");
	rl.rlim_cur = rl.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &rl) < 0)
		err(1, "RLIMIT_NOFILE");
	g->fds_per_holder = (rl.rlim_max > 1000000 ? 1000000 : (long)rl.rlim_max) - 64;
	gen_sysctl("/proc/sys/net/ipv4/ip_local_port_range", "1024 65535");
	gen_sysctl("/proc/sys/net/ipv4/tcp_max_tw_buckets", "4000000");
	gen_sysctl("/proc/sys/net/ipv4/tcp_max_syn_backlog", "1000000");
	gen_sysctl("/proc/sys/net/core/somaxconn", "1000000");
	/* A forged SYN has to become a request socket, not a cookie. */
	gen_sysctl("/proc/sys/net/ipv4/tcp_syncookies", "0");
}

static int tcp_socket(int family, int flags)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	if (fd < 0)
		err(1, "socket");
	return fd;
}

static int listen_on(const void *address, socklen_t len, int backlog, bool dual)
{
	int one = 1, only6 = !dual, family = ((const struct sockaddr *)address)->sa_family;
	int fd = tcp_socket(family, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only6, sizeof(only6));
	if (bind(fd, address, len) < 0 || listen(fd, backlog) < 0)
		err(1, "cannot listen");
	return fd;
}

static void reset_on_close(int fd)
{
	struct linger linger = {.l_onoff = 1, .l_linger = 0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

static int accept_from(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		err(1, "accept");
	return fd;
}

/* Connects from the client address that the number picks; the kernel picks the port. */
static int connect_from(unsigned index, const struct sockaddr_in *to)
{
	struct sockaddr_in from = gen_loopback(2, index % CLIENT_ADDRESSES, 0);
	int one = 1, fd = tcp_socket(AF_INET, 0);

	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	if (bind(fd, (const struct sockaddr *)&from, sizeof(from)) < 0)
		err(1, "bind");
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) < 0)
		err(1, "connect");
	return fd;
}

/* fd[0] is the client's end, fd[1] the server's. */
static void open_pair(const struct gen *g, long i, int fd[2])
{
	struct sockaddr_in to = gen_loopback(1, (unsigned)(i % SERVER_ADDRESSES), g->port);

	fd[0] = connect_from((unsigned)(i / SERVER_ADDRESSES), &to);
	fd[1] = accept_from(g->listener);
}

static void open_held_pair(const struct gen *g, long i, int fd[2])
{
	open_pair(g, i, fd);
	reset_on_close(fd[0]);
	reset_on_close(fd[1]);
}

static void make_established(const struct gen *g, long first, long end)
{
	int fd[2];

	for (long i = first; i < end; i++)
		open_held_pair(g, i, fd);
}

static void make_mapped(const struct gen *g, long first, long end)
{
	struct sockaddr_in to = gen_loopback(1, 0, g->mapped_port);

	for (long i = first; i < end; i++) {
		reset_on_close(connect_from((unsigned)i, &to));
		reset_on_close(accept_from(g->mapped_listener));
	}
}

static void make_established6(const struct gen *g, long first, long end)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int listener = -1, fd;

	for (long i = first; i < end; i++) {
		if (listener < 0 || i % PAIRS_PER_PORT6 == 0) {
			if (listener >= 0)
				close(listener);
			a.sin6_port = htons((uint16_t)(g->port + i / PAIRS_PER_PORT6));
			listener = listen_on(&a, sizeof(a), 4096, false);
		}
		fd = tcp_socket(AF_INET6, 0);
		if (connect(fd, (const struct sockaddr *)&a, sizeof(a)) < 0)
			err(1, "connect to ::1");
		reset_on_close(fd);
		reset_on_close(accept_from(listener));
	}
	if (listener >= 0)
		close(listener);
}

static void close_half(int fd)
{
	if (shutdown(fd, SHUT_WR) < 0)
		err(1, "shutdown");
}

static void make_half_closed(const struct gen *g, long first, long end)
{
	int fd[2];

	for (long i = first; i < end; i++) {
		open_held_pair(g, i, fd);
		close_half(fd[0]);
	}
}

/* A filter that accepts nothing: from now on this end hears neither FIN nor ACK. */
static void deafen(int fd)
{
	struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = {.len = 1, .filter = &drop};

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0)
		err(1, "SO_ATTACH_FILTER");
}

static void make_stuck(const struct gen *g, long first, long end)
{
	int fd[2];

	for (long i = first; i < end; i++) {
		open_held_pair(g, 3 * i, fd); /* FIN_WAIT1: its FIN is not heard */
		deafen(fd[1]);
		close_half(fd[0]);

		open_held_pair(g, 3 * i + 1, fd); /* LAST_ACK: nor the server's */
		close_half(fd[0]);
		deafen(fd[0]);
		close_half(fd[1]);

		open_held_pair(
			g, 3 * i + 2, fd); /* CLOSING: FINs cross, the client's is not heard */
		deafen(fd[1]);
		close_half(fd[0]);
		close_half(fd[1]);
	}
}

static void make_orphans(const struct gen *g, long first, long end)
{
	int fd[2];

	for (long i = first; i < end; i++) {
		open_pair(g, i, fd);
		reset_on_close(fd[1]);
		close(fd[0]);
	}
}

static void make_listeners(const struct gen *g, long first, long end)
{
	(void)g;
	for (long i = first; i < end; i++) {
		struct sockaddr_in a =
			gen_loopback(9, (unsigned)(i / 50000), (uint16_t)(10000 + i % 50000));

		listen_on(&a, sizeof(a), 16, false);
	}
}

static void make_queued(const struct gen *g, long first, long end)
{
	struct sockaddr_in a = gen_loopback(8, 0, (uint16_t)(g->port + 1));

	if (first == 0)
		listen_on(&a, sizeof(a), (int)(2 * g->count[QUEUED]), false);
	for (long i = first; i < end; i++)
		reset_on_close(connect_from((unsigned)i, &a));
}

static void make_syn_sent(const struct gen *g, long first, long end)
{
	for (long i = first; i < end; i++) {
		struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(g->port)};
		int fd = tcp_socket(AF_INET, SOCK_NONBLOCK);

		a.sin_addr.s_addr = htonl(SINK + (unsigned)(i % SINK_ADDRESSES));
		if (connect(fd, (const struct sockaddr *)&a, sizeof(a)) < 0 && errno != EINPROGRESS)
			err(1, "connect to 10.99.0.0/16 (is the route there?)");
	}
}

/* The client closes first; the server's end vanishes. */
static void make_time_wait(struct gen *g, long n)
{
	int fd[2];

	for (long i = 0; i < n; i++) {
		open_pair(g, g->next_pair++, fd);
		close(fd[0]);
		close(fd[1]);
	}
}

typedef void make_fn(const struct gen *g, long first, long end);

/* In the child: make them, say so on ready, and hold them. */
static _Noreturn void holder(const struct gen *g, make_fn *make, const long range[2], int ready)
{
	char byte;

	close(g->release[1]);
	make(g, range[0], range[1]);
	if (write(ready, "k", 1) != 1)
		_exit(1);
	close(ready);
	while (read(g->release[0], &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* Make `total` things of `fds` descriptors each in child processes, one child after the other: they
 * share an accept queue. */
static void hold(const struct gen *g, make_fn *make, long total, long fds)
{
	long each = g->fds_per_holder / fds, range[2];
	int ready[2];
	char byte;
	pid_t pid;

	for (range[0] = 0; range[0] < total; range[0] = range[1]) {
		range[1] = range[0] + each < total ? range[0] + each : total;
		if (pipe2(ready, O_CLOEXEC) < 0)
			err(1, "pipe");
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			close(ready[0]);
			holder(g, make, range, ready[1]);
		}
		close(ready[1]);
		if (read(ready[0], &byte, 1) != 1)
			errx(1, "a holder failed");
		close(ready[0]);
	}
}

/* The internet checksum's sum of 16-bit words; sizes are even here. */
static unsigned sum_words(unsigned sum, const void *data, size_t size)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i + 1 < size; i += 2)
		sum += (unsigned)byte[i] << 8 | byte[i + 1];
	return sum;
}

struct syn {
	struct iphdr ip;
	struct tcphdr tcp;
};

static struct syn forge_syn(const struct gen *g, uint32_t server, unsigned i)
{
	struct syn p = {
		.ip = {.version = 4,
			.ihl = 5,
			.ttl = 64,
			.protocol = IPPROTO_TCP,
			.tot_len = htons(sizeof(p)),
			.daddr = server,
			.saddr = htonl(SINK + i % SINK_ADDRESSES)},
		.tcp = {.source = htons((uint16_t)(20000 + i / SINK_ADDRESSES)),
			.dest = htons(g->port),
			.seq = htonl(i),
			.doff = 5,
			.syn = 1,
			.window = htons(65535)},
	};
	unsigned sum = IPPROTO_TCP + sizeof(p.tcp);

	sum = sum_words(sum, &p.ip.saddr, 2 * sizeof(p.ip.saddr)); /* and daddr, which follows */
	sum = sum_words(sum, &p.tcp, sizeof(p.tcp));
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	p.tcp.check = htons((uint16_t)~sum);
	return p;
}

/* The answers to these SYNs go to the sink, so the requests stay until they time out (a minute). */
static void make_syn_recv(const struct gen *g)
{
	struct sockaddr_in to = gen_loopback(1, 0, g->port);
	int raw;

	if (g->count[SYN_RECVS] == 0)
		return;
	raw = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	if (raw < 0)
		err(1, "raw socket");
	for (long i = 0; i < g->count[SYN_RECVS]; i++) {
		struct syn p = forge_syn(g, to.sin_addr.s_addr, (unsigned)i);

		if (sendto(raw, &p, sizeof(p), 0, (const struct sockaddr *)&to, sizeof(to)) < 0)
			err(1, "forged SYN");
	}
	close(raw);
}

#define STATES 16

/* Adds one reply's sockets to their states; false at the end of the dump. */
static bool count_reply(const char *reply, size_t size, long counts[STATES])
{
	struct inet_diag_msg socket_found;
	struct nlmsghdr h;

	for (size_t at = 0; at + sizeof(h) <= size; at += NLMSG_ALIGN(h.nlmsg_len)) {
		memcpy(&h, reply + at, sizeof(h));
		if (h.nlmsg_type == NLMSG_DONE)
			return false;
		if (h.nlmsg_type == NLMSG_ERROR)
			errx(1, "sock_diag refused the dump");
		memcpy(&socket_found, reply + at + NLMSG_HDRLEN, sizeof(socket_found));
		counts[socket_found.idiag_state % STATES]++;
	}
	return true;
}

static void count_family(int fd, uint8_t family, long counts[STATES])
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 request;
	} ask = {
		.header = {.nlmsg_len = sizeof(ask),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.request = {.sdiag_family = family,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = ~0U},
	};
	char reply[32768];
	ssize_t got;

	if (send(fd, &ask, sizeof(ask), 0) < 0)
		err(1, "sock_diag request");
	do {
		got = recv(fd, reply, sizeof(reply), 0);
		if (got < 0)
			err(1, "sock_diag reply");
	} while (count_reply(reply, (size_t)got, counts));
}

static void report(double start)
{
	static const char *const name[STATES] = {[1] = "ESTABLISHED",
		[2] = "SYN_SENT",
		[3] = "SYN_RECV",
		[4] = "FIN_WAIT1",
		[5] = "FIN_WAIT2",
		[6] = "TIME_WAIT",
		[7] = "CLOSE",
		[8] = "CLOSE_WAIT",
		[9] = "LAST_ACK",
		[10] = "LISTEN",
		[11] = "CLOSING",
		[12] = "NEW_SYN_RECV",
		[13] = "BOUND_INACTIVE"};
	long counts[STATES] = {0}, total = 0;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd < 0)
		err(1, "netlink socket");
	count_family(fd, AF_INET, counts);
	count_family(fd, AF_INET6, counts);
	close(fd);
	for (int i = 0; i < STATES; i++)
		total += counts[i];
	printf("ready %ld", total);
	for (int i = 0; i < STATES; i++)
		if (counts[i])
			printf(" %s=%ld", name[i] ? name[i] : "?", counts[i]);
	printf(" seconds=%.1f\n", gen_now() - start);
	fflush(stdout);
}

static long count_time_wait(void)
{
	char line[256];
	long n = -1;
	FILE *f = fopen("/proc/net/sockstat", "re");

	if (!f)
		err(1, "/proc/net/sockstat");
	while (fgets(line, sizeof(line), f)) {
		const char *tw = strncmp(line, "TCP:", 4) == 0 ? strstr(line, " tw ") : NULL;

		if (tw)
			n = strtol(tw + 4, NULL, 10);
	}
	fclose(f);
	return n;
}

/* As many connections as are due since `begin`, at most 1000 at once: a rate beyond the machine
 * lags. */
static void churn(struct gen *g, double begin, long *done)
{
	double due = (gen_now() - begin) * (double)g->count[CHURN];
	int fd[2];

	for (int burst = 0; (double)*done < due && burst < 1000; burst++, (*done)++) {
		open_pair(g, g->next_pair++, fd);
		if (g->churn_by_reset)
			reset_on_close(fd[0]);
		close(fd[0]);
		close(fd[1]);
	}
}

/* Hold everything until standard input ends or one of signals comes. */
static void wait_for_end(struct gen *g, const sigset_t *signals)
{
	struct pollfd in[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.events = POLLIN}};
	int wait_ms = g->count[CHURN] ? 5 : g->count[TIME_WAITS] ? 250 : -1;
	double begin = gen_now();
	char junk[4096];
	long done = 0;

	in[1].fd = signalfd(-1, signals, SFD_CLOEXEC);
	if (in[1].fd < 0)
		err(1, "signalfd");
	for (;;) {
		poll(in, 2, wait_ms);
		if (in[1].revents || (in[0].revents && read(STDIN_FILENO, junk, sizeof(junk)) <= 0))
			return;
		if (g->count[TIME_WAITS])
			make_time_wait(g, g->count[TIME_WAITS] - count_time_wait());
		if (g->count[CHURN])
			churn(g, begin, &done);
	}
}

static void parse_options(struct gen *g, int argc, char **argv)
{
	static const char letters[] = "e6mfwotlqsnc"; /* in the order of the enum */
	int opt;

	while ((opt = getopt(argc, argv, "e:6:m:f:w:o:t:l:q:s:n:c:xp:M:")) != -1) {
		const char *letter = strchr(letters, opt);

		if (letter)
			g->count[letter - letters] = gen_count(optarg, COUNT_MAX);
		else if (opt == 'x')
			g->churn_by_reset = true;
		else if (opt == 'p')
			g->port = (uint16_t)gen_count(optarg, 65535);
		else if (opt == 'M')
			g->mapped_port = (uint16_t)gen_count(optarg, 65535);
		else
			errx(2, "the head of sockgen.c lists the options");
	}
}

static void open_listeners(struct gen *g)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(g->port)};
	struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_port = htons(g->mapped_port)};

	g->listener = listen_on(&any, sizeof(any), 1000000, false);
	if (g->count[MAPPED])
		g->mapped_listener = listen_on(&any6, sizeof(any6), 1000000, true);
}

int main(int argc, char **argv)
{
	struct gen g = {.port = 80, .mapped_port = 8080, .listener = -1, .mapped_listener = -1};
	double start = gen_now();
	sigset_t signals;

	parse_options(&g, argc, argv);
	gen_refuse_host();
	raise_limits(&g);
	if (pipe2(g.release, O_CLOEXEC) < 0)
		err(1, "pipe");
	open_listeners(&g);
	hold(&g, make_established, g.count[ESTABLISHED], 2);
	hold(&g, make_established6, g.count[ESTABLISHED6], 2);
	hold(&g, make_mapped, g.count[MAPPED], 2);
	hold(&g, make_half_closed, g.count[HALF_CLOSED], 2);
	hold(&g, make_stuck, g.count[STUCK], 6);
	hold(&g, make_orphans, g.count[ORPHANS], 1);
	hold(&g, make_listeners, g.count[LISTENERS], 1);
	hold(&g, make_queued, g.count[QUEUED], 1);
	hold(&g, make_syn_sent, g.count[SYN_SENTS], 1);
	/* Until here a signal ends the program, and with its end of the pipe the holders. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	make_time_wait(&g, g.count[TIME_WAITS]);
	make_syn_recv(&g); /* last, as they time out */
	report(start);
	wait_for_end(&g, &signals);
	close(g.release[1]);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return 0;
}
