/* SPDX-License-Identifier: MIT */
#include "cli/advice.h"

#include <string.h>

#include "cli/advise_facts.h"
#include "daemon/text.h"
#include "daemon/util.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define MIB 1048576.0
#define GIB (1024 * MIB)
#define DAYS 86400.0

enum { MAX, BUCKETS, TIMEOUT, LOOSE, ORPHANS, TW, SOMAXCONN, PORTS };

/* A quiet machine of 16 GiB with a history of ten days. */
static struct advice_facts quiet(void)
{
	const struct advice_usage idle = {.now = 10, .peak = 20, .span = 10 * DAYS};

	return (struct advice_facts){
		.conntrack_max = 262144,
		.conntrack_buckets = 262144,
		.timeout_established = 5 * DAYS,
		.tcp_loose = 1,
		.max_orphans = 65536,
		.max_tw_buckets = 65536,
		.somaxconn = 4096,
		.port_low = 32768,
		.port_high = 60999,
		.entries = idle,
		.orphans = idle,
		.tw = idle,
		.listen_queue = idle,
		.ports = idle,
		.listen_overflows = 0,
		.memory = 16 * GIB,
		.memory_available = 12 * GIB,
		.entry_size = 256,
		.tw_size = 256,
	};
}

static const char *bytes(double n)
{
	static char text[TEXT_SIZE];

	return advice_bytes(text, n);
}

static void expect(const struct advice *a, bool change, const char *value, const char *part)
{
	if (a->change != change || strcmp(a->value, value) != 0 || !strstr(a->reason, part))
		fail_msg("%s %s= %s, not \"%s\" with \"%s\": %s", a->key,
			a->change ? "" : "(as is) ", a->value, value, part, a->reason);
}

static void a_quiet_machine_is_left_as_it_is(void **state)
{
	const struct advice_facts facts = quiet();
	struct advice a[ADVICE_KEYS];

	(void)state;
	advice_give(&facts, a);
	expect(&a[MAX], false, "262144",
		"peak 20 of 262144 entries (0%) in 10 d, now 10; room enough; full it takes 64 "
		"MiB");
	expect(&a[BUCKETS], false, "262144", "takes 2.0 MiB");
	expect(&a[TIMEOUT], false, "432000", "5 d, which does no harm");
	expect(&a[LOOSE], false, "1", "costs no memory");
	expect(&a[ORPHANS], false, "65536", "room enough");
	expect(&a[TW], false, "65536", "room enough");
	expect(&a[SOMAXCONN], false, "4096", "room enough");
	expect(&a[PORTS], false, "32768 60999", "room enough");
}

static void a_crowded_limit_is_raised_to_twice_the_peak(void **state)
{
	struct advice_facts facts = quiet();
	struct advice a[ADVICE_KEYS];

	(void)state;
	facts.entries = (struct advice_usage){.now = 100000, .peak = 214958, .span = 14 * DAYS};
	facts.conntrack_buckets = 65536;
	facts.orphans.peak = 17000;
	facts.tw.peak = 50000;
	facts.listen_queue.peak = 4000;
	facts.ports.peak = 25000;
	advice_give(&facts, a);
	expect(&a[MAX], true, "524288",
		"peak 214958 of 262144 entries (82%) in 14 d, now 100000; full it takes 128 MiB "
		"instead "
		"of 64 MiB, now 24 MiB (256 bytes an entry)");
	expect(&a[BUCKETS], true, "524288", "takes 4.0 MiB instead of 512 KiB");
	expect(&a[TIMEOUT], true, "86400", "keeps its entry for 5 d; 1 d serves all");
	expect(&a[LOOSE], false, "1", "");
	expect(&a[TW], true, "131072", "full it takes 32 MiB instead of 16 MiB");
	expect(&a[SOMAXCONN], true, "8192", "restarted");
	expect(&a[PORTS], true, "10000 65535", "ip_local_reserved_ports");
	/* 131072 of 64 KiB are 8 GiB. */
	expect(&a[ORPHANS], false, "65536", "memory allows no 131072, which may take 8.0 GiB");
}

static void what_was_advised_is_enough(void **state)
{
	struct advice_facts facts = quiet();
	struct advice a[ADVICE_KEYS];

	(void)state;
	facts.entries.peak = facts.tw.peak = 60000;
	facts.conntrack_max = facts.max_tw_buckets = 65536;
	facts.listen_queue.peak = facts.somaxconn = 128;
	facts.orphans.peak = facts.max_orphans = 1000;
	facts.ports.peak = 28000;
	for (int round = 0; round < 2; round++) {
		advice_give(&facts, a);
		for (size_t i = 0; i < ADVICE_KEYS; i++)
			assert_int_equal(a[i].change, round == 0 && i != LOOSE && i != BUCKETS);
		facts.conntrack_max = strtod(a[MAX].value, NULL);
		facts.timeout_established = strtod(a[TIMEOUT].value, NULL);
		facts.max_orphans = strtod(a[ORPHANS].value, NULL);
		facts.max_tw_buckets = strtod(a[TW].value, NULL);
		facts.somaxconn = strtod(a[SOMAXCONN].value, NULL);
		sscanf(a[PORTS].value, "%lf %lf", &facts.port_low, &facts.port_high);
	}
}

/* Whatever the numbers: no limit below the one in force, none beyond memory, no half a page. */
static void no_limit_is_lowered_nor_beyond_memory(void **state)
{
	static const double limits[] = {0, 1, 100, 8192, 262144, 1e6, 4e9};
	static const double peaks[] = {0, 1, 99, 50000, 262144, 3e6, 5e9};
	static const double memories[] = {64 * MIB, GIB, 16 * GIB, 1024 * GIB};
	struct advice a[ADVICE_KEYS];
	struct advice_facts f = quiet();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(limits) * ARRAY_LEN(peaks) * ARRAY_LEN(memories); i++) {
		double limit = limits[i % ARRAY_LEN(limits)];
		double peak = peaks[i / ARRAY_LEN(limits) % ARRAY_LEN(peaks)];

		f.memory = memories[i / ARRAY_LEN(limits) / ARRAY_LEN(peaks)];
		f.memory_available = f.memory / 2;
		f.conntrack_max = f.conntrack_buckets = f.max_orphans = f.max_tw_buckets =
			f.somaxconn = limit;
		f.entries.peak = f.tw.peak = f.orphans.peak = f.listen_queue.peak = peak;
		advice_give(&f, a);
		for (size_t k = 0; k < ADVICE_KEYS; k++) {
			double value = strtod(a[k].value, NULL);

			if (k == TIMEOUT || k == LOOSE || k == PORTS || !a[k].change)
				continue;
			assert_true(value > limit);
			assert_true(value * (k == MAX || k == TW ? 256 : 8) <= f.memory / 4);
		}
		if (a[BUCKETS].change)
			assert_number(fmod(strtod(a[BUCKETS].value, NULL), 8192), 0);
		if (!a[MAX].change)
			assert_number(strtod(a[MAX].value, NULL), limit);
	}
}

static void memory_bounds_the_table(void **state)
{
	struct advice_facts facts = quiet();
	struct advice a[ADVICE_KEYS];

	(void)state;
	facts.entries = (struct advice_usage){.now = 250000, .peak = 260000, .span = DAYS};
	facts.memory = GIB;
	facts.memory_available = GIB / 2;
	advice_give(&facts, a);
	/* An eighth of it, at 264 bytes with a bucket, in whole KiB. */
	expect(&a[MAX], true, "507904", "memory allows no 524288, which may take 132 MiB");
	facts.memory_available = 10 * MIB;
	advice_give(&facts, a);
	expect(&a[MAX], true, "269312", "memory allows no 524288");
	facts.memory_available = 1 * MIB;
	advice_give(&facts, a);
	expect(&a[MAX], false, "262144", "memory allows no 524288");
	expect(&a[TIMEOUT], true, "86400", "");
	facts.memory = facts.memory_available = UNKNOWN;
	advice_give(&facts, a);
	expect(&a[MAX], false, "262144", "524288 may take 132 MiB and is not advised");
}

static void what_is_not_known_is_said(void **state)
{
	const struct advice_usage unknown = {UNKNOWN, UNKNOWN, 0};
	struct advice_facts facts = quiet();
	struct advice a[ADVICE_KEYS];

	(void)state;
	facts.entries = (struct advice_usage){.now = 10, .peak = 10};
	facts.entry_size = UNKNOWN;
	facts.orphans = facts.tw = facts.listen_queue = facts.ports = unknown;
	facts.max_orphans = UNKNOWN;
	advice_give(&facts, a);
	expect(&a[MAX], false, "262144", "now 10 of 262144 entries (0%), nothing is recorded");
	expect(&a[MAX], false, "262144", "(256 bytes an entry, assumed");
	expect(&a[TIMEOUT], false, "432000", "how full the table gets is not recorded");
	expect(&a[ORPHANS], false, "", "not there");
	expect(&a[TW], false, "65536", "the number of TIME-WAIT sockets is not known here");
	expect(&a[PORTS], false, "32768 60999", "is not known here");
	facts.conntrack_max = facts.conntrack_buckets = facts.timeout_established =
		facts.tcp_loose = UNKNOWN;
	facts.entries = unknown;
	advice_give(&facts, a);
	for (size_t i = MAX; i <= LOOSE; i++)
		expect(&a[i], false, "", "nf_conntrack is not loaded");
}

static void another_namespace_cannot_set_what_is_not_its_own(void **state)
{
	struct advice_facts facts = quiet();
	struct advice a[ADVICE_KEYS];

	(void)state;
	facts.other_namespace = true;
	facts.max_orphans = UNKNOWN;
	facts.conntrack_buckets = 8192;
	facts.entries.peak = 260000;
	advice_give(&facts, a);
	expect(&a[MAX], false, "524288", "to be set in the initial network namespace");
	expect(&a[BUCKETS], false, "524288", "to be set in the initial network namespace");
	expect(&a[TIMEOUT], true, "86400", "");
	expect(&a[ORPHANS], false, "", "belongs to the initial network namespace");
}

static void a_maximum_of_0_is_no_limit(void **state)
{
	struct advice_facts facts = quiet();
	struct advice a[ADVICE_KEYS];

	(void)state;
	facts.conntrack_max = 0;
	facts.conntrack_buckets = 1024;
	facts.entries.peak = 100000;
	advice_give(&facts, a);
	expect(&a[MAX], false, "0", "0 is no limit");
	expect(&a[BUCKETS], true, "106496", "98 entries to search in a bucket");
	expect(&a[TIMEOUT], false, "432000", "without a limit");
}

static void lost_connections_raise_an_old_somaxconn_once(void **state)
{
	struct advice_facts facts = quiet();
	struct advice a[ADVICE_KEYS];

	(void)state;
	facts.listen_overflows = 7;
	facts.somaxconn = 128;
	advice_give(&facts, a);
	expect(&a[SOMAXCONN], true, "4096", "7 were lost to full queues since the boot");
	facts.somaxconn = 4096;
	advice_give(&facts, a);
	expect(&a[SOMAXCONN], false, "4096", "backlog that a program asks for");
}

static void bytes_are_written_for_people(void **state)
{
	(void)state;
	assert_string_equal(bytes(0), "0 bytes");
	assert_string_equal(bytes(65536), "64 KiB");
	assert_string_equal(bytes(1.5 * MIB), "1.5 MiB");
	assert_string_equal(bytes(9.97 * MIB), "10 MiB");
	assert_string_equal(bytes(8 * GIB), "8.0 GiB");
}

static void meminfo_and_slabinfo_are_read_by_name(void **state)
{
	static const char meminfo[] = "MemTotal:         998564 kB\nMemFree: 1 kB\n";
	static const char slabs[] =
		"slabinfo - version: 2.1\n"
		"# name <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>\n"
		"nf_conntrack_expect      0      0    216   18    1 : tunables    0    0    0\n"
		"nf_conntrack        500000 500016    320   12    1 : tunables    0    0    0\n"
		"tw_sock_TCP             80    144    256    0    1 : tunables    0    0    0\n";
	double page = (double)sysconf(_SC_PAGESIZE);

	(void)state;
	assert_number(advise_meminfo(meminfo, strlen(meminfo), "MemTotal:"), 998564 * 1024.0);
	assert_number(advise_meminfo(meminfo, strlen(meminfo), "MemAvailable:"), UNKNOWN);
	assert_number(advise_slab(slabs, strlen(slabs), "nf_conntrack"), page / 12);
	assert_number(advise_slab(slabs, strlen(slabs), "tw_sock_TCP"), UNKNOWN);
	assert_number(advise_slab(slabs, strlen(slabs), "nf_conn"), UNKNOWN);
	assert_number(advise_slab("nf_conntrack 1 2", 16, "nf_conntrack"), UNKNOWN);
}

/* Advice about a captured tree, without a history. */
static void advise_of(const char *tree, struct advice a[static ADVICE_KEYS])
{
	char note[ADVISE_NOTE_SIZE];
	struct advice_facts facts;
	struct conf *conf, here;

	assert_int_equal(conf_load(NULL, NULL, NULL, &conf), 0);
	here = *conf;
	here.proc = tree;
	here.rrd_directory = "/nonexistent";
	assert_int_equal(advise_facts_gather(&here, NULL, &facts, note), 0);
	assert_non_null(strstr(note, "/nonexistent/conntrack.rrd"));
	assert_false(facts.other_namespace);
	advice_give(&facts, a);
	conf_free(conf);
}

static void captured_trees_are_understood(void **state)
{
	struct advice a[ADVICE_KEYS];

	(void)state;
	advise_of(SRCDIR "/tests/fixtures/linux-6.1-debian/proc", a);
	expect(&a[MAX], false, "7680", "now 41 of 7680 entries (1%)");
	expect(&a[MAX], false, "7680", "now 10 KiB (256 bytes an entry)");
	expect(&a[TW], false, "4096", "(273 bytes each)");
	expect(&a[TIMEOUT], false, "432000", "5 d");
	expect(&a[PORTS], false, "32768 60999", "");
	advise_of(SRCDIR "/tests/fixtures/linux-6.18/proc", a);
	expect(&a[MAX], false, "1200000", "now 363 of 1200000 entries");
	expect(&a[ORPHANS], false, "131072", "of 131072 orphans");
	advise_of(SRCDIR "/tests/fixtures/cases/09-conntrack-absent/proc", a);
	expect(&a[MAX], false, "", "not loaded");
	expect(&a[SOMAXCONN], false, "", "not there");
	advise_of(SRCDIR "/tests/fixtures/cases/15-max-zero/proc", a);
	expect(&a[MAX], false, "0", "0 is no limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_machine_is_left_as_it_is),
		cmocka_unit_test(a_crowded_limit_is_raised_to_twice_the_peak),
		cmocka_unit_test(what_was_advised_is_enough),
		cmocka_unit_test(no_limit_is_lowered_nor_beyond_memory),
		cmocka_unit_test(memory_bounds_the_table),
		cmocka_unit_test(what_is_not_known_is_said),
		cmocka_unit_test(another_namespace_cannot_set_what_is_not_its_own),
		cmocka_unit_test(a_maximum_of_0_is_no_limit),
		cmocka_unit_test(lost_connections_raise_an_old_somaxconn_once),
		cmocka_unit_test(bytes_are_written_for_people),
		cmocka_unit_test(meminfo_and_slabinfo_are_read_by_name),
		cmocka_unit_test(captured_trees_are_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
