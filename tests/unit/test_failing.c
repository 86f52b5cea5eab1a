/* SPDX-License-Identifier: MIT */
/*
 * Where memory or the system fails them, the loop's modules return an error or say less; what they had stays whole, and
 * nothing leaks.
 */
#include <errno.h>
#include <string.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "cli/status_file.h"
#include "collectors/inet_diag.h"
#include "collectors/proc_net_tcp.h"
#include "collectors/procfile.h"
#include "daemon/alerts_page.h"
#include "daemon/ct/ct_client.h"
#include "daemon/ct/summary.h"
#include "daemon/messenger.h"
#include "daemon/status.h"
#include "daemon/status_writer.h"
#include "daemon/store.h"
#include "daemon/util.h"
#include "tests/unit/failing.h"
#include "tests/unit/test.h"
#include "tests/unit/world.h"

static const char everything[] =
	"interval = 60\n"
	"rrd { archives = { \"60s:2d\", \"1h:1y\" } }\n"
	"socket_group \"web\" { local_ports = { 80, 443 } networks = { \"10.0.0.0/8\" } }\n"
	"listener \"web\" { port = 80 }\n"
	"alert \"own\" { value = \"tcp.curr_estab\" warning = 5 critical = 10 }\n"
	"alert \"listen\" { value = \"listener-*.accept_queue\" limit = \"listener-*.backlog\" }\n";

struct bench {
	struct world world;
	sd_event *event;
	char path[128];
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	world_open(&b->world);
	world_put(&b->world, "net/snmp", "Tcp: CurrEstab\nTcp: 7\n");
	world_conntrack(&b->world, "90\n", "100\n");
	world_configure(&b->world, everything);
	for (int i = 0; i < 5; i++)
		world_row(&b->world);
	assert_int_equal(sd_event_new(&b->event), 0);
	snprintf(b->path, sizeof(b->path), "%s/test.conf", b->world.directory);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	sd_event_unref(b->event);
	world_close(&b->world);
	free(b);
	return 0;
}

static void ignore(void *arg, const char *problem)
{
	(void)arg;
	(void)problem;
}

static void load(void *arg)
{
	const struct bench *b = arg;
	struct conf *conf = NULL;

	if (conf_load(b->path, ignore, NULL, &conf) == 0)
		conf_free(conf);
}

/* A mistake at every place where there is something to remember of one. */
static void load_wrong(void *arg)
{
	const struct bench *b = arg;
	struct conf *conf = NULL;
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/wrong.conf", b->world.directory);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("nonsense = 1\ninterval = 0\ninterval = 10\nalert \"x\" { }\nalert \"x\" { value = "
	      "\"a.b\" }\n"
	      "include(\"/nowhere\")\nrrd { archives = { \"7s:1d\" } }\ntcp {\n",
		f);
	fclose(f);
	assert_true(conf_load(path, ignore, NULL, &conf) < 0);
}

static void begin(void *arg)
{
	const struct bench *b = arg;
	struct readings *readings = NULL;
	struct judge *judge = NULL;
	int r = readings_renew(b->world.conf, b->world.readings, &readings);

	if (r == 0)
		r = judge_new(b->world.conf, readings, &judge);
	assert_true(r == 0 || r == -ENOMEM);
	judge_free(judge);
	readings_free(readings);
}

static void look(void *arg)
{
	struct bench *b = arg;

	readings_row(b->world.readings);
}

static void tell(void *arg)
{
	const struct bench *b = arg;
	const struct status_source source = {b->world.readings, b->world.judge, 1796068800,
		b->world.now, WORLD_EPOCH + b->world.now};
	struct status_writer *writer = NULL;
	CLEANUP_FREE char *status = status_render(&source);
	CLEANUP_FREE char *page = alerts_page_render(&source);

	if (!status || status_writer_new(b->event, b->world.directory, &writer) < 0)
		return;
	status_writer_put(writer, take_ptr(status), take_ptr(page));
	status_writer_free(writer);
}

static void read_status(void *arg)
{
	const struct bench *b = arg;
	char error[STATUS_ERROR_SIZE], path[160];
	struct status_file file;

	snprintf(path, sizeof(path), "%s/status.json", b->world.directory);
	if (access(path, F_OK) < 0)
		tell(arg); /* the first time nothing fails yet */
	if (status_file_read(path, &file, error) == 0)
		status_file_free(&file);
}

static void store(void *arg)
{
	const struct bench *b = arg;
	double values[64] = {0};
	struct store *s = NULL;
	int r = store_new(b->event, b->world.conf, &s);

	assert_true(r == 0 || r == -ENOMEM);
	if (r < 0)
		return;
	r = store_reconfigure(s, b->world.conf);
	assert_true(r == 0 || r == -ENOMEM);
	store_append(s, 0, 1796068800, values, true);
	store_free(s);
}

static void send_word(void *arg)
{
	static const struct metric metric = {.name = "entries", .unit = "entries"};
	const struct bench *b = arg;
	const struct notify_subject subject = {
		.rule = &b->world.conf->rules[0], .metric = &metric, .object = ""};
	const struct alert_event event = {
		.kind = ALERT_CHANGE, .from = LEVEL_OK, .to = LEVEL_WARNING};
	struct messenger *messenger = NULL;

	if (messenger_new(b->event, "/nowhere", &messenger) < 0)
		return;
	messenger_send(messenger, &subject, &event);
	messenger_free(messenger);
}

/* A file of procfs twice, the second time by the descriptor that was kept. */
static void read_proc(void *arg)
{
	struct procfile file = PROCFILE("self/status"), made = PROCFILE("made");
	struct proc *proc = NULL;
	struct span text;

	(void)arg;
	if (proc_new("/proc", &proc) < 0)
		return;
	if (procfile_read(proc, &file, &text) == 0 && procfile_read(proc, &file, &text) == 0)
		assert_memory_equal(text.at, "Name:", 5);
	if (proc_supply(proc, "made", "by hand\n") == 0 && procfile_read(proc, &made, &text) == 0)
		assert_string_equal(text.at, "by hand\n");
	else
		assert_int_equal(procfile_read(proc, &made, &text), -ENOENT);
	procfile_close(&file);
	proc_free(proc);
}

/* One that outgrows the buffer. */
static void read_long(void *arg)
{
	const struct bench *b = arg;
	struct procfile file = PROCFILE("../long.conf");
	char path[160];
	struct proc *proc = NULL;
	struct span text;
	FILE *f;

	snprintf(path, sizeof(path), "%s/long.conf", b->world.directory);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%100000d", 1);
	fclose(f);
	snprintf(path, sizeof(path), "%s/proc", b->world.directory);
	if (proc_new(path, &proc) < 0)
		return;
	if (procfile_read(proc, &file, &text) == 0)
		assert_int_equal(text.len, 100000);
	proc_free(proc);
}

static void count_begin(void *arg)
{
	*(unsigned *)arg = 0;
}

static void count_socket(void *arg, const struct tcp_socket *socket)
{
	(void)socket;
	++*(unsigned *)arg;
}

static void list_sockets(void *arg)
{
	unsigned n;
	const struct socket_sink sink = {count_begin, count_socket, &n};
	struct inet_diag diag = {.fd = -1};
	int r = inet_diag_dump(&diag, INET_DIAG_LISTEN, &sink);

	(void)arg;
	if (r < 0)
		r = inet_diag_dump(&diag, INET_DIAG_LISTEN, &sink);
	assert_true(r == 0 || inet_diag_is_refusal(r));
	inet_diag_close(&diag);
}

static void list_sockets_of_files(void *arg)
{
	struct bench *b = arg;
	unsigned n;
	const struct socket_sink sink = {count_begin, count_socket, &n};
	const char *path;
	int r;

	world_put(&b->world, "net/tcp",
		"  sl  local_address\n   0: 0100007F:0050 00000000:0000 0A 00000000:00000000\n");
	r = proc_net_tcp_dump(b->world.readings->proc, &sink, &path);
	assert_true(r == 0 ? n == 1 : r == -EIO);
}

static void count_answer(void *arg, const char *answer, const char *error)
{
	assert_true(!answer != !error);
	++*(unsigned *)arg;
}

static void ask_ct(void *arg)
{
	unsigned calls = 0;
	const struct ct_asking asking = {
		"/nowhere", CT_COUNTERS, CT_TIMEOUT_USEC, count_answer, &calls};
	int r = ct_ask_and_wait(&asking);

	(void)arg;
	assert_true(r == 0 || r == -ENOMEM);
	assert_int_equal(calls, r == 0);
}

/* The least numbers tell that there was something to fail. */
#define FAILING(what, memory_least, calls_least)                                                   \
	static void what##_with_each_failing(void **state)                                         \
	{                                                                                          \
		assert_true(each_failing(&failing.memory, what, *state) >= (memory_least));        \
		assert_true(each_failing(&failing.calls, what, *state) >= (calls_least));          \
	}

FAILING(load, 50, 2)
FAILING(load_wrong, 20, 2)
FAILING(ask_ct, 1, 1)
FAILING(begin, 10, 1)
FAILING(read_long, 3, 4)
FAILING(read_proc, 4, 4)
FAILING(tell, 3, 1)
FAILING(read_status, 1, 2)
FAILING(store, 10, 2)
FAILING(send_word, 2, 1)

static void list_sockets_with_each_failing(void **state)
{
	assert_true(each_failing(&failing.calls, list_sockets, *state) >= 4);
	assert_true(each_failing(&failing.calls, list_sockets_of_files, *state) >= 1);
}

static void a_look_needs_no_memory(void **state)
{
	assert_int_equal(each_failing(&failing.memory, look, *state), 0);
	assert_true(each_failing(&failing.calls, look, *state) >= 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(load_with_each_failing),
		TEST(load_wrong_with_each_failing),
		TEST(ask_ct_with_each_failing),
		TEST(begin_with_each_failing),
		TEST(list_sockets_with_each_failing),
		TEST(read_long_with_each_failing),
		TEST(read_proc_with_each_failing),
		TEST(a_look_needs_no_memory),
		TEST(tell_with_each_failing),
		TEST(read_status_with_each_failing),
		TEST(store_with_each_failing),
		TEST(send_word_with_each_failing),
	};

	unsetenv("RUNTIME_DIRECTORY");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
