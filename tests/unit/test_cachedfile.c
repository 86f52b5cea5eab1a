/* SPDX-License-Identifier: MIT */
/* Files that an rrdcached keeps: what it is asked, what its answers mean, and what is said of it. */
#include "daemon/cachedfile.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <rrd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "daemon/util.h"
#include "tests/unit/fake_rrdcached.h"
#include "tests/unit/test.h"

#define TIME INT64_C(1800000000)
#define MOST_SAID 8

struct said {
	size_t n;
	int priority; /* of the last */
	char text[MOST_SAID][512];
};

struct world {
	char address[FAKE_ADDRESS_SIZE];
	int listener; /* bound, until the fake has it */
	struct store_open spec;
	struct fake_rrdcached fake;
	struct rrdcached *cached;
	struct cachedfile *file;
	struct store_answer answer;
	struct said *said;
	bool starts_late;            /* when its absence was said */
	volatile sig_atomic_t lives; /* signs of life that somebody hears; negative: all */
};

static void say(void *arg, int priority, const char *text)
{
	static const struct fake_line lines[] = {{"info *", FAKE_NO_FILE}};
	struct world *w = arg;

	assert_true(w->said->n < MOST_SAID);
	snprintf(w->said->text[w->said->n++], sizeof(w->said->text[0]), "%s", text);
	w->said->priority = priority;
	if (w->starts_late)
		fake_start(&w->fake, take_fd(&w->listener), lines, ARRAY_LEN(lines));
	w->starts_late = false;
}

static bool busy(void *arg)
{
	struct world *w = arg;

	if (w->lives > 0)
		w->lives--;
	return w->lives != 0;
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	/* Also heard of a process of its own. */
	w->said = mmap(
		NULL, sizeof(*w->said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->said == MAP_FAILED)
		return -1;
	w->listener = fake_bind(w->address);
	w->lives = -1;
	w->spec = (struct store_open){.name = "conntrack",
		.directory = "web1",
		.daemon = w->address,
		.step = 10,
		.heartbeat = 30,
		.n_columns = 2,
		.n_archives = 2,
		.columns = {{"entries", METRIC_GAUGE}, {"drop", METRIC_COUNTER}},
		.archives = {{10, 360}, {60, 100}}};
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	rrdcached_free(w->cached);
	cachedfile_free(w->file);
	cleanup_close(&w->listener);
	munmap(w->said, sizeof(*w->said));
	free(w);
	return 0;
}

static void begin(struct world *w, const struct fake_line lines[], size_t n)
{
	const struct rrdcached_caller caller = {.say = say, .busy = busy, .arg = w};
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_open(packet, 0, &w->spec);

	if (n)
		fake_start(&w->fake, take_fd(&w->listener), lines, n);
	assert_int_equal(rrdcached_new(w->spec.daemon, &caller, &w->cached), 0);
	assert_int_equal(cachedfile_new(packet, (size_t)len, &w->file), 0);
	cachedfile_open(w->file, w->cached, &w->answer);
}

#define BEGIN(w, lines) begin(w, lines, ARRAY_LEN(lines))

static void end(struct world *w)
{
	rrdcached_free(w->cached);
	w->cached = NULL;
	fake_end(&w->fake);
}

static enum store_code row(struct world *w, int64_t time)
{
	const struct store_row row = {.time = time, .n = w->spec.n_columns, .values = {1000, 7, 3}};

	cachedfile_update(w->file, w->cached, &row, &w->answer);
	return w->answer.code;
}

static void assert_failed(const struct world *w, const char *what)
{
	assert_int_equal(w->answer.code, STORE_FAILED);
	if (!strstr(w->answer.cause, what))
		fail_msg("'%s' is not in '%s'", what, w->answer.cause);
}

static void first_row_makes_the_file_as_configured(void **state)
{
	static const struct fake_line lines[] = {{"info *conntrack.rrd", FAKE_NO_FILE},
		{"create *conntrack.rrd -b 1799999990 -s 10 -O DS:entries:GAUGE:30:0:U "
		 "DS:drop:DERIVE:30:0:U "
		 "RRA:AVERAGE:0.5:1:360 RRA:AVERAGE:0.5:6:100 RRA:MAX:0.5:6:100",
			"0 RRD created OK\n"},
		{"info *conntrack.rrd", FAKE_INFO}, {"last *conntrack.rrd", "0 1799999990\n"},
		{"update *conntrack.rrd 1800000000:1000:7", FAKE_TAKEN},
		{"update *conntrack.rrd 1800000010:1000:7", FAKE_TAKEN}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->answer.last, 0);
	assert_int_equal(row(w, TIME), STORE_DONE);
	assert_int_equal(w->answer.last, TIME);
	assert_int_equal(row(w, TIME + 10), STORE_DONE);
	assert_int_equal(w->said->n, 0);
	end(w);
}

/* Another order, a column of somebody else's, and numbers of either type. */
static void rows_are_in_the_order_of_the_file(void **state)
{
	static const struct fake_line lines[] = {
		{"info *", "7 Info follows\nstep 3 10\nds[drop].index 3 0\nds[other].index 1 "
			   "1\nds[drops].index 1 3\n"
			   "ds[entries].index 1 2\nds[entries].type 2 GAUGE\ndsx 1 1\n"},
		{"last *", "0 1799999990\n"}, {"update * 1800000000:7:U:1000:U", FAKE_TAKEN}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_int_equal(w->answer.last, TIME - 10);
	assert_string_equal(w->answer.note, "");
	assert_int_equal(row(w, TIME), STORE_DONE);
	end(w);
}

static void columns_that_the_file_lacks_are_named(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_INFO},
		{"last *", "0 1799999990\n"}, {"update * 1800000000:1000:7", FAKE_TAKEN}};
	struct world *w = *state;

	w->spec.n_columns = 4;
	w->spec.columns[2] = (struct store_column){"peak", METRIC_GAUGE};
	w->spec.columns[3] = (struct store_column){"early_drop", METRIC_COUNTER};
	BEGIN(w, lines);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->answer.priority, LOG_WARNING);
	assert_string_equal(w->answer.note, "conntrack.rrd has no such columns, their values are "
					    "not stored: peak, early_drop; they are "
					    "added by a start without rrd { daemon }");
	assert_int_equal(row(w, TIME), STORE_DONE);
	end(w);
}

/* No file of ours has so many. */
static void columns_beyond_all_bounds_are_passed_over(void **state)
{
	static const struct fake_line lines[] = {
		{"info *", "4 Info follows\nstep 1 10\nds[entries].index 1 0\nds[drop].index 1 "
			   "4000000000\n"
			   "ds[x].index 3 -5\n"},
		{"last *", "0 1799999990\n"}, {"update * 1800000000:1000", FAKE_TAKEN}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_non_null(strstr(w->answer.note, "not stored: drop;"));
	assert_int_equal(row(w, TIME), STORE_DONE);
	end(w);
}

static void file_of_another_step_is_refused_until_it_is_converted(void **state)
{
	static const struct fake_line lines[] = {{"info *", "1 Info follows\nstep 1 60\n"},
		{"info *", "1 Info follows\nstep 1 60\n"}, {"info *", FAKE_INFO},
		{"last *", "0 1799999990\n"}, {"update *", FAKE_TAKEN}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_failed(w, "the file has a row every 60 s, and interval is 10 s: it is converted by "
			 "a start without");
	row(w, TIME);
	assert_failed(w, "a row every 60 s");
	assert_int_equal(row(w, TIME + 10), STORE_DONE);
	end(w);
}

static void row_of_another_width_is_refused_unasked(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_NO_FILE}};
	const struct store_row wide = {.time = TIME, .n = 3};
	struct world *w = *state;

	BEGIN(w, lines);
	cachedfile_update(w->file, w->cached, &wide, &w->answer);
	assert_failed(w, "a row of 3 values for 2 columns");
	end(w);
}

static void what_it_refuses_is_told_in_its_words(void **state)
{
	static const struct fake_line lines[] = {{"info *", "-1 Can't use the file\n"},
		{"info *", FAKE_INFO}, {"last *", "-1 RRD Error: no last\n"},
		{"info *", FAKE_NO_FILE},
		{"create *", "-1 RRD Error: creating 'x': Permission denied\n"}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_failed(w, "rrdcached at 127.0.0.1:");
	assert_failed(w, ": Can't use the file");
	row(w, TIME);
	assert_failed(w, ": no last");
	row(w, TIME);
	assert_failed(w, "Permission denied; its base directory (-b) has to hold it");
	assert_failed(w, "web1");
	assert_int_equal(w->said->n, 0);
	end(w);
}

static void file_made_by_somebody_else_meanwhile_is_as_good(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_NO_FILE},
		{"create *", "-1 RRD Error: creating 'x': File exists\n"}, {"info *", FAKE_INFO},
		{"last *", "0 1799999990\n"}, {"update *", FAKE_TAKEN}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_int_equal(row(w, TIME), STORE_DONE);
	end(w);
}

static void file_that_is_gone_when_made_is_said_so(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_NO_FILE},
		{"create *", "0 RRD created OK\n"}, {"info *", FAKE_NO_FILE},
		{"create *", "0 RRD created OK\n"}, {"info *", "-1 Can't use the file\n"}};
	struct world *w = *state;

	BEGIN(w, lines);
	row(w, TIME);
	assert_failed(w, "vanishes when made");
	row(w, TIME);
	assert_failed(w, "Can't use the file");
	end(w);
}

#define ILLEGAL                                                                                    \
	"-1 illegal attempt to update using time 1 when last update time is 1 (minimum one "       \
	"second step)\n"

static void row_that_is_not_newer_is_the_same_or_an_older_one(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_INFO},
		{"last *", "0 1799999990\n"}, {"update *", ILLEGAL}, {"last *", "0 1800000000\n"},
		{"info *", FAKE_INFO}, {"last *", "0 1800000000\n"}, {"update *", ILLEGAL},
		{"last *", "0 1800000500\n"}, {"info *", FAKE_INFO}, {"last *", "0 1800000500\n"},
		{"update *", ILLEGAL}, {"last *", "-1 Can't use the file\n"}, {"info *", FAKE_INFO},
		{"last *", "0 1800000500\n"}, {"update *", "-1 RRD Error: no room\n"}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_int_equal(row(w, TIME), STORE_SAME);
	assert_int_equal(row(w, TIME), STORE_OLDER);
	assert_int_equal(w->answer.last, TIME + 500);
	row(w, TIME);
	assert_failed(w, "Can't use the file");
	row(w, TIME);
	assert_failed(w, "no room");
	end(w);
}

static void closed_connection_is_made_again_and_the_row_sent_again(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_INFO},
		{"last *", "0 1799999990\n"}, {"update * 1800000000:1000:7", NULL},
		{"update * 1800000000:1000:7", FAKE_TAKEN}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_int_equal(row(w, TIME), STORE_DONE);
	assert_int_equal(w->said->n, 2);
	assert_non_null(strstr(w->said->text[0], "rows wait in memory"));
	assert_non_null(strstr(w->said->text[1], " is back after "));
	assert_int_equal(w->said->priority, LOG_NOTICE);
	end(w);
}

static void one_that_is_not_there_is_waited_for_and_said_once(void **state)
{
	struct world *w = *state;

	w->starts_late = true;
	begin(w, NULL, 0);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->said->n, 2);
	assert_non_null(strstr(w->said->text[0], ": Connection refused; rows wait in memory"));
	assert_non_null(strstr(w->said->text[1], " is back after "));
	end(w);
}

/* For 5 seconds; the answer to a call that was given up is not taken for the next one's. */
static void one_that_does_not_answer_is_given_up(void **state)
{
	static const struct fake_line lines[] = {{"info *", ""}, {"info *", FAKE_NO_FILE}};
	struct world *w = *state;

	BEGIN(w, lines);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_int_equal(w->said->n, 2);
	assert_non_null(strstr(w->said->text[0], "no answer for 5 s; rows wait in memory"));
	end(w);
}

/* In a process of its own, which ends when nobody listens any more, after two tries. */
static void try_in_vain(struct world *w, void (*prepare)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (prepare)
			prepare();
		w->lives = 3;
		begin(w, NULL, 0);
		_exit(99); /* an answer, from nobody */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
	assert_int_equal(w->said->n, 1);
	assert_int_equal(w->said->priority, LOG_ERR);
}

static void process_ends_when_nobody_waits_any_more(void **state)
{
	struct world *w = *state;

	w->spec.daemon = "unix:/nowhere/rrdcached.sock";
	try_in_vain(w, NULL);
	assert_string_equal(w->said->text[0], "rrdcached at unix:/nowhere/rrdcached.sock: No such "
					      "file or directory; rows wait in memory");
}

/* As RestrictAddressFamilies= of the unit: no socket(2) of AF_INET. */
static void forbid_network(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_fprog program = {ARRAY_LEN(code), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(98);
}

static void network_that_the_unit_forbids_is_said_with_the_remedy(void **state)
{
	struct world *w = *state;

	try_in_vain(w, forbid_network);
	assert_non_null(strstr(
		w->said->text[0], "the unit allows no network; install remote-rrdcached.conf"));
}

static void a_path_alone_is_no_network(void **state)
{
	struct world *w = *state;

	w->spec.daemon = "/nowhere/rrdcached.sock";
	try_in_vain(w, forbid_network);
	assert_string_equal(w->said->text[0], "rrdcached at /nowhere/rrdcached.sock: No such file "
					      "or directory; rows wait in memory");
}

/* An alarm that nobody set. */
static void alarm_of_somebody_else_is_passed_over(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_NO_FILE}};
	struct world *w = *state;

	w->lives = 100;
	BEGIN(w, lines);
	assert_int_equal(raise(SIGALRM), 0);
	assert_int_equal(w->lives, 99); /* of the one question */
	end(w);
}

static struct {
	size_t n;
	struct store_past past;
} heard;

static void hear(void *arg, const struct store_past *past)
{
	(void)arg;
	heard.n++;
	heard.past = *past;
}

#define FETCHED                                                                                    \
	"8 Success\nFlushVersion: 1\nStart: 1799999970\nEnd: 1799999990\nStep: 10\nDSCount: 2\n"   \
	"DSName: entries drop\n1799999980: 5.0 1.0\n1799999990: 6.0 2.0\n"

static void past_is_fetched_of_a_file_that_is_there_and_wanted(void **state)
{
	static const struct fake_line lines[] = {{"info *", FAKE_INFO},
		{"last *", "0 1799999990\n"},
		{"FETCH *conntrack.rrd MAX 1799395190 1799999990", "-1 no such function\n"},
		{"FETCH *conntrack.rrd AVERAGE 1799395190 1799999990", FETCHED}};
	struct world *w = *state;

	heard.n = 0;
	w->spec.past = 1;
	BEGIN(w, lines);
	cachedfile_past(w->file, w->cached, hear, NULL);
	assert_int_equal(heard.n, 1);
	assert_int_equal(heard.past.n, 2);
	assert_int_equal(heard.past.time, TIME - 20);
	assert_number(heard.past.values[1], 6);
	end(w);
}

static void past_is_not_fetched_where_there_is_none_or_nobody_wants_it(void **state)
{
	static const struct fake_line without[] = {{"info *", FAKE_NO_FILE}},
				      unwanted[] = {
					      {"info *", FAKE_INFO}, {"last *", "0 1799999990\n"}};
	struct world *w = *state;

	heard.n = 0;
	w->spec.past = 1;
	BEGIN(w, without);
	cachedfile_past(w->file, w->cached, hear, NULL);
	end(w);
	cachedfile_free(w->file);
	w->listener = fake_bind(w->address);
	w->spec.past = 0;
	BEGIN(w, unwanted);
	cachedfile_past(w->file, w->cached, hear, NULL);
	end(w);
	assert_int_equal(heard.n, 0);
}

/* No timer is left to wait with. */
static void without_a_timer_there_is_no_connection(void **state)
{
	const struct rrdcached_caller caller = {.say = say, .busy = busy};
	struct world *w = *state;
	struct rlimit all, none;

	assert_int_equal(getrlimit(RLIMIT_SIGPENDING, &all), 0);
	none = (struct rlimit){0, all.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	assert_int_equal(rrdcached_new(w->address, &caller, &w->cached), -EAGAIN);
	assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &all), 0);
	assert_null(w->cached);
}

static void what_is_no_open_is_refused(void **state)
{
	struct world *w = *state;

	assert_int_equal(cachedfile_new((const uint8_t *)"nonsense", 8, &w->file), -EBADMSG);
	cachedfile_free(NULL);
	rrdcached_free(NULL);
}

static void reasons_are_without_what_they_begin_with(void **state)
{
	static const char *const reasons[][2] = {
		{"rrdcached@unix:/x: RRD Error: no room", "no room"},
		{"rrdcached@unix:/x: Can't use it", "Can't use it"},
		{"rrdcached@nobody", "rrdcached@nobody"},
		{"Unable to connect to rrdcached: Connection refused", "Connection refused"},
		{"/a/b.rrd: illegal", "illegal"}, {"/a/b.rrd is full", "/a/b.rrd is full"},
		{"out of memory", "out of memory"}};

	char format[] = "%s";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		rrd_set_error(format, reasons[i][0]);
		assert_string_equal(rrdcached_reason("/a/b.rrd"), reasons[i][1]);
	}
	assert_string_equal(rrdcached_reason(""), "out of memory");
	rrd_clear_error();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_row_makes_the_file_as_configured),
		TEST(rows_are_in_the_order_of_the_file),
		TEST(columns_that_the_file_lacks_are_named),
		TEST(columns_beyond_all_bounds_are_passed_over),
		TEST(file_of_another_step_is_refused_until_it_is_converted),
		TEST(row_of_another_width_is_refused_unasked),
		TEST(what_it_refuses_is_told_in_its_words),
		TEST(file_made_by_somebody_else_meanwhile_is_as_good),
		TEST(file_that_is_gone_when_made_is_said_so),
		TEST(row_that_is_not_newer_is_the_same_or_an_older_one),
		TEST(closed_connection_is_made_again_and_the_row_sent_again),
		TEST(one_that_is_not_there_is_waited_for_and_said_once),
		TEST(one_that_does_not_answer_is_given_up),
		TEST(process_ends_when_nobody_waits_any_more),
		TEST(network_that_the_unit_forbids_is_said_with_the_remedy),
		TEST(a_path_alone_is_no_network),
		TEST(alarm_of_somebody_else_is_passed_over),
		TEST(past_is_fetched_of_a_file_that_is_there_and_wanted),
		TEST(past_is_not_fetched_where_there_is_none_or_nobody_wants_it),
		TEST(without_a_timer_there_is_no_connection),
		TEST(what_is_no_open_is_refused),
		TEST(reasons_are_without_what_they_begin_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
