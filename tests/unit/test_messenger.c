/* SPDX-License-Identifier: MIT */
#include "daemon/messenger.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/util.h"
#include "tests/unit/test.h"

static const struct metric entries = {.name = "entries", .unit = "entries", .kind = METRIC_GAUGE};
static const struct rule full = {RULE_DEFAULTS, RULE_PERCENT, .name = "conntrack-full",
	.subject = "conntrack", .value = "conntrack.entries", .limit = "conntrack.max"};
static const struct rule other = {
	RULE_DEFAULTS, .name = "tw-many", .value = "limits.tw", .warning = 1};

/* The service's side of it. */
struct bench {
	char directory[32], path[64];
	int listener;
	sd_event *event;
	struct messenger *messenger;
};

static void listen_there(struct bench *b, int backlog)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", b->path);
	b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_true(b->listener >= 0);
	assert_int_equal(bind(b->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(b->listener, backlog), 0);
}

static int setup(void **state)
{
	static struct bench bench;
	struct bench *b = &bench;

	*b = (struct bench){.directory = "/tmp/messenger.XXXXXX", .listener = -1};
	assert_non_null(mkdtemp(b->directory));
	snprintf(b->path, sizeof(b->path), "%.31s/socket", b->directory);
	assert_true(sd_event_new(&b->event) >= 0);
	assert_int_equal(messenger_new(b->event, b->path, &b->messenger), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	messenger_free(b->messenger);
	sd_event_unref(b->event);
	cleanup_close(&b->listener);
	unlink(b->path);
	return rmdir(b->directory);
}

static void send_event(
	struct bench *b, const struct rule *rule, enum alert_kind kind, enum level to)
{
	const struct notify_subject subject = {.rule = rule, .metric = &entries, .object = ""};
	const struct alert_event event = {
		.kind = kind,
		.to = to,
		.worst = LEVEL_WARNING,
		.value = 214958,
		.limit = 262144,
		.percent = 214958 * 100.0 / 262144,
		.growth = UNKNOWN,
		.seconds_to_full = to == LEVEL_OK ? UNKNOWN : 152,
		.duration = 360,
	};

	messenger_send(b->messenger, &subject, &event);
	while (sd_event_run(b->event, 0) > 0)
		;
}

/* What the next connection says, -1 if there is none; the caller closes it. */
static int next_text(struct bench *b, char text[static 2048])
{
	int fd = accept(b->listener, NULL, NULL);
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, text + used, 2047 - used)) > 0)
		used += (size_t)n;
	assert_int_equal(n, 0); /* the end of the text, while the connection stands */
	text[used] = '\0';
	return fd;
}

static void end_service(struct bench *b, int fd)
{
	close(fd);
	while (sd_event_run(b->event, 0) > 0)
		;
}

static void change_arrives_as_lines(void **state)
{
	struct bench *b = *state;
	char text[2048];

	listen_there(b, 8);
	send_event(b, &full, ALERT_CHANGE, LEVEL_WARNING);
	end_service(b, next_text(b, text));
	assert_string_equal(text,
		"CONNWATCH_ALERT=conntrack-full\nCONNWATCH_LEVEL=warning\n"
		"CONNWATCH_VALUE=214958\nCONNWATCH_LIMIT=262144\nCONNWATCH_PERCENT=82.0\n"
		"CONNWATCH_SECONDS_TO_FULL=152\n"
		"CONNWATCH_MESSAGE=conntrack: 82% full (214958 of 262144 entries), "
		"full in about 2 min 32 s\n");
}

static void recovery_is_a_change_of_level_and_a_reminder_is_not(void **state)
{
	struct bench *b = *state;
	char text[2048];

	listen_there(b, 8);
	send_event(b, &full, ALERT_REMINDER, LEVEL_WARNING);
	assert_int_equal(next_text(b, text), -1);
	send_event(b, &full, ALERT_RECOVERY, LEVEL_OK);
	end_service(b, next_text(b, text));
	assert_non_null(strstr(text, "\nCONNWATCH_LEVEL=ok\n"));
	assert_null(strstr(text, "SECONDS_TO_FULL"));
}

static void the_next_of_an_alert_waits_for_the_one_before_and_others_do_not(void **state)
{
	struct bench *b = *state;
	char text[2048];
	int first, second;

	listen_there(b, 8);
	send_event(b, &full, ALERT_CHANGE, LEVEL_WARNING);
	send_event(b, &full, ALERT_CHANGE, LEVEL_CRITICAL);
	send_event(b, &full, ALERT_RECOVERY, LEVEL_OK);
	send_event(b, &other, ALERT_CHANGE, LEVEL_WARNING);
	first = next_text(b, text);
	assert_non_null(strstr(text, "=conntrack-full\nCONNWATCH_LEVEL=warning\n"));
	second = next_text(b, text);
	assert_non_null(strstr(text, "CONNWATCH_ALERT=tw-many\n"));
	assert_int_equal(next_text(b, text), -1);
	end_service(b, second);
	assert_int_equal(next_text(b, text), -1);
	end_service(b, first);
	first = next_text(b, text);
	assert_non_null(strstr(text, "LEVEL=critical\n"));
	assert_int_equal(next_text(b, text), -1);
	end_service(b, first);
	end_service(b, next_text(b, text));
	assert_non_null(strstr(text, "LEVEL=ok\n"));
}

static void nobody_who_listens_leaves_nothing_behind(void **state)
{
	struct bench *b = *state;
	char text[2048];

	send_event(b, &full, ALERT_CHANGE, LEVEL_WARNING);
	listen_there(b, 8);
	send_event(b, &full, ALERT_CHANGE, LEVEL_CRITICAL);
	end_service(b, next_text(b, text));
	assert_non_null(strstr(text, "LEVEL=critical\n"));
	assert_int_equal(next_text(b, text), -1);
}

/* A test that waited here would be ended by ctest. */
static void a_listener_that_does_not_accept_is_not_waited_for(void **state)
{
	struct bench *b = *state;
	struct rule rules[8];
	char names[8][8], text[2048];
	int n = 0, fd;

	listen_there(b, 0);
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		snprintf(names[i], sizeof(names[i]), "rule%zu", i);
		rules[i] = full;
		rules[i].name = names[i];
		send_event(b, &rules[i], ALERT_CHANGE, LEVEL_WARNING);
	}
	for (; (fd = next_text(b, text)) >= 0; n++)
		end_service(b, fd);
	assert_in_range(n, 1, ARRAY_LEN(rules) - 1);
}

static void what_waits_is_bounded_and_goes_on_afterwards(void **state)
{
	struct bench *b = *state;
	char text[2048];
	int n = 0, fd;

	listen_there(b, 8);
	for (int i = 0; i < 100; i++)
		send_event(b, &full, ALERT_CHANGE, LEVEL_WARNING);
	for (; (fd = next_text(b, text)) >= 0; n++)
		end_service(b, fd);
	assert_int_equal(n, 32);
	send_event(b, &full, ALERT_RECOVERY, LEVEL_OK);
	end_service(b, next_text(b, text));
}

static void what_waits_is_freed_with_the_messenger(void **state)
{
	struct bench *b = *state;

	listen_there(b, 8);
	send_event(b, &full, ALERT_CHANGE, LEVEL_WARNING);
	send_event(b, &full, ALERT_RECOVERY, LEVEL_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(change_arrives_as_lines),
		TEST(recovery_is_a_change_of_level_and_a_reminder_is_not),
		TEST(the_next_of_an_alert_waits_for_the_one_before_and_others_do_not),
		TEST(nobody_who_listens_leaves_nothing_behind),
		TEST(a_listener_that_does_not_accept_is_not_waited_for),
		TEST(what_waits_is_bounded_and_goes_on_afterwards),
		TEST(what_waits_is_freed_with_the_messenger),
	};

	return cmocka_run_group_tests_name("messenger", tests, NULL, NULL);
}
