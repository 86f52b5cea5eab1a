/* SPDX-License-Identifier: MIT */
/*
 * The connection tracking table: entries, maximum and what the kernel counts about it, per network
 * namespace.
 */
#include <errno.h>

#include "collectors/conntrack.h"
#include "collectors/percpu.h"
#include "collectors/procfile.h"
#include "collectors/registry.h"
#include "daemon/message_id.h"
#include "daemon/util.h"

enum {
	ENTRIES,
	MAX,
	PEAK,
	BUCKETS,
	FOUND,
	INVALID,
	INSERT_FAILED,
	DROP,
	EARLY_DROP,
	ERROR,
	SEARCH_RESTART,
	CLASH_RESOLVE,
	CHAIN_TOOLONG,
	N_METRICS,
	N_SUMS = N_METRICS - FOUND,
};

static const struct metric metrics[] = {
	[ENTRIES] = {.name = "entries",
		.unit = "entries",
		.look = true,
		.help = "entries in the table"},
	[MAX] = {.name = "max",
		.unit = "entries",
		.look = true,
		.announce = "maximum",
		.help = "most entries the table may have; 0: no limit"},
	[PEAK] = {.name = "peak",
		.unit = "entries",
		.help = "most entries seen since the row before"},
	[BUCKETS] = {.name = "buckets", .unit = "buckets", .help = "hash chains of the table"},
	[FOUND] = {.name = "found",
		.unit = "lookups",
		.kind = METRIC_COUNTER,
		.help = "lookups that found an entry"},
	[INVALID] = {.name = "invalid",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.help = "packets that could not be tracked"},
	[INSERT_FAILED] = {.name = "insert_failed",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.help = "packets whose entry could not be inserted"},
	[DROP] = {.name = "drop",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.help = "packets dropped because no entry could be made"},
	[EARLY_DROP] = {.name = "early_drop",
		.unit = "entries",
		.kind = METRIC_COUNTER,
		.help = "entries removed before their time to make room"},
	[ERROR] = {.name = "error",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.help = "packets dropped because they were malformed"},
	[SEARCH_RESTART] = {.name = "search_restart",
		.unit = "lookups",
		.kind = METRIC_COUNTER,
		.help = "lookups that had to start again"},
	[CLASH_RESOLVE] = {.name = "clash_resolve",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.help = "packets whose entry another packet had made meanwhile"},
	[CHAIN_TOOLONG] = {.name = "chain_toolong",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.help = "packets dropped because a hash chain was too long"},
};
_Static_assert(ARRAY_LEN(metrics) == N_METRICS, "a metric for each column");

/*
 * Header names of the stat file, for the columns from FOUND on. clashres and chainlength stand
 * where older kernels (before 5.10 and 5.15) have searched and delete_list, which mean something
 * else.
 */
static const char *const sums[] = {
	[0] = "found",
	[INVALID - FOUND] = "invalid",
	[INSERT_FAILED - FOUND] = "insert_failed",
	[DROP - FOUND] = "drop",
	[EARLY_DROP - FOUND] = "early_drop",
	[ERROR - FOUND] = "icmp_error",
	[SEARCH_RESTART - FOUND] = "search_restart",
	[CLASH_RESOLVE - FOUND] = "clashres",
	[CHAIN_TOOLONG - FOUND] = "chainlength",
};
_Static_assert(ARRAY_LEN(sums) == N_SUMS && N_SUMS <= PERCPU_COLUMNS, "a header name for each sum");

static const struct setting settings[] = {
	{.name = "who",
		.type = SETTING_BOOL,
		.offset = offsetof(struct conntrack_config, who),
		.initial = "true",
		.help = "client addresses in the log when an alert is raised"},
};

#define RAISE .advice = "raise net.netfilter.nf_conntrack_max", .above = "conntrack.max"

static const struct rule rules[] = {
	{RULE_DEFAULTS, RULE_PERCENT, .name = "conntrack-full", .value = "conntrack.entries",
		.limit = "conntrack.max", .subject = "conntrack", .forecast_warning = 30 * 60,
		.forecast_critical = 5 * 60, .message_id = MESSAGE_ID_CONNTRACK_FULL},
	{RULE_AT_ONCE, .name = "conntrack-dropping", .value = "conntrack.drop",
		.subject = "conntrack", .doing = "dropping packets", .done = "dropped", RAISE,
		.message_id = MESSAGE_ID_CONNTRACK_DROPPING},
	{RULE_AT_ONCE, .name = "conntrack-early-drop", .value = "conntrack.early_drop",
		.subject = "conntrack", .doing = "removing entries early to make room",
		.done = "removed", RAISE, .message_id = MESSAGE_ID_CONNTRACK_DROPPING},
	{RULE_SUSTAINED, .name = "conntrack-insert-failed", .value = "conntrack.insert_failed",
		.subject = "conntrack", .doing = "dropping packets that clash with an entry",
		.done = "dropped",
		.advice = "look for NAT that runs out of ports, or for DNS clients that ask twice "
			  "at once",
		.message_id = MESSAGE_ID_CONNTRACK_INSERT_FAILED},
	{RULE_SUSTAINED, .name = "conntrack-chain-toolong", .value = "conntrack.chain_toolong",
		.subject = "conntrack", .doing = "dropping packets at overlong hash chains",
		.done = "dropped", .advice = "raise net.netfilter.nf_conntrack_buckets",
		.above = "conntrack.buckets", .message_id = MESSAGE_ID_CONNTRACK_HASH},
	{RULE_DEFAULTS, .name = "conntrack-buckets", .value = "conntrack.entries",
		.limit = "conntrack.buckets", .subject = "conntrack hash", .warning = 400,
		.critical = 800, .clear = 50, .ratio = "entries per bucket",
		.advice = "raise net.netfilter.nf_conntrack_buckets", .above = "conntrack.buckets",
		.message_id = MESSAGE_ID_CONNTRACK_HASH},
};

static const struct graph graphs[] = {
	{"table", "Connection tracking table", "entries",
		{{ENTRIES, "entries", GRAPH_AREA, COLOUR_SKY},
			{PEAK, "peak", GRAPH_PEAK, COLOUR_BLUE},
			{MAX, "maximum", GRAPH_LIMIT, COLOUR_BLACK}}},
	{"drops", "Connection tracking: lost packets", "events per second",
		{{DROP, "dropped, table full", GRAPH_STACK, COLOUR_BLUE},
			{INSERT_FAILED, "dropped, clash", GRAPH_STACK, COLOUR_SKY},
			{CHAIN_TOOLONG, "dropped, long chain", GRAPH_STACK, COLOUR_PURPLE},
			{ERROR, "dropped, malformed", GRAPH_STACK, COLOUR_GREY},
			{EARLY_DROP, "entries removed early", GRAPH_LINE, COLOUR_GREEN}}},
	{"lookups", "Connection tracking: lookups", "events per second",
		{{INVALID, "packets not tracked", GRAPH_AREA, COLOUR_GREY},
			{FOUND, "lookups that found", GRAPH_LINE, COLOUR_GREEN},
			{SEARCH_RESTART, "lookups begun again", GRAPH_LINE, COLOUR_PURPLE},
			{CLASH_RESOLVE, "clashes resolved", GRAPH_LINE, COLOUR_BLUE}}},
	{"hash", "Connection tracking: hash table", "entries, buckets",
		{{ENTRIES, "entries", GRAPH_AREA, COLOUR_SKY},
			{BUCKETS, "buckets", GRAPH_LINE, COLOUR_NAVY}}},
};

/*
 * What kernels have called the files. ip_conntrack (before 2.6.22) is also a name that
 * nf_conntrack_ipv4 kept as a second one until 4.19; max alone has one more name in each
 * generation.
 */
struct naming {
	const char *count, *max, *max_again, *buckets, *stat;
};

static const struct naming namings[] = {
	{"sys/net/netfilter/nf_conntrack_count", "sys/net/netfilter/nf_conntrack_max",
		"sys/net/nf_conntrack_max", "sys/net/netfilter/nf_conntrack_buckets",
		CONNTRACK_STAT},
	{"sys/net/ipv4/netfilter/ip_conntrack_count", "sys/net/ipv4/netfilter/ip_conntrack_max",
		"sys/net/ipv4/ip_conntrack_max", "sys/net/ipv4/netfilter/ip_conntrack_buckets",
		"net/stat/ip_conntrack"},
};

struct conntrack {
	struct proc *proc;
	size_t naming; /* the one in use, or asked for first */
	struct procfile count, max, max_again, buckets, stat;
	bool present; /* at the last look */
	double peak;
	struct percpu sums;
};

static void close_files(struct conntrack *c)
{
	procfile_close(&c->count);
	procfile_close(&c->max);
	procfile_close(&c->max_again);
	procfile_close(&c->buckets);
	procfile_close(&c->stat);
}

static void use_naming(struct conntrack *c, size_t naming)
{
	const struct naming *n = &namings[naming];

	close_files(c);
	c->naming = naming;
	c->count = PROCFILE(n->count);
	c->max = PROCFILE(n->max);
	c->max_again = PROCFILE(n->max_again);
	c->buckets = PROCFILE(n->buckets);
	c->stat = PROCFILE_RECORDS(n->stat);
}

/* Turn to the first naming whose count is there; to the first of all if none is. */
static void find_naming(struct conntrack *c)
{
	double count;

	for (size_t i = 0; i < ARRAY_LEN(namings); i++) {
		use_naming(c, i);
		if (procfile_numbers(c->proc, &c->count, 1, &count) != -ENOENT)
			return;
	}
	use_naming(c, 0);
}

static int init(void *state, const struct collector_env *env)
{
	struct conntrack *c = state;

	c->proc = env->proc;
	c->peak = UNKNOWN;
	c->count.fd = c->max.fd = c->max_again.fd = c->buckets.fd = c->stat.fd = -1;
	find_naming(c);
	return 0;
}

/* A number that may be missing without harm: UNKNOWN then. */
static int optional(struct conntrack *c, struct procfile *file, double *value, struct reading *r)
{
	int error = procfile_numbers(c->proc, file, 1, value);

	if (error == 0)
		return 0;
	*value = UNKNOWN;
	return error == -ENOENT ? 0 : reading_fail(r, error, file->path);
}

static int read_max(struct conntrack *c, double *value, struct reading *r)
{
	int error = optional(c, &c->max, value, r);

	return error == 0 && isnan(*value) ? optional(c, &c->max_again, value, r) : error;
}

static int look(void *state, struct reading *r)
{
	struct conntrack *c = state;
	int error;

	r->values[ENTRIES] = r->values[MAX] = UNKNOWN;
	error = procfile_numbers(c->proc, &c->count, 1, &r->values[ENTRIES]);
	c->present = error != -ENOENT;
	if (!c->present)
		percpu_reset(&c->sums);
	if (error < 0) {
		r->values[ENTRIES] = UNKNOWN;
		return reading_fail(r, error, c->count.path);
	}
	c->peak = fmax(c->peak, r->values[ENTRIES]); /* fmax() passes over UNKNOWN */
	return read_max(c, &r->values[MAX], r);
}

static int read_stat(struct conntrack *c, double values[], struct reading *r)
{
	struct span text;
	int error = procfile_read(c->proc, &c->stat, &text);

	for (size_t i = 0; i < N_SUMS; i++)
		values[i] = UNKNOWN;
	if (error == 0)
		error = percpu_table(&c->sums, text, sums, N_SUMS, values);
	if (error != -ENOENT)
		return error < 0 ? reading_fail(r, error, c->stat.path) : 0;
	percpu_reset(&c->sums); /* built without CONFIG_NF_CONNTRACK_PROCFS, as Ubuntu's */
	return 0;
}

static int read_row(void *state, struct reading *r)
{
	struct conntrack *c = state;
	const char *path = c->count.path;
	int error, stat_error;

	r->values[PEAK] = c->peak;
	c->peak = UNKNOWN;
	if (!c->present) {
		for (size_t i = BUCKETS; i < N_METRICS; i++)
			r->values[i] = UNKNOWN;
		find_naming(c); /* the module may come under another name: asked for at rows only,
				   as looks are cheap */
		return reading_fail(r, -ENOENT, path);
	}
	error = optional(c, &c->buckets, &r->values[BUCKETS], r);
	stat_error = read_stat(c, &r->values[FOUND], r);
	return error < 0 ? error : stat_error;
}

static void close_state(void *state)
{
	struct conntrack *c = state;

	close_files(c);
	percpu_reset(&c->sums);
}

const struct collector collector_conntrack = {
	.name = "conntrack",
	.help = "The connection tracking table",
	.metrics = metrics,
	.n_metrics = N_METRICS,
	.in_netns = true,
	.section = "conntrack",
	.settings = settings,
	.n_settings = ARRAY_LEN(settings),
	.config_size = sizeof(struct conntrack_config),
	.rules = rules,
	.n_rules = ARRAY_LEN(rules),
	.graphs = graphs,
	.n_graphs = ARRAY_LEN(graphs),
	.state_size = sizeof(struct conntrack),
	.init = init,
	.look = look,
	.read = read_row,
	.close = close_state,
};
