/* SPDX-License-Identifier: MIT */
/*
 * flood - fill the conntrack table of a network namespace with TCP connections that never answer:
 * SYN packets with forged sources, an entry each. For tests; see tests/system/top.sh for the
 * namespace it wants.
 *
 *   flood N
 *
 * Of N, in an order without pattern: sources 192.0.2.7 (61%), 192.0.2.9 (12%), the rest
 * of 10.0.0.0/8 (27%, nearly every one another); to ports 443 (88%) and 8000 to 8999; each flow has
 * a tuple of its own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

enum { BATCH = 64, PORTS = 60000 };

struct packet {
	struct iphdr ip;
	struct tcphdr tcp;
};

static uint32_t pick_source(void)
{
	long percent = random() % 100;

	if (percent < 61)
		return 0xc0000207;
	if (percent < 73)
		return 0xc0000209;
	return 0x0a000000 | (uint32_t)(random() & 0xffffff);
}

/* The kernel fills in id, length and checksum of the IP header; conntrack checks no TCP checksum on
 * output. */
static void make_syn(struct packet *p, unsigned long flow)
{
	unsigned port = random() % 100 < 88 ? 443 : 8000 + (unsigned)(random() % 1000);

	*p = (struct packet){
		.ip = {.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP},
		.tcp = {.doff = 5, .syn = 1},
	};
	p->ip.saddr = htonl(pick_source());
	p->ip.daddr = htonl(0xc6120001u + (uint32_t)(flow / PORTS)); /* 198.18.0.1 and on */
	p->tcp.source = htons((uint16_t)(1024 + flow % PORTS));
	p->tcp.dest = htons((uint16_t)port);
}

static int send_batch(int fd, unsigned long first, unsigned n)
{
	struct packet packet[BATCH];
	struct sockaddr_in to[BATCH];
	struct iovec iov[BATCH];
	struct mmsghdr msg[BATCH] = {0};

	for (unsigned i = 0; i < n; i++) {
		make_syn(&packet[i], first + i);
		to[i] = (struct sockaddr_in){.sin_family = AF_INET};
		to[i].sin_addr.s_addr = packet[i].ip.daddr;
		iov[i] = (struct iovec){&packet[i], sizeof(packet[i])};
		msg[i].msg_hdr = (struct msghdr){.msg_name = &to[i],
			.msg_namelen = sizeof(to[i]),
			.msg_iov = &iov[i],
			.msg_iovlen = 1};
	}
	for (unsigned i = 0; i < n;) {
		int done = sendmmsg(fd, msg + i, n - i, 0);

		if (done < 0 && errno != EPERM && errno != ENOBUFS)
			return -errno;
		i += done > 0 ? (unsigned)done : 1; /* EPERM: the table is full */
	}
	return 0;
}

/* The targets must be this namespace's own addresses, or the flood would go out into the world. */
static int is_prepared(void)
{
	struct sockaddr_in target = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r;

	target.sin_addr.s_addr = htonl(0xc613fffe); /* 198.19.255.254 */
	r = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&target, sizeof(target));
	if (fd >= 0)
		close(fd);
	return r == 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	int fd, r = 0;

	if (n == 0 || !is_prepared()) {
		fputs("usage: flood N, in a namespace where 198.18.0.0/15 is local\n", stderr);
		return 2;
	}
	fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	if (fd < 0) {
		perror("flood: socket");
		return 1;
	}
	for (unsigned long sent = 0; r == 0 && sent < n; sent += BATCH)
		r = send_batch(fd, sent, n - sent < BATCH ? (unsigned)(n - sent) : BATCH);
	if (r < 0)
		fprintf(stderr, "flood: send: %s\n", strerror(-r));
	return r < 0;
}
