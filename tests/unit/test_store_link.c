/* SPDX-License-Identifier: MIT */
/* The loop's end of the socket, with this program as the store process: what it must not believe, and a full socket. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <syslog.h>

#include "daemon/store_internal.h"
#include "daemon/store_proto.h"
#include "daemon/util.h"
#include "tests/unit/ear.h"

#define TIME INT64_C(1800000000)

static const struct metric metrics[] = {
	{.name = "entries", .kind = METRIC_GAUGE}, {.name = "drop", .kind = METRIC_COUNTER}};
static const struct collector fake = {.name = "fake", .metrics = metrics, .n_metrics = 2};
static const struct archive archives[] = {{10, 1000}};
static const struct conf_instance instances[] = {
	{.collector = &fake, .name = "conntrack", .title = ""},
	{.collector = &fake, .name = "tcp", .title = ""}};

struct world {
	struct ear ear;
	struct conf conf;
	struct store store;
	int peer; /* the store process's end */
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	int pair[2];

	if (!w || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	ear_open(&w->ear);
	w->conf = (struct conf){.interval = 10,
		.rrd_directory = "/nowhere",
		.rrd_daemon = "",
		.archives = archives,
		.n_archives = 1,
		.instances = instances,
		.n_instances = 2};
	w->store = (struct store){.fd = pair[0], .interval = 10};
	w->peer = pair[1];
	if (files_set(&w->store.files, &w->conf) < 0 || ring_init(&w->store.ring, 2000, 2) < 0)
		return -1;
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	close(w->store.fd);
	close(w->peer);
	files_close(&w->store.files);
	ring_close(&w->store.ring);
	ear_close(&w->ear);
	free(w);
	return 0;
}

static void push(struct world *w, uint32_t slot, int64_t time, bool last)
{
	struct ring_row *row = ring_push(&w->store.ring);

	*row = (struct ring_row){.time = time, .slot = slot, .last = last};
	row->values[0] = row->values[1] = 7;
	w->store.files.file[slot].pending++;
}

static void say(const struct world *w, const void *packet, size_t len)
{
	assert_int_equal(send(w->peer, packet, len, 0), len);
}

static void answer(const struct world *w, uint32_t slot, uint64_t seq, struct store_answer a)
{
	const struct store_packet head = {STORE_ANSWER, slot, seq};
	uint8_t packet[STORE_PACKET_SIZE];

	a.priority = a.priority ? a.priority : LOG_DEBUG;
	say(w, packet, (size_t)store_put_answer(packet, &head, &a));
}

/* Both files are open, and a row of each is on its way. */
static void begin(struct world *w)
{
	link_send(&w->store);
	for (uint32_t slot = 0; slot < 2; slot++)
		answer(w, slot, 0, (struct store_answer){.code = STORE_DONE});
	assert_true(link_receive(&w->store));
	for (uint32_t slot = 0; slot < 2; slot++)
		push(w, slot, TIME, slot == 1);
	link_send(&w->store);
	assert_int_equal(w->store.n_flight, 2);
}

static void assert_unbelieved(struct world *w)
{
	assert_false(link_receive(&w->store));
	assert_int_equal(ear_count(&w->ear, "<3>connwatchd: store: its process answers out of "
					    "turn; starting it anew\n"),
		1);
	assert_int_equal(w->store.counts.written, 0);
}

static void answers_in_turn_are_taken(void **state)
{
	struct world *w = *state;

	begin(w);
	for (uint32_t slot = 0; slot < 2; slot++)
		answer(w, slot, slot, (struct store_answer){.code = STORE_DONE});
	assert_true(link_receive(&w->store));
	assert_int_equal(w->store.counts.written, 2);
	assert_int_equal(w->store.n_flight, 0);
	assert_int_equal(w->store.files.file[0].pending, 0);
	assert_int_equal(ear_count(&w->ear, "\n"), 0);
}

static void an_answer_about_another_file_is_not_believed(void **state)
{
	struct world *w = *state;

	begin(w);
	answer(w, 1, 0, (struct store_answer){.code = STORE_DONE});
	assert_unbelieved(w);
}

static void an_answer_about_another_row_is_not_believed(void **state)
{
	struct world *w = *state;

	begin(w);
	answer(w, 0, 1, (struct store_answer){.code = STORE_DONE});
	assert_unbelieved(w);
}

static void an_answer_that_nobody_waits_for_is_not_believed(void **state)
{
	struct world *w = *state;

	answer(w, 0, 0, (struct store_answer){.code = STORE_DONE});
	assert_unbelieved(w);
}

static void what_is_no_packet_is_not_believed(void **state)
{
	struct world *w = *state;

	begin(w);
	say(w, "nonsense", 8);
	assert_unbelieved(w);
}

static void a_packet_that_only_the_loop_sends_is_not_believed(void **state)
{
	struct world *w = *state;
	const struct store_packet head = {.type = STORE_ROW};

	begin(w);
	say(w, &head, sizeof(head));
	assert_unbelieved(w);
}

static void a_sign_of_life_with_more_in_it_is_not_believed(void **state)
{
	struct world *w = *state;
	uint8_t packet[STORE_PACKET_SIZE] = {0};

	begin(w);
	say(w, packet, (size_t)store_put_busy(packet));
	assert_true(link_receive(&w->store));
	assert_true(w->store.busy);
	say(w, packet, (size_t)store_put_busy(packet) + 8);
	assert_unbelieved(w);
}

static void a_word_goes_to_the_log_and_half_a_word_is_not_believed(void **state)
{
	struct world *w = *state;
	uint8_t packet[STORE_PACKET_SIZE];
	size_t len = (size_t)store_put_say(packet, LOG_NOTICE, "rrdcached is back");

	say(w, packet, len);
	assert_true(link_receive(&w->store));
	assert_int_equal(ear_count(&w->ear, "<5>connwatchd: store: rrdcached is back\n"), 1);
	say(w, packet, len - 1);
	assert_unbelieved(w);
}

/* What was heard of the past. */
static struct {
	size_t n, instance;
	double time;
} heard;

static void hear(void *arg, size_t instance, size_t metric, double time, double value)
{
	(void)arg;
	assert_int_equal(metric, 1);
	assert_number(value, 5);
	heard.n++;
	heard.instance = instance;
	heard.time = time;
}

static void tell_past(const struct world *w, uint32_t slot)
{
	static struct store_past past = {
		.column = 1, .time = TIME, .step = 60, .n = 3, .values = {5, 5, 5}};
	uint8_t packet[STORE_PACKET_SIZE];

	say(w, packet, (size_t)store_put_past(packet, slot, &past));
}

static void the_past_goes_to_who_wants_it(void **state)
{
	struct world *w = *state;

	heard.n = 0;
	tell_past(w, 1);
	assert_true(link_receive(&w->store)); /* nobody does */
	w->store.past = hear;
	tell_past(w, 1);
	assert_true(link_receive(&w->store));
	assert_int_equal(heard.n, 3);
	assert_int_equal(heard.instance, 1);
	assert_number(heard.time, (double)(TIME + 120));
}

static void the_past_of_an_instance_that_is_gone_is_passed_over(void **state)
{
	struct world *w = *state;

	heard.n = 0;
	w->store.past = hear;
	w->store.files.file[1].pending = 1; /* a row of it is on its way */
	w->conf.n_instances = 1;
	assert_int_equal(files_set(&w->store.files, &w->conf), 0);
	tell_past(w, 1);
	assert_true(link_receive(&w->store));
	assert_int_equal(heard.n, 0);
	assert_int_equal(ear_count(&w->ear, "\n"), 0);
}

static void the_past_of_no_file_is_not_believed(void **state)
{
	struct world *w = *state;

	tell_past(w, 2);
	assert_unbelieved(w);
}

static void half_of_the_past_is_not_believed(void **state)
{
	struct world *w = *state;
	const struct store_packet head = {.type = STORE_PAST};

	say(w, &head, sizeof(head));
	assert_unbelieved(w);
}

static void a_note_is_said_once_until_it_is_another(void **state)
{
	struct world *w = *state;
	const struct store_answer a = {.code = STORE_DONE,
		.priority = LOG_WARNING,
		.note = "conntrack.rrd stays as it is"};

	link_send(&w->store);
	answer(w, 0, 0, a);
	answer(w, 1, 0, (struct store_answer){.code = STORE_DONE});
	assert_true(link_receive(&w->store));
	for (uint64_t seq = 0; seq < 2; seq++) {
		push(w, 0, TIME + (int64_t)seq, true);
		link_send(&w->store);
		answer(w, 0, seq, a);
		assert_true(link_receive(&w->store));
	}
	assert_int_equal(
		ear_count(&w->ear, "<4>connwatchd: store: conntrack.rrd stays as it is\n"), 1);
	push(w, 0, TIME + 2, true);
	link_send(&w->store);
	answer(w, 0, 2,
		(struct store_answer){
			.code = STORE_DONE, .priority = LOG_WARNING, .note = "other"});
	assert_true(link_receive(&w->store));
	assert_int_equal(ear_count(&w->ear, "\n"), 2);
}

static void a_program_that_cannot_be_run_is_to_blame_and_no_row(void **state)
{
	struct world *w = *state;

	begin(w);
	answer(w, 0, 0,
		(struct store_answer){.code = STORE_NO_EXEC, .cause = "/x: Exec format error"});
	assert_false(link_receive(&w->store));
	assert_int_equal(
		ear_count(&w->ear, "store: cannot run /x: Exec format error; install it there"), 1);
	assert_int_equal(w->store.n_flight, 0);
	assert_int_equal(w->store.ring.head - w->store.ring.tail, 2);
	assert_int_equal(w->store.counts.dropped, 0);
}

/* As many packets as a socket of the least size takes, and the rest when there is room again. */
static void a_full_socket_loses_nothing(void **state)
{
	struct world *w = *state;
	const int least = 0, rows = 60;
	struct store_packet head;
	uint8_t packet[STORE_PACKET_SIZE];
	size_t sent;

	assert_int_equal(setsockopt(w->store.fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)), 0);
	for (int i = 0; i < rows; i++)
		push(w, 0, TIME + i, true);
	link_send(&w->store);
	sent = w->store.n_flight;
	assert_in_range(sent, 1, rows - 1);
	for (size_t taken = 0; taken < (size_t)rows + 1;) {
		assert_true(recv(w->peer, packet, sizeof(packet), MSG_DONTWAIT) > 0);
		assert_int_equal(store_parse_packet(packet, sizeof(head), &head), 0);
		assert_int_equal(head.type, taken ? STORE_ROW : STORE_OPEN);
		assert_int_equal(head.seq, taken ? taken - 1 : 0);
		taken++;
		link_send(&w->store);
	}
	assert_int_equal(w->store.n_flight, rows + 2); /* and the OPEN of the other file */
}

/* An OPEN needs more room than a row: it is the first that finds none. */
static void a_full_socket_leaves_a_file_unopened_for_now(void **state)
{
	struct world *w = *state;
	const int least = 0;
	uint8_t packet[STORE_PACKET_SIZE];
	size_t stuffed = 0;

	assert_int_equal(setsockopt(w->store.fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)), 0);
	while (send(w->store.fd, "x", 1, MSG_DONTWAIT) == 1)
		stuffed++;
	assert_int_equal(errno, EAGAIN);
	link_send(&w->store);
	assert_int_equal(w->store.n_flight, 0);
	assert_false(w->store.files.file[0].opened);
	assert_int_equal(w->store.files.file[0].pending, 0);
	while (stuffed--)
		assert_int_equal(recv(w->peer, packet, sizeof(packet), MSG_DONTWAIT), 1);
	link_send(&w->store);
	assert_int_equal(w->store.n_flight, 2);
	assert_true(w->store.files.file[0].opened);
}

static void a_closed_socket_is_the_end(void **state)
{
	struct world *w = *state;

	begin(w);
	shutdown(w->peer, SHUT_WR);
	assert_false(link_receive(&w->store));
	assert_int_equal(ear_count(&w->ear, "\n"), 0);
	link_reset(&w->store);
	assert_int_equal(w->store.n_flight, 0);
	assert_int_equal(w->store.ring.next, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(answers_in_turn_are_taken),
		TEST(an_answer_about_another_file_is_not_believed),
		TEST(an_answer_about_another_row_is_not_believed),
		TEST(an_answer_that_nobody_waits_for_is_not_believed),
		TEST(what_is_no_packet_is_not_believed),
		TEST(a_packet_that_only_the_loop_sends_is_not_believed),
		TEST(a_sign_of_life_with_more_in_it_is_not_believed),
		TEST(a_word_goes_to_the_log_and_half_a_word_is_not_believed),
		TEST(the_past_goes_to_who_wants_it),
		TEST(the_past_of_an_instance_that_is_gone_is_passed_over),
		TEST(the_past_of_no_file_is_not_believed),
		TEST(half_of_the_past_is_not_believed),
		TEST(a_note_is_said_once_until_it_is_another),
		TEST(a_program_that_cannot_be_run_is_to_blame_and_no_row),
		TEST(a_full_socket_loses_nothing),
		TEST(a_full_socket_leaves_a_file_unopened_for_now),
		TEST(a_closed_socket_is_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
