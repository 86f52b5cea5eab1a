/* SPDX-License-Identifier: MIT */
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/proc_net_tcp.h"
#include "tests/unit/tree.h"

#define HEADER "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
#define TAIL " 00:00000000 00000000     0        0 44491 4 00000000bbd437b4 100 0 0 10 0"

struct seen {
	unsigned begun, n, state[TCP_STATES];
	struct tcp_socket last;
};

static void begin(void *arg)
{
	struct seen *seen = arg;

	seen->begun++;
}

static void add(void *arg, const struct tcp_socket *socket)
{
	struct seen *seen = arg;

	seen->n++;
	seen->state[socket->state]++;
	seen->last = *socket;
}

static int parse(const char *line, struct tcp_socket *out)
{
	return proc_net_tcp_parse((struct span){line, strlen(line)}, out);
}

static int dump(const struct tree *tree, struct seen *seen, const char **path)
{
	const struct socket_sink sink = {begin, add, seen};

	*seen = (struct seen){0};
	return proc_net_tcp_dump(tree->proc, &sink, path);
}

static void line_is_taken_apart(void **state)
{
	/* The kernel prints the address as a number of this host: what these bytes are here. */
	const uint8_t address[4] = {127, 0, 0, 1}, mapped[12] = {[10] = 0xff, 0xff};
	uint32_t word;
	char line[256];
	struct tcp_socket s;

	(void)state;
	memcpy(&word, address, 4);
	snprintf(line, sizeof(line), "  12: %08X:01BB 00000000:C350 0A 0000000A:00000003" TAIL,
		word);
	assert_int_equal(parse(line, &s), 0);
	assert_int_equal(s.state, TCP_LISTEN);
	assert_int_equal(s.local_port, 443);
	assert_int_equal(s.remote_port, 50000);
	assert_int_equal(s.queue, 3);
	assert_int_equal(s.backlog, BACKLOG_UNKNOWN);
	assert_memory_equal(s.local, mapped, 12);
	assert_memory_equal(s.local + 12, address, 4);
}

static void ipv6_address_is_four_numbers(void **state)
{
	struct in6_addr address;
	uint32_t word[4];
	char line[256];
	struct tcp_socket s;

	(void)state;
	inet_pton(AF_INET6, "2001:db8:1:2:3:4:5:6", &address);
	memcpy(word, &address, 16);
	snprintf(line, sizeof(line),
		" 0: %08X%08X%08X%08X:0050 %032X:0000 06 00000000:00000000" TAIL, word[0], word[1],
		word[2], word[3], 0);
	assert_int_equal(parse(line, &s), 0);
	assert_memory_equal(s.local, &address, 16);
	assert_int_equal(s.state, TCP_TIME_WAIT);
}

static void malformed_lines_are_bad(void **state)
{
	static const char *const bad[] = {"", "0:", "0: 0100007F:0050",
		"0: 0100007F:0050 00000000:0000", "0: 0100007F:0050 00000000:0000 0A",
		"0: 0100007F:0050 00000000:0000 0A 00000000",
		"0: 0100007F:10050 00000000:0000 0A 00000000:00000000",
		"0: 0100007:0050 00000000:0000 0A 00000000:00000000",
		"0: 0100007G:0050 00000000:0000 0A 00000000:00000000",
		"0: 0100007F: 00000000:0000 0A 00000000:00000000",
		"0: 0100007F:0050 00000000:0000 100 00000000:00000000",
		"0: 0100007F:0050 00000000:0000 0A 00000000:100000000",
		"0: 0100007F00000000000000000000000:0050 00000000:0000 0A 00000000:00000000"};
	struct tcp_socket s;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(bad[i], &s), -EBADMSG);
}

static void both_files_are_read(void **state)
{
	const struct tree *tree = *state;
	const char *path;
	struct seen seen;

	tree_put(tree, "net/tcp",
		HEADER "   0: 00000000:0050 00000000:0000 0A 00000000:00000001" TAIL "\n");
	tree_put(tree, "net/tcp6",
		HEADER "   0: 00000000000000000000000000000000:0051 "
		       "00000000000000000000000000000000:0000 0A "
		       "00000000:00000002" TAIL "\n");
	assert_int_equal(dump(tree, &seen, &path), 0);
	assert_int_equal(seen.begun, 1);
	assert_int_equal(seen.state[TCP_LISTEN], 2);
	assert_int_equal(seen.last.local_port, 0x51);
}

static void no_ipv6_is_no_error_and_no_ipv4_is(void **state)
{
	const struct tree *tree = *state;
	const char *path;
	struct seen seen;

	assert_int_equal(dump(tree, &seen, &path), -ENOENT);
	assert_string_equal(path, "net/tcp");
	tree_put(tree, "net/tcp", HEADER);
	assert_int_equal(dump(tree, &seen, &path), 0);
	assert_int_equal(seen.n, 0);
}

static void file_larger_than_the_buffer_is_read_in_pieces(void **state)
{
	const struct tree *tree = *state;
	FILE *f = tree_open(tree, "net/tcp");
	const char *path;
	struct seen seen;

	fputs(HEADER, f);
	for (unsigned i = 0; i < 5000;
		i++) /* lines of many lengths, so that pieces end everywhere */
		fprintf(f, "%u: 0100007F:%04X 0200007F:0050 %02X 00000000:00000000 %*s\n", i, i,
			1 + i % 11, (int)(i % 97), "x");
	fclose(f);
	assert_int_equal(dump(tree, &seen, &path), 0);
	assert_int_equal(seen.n, 5000);
	assert_int_equal(seen.state[TCP_ESTABLISHED], 455);
	assert_int_equal(seen.last.local_port, 4999);
}

static void torn_and_endless_lines_are_bad(void **state)
{
	const struct tree *tree = *state;
	const char *path;
	struct seen seen;
	FILE *f;

	tree_put(tree, "net/tcp",
		HEADER "   0: 00000000:0050 00000000:0000 0A 00000000:00000001" TAIL);
	assert_int_equal(dump(tree, &seen, &path), -EBADMSG);
	assert_string_equal(path, "net/tcp");
	f = tree_open(tree, "net/tcp");
	for (int i = 0; i < 100000; i++)
		fputc('0', f);
	fclose(f);
	assert_int_equal(dump(tree, &seen, &path), -EBADMSG);
}

static void states_without_a_name_are_passed_over(void **state)
{
	const struct tree *tree = *state;
	const char *path;
	struct seen seen;

	tree_put(tree, "net/tcp",
		HEADER "   0: 00000000:0050 00000000:0000 0D 00000000:00000001" TAIL "\n"
		       "   1: 00000000:0050 00000000:0000 FF 00000000:00000001" TAIL "\n");
	assert_int_equal(dump(tree, &seen, &path), 0);
	assert_int_equal(seen.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_is_taken_apart),
		cmocka_unit_test(ipv6_address_is_four_numbers),
		cmocka_unit_test(malformed_lines_are_bad),
		WITH_TREE(both_files_are_read),
		WITH_TREE(no_ipv6_is_no_error_and_no_ipv4_is),
		WITH_TREE(file_larger_than_the_buffer_is_read_in_pieces),
		WITH_TREE(torn_and_endless_lines_are_bad),
		WITH_TREE(states_without_a_name_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
