/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <jansson.h>
#include <linux/netfilter/nf_conntrack_common.h>

#include "daemon/ct/who.h"
#include "tests/unit/ct_message.h"

static void count_one(struct who *w, const struct ct_tuple *tuple, uint32_t status, int state)
{
	struct ct_message m;

	message_begin(&m, IPCTNL_MSG_CT_NEW);
	put_tuple(&m, tuple);
	put_rest(&m, status, state);
	who_count(w, m.nlh);
}

static void count_text(
	struct who *w, int family, const char *source, uint8_t protocol, uint16_t port)
{
	uint8_t from[16], to[16] = {[15] = 1};

	assert_int_equal(inet_pton(family, source, from), 1);
	count_one(
		w, &(struct ct_tuple){from, to, family == AF_INET ? 4 : 16, protocol, port}, 0, -1);
}

/* The answer as JSON; owned by the caller. */
static json_t *answer(const struct who *w, bool sample)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *json;

	assert_non_null(out);
	who_write(w, sample, out);
	fclose(out);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(json);
	return json;
}

static void assert_top(json_t *json, const char *list, size_t at, const char *name, int entries)
{
	json_t *item = json_array_get(json_object_get(json_object_get(json, list), "top"), at);

	assert_non_null(item);
	assert_string_equal(json_string_value(json_object_get(item, "name")), name);
	assert_int_equal(json_integer_value(json_object_get(item, "entries")), entries);
}

static size_t top_size(json_t *json, const char *list)
{
	return json_array_size(json_object_get(json_object_get(json, list), "top"));
}

static int number(json_t *json, const char *key)
{
	assert_true(json_is_integer(json_object_get(json, key)));
	return (int)json_integer_value(json_object_get(json, key));
}

static int setup(void **state)
{
	return who_new((struct who **)state);
}

static int teardown(void **state)
{
	who_free(*state);
	return 0;
}

static void an_empty_table_is_an_answer(void **state)
{
	json_t *json = answer(*state, false);

	assert_int_equal(number(json, "entries"), 0);
	assert_int_equal(top_size(json, "sources"), 0);
	json_decref(json);
}

static void each_family_is_counted_and_mapped_is_ipv4(void **state)
{
	json_t *json;

	count_text(*state, AF_INET, "192.0.2.7", IPPROTO_TCP, 443);
	count_text(*state, AF_INET6, "::ffff:192.0.2.7", IPPROTO_TCP, 443);
	count_text(*state, AF_INET6, "2001:db8::1", IPPROTO_UDP, 53);
	json = answer(*state, false);
	assert_top(json, "sources", 0, "192.0.2.7", 2);
	assert_top(json, "sources", 1, "2001:db8::1", 1);
	assert_int_equal(top_size(json, "sources"), 2);
	assert_top(json, "destinations", 0, "::1", 2);
	assert_top(json, "destinations", 1, "0.0.0.0", 1);
	assert_top(json, "ports", 0, "443/tcp", 2);
	assert_top(json, "ports", 1, "53/udp", 1);
	json_decref(json);
}

static void one_port_of_two_protocols_is_two(void **state)
{
	json_t *json;

	count_text(*state, AF_INET, "192.0.2.7", IPPROTO_TCP, 53);
	count_text(*state, AF_INET, "192.0.2.7", IPPROTO_UDP, 53);
	count_text(*state, AF_INET, "192.0.2.7", IPPROTO_UDP, 53);
	json = answer(*state, false);
	assert_top(json, "ports", 0, "53/udp", 2);
	assert_top(json, "ports", 1, "53/tcp", 1);
	json_decref(json);
}

static void a_protocol_without_ports_or_name_is_counted(void **state)
{
	json_t *json;

	count_text(*state, AF_INET, "192.0.2.7", IPPROTO_ICMP, 0);
	count_text(*state, AF_INET, "192.0.2.7", 253, 0);
	count_text(*state, AF_INET, "192.0.2.7", 253, 0);
	json = answer(*state, false);
	assert_int_equal(top_size(json, "ports"), 0);
	assert_top(json, "protocols", 0, "253", 2);
	assert_top(json, "protocols", 1, "icmp", 1);
	json_decref(json);
}

static void states_and_status_are_counted(void **state)
{
	static const uint8_t address[4] = {192, 0, 2, 7};
	const struct ct_tuple tuple = {address, address, 4, IPPROTO_TCP, 443};
	json_t *json;

	count_one(*state, &tuple, 0, TCP_CONNTRACK_SYN_SENT);
	count_one(*state, &tuple, IPS_CONFIRMED, TCP_CONNTRACK_SYN_SENT);
	count_one(*state, &tuple, IPS_SEEN_REPLY, TCP_CONNTRACK_SYN_RECV);
	count_one(*state, &tuple, IPS_SEEN_REPLY | IPS_ASSURED, 200);
	json = answer(*state, false);
	assert_int_equal(number(json, "assured"), 1);
	assert_int_equal(number(json, "unreplied"), 2);
	assert_top(json, "states", 0, "syn_sent", 2);
	assert_top(json, "states", 1, "syn_recv", 1);
	assert_top(json, "states", 2, "200", 1);
	json_decref(json);
}

static void a_sample_says_so_and_shares_are_of_what_was_counted(void **state)
{
	json_t *json, *item;

	for (int i = 0; i < 3; i++)
		count_text(*state, AF_INET, i ? "192.0.2.7" : "192.0.2.9", IPPROTO_TCP, 443);
	json = answer(*state, true);
	assert_true(json_is_true(json_object_get(json, "sample")));
	item = json_array_get(json_object_get(json_object_get(json, "sources"), "top"), 0);
	assert_true(json_real_value(json_object_get(item, "percent")) == 66.7);
	json_decref(json);
}

static void a_list_ends_after_a_hundred(void **state)
{
	json_t *json;
	char source[32];

	for (int i = 0; i < 150; i++) {
		snprintf(source, sizeof(source), "192.0.2.%d", i);
		count_text(*state, AF_INET, source, IPPROTO_TCP, 443);
	}
	json = answer(*state, false);
	assert_int_equal(top_size(json, "sources"), WHO_TOP);
	assert_int_equal(number(json_object_get(json, "sources"), "different"), 150);
	json_decref(json);
}

/* Of a copy of the message in memory of exactly that length, so that a sanitizer sees each byte too
 * many. */
static void count_cut(struct who *w, const struct ct_message *m, size_t length)
{
	struct nlmsghdr *cut = malloc(length);

	assert_non_null(cut);
	memcpy(cut, m->bytes, length);
	cut->nlmsg_len = (uint32_t)length;
	who_count(w, cut);
	free(cut);
}

static void a_message_cut_anywhere_is_harmless(void **state)
{
	static const uint8_t address[16] = {0x20, 1, 0xd, 0xb8};
	struct ct_message m;
	json_t *json;
	size_t n = 0;

	message_begin(&m, IPCTNL_MSG_CT_NEW);
	put_tuple(&m, &(struct ct_tuple){address, address, 16, IPPROTO_TCP, 443});
	put_rest(&m, IPS_ASSURED, TCP_CONNTRACK_ESTABLISHED);
	for (size_t length = sizeof(struct nlmsghdr); length < m.nlh->nlmsg_len; length++, n++)
		count_cut(*state, &m, length);
	json = answer(*state, false);
	assert_int_equal(number(json, "entries"), n);
	/* nested lengths no longer fit once the last attribute is cut */
	assert_int_equal(top_size(json, "states"), 0);
	json_decref(json);
}

/* Any two bytes of the message set to extremes, as lengths among others. */
static void lengths_that_lie_are_harmless(void **state)
{
	static const uint16_t lies[] = {0, 1, 3, 4, 5, 8, 0x7fff, 0x8004, 0xffff};
	static const uint8_t address[4] = {192, 0, 2, 7};
	struct ct_message good, bad;
	json_t *json;

	message_begin(&good, IPCTNL_MSG_CT_NEW);
	put_tuple(&good, &(struct ct_tuple){address, address, 4, IPPROTO_TCP, 443});
	put_rest(&good, IPS_ASSURED, TCP_CONNTRACK_ESTABLISHED);
	for (size_t at = sizeof(struct nlmsghdr); at + 2 <= good.nlh->nlmsg_len; at += 2) {
		for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
			bad = good;
			memcpy(bad.bytes + at, &lies[i], 2);
			count_cut(*state, &bad, good.nlh->nlmsg_len);
		}
	}
	json = answer(*state, false);
	json_decref(json);
}

static void addresses_of_other_lengths_are_no_addresses(void **state)
{
	static const uint8_t address[16] = {1};
	json_t *json;

	for (size_t size = 0; size <= 16; size++) {
		if (size != 4 && size != 16)
			count_one(*state,
				&(struct ct_tuple){address, address, size, IPPROTO_TCP, 443}, 0,
				-1);
	}
	json = answer(*state, false);
	assert_int_equal(number(json, "entries"), 15);
	assert_int_equal(top_size(json, "sources"), 0);
	assert_top(json, "ports", 0, "443/tcp", 15);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_empty_table_is_an_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(
			each_family_is_counted_and_mapped_is_ipv4, setup, teardown),
		cmocka_unit_test_setup_teardown(one_port_of_two_protocols_is_two, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_protocol_without_ports_or_name_is_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(states_and_status_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_sample_says_so_and_shares_are_of_what_was_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(a_list_ends_after_a_hundred, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_message_cut_anywhere_is_harmless, setup, teardown),
		cmocka_unit_test_setup_teardown(lengths_that_lie_are_harmless, setup, teardown),
		cmocka_unit_test_setup_teardown(
			addresses_of_other_lengths_are_no_addresses, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
