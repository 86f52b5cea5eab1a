/* SPDX-License-Identifier: MIT */
/*
 * Every collector over every recorded tree, and how collectors behave when files come, go and are
 * torn.
 */
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/census.h"
#include "collectors/procfile.h"
#include "collectors/registry.h"
#include "daemon/log.h"
#include "daemon/util.h"
#include "tests/unit/tree.h"

/* One running instance. */
struct run {
	const struct collector *c;
	void *state, *shared;
	struct census *census;
	double values[32];
	struct reading look, read;
	int look_r, read_r;
};

static void no_begin(void *arg)
{
	(void)arg;
}

static void no_add(void *arg, const struct tcp_socket *socket)
{
	(void)arg;
	(void)socket;
}

static void run_init(
	struct run *run, const struct collector *c, struct proc *proc, const void *group)
{
	struct collector_env env = {.proc = proc, .title = group ? "group" : "", .config = group};

	*run = (struct run){
		.c = c, .state = calloc(1, c->state_size), .shared = calloc(1, c->shared_size + 1)};
	assert_non_null(run->state);
	assert_non_null(run->shared);
	assert_true(c->n_metrics <= ARRAY_LEN(run->values));
	env.shared = run->shared;
	assert_int_equal(census_new(proc, &run->census), 0);
	env.census = run->census;
	census_start(run->census, &(struct census_config){CENSUS_AUTO, 1},
		&(struct socket_sink){no_begin, no_add, NULL});
	assert_int_equal(c->init(run->state, &env), 0);
}

static void run_look(struct run *run)
{
	run->look = (struct reading){.values = run->values};
	run->look_r = run->c->look ? run->c->look(run->state, &run->look) : 0;
}

static void run_row(struct run *run)
{
	run_look(run);
	run->read = (struct reading){.values = run->values};
	census_row(run->census, 10, 1);
	run->read_r = run->c->round ? run->c->round(run->shared, &run->read) : 0;
	for (size_t i = 0; i < run->c->n_metrics; i++)
		if (!run->c->metrics[i].look)
			run->values[i] = UNKNOWN;
	if (run->read_r == 0 && run->c->read)
		run->read_r = run->c->read(run->state, &run->read);
	assert_true(run->look_r == 0 || run->look.error[0]);
	assert_true(run->read_r == 0 || run->read.error[0]);
}

static void run_close(struct run *run)
{
	if (run->c->close)
		run->c->close(run->state);
	if (run->c->shared_close)
		run->c->shared_close(run->shared);
	free(run->state);
	free(run->shared);
	census_free(run->census);
}

static double value(const struct run *run, const char *column)
{
	for (size_t i = 0; i < run->c->n_metrics; i++)
		if (strcmp(run->c->metrics[i].name, column) == 0)
			return run->values[i];
	fail_msg("no column %s", column);
	return UNKNOWN;
}

/* ---- recorded trees ---- */

/* TREE/proc is read and compared with EXPECTED/NAME.txt. */
static const struct {
	const char *tree, *expected;
} trees[] = {
	{"linux-6.18", "linux-6.18/expected"},
	{"linux-6.1-debian", "linux-6.1-debian/expected"},
	{"cases/01-snmp-new-columns", "cases/01-snmp-new-columns/expected"},
	{"cases/03-icmpmsg-varies/t0", "cases/03-icmpmsg-varies/expected"},
	{"cases/03-icmpmsg-varies/t1", "cases/03-icmpmsg-varies/expected"},
	{"cases/03-icmpmsg-varies/t2", "cases/03-icmpmsg-varies/expected"},
	{"cases/05-maxconn-minus-one", "cases/05-maxconn-minus-one/expected"},
	{"cases/07-no-ipv6", "cases/07-no-ipv6/expected"},
	{"cases/09-conntrack-absent", "cases/09-conntrack-absent/expected"},
	{"cases/11-stat-file-absent", "cases/11-stat-file-absent/expected"},
	{"cases/13-stat-old-columns", "cases/13-stat-old-columns/expected"},
	{"cases/15-max-zero", "cases/15-max-zero/expected"},
	{"cases/17-long-line", "cases/17-long-line/expected"},
	{"cases/19-counter-reset/t0", "cases/19-counter-reset/t0/expected"},
	{"cases/19-counter-reset/t1", "cases/19-counter-reset/t1/expected"},
	{"cases/45-flapping/t00", "cases/45-flapping/t00/expected"},
};

/* "COLUMN VALUE" lines, after a line "error: ..." for a look or a row that failed. */
static void print_run(const struct run *run, FILE *out)
{
	if (run->look_r < 0)
		fprintf(out, "error: %s\n", run->look.error);
	if (run->read_r < 0)
		fprintf(out, "error: %s\n", run->read.error);
	for (size_t i = 0; i < run->c->n_metrics; i++) {
		fprintf(out, "%s ", run->c->metrics[i].name);
		if (isnan(run->values[i]))
			fputs("unknown\n", out);
		else
			fprintf(out, "%.0f\n", run->values[i]);
	}
}

static void read_text(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");

	if (!f)
		fail_msg("cannot open %s", path);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

static void compare(const struct collector *c, struct proc *proc, const char *expected)
{
	char path[512], want[4096], got[4096] = "";
	FILE *out = fmemopen(got, sizeof(got), "w");
	struct run run;

	assert_non_null(out);
	run_init(&run, c, proc, NULL);
	run_row(&run);
	print_run(&run, out);
	fclose(out);
	run_close(&run);
	snprintf(path, sizeof(path), SRCDIR "/tests/fixtures/%s/%s.txt", expected, c->name);
	read_text(path, want, sizeof(want));
	if (strcmp(got, want) != 0)
		fail_msg("%s expects\n%sbut the collector gives\n%s", path, want, got);
}

static void every_collector_reads_every_recorded_tree_as_expected(void **state)
{
	char path[512];
	struct proc *proc;

	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(trees); t++) {
		snprintf(path, sizeof(path), SRCDIR "/tests/fixtures/%s/proc", trees[t].tree);
		assert_int_equal(proc_new(path, &proc), 0);
		assert_true(proc_is_recorded(proc));
		for (size_t i = 0; i < registry_len; i++)
			if (registry[i]->section) /* the others need a title's settings */
				compare(registry[i], proc, trees[t].expected);
		proc_free(proc);
	}
}

/* ---- a tree of the test's own ---- */

#define NF "sys/net/netfilter/nf_conntrack_"
#define STAT_HEADER "entries  found drop\n"

static void put_conntrack(const struct tree *tree, const char *count, const char *stat)
{
	tree_put(tree, NF "count", count);
	tree_put(tree, NF "max", count ? "100\n" : NULL);
	tree_put(tree, "net/stat/nf_conntrack", stat);
}

static void peak_is_the_highest_look_since_the_last_row(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	run_init(&run, &collector_conntrack, tree->proc, NULL);
	put_conntrack(tree, "7\n", NULL);
	run_look(&run);
	put_conntrack(tree, "42\n", NULL);
	run_look(&run);
	put_conntrack(tree, "9\n", NULL);
	run_row(&run);
	assert_number(value(&run, "peak"), 42);
	assert_number(value(&run, "entries"), 9);
	put_conntrack(tree, "8\n", NULL);
	run_row(&run);
	assert_number(value(&run, "peak"), 8);
	put_conntrack(tree, NULL, NULL);
	run_row(&run);
	assert_number(value(&run, "peak"), UNKNOWN);
	run_close(&run);
}

static void absent_conntrack_is_enoent_until_it_comes(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	run_init(&run, &collector_conntrack, tree->proc, NULL);
	run_row(&run);
	assert_int_equal(run.look_r, -ENOENT);
	assert_int_equal(run.read_r, -ENOENT);
	assert_string_equal(run.look.error, "cannot open " NF "count: No such file or directory");
	for (size_t i = 0; i < run.c->n_metrics; i++)
		assert_number(run.values[i], UNKNOWN);
	put_conntrack(tree, "5\n", STAT_HEADER "5 10 0\n");
	run_row(&run);
	assert_int_equal(run.look_r, 0);
	assert_int_equal(run.read_r, 0);
	assert_number(value(&run, "entries"), 5);
	assert_number(value(&run, "max"), 100);
	assert_number(value(&run, "found"), 16);
	assert_number(value(&run, "error"), UNKNOWN);
	run_close(&run);
}

static void sums_start_anew_when_the_module_was_away(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	run_init(&run, &collector_conntrack, tree->proc, NULL);
	put_conntrack(tree, "5\n", STAT_HEADER "5 ffffffff 0\n");
	run_row(&run);
	put_conntrack(tree, "5\n", STAT_HEADER "5 00000002 0\n");
	run_row(&run);
	assert_number(value(&run, "found"), 4294967298.0);
	put_conntrack(tree, NULL, NULL);
	run_look(&run);
	put_conntrack(tree, "5\n", STAT_HEADER "5 00000003 0\n");
	run_row(&run);
	assert_number(value(&run, "found"), 3);
	run_close(&run);
}

static void torn_count_is_a_failure_that_names_the_file(void **state)
{
	static const char *const torn[] = {
		"", "\n", "79", "7 9\n", "-5\n", "x\n", "18446744073709551616\n", "7\n9\n"};
	const struct tree *tree = *state;
	struct run run;

	run_init(&run, &collector_conntrack, tree->proc, NULL);
	for (size_t i = 0; i < ARRAY_LEN(torn); i++) {
		put_conntrack(tree, torn[i], NULL);
		run_row(&run);
		assert_int_equal(run.look_r, -EBADMSG);
		assert_non_null(strstr(run.look.error, NF "count"));
		assert_number(value(&run, "entries"), UNKNOWN);
	}
	run_close(&run);
}

static void old_names_of_conntrack_are_found(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	run_init(&run, &collector_conntrack, tree->proc, NULL);
	run_row(&run);
	tree_put(tree, "sys/net/ipv4/netfilter/ip_conntrack_count", "3\n");
	tree_put(tree, "sys/net/ipv4/ip_conntrack_max", "64\n");
	tree_put(tree, "sys/net/ipv4/netfilter/ip_conntrack_buckets", "8\n");
	tree_put(tree, "net/stat/ip_conntrack", STAT_HEADER "3 1 2\n");
	run_row(&run); /* turns to the other name */
	run_row(&run);
	assert_int_equal(run.look_r, 0);
	assert_number(value(&run, "entries"), 3);
	assert_number(value(&run, "max"), 64);
	assert_number(value(&run, "buckets"), 8);
	assert_number(value(&run, "drop"), 2);
	run_close(&run);
}

#define SOCKSTAT "sockets: used 9\nTCP: inuse 1 orphan 2 tw 3 alloc 4 mem 5\n"

static void limits_without_anything_else_is_no_failure(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	tree_put(tree, "net/sockstat", SOCKSTAT);
	run_init(&run, &collector_limits, tree->proc, NULL);
	run_row(&run);
	assert_int_equal(run.look_r, 0);
	assert_int_equal(run.read_r, 0);
	assert_number(value(&run, "orphans"), 2);
	assert_number(value(&run, "tw"), 3);
	assert_number(value(&run, "tcp_mem"), 5);
	assert_number(value(&run, "listen_queue"), UNKNOWN);
	assert_number(value(&run, "softnet_dropped"), UNKNOWN);
	assert_number(value(&run, "orphans_max"), UNKNOWN);
	tree_put(tree, "net/sockstat", NULL);
	run_row(&run);
	assert_int_equal(run.look_r, -ENOENT);
	assert_number(value(&run, "orphans"), UNKNOWN);
	run_close(&run);
}

static void limits_names_the_first_torn_file_and_reads_the_others(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	tree_put(tree, "net/sockstat", "TCP: inuse 1 orphan\n");
	tree_put(tree, "net/softnet_stat", "0 1 2\n");
	tree_put(tree, "sys/net/ipv4/tcp_mem", "1 2\n");
	tree_put(tree, "sys/net/ipv4/tcp_max_orphans", "77\n");
	run_init(&run, &collector_limits, tree->proc, NULL);
	run_row(&run);
	assert_int_equal(run.look_r, -EBADMSG);
	assert_string_equal(run.look.error, "cannot read net/sockstat: unexpected content");
	assert_number(value(&run, "softnet_dropped"), 1);
	assert_int_equal(run.read_r, -EBADMSG);
	assert_string_equal(run.read.error, "cannot read sys/net/ipv4/tcp_mem: unexpected content");
	assert_number(value(&run, "orphans_max"), 77);
	assert_number(value(&run, "tcp_mem_max"), UNKNOWN);
	run_close(&run);
}

static void softnet_goes_by_cpu_number_and_wraps(void **state)
{
	const struct tree *tree = *state;
	struct run run;

	tree_put(tree, "net/sockstat", SOCKSTAT);
	tree_put(tree, "net/softnet_stat",
		"1 fffffffe 3 0 0 0 0 0 0 0 0 0 00000000 0 0\n1 10 4 0 0 0 0 0 0 0 0 0 3 0 0\n");
	run_init(&run, &collector_limits, tree->proc, NULL);
	run_look(&run);
	assert_number(value(&run, "softnet_dropped"), 4294967294.0 + 16);
	assert_number(value(&run, "softnet_squeezed"), 7);
	tree_put(tree, "net/softnet_stat",
		"1 11 4 0 0 0 0 0 0 0 0 0 3 0 0\n"); /* CPU 0 went offline */
	run_look(&run);
	assert_number(value(&run, "softnet_dropped"), 4294967294.0 + 17);
	tree_put(tree, "net/softnet_stat",
		"1 1 3 0 0 0 0 0 0 0 0 0 0 0 0\n1 11 4 0 0 0 0 0 0 0 0 0 3 0 0\n");
	run_look(&run);
	assert_number(value(&run, "softnet_dropped"), 4294967294.0 + 20);
	tree_put(tree, "net/softnet_stat", "1 1\n");
	run_look(&run);
	assert_int_equal(run.look_r, -EBADMSG);
	assert_number(value(&run, "softnet_dropped"), UNKNOWN);
	run_close(&run);
}

#define LISTENER(address, port, queue)                                                             \
	" 0: " address ":" port " 00000000:0000 0A 00000000:" queue " 00:00000000 00000000 0 0 "   \
	"1\n"

static void fullest_listener_is_named(void **state)
{
	const struct tree *tree = *state;
	char text[512], name[64];
	struct run run;

	snprintf(text, sizeof(text),
		LISTENER("00000000", "0050", "00000001") LISTENER("%08X", "01BB", "00000009"),
		htonl(0xc0000201));
	tree_put(tree, "net/sockstat", SOCKSTAT);
	tree_put(tree, "net/tcp", text);
	run_init(&run, &collector_limits, tree->proc, NULL);
	run_look(&run);
	assert_number(value(&run, "listen_queue"), 9);
	assert_number(value(&run, "listen_backlog"), UNKNOWN);
	run.c->describe(run.state, 0, name, sizeof(name));
	assert_string_equal(name, "192.0.2.1:443");
	run.c->describe(run.state, 2, name, sizeof(name));
	assert_string_equal(name, "");
	tree_put(tree, "net/tcp6",
		" 0: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 "
		"0A "
		"00000000:0000000A 00:00000000\n");
	run_look(&run);
	run.c->describe(run.state, 1, name, sizeof(name));
	assert_string_equal(name, "[::]:22");
	tree_put(tree, "net/tcp", NULL);
	run_look(&run);
	assert_int_equal(run.look_r, 0);
	assert_number(value(&run, "listen_queue"), UNKNOWN);
	run.c->describe(run.state, 0, name, sizeof(name));
	assert_string_equal(name, "");
	run_close(&run);
}

/* The layout of a socket_group's configuration follows its settings table. */
static void group_of(void *config, const struct port_list *local, const struct port_list *remote,
	const struct network_list *networks)
{
	const struct setting *s = collector_sockets.titled_settings;

	memset(config, 0, collector_sockets.titled_config_size);
	if (local)
		memcpy((char *)config + s[0].offset, local, sizeof(*local));
	if (remote)
		memcpy((char *)config + s[1].offset, remote, sizeof(*remote));
	if (networks)
		memcpy((char *)config + s[2].offset, networks, sizeof(*networks));
}

/* Established sockets and listeners of the group among a few. */
static void assert_group(
	const struct tree *tree, const void *group, double established, double listeners)
{
	char text[2048];
	struct run run;

	snprintf(text, sizeof(text),
		LISTENER("00000000", "0050", "00000000") LISTENER("00000000", "01BB",
			"00000000") "0: %08X:0050 %08X:C350 01 00000000:00000000 x\n"
				    "0: %08X:01BB %08X:C351 01 00000000:00000000 x\n"
				    "0: %08X:8000 %08X:1538 01 00000000:00000000 x\n",
		htonl(0x7f000001), htonl(0x0a010203), htonl(0x7f000001), htonl(0xc0a80001),
		htonl(0x7f000001), htonl(0x0a020304));
	tree_put(tree, "net/tcp", text);
	snprintf(text, sizeof(text),
		"0: %024X%08X:0050 0000000000000000%08X%08X:C350 01 00000000:00000000 x\n", 0,
		htonl(1), htonl(0x0000ffff), htonl(0x0a010204));
	tree_put(tree, "net/tcp6", text);
	run_init(&run, &collector_sockets, tree->proc, group);
	run_row(&run);
	assert_int_equal(run.read_r, 0);
	assert_number(value(&run, "established"), established);
	assert_number(value(&run, "listen"), listeners);
	assert_number(value(&run, "time_wait"), 0);
	run_close(&run);
}

static void groups_match_ports_and_networks(void **state)
{
	const struct port_list web = {2, (uint16_t[]){80, 443}}, database = {1, (uint16_t[]){5432}};
	const struct network net10[] = {{{[10] = 0xff, 0xff, 10}, 104}};
	const struct network nets[] = {
		{{[10] = 0xff, 0xff, 10, 2}, 111}, {{[10] = 0xff, 0xff, 192, 168}, 112}};
	const struct network everything[] = {{{0}, 0}, {{[10] = 0xff, 0xff}, 96}};
	const struct network_list one = {1, net10}, two = {2, nets}, all = {2, everything},
				  six = {1, everything};
	void *group = malloc(collector_sockets.titled_config_size);

	assert_non_null(group);
	assert_group(*state, NULL, 4, 2);
	group_of(group, NULL, NULL, NULL);
	assert_group(*state, group, 4, 2);
	group_of(group, &web, NULL, NULL);
	assert_group(*state, group, 3, 2);
	group_of(group, NULL, &database, NULL);
	assert_group(*state, group, 1, 0);
	group_of(group, NULL, NULL, &one);
	assert_group(*state, group, 3, 0); /* ::ffff:10.1.2.4 is 10.1.2.4 */
	group_of(group, &web, NULL, &one);
	assert_group(*state, group, 2, 0);
	group_of(group, NULL, NULL, &two);
	assert_group(*state, group, 2, 0);
	group_of(group, &web, &database, NULL);
	assert_group(*state, group, 0, 0);
	group_of(group, NULL, NULL, &all);
	assert_group(*state, group, 4, 0); /* a listener has no remote end */
	group_of(group, NULL, NULL, &six);
	assert_group(*state, group, 0,
		0); /* ::/0 is IPv6, and all of these are IPv4 in one form or other */
	free(group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_collector_reads_every_recorded_tree_as_expected),
		WITH_TREE(peak_is_the_highest_look_since_the_last_row),
		WITH_TREE(absent_conntrack_is_enoent_until_it_comes),
		WITH_TREE(sums_start_anew_when_the_module_was_away),
		WITH_TREE(torn_count_is_a_failure_that_names_the_file),
		WITH_TREE(old_names_of_conntrack_are_found),
		WITH_TREE(limits_without_anything_else_is_no_failure),
		WITH_TREE(limits_names_the_first_torn_file_and_reads_the_others),
		WITH_TREE(softnet_goes_by_cpu_number_and_wraps),
		WITH_TREE(fullest_listener_is_named),
		WITH_TREE(groups_match_ports_and_networks),
	};

	log_open(LOG_TARGET_STDERR, LOG_ERR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
