/* SPDX-License-Identifier: MIT */
/*
 * connwatch-ct: the one program of connwatchd that holds CAP_NET_ADMIN, which ctnetlink asks for.
 * It reads the conntrack table and its counters, changes nothing, and ends after a minute without
 * work.
 *
 * Without an argument it serves the listening socket that connwatch-ct.socket hands over as
 * descriptor 3. A client sends one byte, all that is ever read from it, and gets one answer, which
 * ends with an empty line, and then the end of file: c  the per-CPU counters, as in
 * /proc/net/stat/nf_conntrack w  who fills the table: JSON, of at most 250,000 entries and 1.5 s or
 * a line "error: ...". With one of these letters as its argument it prints that answer and exits;
 * as an argument only, because it may take long, there is also a  who fills the table: all of it
 *
 * A stream and no SOCK_SEQPACKET: an answer may be longer than the largest packet, and the same
 * client code reads the pipe of a helper it started itself. LISTEN_FDS is read by hand: libsystemd
 * would map six libraries into this process.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libmnl/libmnl.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <poll.h>
#include <sys/socket.h>

#include "daemon/ct/counters.h"
#include "daemon/ct/who.h"
#include "daemon/util.h"

enum {
	LISTEN_FD = 3,           /* sd_listen_fds(3) */
	IDLE_MSEC = 60 * 1000,   /* then the process ends; the next client starts another */
	PATIENCE_SEC = 2,        /* for a client to send its byte, and to take its answer */
	SAMPLE_ENTRIES = 250000, /* about 0.6 s; exact in the memory of a tally */
	SAMPLE_MSEC = 1500,
	RECEIVE_SIZE = 32 * 1024, /* the kernel fills no more in one call */
};

struct who_dump {
	struct who *who;
	bool limited, sample; /* sample: a limit was reached before the end */
	int64_t deadline_msec;
};

struct counters_dump {
	struct counters counters;
	FILE *out;
};

static int64_t now_msec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whole messages. To libmnl a length above INT_MAX is a negative one, which it steps back by. */
static bool is_sound(const char *buffer, size_t size)
{
	struct nlmsghdr head;
	size_t step;

	for (size_t at = 0; size - at >= sizeof(head); at += step) {
		memcpy(&head, buffer + at, sizeof(head));
		if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > size - at)
			return false;
		step = NLMSG_ALIGN((size_t)head.nlmsg_len);
		if (step > size - at)
			step = size - at;
	}
	return true;
}

/* n: of bytes, or -1 with errno; returns as mnl_cb_run() does. */
static int take(const char *buffer, ssize_t n, mnl_cb_t on_message, void *arg)
{
	int r = MNL_CB_ERROR;

	if (n < 0)
		return r;
	errno = 0;
	if (is_sound(buffer, (size_t)n))
		r = mnl_cb_run(buffer, (size_t)n, 0, 0, on_message, arg);
	if (r < 0 && errno <= 0) /* not sound, or an error with a number that is none */
		errno = EBADMSG;
	return r;
}

/* Ask ctnetlink for a dump and hand each message of it to on_message until that returns
 * MNL_CB_STOP. */
static int dump(unsigned message, mnl_cb_t on_message, void *arg)
{
	_Alignas(struct nlmsghdr) char buffer[RECEIVE_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
	int r = MNL_CB_OK;

	if (!nl)
		return -errno;
	request->nlmsg_type = (uint16_t)(NFNL_SUBSYS_CTNETLINK << 8 | message);
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	/* all zero: AF_UNSPEC, NFNETLINK_V0 */
	mnl_nlmsg_put_extra_header(request, sizeof(struct nfgenmsg));
	if (mnl_socket_sendto(nl, request, request->nlmsg_len) < 0)
		r = MNL_CB_ERROR;
	while (r > MNL_CB_STOP)
		r = take(buffer, mnl_socket_recvfrom(nl, buffer, sizeof(buffer)), on_message, arg);
	r = r < 0 ? -errno : 0;
	mnl_socket_close(nl);
	return r;
}

static int on_entry(const struct nlmsghdr *nlh, void *arg)
{
	struct who_dump *d = arg;
	uint64_t n = who_entries(d->who);

	/* the clock costs as much as counting: look at it now and then */
	if (d->limited &&
		(n == SAMPLE_ENTRIES || (n % 256 == 0 && now_msec() >= d->deadline_msec))) {
		d->sample = true;
		return MNL_CB_STOP;
	}
	who_count(d->who, nlh);
	return MNL_CB_OK;
}

static int on_counters(const struct nlmsghdr *nlh, void *arg)
{
	struct counters_dump *d = arg;
	int r = counters_write(&d->counters, nlh, d->out);

	errno = -r;
	return r < 0 ? MNL_CB_ERROR : MNL_CB_OK;
}

/* All of them or none: behind a part of them nobody would look for an error. */
static int answer_counters(FILE *out)
{
	CLEANUP_FREE char *text = NULL;
	size_t size = 0;
	struct counters_dump d = {.out = open_memstream(&text, &size)};
	int r;

	if (!d.out)
		return -errno;
	r = dump(IPCTNL_MSG_CT_GET_STATS_CPU, on_counters, &d);
	if (fclose(d.out) != 0 && r == 0)
		r = -errno;
	if (r == 0)
		fwrite(text, 1, size, out);
	return r;
}

static int answer_who(bool limited, FILE *out)
{
	struct who_dump d = {.limited = limited, .deadline_msec = now_msec() + SAMPLE_MSEC};
	int r = who_new(&d.who);

	if (r == 0)
		r = dump(IPCTNL_MSG_CT_GET, on_entry, &d);
	if (r == 0)
		who_write(d.who, d.sample, out);
	who_free(d.who);
	return r;
}

/* Returns false if the answer is an error. */
static bool answer(char question, FILE *out)
{
	int r = question == 'c' ? answer_counters(out) : answer_who(question == 'w', out);

	if (r < 0)
		fprintf(out, "error: cannot read conntrack by netlink: %s\n", strerror(-r));
	fputc('\n', out);
	return r == 0;
}

/* A flood of clients that ask and go must not buy a dump each. */
static bool has_hung_up(int fd)
{
	struct pollfd p = {.fd = fd};

	return poll(&p, 1, 0) > 0 && (p.revents & POLLHUP);
}

static void serve_client(int fd)
{
	const struct timeval patience = {.tv_sec = PATIENCE_SEC};
	CLEANUP_FREE char *text = NULL;
	size_t size;
	char question;
	FILE *out;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (recv(fd, &question, 1, 0) != 1 || (question != 'c' && question != 'w') ||
		has_hung_up(fd))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		return;
	answer(question, out);
	/* one call: what does not fit into the socket's buffer within the client's time is lost to
	 * it */
	if (fclose(out) == 0)
		send(fd, text, size, MSG_NOSIGNAL);
}

static int serve(void)
{
	struct pollfd p = {.fd = LISTEN_FD, .events = POLLIN};
	int listening = 0;
	socklen_t size = sizeof(listening);

	if (getsockopt(LISTEN_FD, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0 || !listening) {
		fputs("connwatch-ct: descriptor 3 is no listening socket; see "
		      "connwatch-ct.socket\n",
			stderr);
		return 1;
	}
	while (poll(&p, 1, IDLE_MSEC) != 0) {
		CLEANUP_CLOSE int fd = accept4(LISTEN_FD, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0) {
			serve_client(fd);
		} else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
			perror("connwatch-ct: accept");
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return serve();
	if (argc == 2 && strlen(argv[1]) == 1 && strchr("cwa", argv[1][0]))
		return answer(argv[1][0], stdout) && fflush(stdout) == 0 ? 0 : 1;
	fputs("usage: connwatch-ct [c|w|a]\n", stderr);
	return 2;
}
