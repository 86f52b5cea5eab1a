/* SPDX-License-Identifier: MIT */
#include "collectors/inet_diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "collectors/netns.h"
#include "daemon/util.h"

#define BUFFER_SIZE (32 * 1024) /* bytes; the kernel never fills more in a dump */
#define TRIES 3
#define EXTENSION (1 << (INET_DIAG_SKMEMINFO - 1))
#define DROPS_OFFSET                                                                               \
	(SK_MEMINFO_DROPS * sizeof(uint32_t)) /* in the array of numbers, since Linux 4.7 */
#define TIMEOUT_SEC 1 /* the kernel answers from within recv(), so this is never waited for */

/* In the namespace whose sockets it is to tell. */
static int open_socket(const struct netns *netns)
{
	int r = netns_enter(netns), fd;

	if (r < 0)
		return r;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		fd = -errno;
	netns_leave(netns);
	return fd;
}

static int diag_open(struct inet_diag *diag)
{
	CLEANUP_CLOSE int fd = open_socket(diag->netns);
	const struct timeval timeout = {.tv_sec = TIMEOUT_SEC};
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};

	if (fd < 0)
		return fd;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		return -errno;
	/* Connected, so that no other process can answer. */
	if (connect(fd, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	diag->fd = take_fd(&fd);
	return 0;
}

void inet_diag_close(struct inet_diag *diag)
{
	if (diag->fd >= 0)
		close(diag->fd);
	diag->fd = -1;
}

static int request(struct inet_diag *diag, uint32_t states)
{
	/* The first version of the request: its family is ignored, both come in one walk. */
	struct {
		struct nlmsghdr header;
		struct inet_diag_req body;
	} message = {
		.header =
			{
				.nlmsg_len = sizeof(message),
				.nlmsg_type = TCPDIAG_GETSOCK,
				.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
				.nlmsg_seq = ++diag->seq,
			},
		.body = {.idiag_states = states,
			.idiag_ext = states == INET_DIAG_LISTEN ? EXTENSION : 0},
	};

	return send(diag->fd, &message, sizeof(message), 0) < 0 ? -errno : 0;
}

/* In the attributes behind the message: how many packets a listener has dropped, if the kernel
 * tells. */
static int64_t find_drops(const char *at, size_t len)
{
	struct nlattr attribute;
	uint32_t drops;
	size_t step;

	while (len >= sizeof(attribute)) {
		memcpy(&attribute, at, sizeof(attribute));
		if (attribute.nla_len < sizeof(attribute) || attribute.nla_len > len)
			break;
		if (attribute.nla_type == INET_DIAG_SKMEMINFO &&
			attribute.nla_len >= sizeof(attribute) + DROPS_OFFSET + sizeof(drops)) {
			memcpy(&drops, at + sizeof(attribute) + DROPS_OFFSET, sizeof(drops));
			return drops;
		}
		step = NLMSG_ALIGN(
			(size_t)attribute.nla_len); /* attributes are aligned as messages are */
		if (step >= len)
			break;
		at += step;
		len -= step;
	}
	return DROPS_UNKNOWN;
}

static int add_socket(const char *body, size_t len, const struct socket_sink *sink)
{
	struct inet_diag_msg m;
	struct tcp_socket socket;

	if (len < sizeof(m))
		return -EBADMSG;
	memcpy(&m, body, sizeof(m));
	if (m.idiag_state >= TCP_STATES ||
		(m.idiag_family != AF_INET && m.idiag_family != AF_INET6))
		return INET_DIAG_MORE; /* a kind of socket that came after this was written */
	socket.state = m.idiag_state;
	socket.local_port = ntohs(m.id.idiag_sport);
	socket.remote_port = ntohs(m.id.idiag_dport);
	tcp_socket_address(socket.local, m.idiag_family, m.id.idiag_src);
	tcp_socket_address(socket.remote, m.idiag_family, m.id.idiag_dst);
	socket.queue = m.idiag_rqueue;
	socket.backlog = m.idiag_wqueue;
	socket.cookie = (uint64_t)m.id.idiag_cookie[1] << 32 | m.id.idiag_cookie[0];
	socket.drops = DROPS_UNKNOWN;
	if (len > NLMSG_ALIGN(sizeof(m)))
		socket.drops =
			find_drops(body + NLMSG_ALIGN(sizeof(m)), len - NLMSG_ALIGN(sizeof(m)));
	sink->add(sink->arg, &socket);
	return INET_DIAG_MORE;
}

/* NLMSG_ERROR and NLMSG_DONE both begin with an error number. */
static int error_of(const char *body, size_t len)
{
	int error = 0;

	if (len >= sizeof(error))
		memcpy(&error, body, sizeof(error));
	if (error == -ENOENT)
		return -EOPNOTSUPP; /* the kernel's word for a tcp_diag that is not there; a
				       collector's means absent */
	return error < 0 && error > -4096 ? error : 0;
}

static int message(const struct nlmsghdr *header, const char *body, const struct socket_sink *sink)
{
	size_t len = header->nlmsg_len - NLMSG_HDRLEN;
	int error;

	if (header->nlmsg_flags & NLM_F_DUMP_INTR)
		return INET_DIAG_INTERRUPTED;
	switch (header->nlmsg_type) {
	case NLMSG_DONE:
		error = error_of(body, len);
		return error < 0 ? error : INET_DIAG_DONE;
	case NLMSG_ERROR:
		error = error_of(body, len);
		return error < 0 ? error : -EBADMSG;
	case TCPDIAG_GETSOCK:
	case SOCK_DIAG_BY_FAMILY:
		return add_socket(body, len, sink);
	default:
		return INET_DIAG_MORE;
	}
}

int inet_diag_parse(const void *buffer, size_t len, uint32_t seq, const struct socket_sink *sink)
{
	const char *at = buffer;
	struct nlmsghdr header;
	size_t step;
	int r;

	while (len > 0) {
		if (len < sizeof(header))
			return -EBADMSG;
		memcpy(&header, at, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > len)
			return -EBADMSG;
		r = header.nlmsg_seq == seq ? message(&header, at + NLMSG_HDRLEN, sink)
					    : INET_DIAG_MORE;
		if (r != INET_DIAG_MORE)
			return r;
		step = NLMSG_ALIGN((size_t)header.nlmsg_len);
		if (step > len)
			step = len;
		at += step;
		len -= step;
	}
	return INET_DIAG_MORE;
}

/* One recv(): the number of bytes, or -errno. */
static ssize_t receive(const struct inet_diag *diag, char *buffer, size_t size)
{
	struct iovec iov = {.iov_base = buffer, .iov_len = size};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	do
		n = recvmsg(diag->fd, &msg, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (msg.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	return n > 0 ? n : -EBADMSG; /* netlink has no end of file */
}

int inet_diag_begin(struct inet_diag *diag, uint32_t states, const struct socket_sink *sink)
{
	int r = diag->fd < 0 ? diag_open(diag) : 0;

	if (r == 0)
		r = request(diag, states);
	if (r < 0)
		return r;
	diag->states = states;
	sink->begin(sink->arg);
	return 0;
}

int inet_diag_step(struct inet_diag *diag, const struct socket_sink *sink)
{
	char buffer[BUFFER_SIZE];
	ssize_t n = receive(diag, buffer, sizeof(buffer));
	int r = (int)n;

	if (n >= 0)
		r = inet_diag_parse(buffer, (size_t)n, diag->seq, sink);
	else if (n == -ENOBUFS)
		r = INET_DIAG_INTERRUPTED;
	if (r == INET_DIAG_DONE)
		diag->interrupted = 0;
	if (r == INET_DIAG_MORE || r == INET_DIAG_DONE)
		return r;
	inet_diag_close(diag); /* what is left of this dump goes with the socket */
	if (r == INET_DIAG_INTERRUPTED && ++diag->interrupted < TRIES)
		return inet_diag_begin(diag, diag->states, sink);
	diag->interrupted = 0;
	return r < 0 ? r : -EAGAIN;
}

int inet_diag_dump(struct inet_diag *diag, uint32_t states, const struct socket_sink *sink)
{
	int r = inet_diag_begin(diag, states, sink);

	if (r < 0)
		return r;
	do
		r = inet_diag_step(diag, sink);
	while (r == INET_DIAG_MORE);
	return r < 0 ? r : 0;
}

bool inet_diag_is_refusal(int error)
{
	return error == -EPERM || error == -EACCES || error == -EOPNOTSUPP ||
	       error == -EPROTONOSUPPORT || error == -EAFNOSUPPORT || error == -EINVAL;
}
