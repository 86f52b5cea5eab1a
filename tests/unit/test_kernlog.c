/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "tests/unit/test.h"

#include "collectors/registry.h"
#include "tests/unit/tree.h"

#define FULL "4,1,2,-;nf_conntrack: nf_conntrack: table full, dropping packet\n"

static double count(const struct tree *tree, int expected)
{
	struct collector_env env = {.proc = tree->proc, .title = ""};
	double value = -1;
	struct reading reading = {.values = &value};
	void *state = calloc(1, collector_kernlog.state_size);

	assert_non_null(state);
	assert_int_equal(collector_kernlog.init(state, &env), 0);
	assert_int_equal(collector_kernlog.read(state, &reading), expected);
	assert_int_equal(!reading.error[0], expected == 0);
	collector_kernlog.close(state);
	free(state);
	return value;
}

static void recorded_records_are_counted(void **state)
{
	const struct tree *tree = *state;

	tree_put(tree, "kmsg",
		"6,0,0,-;Linux version 6.1.0\n" FULL "6,3,4,-;eth0: link up\n SUBSYSTEM=net\n"
		" DEVICE=n2\n" FULL "12,5,6,-;nf_conntrack: table full, dropping packet\n"
		"4,7,8,-;nf_conntrack: nf_conntrack: table full in netns 4026532246, dropping "
		"packet\n");
	assert_number(count(tree, 0), 3);
}

static void log_without_a_full_table_is_zero(void **state)
{
	const struct tree *tree = *state;

	tree_put(tree, "kmsg", "6,0,0,-;Linux version 6.1.0\n");
	assert_number(count(tree, 0), 0);
}

static void tree_without_a_log_is_unknown_and_no_failure(void **state)
{
	assert_number(count(*state, 0), UNKNOWN);
}

static void what_is_no_file_is_a_failure(void **state)
{
	const struct tree *tree = *state;

	tree_put(tree, "kmsg/x", "");
	assert_number(count(tree, -EISDIR), UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TREE(recorded_records_are_counted),
		WITH_TREE(log_without_a_full_table_is_zero),
		WITH_TREE(tree_without_a_log_is_unknown_and_no_failure),
		WITH_TREE(what_is_no_file_is_a_failure),
	};

	return cmocka_run_group_tests_name("kernlog", tests, NULL, NULL);
}
