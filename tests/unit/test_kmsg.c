/* SPDX-License-Identifier: MIT */
#include "collectors/kmsg.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemon/util.h"
#include "tests/unit/test.h"

static struct span span(const char *text)
{
	return (struct span){text, strlen(text)};
}

/* The wordings, each from kernels of its time. */
static const char *const wordings[] = {
	"ip_conntrack: table full, dropping packet.",
	"nf_conntrack: table full, dropping packet.",
	"nf_conntrack: table full, dropping packet",
	"nf_conntrack: nf_conntrack: table full, dropping packet",
	"nf_conntrack: nf_conntrack: table full in netns 4026532246, dropping packet",
	"nf_conntrack: table full in netns 4026532246, dropping packet",
};

static void every_wording_is_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wordings); i++)
		if (!kmsg_is_table_full(span(wordings[i])))
			fail_msg("not known: %s", wordings[i]);
}

static void beginnings_of_a_wording_do_not_count(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wordings); i++)
		for (size_t len = 0; len < strlen(wordings[i]) - 1; len++)
			assert_false(kmsg_is_table_full((struct span){wordings[i], len}));
}

static void other_lines_do_not_count(void **state)
{
	static const char *const others[] = {
		"nf_conntrack: table full, dropping packetIN=eth0 OUT= SRC=192.0.2.7",
		"nf_conntrack: table full, dropping packet IN=eth0 OUT= SRC=192.0.2.7",
		"nf_conntrack: table full, dropping packet..",
		" nf_conntrack: table full, dropping packet",
		"xnf_conntrack: table full, dropping packet",
		"nf_conntrack: nf_conntrack: nf_conntrack: table full, dropping packet",
		"nf_conntrack: expectation table full",
		"nf_conntrack: table full in netns , dropping packet",
		"nf_conntrack: table full in netns 12a, dropping packet",
		"neighbour: arp_cache: neighbor table overflow!",
		"net_ratelimit: 3939 callbacks suppressed",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (kmsg_is_table_full(span(others[i])))
			fail_msg("counted: %s", others[i]);
}

static void record_is_taken_apart(void **state)
{
	struct kmsg_record r;

	(void)state;
	assert_int_equal(
		kmsg_parse(span("30,1234,5140900,-,caller=T1;a;b, c\n SUBSYSTEM=net\n"), &r), 0);
	assert_int_equal(r.facility, 3);
	assert_int_equal(r.message.len, strlen("a;b, c"));
	assert_memory_equal(r.message.at, "a;b, c", r.message.len);
}

static void record_without_text_or_newline_is_one(void **state)
{
	struct kmsg_record r;

	(void)state;
	assert_int_equal(kmsg_parse(span("4,1,2,-;"), &r), 0);
	assert_int_equal(r.message.len, 0);
	assert_int_equal(kmsg_parse(span("4,1,2,-;\n"), &r), 0);
	assert_int_equal(r.message.len, 0);
	assert_int_equal(kmsg_parse(span("4,1,2,-;x"), &r), 0);
	assert_int_equal(r.message.len, 1);
}

static void what_is_no_record_is_refused(void **state)
{
	static const char *const bad[] = {"", "\n", ";", "4;x", "4,1;x", "4,1,2;x", ",1,2,-;x",
		"-4,1,2,-;x", "4,,2,-;x", "4,1,x,-;x", "4,1,2,-", " SUBSYSTEM=net"};
	struct kmsg_record r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (kmsg_parse(span(bad[i]), &r) != -EBADMSG)
			fail_msg("taken for a record: %s", bad[i]);
}

/* A process that writes to /dev/kmsg gets facility 1 whatever it asks for. */
static void only_the_kernel_itself_counts(void **state)
{
	(void)state;
	assert_true(kmsg_counts(span("4,1,2,-;nf_conntrack: table full, dropping packet\n")));
	assert_true(kmsg_counts(span("7,1,2,-;nf_conntrack: table full, dropping packet\n")));
	assert_false(kmsg_counts(span("12,1,2,-;nf_conntrack: table full, dropping packet\n")));
	assert_false(kmsg_counts(span("8,1,2,-;nf_conntrack: table full, dropping packet\n")));
	assert_false(kmsg_counts(
		span("4,1,2,-;x\n MESSAGE=4,1,2,-;nf_conntrack: table full, dropping packet\n")));
}

/* ---- reading: what read() is to give, by --wrap=read ---- */

struct step {
	int error;
	const char *record;
};

static const struct step *next_step;
static size_t steps_left;

ssize_t __wrap_read(int fd, void *buffer, size_t size);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	const struct step *step = next_step++;

	assert_int_equal(fd, 77);
	assert_true(steps_left-- > 0);
	if (step->error) {
		errno = step->error;
		return -1;
	}
	assert_true(strlen(step->record) <= size);
	memcpy(buffer, step->record, strlen(step->record));
	return (ssize_t)strlen(step->record);
}

#define FULL "4,1,2,-;nf_conntrack: nf_conntrack: table full, dropping packet\n"
#define OTHER "6,1,2,-;eth0: link up\n"

static void expect_drain(
	const struct step *steps, size_t n, size_t max, ssize_t result, uint64_t lines)
{
	uint64_t counted = 5;

	next_step = steps;
	steps_left = n;
	assert_int_equal(kmsg_drain(77, max, &counted), result);
	assert_int_equal(counted, 5 + lines);
	assert_int_equal(steps_left, 0);
}

static void everything_there_is_is_read(void **state)
{
	static const struct step steps[] = {{0, FULL}, {0, OTHER}, {0, FULL}, {EAGAIN, NULL}};

	(void)state;
	expect_drain(steps, ARRAY_LEN(steps), 100, 3, 2);
}

static void overwritten_records_are_passed_over(void **state)
{
	static const struct step steps[] = {
		{0, FULL}, {EPIPE, NULL}, {EINTR, NULL}, {EINVAL, NULL}, {0, FULL}, {EAGAIN, NULL}};

	(void)state;
	expect_drain(steps, ARRAY_LEN(steps), 100, 5, 2);
}

static void work_is_bounded(void **state)
{
	static const struct step steps[] = {{0, FULL}, {0, FULL}, {EPIPE, NULL}};

	(void)state;
	expect_drain(steps, ARRAY_LEN(steps), 3, 3, 2);
}

static void other_errors_are_told(void **state)
{
	static const struct step steps[] = {{0, FULL}, {EIO, NULL}};

	(void)state;
	expect_drain(steps, ARRAY_LEN(steps), 100, -EIO, 1);
}

static void end_of_a_file_is_the_end(void **state)
{
	static const struct step steps[] = {{0, FULL}, {0, ""}};

	(void)state;
	expect_drain(steps, ARRAY_LEN(steps), 100, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wording_is_known),
		cmocka_unit_test(beginnings_of_a_wording_do_not_count),
		cmocka_unit_test(other_lines_do_not_count),
		cmocka_unit_test(record_is_taken_apart),
		cmocka_unit_test(record_without_text_or_newline_is_one),
		cmocka_unit_test(what_is_no_record_is_refused),
		cmocka_unit_test(only_the_kernel_itself_counts),
		cmocka_unit_test(everything_there_is_is_read),
		cmocka_unit_test(overwritten_records_are_passed_over),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(other_errors_are_told),
		cmocka_unit_test(end_of_a_file_is_the_end),
	};

	return cmocka_run_group_tests_name("kmsg", tests, NULL, NULL);
}
