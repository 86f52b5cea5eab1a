/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/ct/counters.h"
#include "tests/unit/ct_message.h"

struct text {
	char *bytes;
	size_t size;
	FILE *out;
};

static int setup(void **state)
{
	struct text *t = calloc(1, sizeof(*t));

	*state = t;
	t->out = open_memstream(&t->bytes, &t->size);
	return t->out ? 0 : -1;
}

static int teardown(void **state)
{
	struct text *t = *state;

	fclose(t->out);
	free(t->bytes);
	free(t);
	return 0;
}

static void put(struct ct_message *m, uint16_t type, uint32_t value)
{
	mnl_attr_put_u32(m->nlh, type, __builtin_bswap32(value));
}

static void rows_are_as_in_the_stat_file(void **state)
{
	struct text *t = *state;
	struct counters c = {0};
	struct ct_message m;

	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		message_begin(&m, IPCTNL_MSG_CT_GET_STATS_CPU);
		put(&m, CTA_STATS_FOUND, 0xfffffffe + cpu);
		put(&m, CTA_STATS_SEARCHED, 9); /* no longer counted: no column */
		put(&m, CTA_STATS_INSERT_FAILED, 7);
		put(&m, CTA_STATS_DROP, cpu);
		put(&m, CTA_STATS_CHAIN_TOOLONG, 0x10);
		assert_int_equal(counters_write(&c, m.nlh, t->out), 0);
	}
	fflush(t->out);
	assert_string_equal(t->bytes, "found insert_failed drop chainlength \n"
				      "fffffffe 00000007 00000000 00000010 \n"
				      "ffffffff 00000007 00000001 00000010 \n");
}

static void attributes_of_a_later_kernel_are_passed_over(void **state)
{
	struct text *t = *state;
	struct counters c = {0};
	struct ct_message m;

	message_begin(&m, IPCTNL_MSG_CT_GET_STATS_CPU);
	put(&m, CTA_STATS_DROP, 1);
	put(&m, 16, 1);
	put(&m, 40, 1);
	put(&m, 0x3fff, 1);
	assert_int_equal(counters_write(&c, m.nlh, t->out), 0);
	fflush(t->out);
	assert_string_equal(t->bytes, "drop \n00000001 \n");
}

static void a_cpu_with_other_counters_is_an_error(void **state)
{
	struct text *t = *state;
	struct counters c = {0};
	struct ct_message m;

	message_begin(&m, IPCTNL_MSG_CT_GET_STATS_CPU);
	assert_int_equal(counters_write(&c, m.nlh, t->out), -EBADMSG);
	put(&m, CTA_STATS_DROP, 1);
	assert_int_equal(counters_write(&c, m.nlh, t->out), 0);
	put(&m, CTA_STATS_FOUND, 1);
	assert_int_equal(counters_write(&c, m.nlh, t->out), -EBADMSG);
}

static void a_counter_of_another_length_is_none(void **state)
{
	struct text *t = *state;
	struct counters c = {0};
	struct ct_message m;

	message_begin(&m, IPCTNL_MSG_CT_GET_STATS_CPU);
	mnl_attr_put_u64(m.nlh, CTA_STATS_DROP, 1);
	mnl_attr_put_u16(m.nlh, CTA_STATS_FOUND, 1);
	assert_int_equal(counters_write(&c, m.nlh, t->out), -EBADMSG);
}

static void a_message_cut_anywhere_is_harmless(void **state)
{
	struct text *t = *state;
	struct ct_message m;

	message_begin(&m, IPCTNL_MSG_CT_GET_STATS_CPU);
	put(&m, CTA_STATS_FOUND, 1);
	put(&m, CTA_STATS_DROP, 1);
	for (uint32_t length = sizeof(*m.nlh); length < m.nlh->nlmsg_len; length++) {
		struct nlmsghdr *cut = malloc(length);
		struct counters c = {0};

		assert_non_null(cut);
		memcpy(cut, m.bytes, length);
		cut->nlmsg_len = length;
		assert_int_equal(counters_write(&c, cut, t->out), length < 28 ? -EBADMSG : 0);
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_are_as_in_the_stat_file, setup, teardown),
		cmocka_unit_test_setup_teardown(
			attributes_of_a_later_kernel_are_passed_over, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_cpu_with_other_counters_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_counter_of_another_length_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_message_cut_anywhere_is_harmless, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
