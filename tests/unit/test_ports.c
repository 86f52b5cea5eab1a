/* SPDX-License-Identifier: MIT */
/* Local ports in use by tuple: settings, exact counts, and the bound where there are too many. */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>

#include "collectors/ports.h"

#define RANGE "32768\t60999\n"

static struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static int set_usable(struct ports *ports, const char *range, const char *reserved)
{
	return ports_set_usable(ports, span_of(range), span_of(reserved));
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct ports));
	assert_non_null(*state);
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* A socket from 192.0.2.1:local_port to 198.51.100.0 + host, port 443. */
static void add(struct ports *ports, uint16_t local_port, uint32_t host)
{
	struct tcp_socket socket = {.state = TCP_ESTABLISHED,
		.local_port = local_port,
		.remote_port = 443,
		.local = {[10] = 0xff, 0xff, 192, 0, 2, 1},
		.remote = {[10] = 0xff,
			0xff,
			198,
			(uint8_t)(51 + (host >> 16)),
			(uint8_t)(100 + (host >> 8)),
			(uint8_t)host}};

	ports_add(ports, &socket);
}

static void range_less_reserved_ports_is_usable(void **state)
{
	struct ports *ports = *state;

	assert_int_equal(set_usable(ports, RANGE, "\n"), 0);
	assert_int_equal(ports->n_usable, 28232);
	assert_int_equal(set_usable(ports, RANGE, ""), 0);
	assert_int_equal(ports->n_usable, 28232);
	assert_int_equal(set_usable(ports, RANGE, "80,32767-32769,40000,60999-61001\n"), 0);
	assert_int_equal(ports->n_usable, 28232 - 4);
	assert_int_equal(set_usable(ports, "1024 65535\n", "1024-65535\n"), 0);
	assert_int_equal(ports->n_usable, 0);
	assert_int_equal(set_usable(ports, "0 65535\n", "\n"), 0);
	assert_int_equal(ports->n_usable, 65536);
}

static void torn_settings_leave_no_port(void **state)
{
	static const char *const ranges[] = {
		"", "32768", "32768\n", "32768 x\n", "32768 65536\n", "-1 5\n"};
	static const char *const lists[] = {"80", "80,,90\n", "-80\n", "x\n", "80-70000\n"};
	struct ports *ports = *state;

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		assert_int_equal(set_usable(ports, ranges[i], "\n"), -EBADMSG);
		assert_int_equal(ports->n_usable, 0);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (set_usable(ports, RANGE, lists[i]) != -EBADMSG)
			fail_msg("taken: %s", lists[i]);
		assert_int_equal(ports->n_usable, 0);
	}
}

static void fullest_tuple_is_exact_and_named(void **state)
{
	struct ports *ports = *state;
	struct tuple tuple;
	char text[104];

	assert_int_equal(set_usable(ports, RANGE, "40000\n"), 0);
	ports_begin(ports);
	assert_int_equal(ports_fullest(ports, &tuple), 0);
	for (uint16_t port = 32768; port < 32868; port++)
		add(ports, port, 7);
	for (uint16_t port = 32768; port < 32818; port++)
		add(ports, port, 8);
	add(ports, 40000, 7); /* reserved */
	add(ports, 443, 7);   /* not of the range */
	ports_add(ports, &(struct tcp_socket){.state = TCP_LISTEN, .local_port = 50000});
	assert_int_equal(ports_fullest(ports, &tuple), 100);
	tuple_describe(&tuple, text, sizeof(text));
	assert_string_equal(text, "192.0.2.1 to 198.51.100.7:443");
	ports_begin(ports);
	assert_int_equal(ports_fullest(ports, &tuple), 0);
}

static void longest_tuple_has_room(void **state)
{
	struct tuple tuple = {.remote_port = 65535};
	char text[104]; /* as OBJECT_SIZE */

	(void)state;
	memset(tuple.local, 0xfe, sizeof(tuple.local));
	memset(tuple.remote, 0xfd, sizeof(tuple.remote));
	tuple_describe(&tuple, text, sizeof(text));
	assert_string_equal(text, "fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe to "
				  "[fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd]:65535");
}

/* 20,000 ports to one remote end, scattered among 200,000 sockets to as many others. */
static void among_many_tuples_the_fullest_is_found_within_the_bound(void **state)
{
	struct ports *ports = *state;
	struct tuple tuple;
	unsigned n;

	assert_int_equal(set_usable(ports, RANGE, "\n"), 0);
	ports_begin(ports);
	for (uint32_t i = 0; i < 20000; i++) {
		add(ports, (uint16_t)(32768 + i), 0);
		for (uint32_t k = 1; k <= 10; k++)
			add(ports, 33000, i * 10 + k);
	}
	n = ports_fullest(ports, &tuple);
	assert_int_equal(tuple.remote[15], 0);
	assert_true(n <= 20000);
	assert_true(n >= 20000 - 220000 / PORTS_SETS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			range_less_reserved_ports_is_usable, setup, teardown),
		cmocka_unit_test_setup_teardown(torn_settings_leave_no_port, setup, teardown),
		cmocka_unit_test_setup_teardown(fullest_tuple_is_exact_and_named, setup, teardown),
		cmocka_unit_test(longest_tuple_has_room),
		cmocka_unit_test_setup_teardown(
			among_many_tuples_the_fullest_is_found_within_the_bound, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
