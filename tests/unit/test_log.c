/* SPDX-License-Identifier: MIT */
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/test.h"

static int ears, terminal;

static int setup(void **state)
{
	(void)state;
	ears = memfd_create("said", MFD_CLOEXEC);
	terminal = dup(STDERR_FILENO);
	return ears < 0 || terminal < 0;
}

static int teardown(void **state)
{
	(void)state;
	close(ears);
	close(terminal);
	return 0;
}

static void listen_to(int fd)
{
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
}

static const char *heard(void)
{
	static char said[4096];
	ssize_t n;

	listen_to(terminal);
	n = pread(ears, said, sizeof said - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	return said;
}

static void priority_stands_before_each_line(void **state)
{
	(void)state;
	log_open(LOG_TARGET_STDERR, LOG_DEBUG);
	listen_to(ears);
	log_error("one");
	log_warning("two %d", 2);
	log_notice("three");
	log_info("four");
	log_debug("five");
	log_fields(LOG_CRIT, &(struct log_field){"X", "y"}, 1, "six");
	assert_string_equal(heard(),
		"<3>connwatchd: one\n<4>connwatchd: two 2\n<5>connwatchd: three\n"
		"<6>connwatchd: four\n<7>connwatchd: five\n<2>connwatchd: six\n");
}

static void level_holds_back_what_is_below_it(void **state)
{
	(void)state;
	log_open(LOG_TARGET_STDERR, LOG_WARNING);
	listen_to(ears);
	log_notice("quiet");
	log_warning("loud");
	assert_string_equal(heard(), "<4>connwatchd: loud\n");
}

static void errno_text_follows_and_errno_is_kept(void **state)
{
	(void)state;
	log_open(LOG_TARGET_STDERR, LOG_INFO);
	listen_to(ears);
	errno = EPIPE;
	assert_int_equal(log_error_errno(-ENOENT, "cannot open %s", "x"), -ENOENT);
	assert_int_equal(errno, EPIPE);
	assert_string_equal(heard(), "<3>connwatchd: cannot open x: No such file or directory\n");
}

static void overlong_message_is_cut(void **state)
{
	char text[5000];

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	log_open(LOG_TARGET_STDERR, LOG_INFO);
	listen_to(ears);
	log_info("%s", text);
	assert_in_range(strlen(heard()), 500, 1100);
}

static void auto_without_a_journal_is_stderr(void **state)
{
	(void)state;
	setenv("JOURNAL_STREAM", "1:1", 1); /* of another descriptor than ours */
	log_open(LOG_TARGET_AUTO, LOG_INFO);
	listen_to(ears);
	log_info("here");
	assert_string_equal(heard(), "<6>connwatchd: here\n");
	unsetenv("JOURNAL_STREAM");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(priority_stands_before_each_line, setup, teardown),
		cmocka_unit_test_setup_teardown(level_holds_back_what_is_below_it, setup, teardown),
		cmocka_unit_test_setup_teardown(
			errno_text_follows_and_errno_is_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(overlong_message_is_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(auto_without_a_journal_is_stderr, setup, teardown),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
