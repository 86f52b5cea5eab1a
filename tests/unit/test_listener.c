/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/unit/test.h"

#include "collectors/registry.h"
#include "tests/unit/tree.h"

/* A socket that listens, as net/tcp has it: address and port in hexadecimal, waiting connections.
 */
#define LISTENER(address, port, queue)                                                             \
	" 0: " address ":" port " 00000000:0000 0A 00000000:" queue " 00:00000000 0 0 0 1\n"
#define ANY6 "00000000000000000000000000000000"
#define LISTENER6(address, port, queue)                                                            \
	" 0: " address ":" port " " ANY6 ":0000 0A 00000000:" queue " 00:00000000 0 0 0 1\n"

/* The instances of one configuration. */
struct run {
	char shared[1024];
	void *state[2];
	double values[2][3];
	struct reading reading[2];
};

static void run_open(struct run *run, const struct tree *tree, long port0, long port1)
{
	const long ports[] = {port0, port1};

	*run = (struct run){.shared = ""};
	assert_true(collector_listener.shared_size <= sizeof(run->shared));
	for (size_t i = 0; i < 2; i++) {
		struct collector_env env = {.proc = tree->proc,
			.title = i ? "b" : "a",
			.config = &ports[i],
			.shared = run->shared};

		/* The port is all there is in an instance's configuration. */
		assert_int_equal(collector_listener.titled_config_size, sizeof(ports[i]));
		run->state[i] = calloc(1, collector_listener.state_size);
		assert_non_null(run->state[i]);
		assert_int_equal(collector_listener.init(run->state[i], &env), 0);
		run->reading[i].values = run->values[i];
	}
}

static int run_look(struct run *run, size_t i)
{
	run->reading[i].error[0] = '\0';
	return collector_listener.look(run->state[i], &run->reading[i]);
}

static void run_close(struct run *run)
{
	for (size_t i = 0; i < 2; i++) {
		collector_listener.close(run->state[i]);
		free(run->state[i]);
	}
	collector_listener.shared_close(run->shared);
}

static void assert_described(const struct run *run, size_t i, const char *expected)
{
	char object[64];

	collector_listener.describe(run->state[i], 0, object, sizeof(object));
	assert_string_equal(object, expected);
}

static void each_port_has_its_fullest_socket(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	tree_put(tree, "net/tcp",
		LISTENER("00000000", "0050", "00000003") LISTENER("00000000", "01BB", "00000001")
			LISTENER("00000000", "0016", "00000063"));
	tree_put(tree, "net/tcp6", LISTENER6(ANY6, "01BB", "00000007"));
	run_open(&run, tree, 80, 443);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(run_look(&run, i), 0);
		assert_int_equal(collector_listener.read(run.state[i], &run.reading[i]), 0);
		assert_number(run.values[i][1], UNKNOWN); /* not in these files */
		assert_number(run.values[i][2], UNKNOWN);
	}
	assert_number(run.values[0][0], 3);
	assert_described(&run, 0, "0.0.0.0:80");
	assert_number(run.values[1][0], 7);
	assert_described(&run, 1, "[::]:443");
	run_close(&run);
}

static void port_without_a_listener_is_unknown(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	tree_put(tree, "net/tcp",
		LISTENER("00000000", "0050", "00000003") " 1: 00000000:01BB 0100007F:C000 01 "
							 "00000000:00000009 00:00000000 0 0 0 1\n");
	run_open(&run, tree, 443, 444);
	assert_int_equal(run_look(&run, 0), 0);
	assert_number(run.values[0][0], UNKNOWN);
	assert_number(run.values[0][1], UNKNOWN);
	assert_described(&run, 0, "");
	run_close(&run);
}

/* Seen by changing the tree between the instances of one look. */
static void one_listing_serves_a_look(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	tree_put(tree, "net/tcp",
		LISTENER("00000000", "0050", "00000001") LISTENER("00000000", "01BB", "00000001"));
	run_open(&run, tree, 80, 443);
	run_look(&run, 0);
	tree_put(tree, "net/tcp",
		LISTENER("00000000", "0050", "00000002") LISTENER("00000000", "01BB", "00000002"));
	run_look(&run, 1);
	assert_number(run.values[1][0], 1);
	run_look(&run, 0);
	assert_number(run.values[0][0], 2);
	tree_put(tree, "net/tcp", LISTENER("00000000", "01BB", "00000003"));
	run_look(&run, 1);
	assert_number(run.values[1][0], 2);
	run_look(&run, 1); /* an instance of its own again: the other has gone */
	assert_number(run.values[1][0], 3);
	run_close(&run);
}

static void failure_is_each_instances_own(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	tree_put(tree, "net/tcp", LISTENER("00000000", "0050", "00000001"));
	run_open(&run, tree, 80, 80);
	run_look(&run, 0);
	run_look(&run, 1);
	tree_put(tree, "net/tcp", "torn");
	for (size_t i = 0; i < 2; i++) {
		assert_true(run_look(&run, i) < 0);
		assert_string_equal(
			run.reading[i].error, "cannot read net/tcp: unexpected content");
		assert_number(run.values[i][0], UNKNOWN);
		assert_described(&run, i, "");
	}
	tree_put(tree, "net/tcp", NULL); /* no listeners recorded */
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(run_look(&run, i), 0);
		assert_string_equal(run.reading[i].error, "");
		assert_number(run.values[i][0], UNKNOWN);
	}
	run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TREE(each_port_has_its_fullest_socket),
		WITH_TREE(port_without_a_listener_is_unknown),
		WITH_TREE(one_listing_serves_a_look),
		WITH_TREE(failure_is_each_instances_own),
	};

	return cmocka_run_group_tests_name("listener", tests, NULL, NULL);
}
