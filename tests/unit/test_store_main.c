/* SPDX-License-Identifier: MIT */
/* The real store process, with this program as its loop: packets that the loop would never send, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store_child.h"
#include "daemon/store_proto.h"
#include "daemon/util.h"
#include "tests/unit/fake_rrdcached.h"
#include "tests/unit/test.h"

#define PATIENCE_SECONDS 30 /* for what takes milliseconds on an idle machine */

struct world {
	char root[32], path[64], address[FAKE_ADDRESS_SIZE];
	struct store_open spec;
	pid_t pid;
	int fd;
	int64_t first; /* time of a row */
};

static int set_up(void **state)
{
	const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	strcpy(w->root, "/tmp/storemain-XXXXXX");
	if (!mkdtemp(w->root) || child_start(&w->pid, &w->fd) < 0 || fcntl(w->fd, F_SETFL, 0) < 0 ||
		setsockopt(w->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		return -1;
	snprintf(w->path, sizeof(w->path), "%s/tcp.rrd", w->root);
	w->first = time(NULL) / 10 * 10 - 1000;
	w->spec = (struct store_open){.name = "tcp",
		.directory = w->root,
		.daemon = "",
		.step = 10,
		.heartbeat = 30,
		.n_columns = 2,
		.n_archives = 1,
		.columns = {{"entries", METRIC_GAUGE}, {"drop", METRIC_COUNTER}},
		.archives = {{10, 360}}};
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	char undo[64];

	cleanup_close(&w->fd);
	if (w->pid) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
	}
	remove(w->path);
	snprintf(undo, sizeof(undo), "%s/.store.undo", w->root);
	remove(undo);
	rmdir(w->root);
	free(w);
	return 0;
}

static void put(const struct world *w, const void *packet, size_t len)
{
	assert_int_equal(send(w->fd, packet, len, MSG_NOSIGNAL), len);
}

static void put_open(const struct world *w, uint32_t slot)
{
	uint8_t packet[STORE_PACKET_SIZE];

	put(w, packet, (size_t)store_put_open(packet, slot, &w->spec));
}

static void put_row(const struct world *w, uint32_t slot, int64_t time)
{
	static const double values[] = {1000, 7};
	const struct store_packet head = {STORE_ROW, slot, (uint64_t)time};
	uint8_t packet[STORE_PACKET_SIZE];

	put(w, packet, (size_t)store_put_row(packet, &head, time, values, 2));
}

/* The next packet but signs of life. */
static size_t next(const struct world *w, uint8_t packet[static STORE_PACKET_SIZE])
{
	struct store_packet head;
	ssize_t len;

	do {
		len = recv(w->fd, packet, STORE_PACKET_SIZE, 0);
		assert_true(len > 0);
		assert_int_equal(store_parse_packet(packet, (size_t)len, &head), 0);
	} while (head.type == STORE_BUSY);
	return (size_t)len;
}

static struct store_answer answer(const struct world *w)
{
	uint8_t packet[STORE_PACKET_SIZE];
	struct store_answer a;
	size_t len = next(w, packet);

	assert_int_equal(store_parse_answer(packet, len, &a), 0);
	return a;
}

static void assert_done(const struct world *w)
{
	struct store_answer a = answer(w);

	assert_string_equal(a.cause, "");
	assert_int_equal(a.code, STORE_DONE);
}

/* It ends by itself. */
static void assert_ends(struct world *w, int status)
{
	siginfo_t si;

	assert_int_equal(waitid(P_PID, (id_t)w->pid, &si, WEXITED), 0);
	w->pid = 0;
	assert_int_equal(si.si_code, CLD_EXITED);
	assert_int_equal(si.si_status, status);
}

static void row_after_row_is_answered_and_the_end_is_no_failure(void **state)
{
	struct world *w = *state;

	put_open(w, 7);
	assert_done(w);
	for (int i = 0; i < 3; i++) {
		put_row(w, 7, w->first + i * 10);
		assert_done(w);
	}
	shutdown(w->fd, SHUT_WR);
	assert_ends(w, EXIT_SUCCESS);
}

/* A loop that was killed: no answer can be told any more. */
static void what_a_loop_sent_before_it_went_is_written(void **state)
{
	struct world *w = *state;
	struct stat st;

	kill(w->pid, SIGSTOP);
	put_open(w, 0);
	for (int i = 0; i < 8; i++)
		put_row(w, 0, w->first + i * 10);
	close(take_fd(&w->fd));
	kill(w->pid, SIGCONT);
	assert_ends(w, EXIT_SUCCESS);
	assert_int_equal(stat(w->path, &st), 0);
	/* Its last row, by another process. */
	assert_int_equal(child_start(&w->pid, &w->fd), 0);
	assert_int_equal(fcntl(w->fd, F_SETFL, 0), 0);
	put_open(w, 0);
	assert_int_equal(answer(w).last, w->first + 70);
}

/* The loop has gone, and left answers unread. */
static void loop_that_goes_without_listening_is_no_failure(void **state)
{
	struct world *w = *state;
	struct store_packet head;
	uint8_t packet[STORE_PACKET_SIZE];

	put_open(w, 0);
	do {
		assert_true(recv(w->fd, packet, sizeof(packet), MSG_PEEK) > 0);
		memcpy(&head, packet, sizeof(head));
		if (head.type == STORE_BUSY)
			recv(w->fd, packet, sizeof(packet), 0);
	} while (head.type == STORE_BUSY);
	close(take_fd(&w->fd));
	assert_ends(w, EXIT_SUCCESS);
}

static void another_open_of_a_slot_closes_the_first(void **state)
{
	struct world *w = *state;

	put_open(w, 0);
	assert_done(w);
	put_row(w, 0, w->first);
	assert_done(w);
	w->spec.n_archives = 2;
	w->spec.archives[1] = (struct store_archive){60, 100};
	put_open(w, 0);
	assert_non_null(strstr(answer(w).note, "tcp.rrd converted"));
	put_row(w, 0, w->first + 10);
	assert_done(w);
}

static void past_comes_after_the_answer_where_it_is_wanted(void **state)
{
	struct world *w = *state;
	static struct store_past past;
	uint8_t packet[STORE_PACKET_SIZE];
	size_t len;

	put_open(w, 3);
	assert_done(w);
	put_row(w, 3, w->first);
	assert_done(w);
	w->spec.past = 1;
	put_open(w, 3);
	assert_done(w);
	len = next(w, packet);
	assert_int_equal(store_parse_past(packet, len, &past), 0);
	assert_int_equal(past.column, 0);
	assert_int_equal(past.time, w->first);
	assert_number(past.values[0], 1000);
	assert_int_equal(((const struct store_packet *)(void *)packet)->slot, 3);
}

static void row_for_no_file_ends_it(void **state)
{
	struct world *w = *state;

	put_row(w, 0, w->first);
	assert_ends(w, EXIT_FAILURE);
}

static void row_of_no_values_ends_it(void **state)
{
	struct world *w = *state;
	const struct store_packet head = {.type = STORE_ROW};

	put_open(w, 0);
	assert_done(w);
	put(w, &head, sizeof(head));
	assert_ends(w, EXIT_FAILURE);
}

static void open_of_nothing_ends_it(void **state)
{
	struct world *w = *state;
	const struct store_packet head = {.type = STORE_OPEN};

	put(w, &head, sizeof(head));
	assert_ends(w, EXIT_FAILURE);
}

static void answer_to_nothing_ends_it(void **state)
{
	struct world *w = *state;
	const struct store_packet head = {.type = STORE_ANSWER};

	put(w, &head, sizeof(head));
	assert_ends(w, EXIT_FAILURE);
}

static void what_is_no_packet_ends_it(void **state)
{
	struct world *w = *state;

	put(w, "nonsense", 8);
	assert_ends(w, EXIT_FAILURE);
}

static void packet_that_is_too_long_ends_it(void **state)
{
	static uint8_t packet[STORE_PACKET_SIZE + 1];
	struct world *w = *state;

	store_put_open(packet, 0, &w->spec);
	put(w, packet, sizeof(packet));
	assert_ends(w, EXIT_FAILURE);
}

/* Its name is as long as a path may be, but the file's is longer. */
static void directory_that_is_too_long_costs_the_rows_and_no_more(void **state)
{
	static char directory[4096];
	struct world *w = *state;

	memset(directory, '/', sizeof(directory) - 1);
	w->spec.directory = directory;
	put_open(w, 0);
	assert_int_equal(answer(w).code, STORE_FAILED);
	put_row(w, 0, w->first);
	assert_int_equal(answer(w).code, STORE_FAILED);
	w->spec.directory = w->root;
	put_open(w, 1);
	assert_done(w);
}

static void rows_of_a_cached_file_go_to_the_rrdcached(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_INFO},
		{"last *", "0 1700000000\n"},
		{"FETCH * MAX *",
			"7 Success\nFlushVersion: 1\nStart: 1699999990\nEnd: 1700000000\nStep: 10\n"
			"DSCount: 2\nDSName: entries drop\n1700000000: 5.0 1.0\n"},
		{"update * 1700000010:1000:7", FAKE_TAKEN}, {"info *", FAKE_INFO},
		{"last *", "0 1700000010\n"}};
	struct world *w = *state;
	static struct store_past past;
	uint8_t packet[STORE_PACKET_SIZE];
	struct fake_rrdcached fake;

	fake_start(&fake, fake_bind(w->address), lines, ARRAY_LEN(lines));
	w->spec.daemon = w->address;
	w->spec.directory = "web1";
	w->spec.past = 1;
	put_open(w, 0);
	assert_int_equal(answer(w).last, 1700000000);
	assert_int_equal(store_parse_past(packet, next(w, packet), &past), 0);
	assert_number(past.values[0], 5);
	put_row(w, 0, 1700000010);
	assert_done(w);
	w->spec.past = 0;
	put_open(w, 1); /* by the same connection */
	assert_int_equal(answer(w).last, 1700000010);
	shutdown(w->fd, SHUT_WR);
	assert_ends(w, EXIT_SUCCESS);
	fake_end(&fake);
}

/* One that is away; and nobody is there any more to wait for it. */
static void assert_ends_without_loop(struct world *w, void (*go)(struct world *w))
{
	int listener = fake_bind(w->address);

	w->spec.daemon = w->address;
	put_open(w, 0);
	go(w);
	assert_ends(w, EXIT_FAILURE);
	close(listener);
}

static void hang_up(struct world *w)
{
	int priority;
	char text[STORE_TEXT_SIZE];
	uint8_t packet[STORE_PACKET_SIZE];

	assert_int_equal(store_parse_say(packet, next(w, packet), &priority, text), 0);
	assert_non_null(strstr(text, ": Connection refused; rows wait in memory"));
	shutdown(w->fd, SHUT_RDWR);
}

static void die(struct world *w)
{
	uint8_t packet[STORE_PACKET_SIZE];

	assert_true(recv(w->fd, packet, sizeof(packet), MSG_PEEK) > 0); /* and remains unread */
	close(take_fd(&w->fd));
}

static void rrdcached_that_is_away_does_not_keep_the_process(void **state)
{
	assert_ends_without_loop(*state, hang_up);
}

static void nor_where_the_loop_has_died(void **state)
{
	assert_ends_without_loop(*state, die);
}

static void without_a_timer_it_gives_up(void **state)
{
	const struct rlimit none = {0, 0};
	struct world *w = *state;

	assert_int_equal(prlimit(w->pid, RLIMIT_SIGPENDING, &none, NULL), 0);
	w->spec.daemon = "/nowhere";
	put_open(w, 0);
	assert_ends(w, EXIT_FAILURE);
}

static void alarm_of_somebody_else_is_passed_over(void **state)
{
	static const struct fake_line lines[] = {
		{"info *", FAKE_NO_FILE}, {"info *", FAKE_NO_FILE}};
	struct world *w = *state;
	struct fake_rrdcached fake;

	fake_start(&fake, fake_bind(w->address), lines, ARRAY_LEN(lines));
	w->spec.daemon = w->address;
	w->spec.directory = "web1";
	for (uint32_t slot = 0; slot < 2; slot++) {
		put_open(w, slot);
		assert_done(w);
		kill(w->pid, SIGALRM);
	}
	shutdown(w->fd, SHUT_WR);
	assert_ends(w, EXIT_SUCCESS);
	fake_end(&fake);
}

/* The program with this as its descriptor 3, as somebody in a shell may start it. */
static void run_with(int fd, int expected)
{
	char path[4096];
	siginfo_t si;
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 32);
	pid_t pid;

	assert_true(len > 0);
	path[len] = 0;
	strcpy(strrchr(path, '/') + 1, "connwatchd-store");
	pid = fork();
	if (pid == 0) {
		close(STDERR_FILENO);
		if (fd >= 0)
			dup2(fd, STORE_FD);
		else
			close(STORE_FD);
		execl(path, path, (char *)NULL);
		_exit(126);
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &si, WEXITED), 0);
	assert_int_equal(si.si_code, CLD_EXITED);
	assert_int_equal(si.si_status, expected);
}

static void nobody_but_the_daemon_starts_it(void **state)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	run_with(-1, 2);
	run_with(null, 2);
	run_with(pair[0], 2);
	close(null);
	close(pair[0]);
	close(pair[1]);
}

/* An end of its own that fails in another way than by nobody being there: here it would have to wait. */
static void socket_that_fails_ends_it(void **state)
{
	struct world *w = *state;
	const int least = 0;
	uint8_t packet[STORE_PACKET_SIZE];
	int pair[2], ours = w->fd;

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	run_with(pair[0], EXIT_FAILURE); /* nothing to read */
	assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)), 0);
	w->fd = pair[1];
	put_open(w, 0);
	for (int i = 0; i < 9; i++)
		put_row(w, 0, w->first + 10 * i);
	run_with(pair[0], EXIT_FAILURE); /* no room for its answers */
	assert_true(next(w, packet) > 0);
	w->fd = ours;
	close(pair[0]);
	close(pair[1]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(row_after_row_is_answered_and_the_end_is_no_failure),
		TEST(what_a_loop_sent_before_it_went_is_written),
		TEST(loop_that_goes_without_listening_is_no_failure),
		TEST(another_open_of_a_slot_closes_the_first),
		TEST(past_comes_after_the_answer_where_it_is_wanted),
		TEST(row_for_no_file_ends_it),
		TEST(row_of_no_values_ends_it),
		TEST(open_of_nothing_ends_it),
		TEST(answer_to_nothing_ends_it),
		TEST(what_is_no_packet_ends_it),
		TEST(packet_that_is_too_long_ends_it),
		TEST(directory_that_is_too_long_costs_the_rows_and_no_more),
		TEST(rows_of_a_cached_file_go_to_the_rrdcached),
		TEST(rrdcached_that_is_away_does_not_keep_the_process),
		TEST(nor_where_the_loop_has_died),
		TEST(without_a_timer_it_gives_up),
		TEST(alarm_of_somebody_else_is_passed_over),
		TEST(nobody_but_the_daemon_starts_it),
		TEST(socket_that_fails_ends_it),
	};

	unsetenv("RUNTIME_DIRECTORY");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
