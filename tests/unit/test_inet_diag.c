/* SPDX-License-Identifier: MIT */
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "collectors/inet_diag.h"

#define SEQ 42

/* A buffer as the kernel fills it. */
struct made {
	char data[4096];
	size_t len;
};

/* What a sink was told. */
struct seen {
	unsigned begun, n;
	struct tcp_socket socket[16];
};

static void begin(void *arg)
{
	struct seen *seen = arg;

	seen->begun++;
	seen->n = 0;
}

static void add(void *arg, const struct tcp_socket *socket)
{
	struct seen *seen = arg;

	if (seen->n < 16)
		seen->socket[seen->n] = *socket;
	seen->n++;
}

static void put(struct made *made, struct nlmsghdr header, const void *body, size_t len)
{
	header.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + len);
	memcpy(made->data + made->len, &header, sizeof(header));
	memcpy(made->data + made->len + NLMSG_HDRLEN, body, len);
	made->len += NLMSG_ALIGN(NLMSG_HDRLEN + len);
}

static struct inet_diag_msg message(uint8_t family, uint8_t state)
{
	struct inet_diag_msg m = {.idiag_family = family, .idiag_state = state};

	m.id.idiag_sport = htons(443);
	m.id.idiag_dport = htons(50000);
	inet_pton(family, family == AF_INET ? "192.0.2.1" : "2001:db8::1", m.id.idiag_src);
	inet_pton(
		family, family == AF_INET ? "198.51.100.7" : "::ffff:198.51.100.7", m.id.idiag_dst);
	m.idiag_rqueue = 3;
	m.idiag_wqueue = 128;
	return m;
}

static const struct nlmsghdr data_header = {
	.nlmsg_type = TCPDIAG_GETSOCK, .nlmsg_flags = NLM_F_MULTI, .nlmsg_seq = SEQ};

static void put_socket(struct made *made, uint8_t family, uint8_t state)
{
	struct inet_diag_msg m = message(family, state);

	put(made, data_header, &m, sizeof(m));
}

static void put_end(struct made *made, uint16_t type, int error)
{
	struct nlmsghdr header = {.nlmsg_type = type, .nlmsg_seq = SEQ};

	put(made, header, &error, sizeof(error));
}

/*
 * Parsed from a copy of exactly this size, so that a sanitizer sees a step beyond it; misaligned on
 * purpose.
 */
static int parse(const struct made *made, struct seen *seen)
{
	const struct socket_sink sink = {begin, add, seen};
	char *copy = malloc(made->len + 1);
	int r;

	assert_non_null(copy);
	memcpy(copy + 1, made->data, made->len);
	r = inet_diag_parse(copy + 1, made->len, SEQ, &sink);
	free(copy);
	return r;
}

static void sockets_of_both_families_are_handed_on(void **state)
{
	static const uint8_t v4[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1},
			     peer[16] = {[10] = 0xff, 0xff, 198, 51, 100, 7};
	struct made made = {.len = 0};
	struct seen seen = {0};
	struct in6_addr v6;

	(void)state;
	put_socket(&made, AF_INET, TCP_ESTABLISHED);
	put_socket(&made, AF_INET6, TCP_LISTEN);
	assert_int_equal(parse(&made, &seen), INET_DIAG_MORE);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.socket[0].state, TCP_ESTABLISHED);
	assert_int_equal(seen.socket[0].local_port, 443);
	assert_int_equal(seen.socket[0].remote_port, 50000);
	assert_memory_equal(seen.socket[0].local, v4, 16);
	assert_memory_equal(seen.socket[0].remote, peer, 16);
	inet_pton(AF_INET6, "2001:db8::1", &v6);
	assert_memory_equal(seen.socket[1].local, &v6, 16);
	assert_memory_equal(seen.socket[1].remote, peer, 16);
	assert_int_equal(seen.socket[1].queue, 3);
	assert_int_equal(seen.socket[1].backlog, 128);
}

/* A listener with an attribute behind it that says it has len bytes, of which there are have. */
static void put_attribute(struct made *made, uint16_t type, uint16_t len, size_t have)
{
	struct {
		struct inet_diag_msg m;
		struct nlattr first;
		uint8_t shutdown[4];
		struct nlattr second;
		uint32_t word[9];
	} body = {
		.m = message(AF_INET, TCP_LISTEN),
		.first = {.nla_len = sizeof(struct nlattr) + 1, .nla_type = INET_DIAG_SHUTDOWN},
		.second = {.nla_len = len, .nla_type = type},
		.word = {[SK_MEMINFO_DROPS] = UINT32_MAX},
	};

	_Static_assert(sizeof(struct inet_diag_msg) % NLMSG_ALIGNTO == 0, "no gap");
	body.m.id.idiag_cookie[0] = 0x55667788;
	body.m.id.idiag_cookie[1] = 0x11223344;
	put(made, data_header, &body, offsetof(__typeof__(body), word) + have);
}

static void drops_of_a_listener_are_told(void **state)
{
	struct made made = {.len = 0};
	struct seen seen = {0};

	(void)state;
	put_attribute(&made, INET_DIAG_SKMEMINFO, sizeof(struct nlattr) + 36, 36);
	put_attribute(&made, INET_DIAG_SKMEMINFO, sizeof(struct nlattr) + 32, 32); /* Linux 4.6 */
	put_attribute(&made, INET_DIAG_MEMINFO, sizeof(struct nlattr) + 36, 36);
	put_attribute(&made, INET_DIAG_SKMEMINFO, sizeof(struct nlattr) + 36, 32); /* torn */
	put_attribute(&made, INET_DIAG_SKMEMINFO, 0, 36);
	put_socket(&made, AF_INET, TCP_LISTEN);
	assert_int_equal(parse(&made, &seen), INET_DIAG_MORE);
	assert_int_equal(seen.n, 6);
	assert_int_equal(seen.socket[0].drops, UINT32_MAX);
	assert_int_equal(seen.socket[0].cookie, 0x1122334455667788);
	for (size_t i = 1; i < 6; i++)
		assert_int_equal(seen.socket[i].drops, DROPS_UNKNOWN);
}

static void done_ends_the_dump(void **state)
{
	struct made made = {.len = 0};
	struct seen seen = {0};

	(void)state;
	put_socket(&made, AF_INET, TCP_TIME_WAIT);
	put_end(&made, NLMSG_DONE, 0);
	assert_int_equal(parse(&made, &seen), INET_DIAG_DONE);
	assert_int_equal(seen.n, 1);
}

static void other_sequence_numbers_are_passed_over(void **state)
{
	struct nlmsghdr stale = data_header;
	struct inet_diag_msg m = message(AF_INET, TCP_ESTABLISHED);
	struct made made = {.len = 0};
	struct seen seen = {0};

	(void)state;
	stale.nlmsg_seq = SEQ - 1;
	put(&made, stale, &m, sizeof(m));
	stale.nlmsg_type = NLMSG_DONE;
	put(&made, stale, &m, sizeof(m));
	put_socket(&made, AF_INET, TCP_ESTABLISHED);
	assert_int_equal(parse(&made, &seen), INET_DIAG_MORE);
	assert_int_equal(seen.n, 1);
}

static void interrupted_dump_is_told(void **state)
{
	struct nlmsghdr header = data_header;
	struct inet_diag_msg m = message(AF_INET, TCP_ESTABLISHED);
	struct made made = {.len = 0};
	struct seen seen = {0};

	(void)state;
	header.nlmsg_flags |= NLM_F_DUMP_INTR;
	put_socket(&made, AF_INET, TCP_ESTABLISHED);
	put(&made, header, &m, sizeof(m));
	assert_int_equal(parse(&made, &seen), INET_DIAG_INTERRUPTED);
	made.len = 0;
	header.nlmsg_type = NLMSG_DONE;
	put(&made, header, &(int){0}, sizeof(int));
	assert_int_equal(parse(&made, &seen), INET_DIAG_INTERRUPTED);
}

static int answer(uint16_t type, int error)
{
	struct made made = {.len = 0};
	struct seen seen = {0};

	put_end(&made, type, error);
	return parse(&made, &seen);
}

static void errors_of_the_kernel_are_returned(void **state)
{
	(void)state;
	assert_int_equal(answer(NLMSG_ERROR, -EPERM), -EPERM);
	assert_int_equal(answer(NLMSG_DONE, -ENOMEM), -ENOMEM);
	assert_int_equal(answer(NLMSG_ERROR, -ENOENT), -EOPNOTSUPP); /* never "absent" */
	assert_int_equal(answer(NLMSG_ERROR, 0), -EBADMSG);
	assert_int_equal(answer(NLMSG_ERROR, INT32_MIN), -EBADMSG);
	assert_true(inet_diag_is_refusal(-EPERM));
	assert_true(inet_diag_is_refusal(-EOPNOTSUPP));
	assert_false(inet_diag_is_refusal(-EAGAIN));
	assert_false(inet_diag_is_refusal(0));
}

static void any_cut_is_bad_or_more_and_never_read_beyond(void **state)
{
	struct made made = {.len = 0};

	(void)state;
	put_socket(&made, AF_INET, TCP_ESTABLISHED);
	put_socket(&made, AF_INET6, TCP_ESTABLISHED);
	for (size_t len = 0; len <= made.len; len++) {
		bool whole = len % (made.len / 2) == 0;
		struct made cut = made;
		struct seen seen = {0};

		cut.len = len;
		assert_int_equal(parse(&cut, &seen), whole ? INET_DIAG_MORE : -EBADMSG);
		assert_int_equal(seen.n, len / (made.len / 2));
	}
}

static int with_length(uint32_t length)
{
	struct made made = {.len = 0};
	struct seen seen = {0};

	put_socket(&made, AF_INET, TCP_ESTABLISHED);
	memcpy(made.data, &length, sizeof(length));
	return parse(&made, &seen);
}

static void lengths_that_do_not_add_up_are_bad(void **state)
{
	(void)state;
	assert_int_equal(with_length(0), -EBADMSG);
	assert_int_equal(with_length(NLMSG_HDRLEN - 1), -EBADMSG);
	assert_int_equal(with_length(NLMSG_HDRLEN), -EBADMSG); /* no body */
	assert_int_equal(with_length(UINT32_MAX), -EBADMSG);
	assert_int_equal(with_length(NLMSG_HDRLEN + sizeof(struct inet_diag_msg) + 4), -EBADMSG);
}

static void unknown_states_families_and_types_are_passed_over(void **state)
{
	struct nlmsghdr header = data_header;
	struct made made = {.len = 0};
	struct seen seen = {0};

	(void)state;
	put_socket(&made, AF_INET, TCP_STATES);
	put_socket(&made, AF_INET, 255);
	put_socket(&made, AF_INET, TCP_NEW_SYN_RECV);
	header.nlmsg_type = NLMSG_NOOP;
	put(&made, header, "", 0);
	put(&made, data_header, &(struct inet_diag_msg){.idiag_family = AF_UNIX, .idiag_state = 1},
		sizeof(struct inet_diag_msg));
	assert_int_equal(parse(&made, &seen), INET_DIAG_MORE);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.socket[0].state, TCP_NEW_SYN_RECV);
}

/* A stand-in for the kernel: whatever is written into *peer is the answer. */
static struct inet_diag answered_by(int *peer)
{
	const struct timeval timeout = {.tv_usec = 10000};
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	*peer = pair[1];
	return (struct inet_diag){.fd = pair[0], .seq = SEQ - 1};
}

static int dump_answered(const void *answer, size_t len)
{
	static struct seen seen;
	const struct socket_sink sink = {begin, add, &seen};
	int peer, r;
	struct inet_diag diag = answered_by(&peer);

	if (answer)
		assert_int_equal(send(peer, answer, len, 0), len);
	r = inet_diag_dump(&diag, INET_DIAG_LISTEN, &sink);
	assert_int_equal(diag.fd, -1); /* opened anew next time */
	close(peer);
	return r;
}

static void failed_dump_closes_its_socket(void **state)
{
	static const char large[40000];
	struct made made = {.len = 0};

	(void)state;
	put_end(&made, NLMSG_ERROR, -EPERM);
	assert_int_equal(dump_answered(made.data, made.len), -EPERM);
	assert_int_equal(dump_answered(large, sizeof(large)), -EMSGSIZE);
	assert_int_equal(dump_answered("junk", 4), -EBADMSG);
	assert_int_equal(dump_answered("", 0), -EBADMSG);
	assert_int_equal(dump_answered(NULL, 0), -ETIMEDOUT);
}

static void interrupted_dump_is_made_anew(void **state)
{
	static struct seen seen;
	const struct socket_sink sink = {begin, add, &seen};
	struct nlmsghdr header = data_header;
	struct inet_diag_msg m = message(AF_INET, TCP_CLOSING);
	struct made made = {.len = 0};
	int peer, r;
	struct inet_diag diag = answered_by(&peer);

	(void)state;
	put(&made, header, &m, sizeof(m));
	header.nlmsg_flags |= NLM_F_DUMP_INTR;
	put(&made, header, &m, sizeof(m));
	assert_int_equal(send(peer, made.data, made.len, 0), made.len);
	r = inet_diag_dump(
		&diag, INET_DIAG_LISTEN, &sink); /* the second time it is the kernel who answers */
	inet_diag_close(&diag);
	close(peer);
	if (inet_diag_is_refusal(r))
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(seen.begun, 2);
	for (unsigned i = 0; i < seen.n && i < 16; i++)
		assert_int_equal(seen.socket[i].state, TCP_LISTEN);
}

/*
 * The running kernel, if it allows: a listener of this test is in the listing, with its queue and
 * backlog.
 */
static void listener_of_this_process_is_listed(void **state)
{
	struct sockaddr_in6 here = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	socklen_t len = sizeof(here);
	struct inet_diag diag = {.fd = -1};
	static struct seen seen;
	const struct socket_sink sink = {begin, add, &seen};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), r;
	bool found = false;

	(void)state;
	if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof(here)) < 0 || listen(fd, 7) < 0)
		skip();
	assert_int_equal(getsockname(fd, (struct sockaddr *)&here, &len), 0);
	r = inet_diag_dump(&diag, INET_DIAG_LISTEN, &sink);
	if (inet_diag_is_refusal(r))
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(seen.begun, 1);
	for (unsigned i = 0; i < seen.n && i < 16; i++)
		if (seen.socket[i].local_port == ntohs(here.sin6_port) &&
			seen.socket[i].backlog == 7)
			found = seen.socket[i].state == TCP_LISTEN && seen.socket[i].queue == 0;
	assert_true(found || seen.n > 16);
	assert_int_equal(
		inet_diag_dump(&diag, INET_DIAG_LISTEN, &sink), 0); /* on the kept socket */
	assert_int_equal(diag.seq, 2);
	inet_diag_close(&diag);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sockets_of_both_families_are_handed_on),
		cmocka_unit_test(drops_of_a_listener_are_told),
		cmocka_unit_test(done_ends_the_dump),
		cmocka_unit_test(other_sequence_numbers_are_passed_over),
		cmocka_unit_test(interrupted_dump_is_told),
		cmocka_unit_test(errors_of_the_kernel_are_returned),
		cmocka_unit_test(any_cut_is_bad_or_more_and_never_read_beyond),
		cmocka_unit_test(lengths_that_do_not_add_up_are_bad),
		cmocka_unit_test(unknown_states_families_and_types_are_passed_over),
		cmocka_unit_test(failed_dump_closes_its_socket),
		cmocka_unit_test(interrupted_dump_is_made_anew),
		cmocka_unit_test(listener_of_this_process_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
