/* SPDX-License-Identifier: MIT */
/*
 * The network limits of the host beside conntrack: accept queues, orphans, TIME-WAIT, TCP memory,
 * backlogs, neighbours.
 */
#include <errno.h>

#include "collectors/census.h"
#include "collectors/listeners.h"
#include "collectors/mib.h"
#include "collectors/percpu.h"
#include "collectors/procfile.h"
#include "collectors/registry.h"
#include "daemon/log.h"
#include "daemon/message_id.h"
#include "daemon/util.h"

enum {
	LISTEN_QUEUE,
	LISTEN_BACKLOG,
	ORPHANS,
	ORPHANS_MAX,
	TW,
	TW_MAX,
	TCP_MEM,
	TCP_MEM_PRESSURE,
	TCP_MEM_MAX,
	SOFTNET_DROPPED,
	SOFTNET_SQUEEZED,
	NEIGH4_ENTRIES,
	NEIGH4_MAX,
	NEIGH6_ENTRIES,
	NEIGH6_MAX,
	NEIGH_TABLE_FULLS,
	UDP_RCVBUF_ERRORS,
	PORT_TUPLE,
	PORT_TUPLE_MAX,
	N_METRICS,
};

static const struct metric metrics[] = {
	[LISTEN_QUEUE] = {.name = "listen_queue",
		.unit = "connections",
		.look = true,
		.help = "connections waiting for accept() at the fullest listener"},
	[LISTEN_BACKLOG] = {.name = "listen_backlog",
		.unit = "connections",
		.look = true,
		.help = "most connections that may wait there"},
	[ORPHANS] = {.name = "orphans",
		.unit = "sockets",
		.look = true,
		.help = "TCP sockets that no process holds any more"},
	[ORPHANS_MAX] = {.name = "orphans_max",
		.unit = "sockets",
		.announce = "maximum of orphans",
		.help = "most orphans, net.ipv4.tcp_max_orphans"},
	[TW] = {.name = "tw",
		.unit = "sockets",
		.look = true,
		.help = "sockets in TIME-WAIT, and orphans in FIN-WAIT-2"},
	[TW_MAX] = {.name = "tw_max",
		.unit = "sockets",
		.announce = "maximum of TIME-WAIT sockets",
		.help = "most of them, net.ipv4.tcp_max_tw_buckets"},
	[TCP_MEM] = {.name = "tcp_mem",
		.unit = "pages",
		.look = true,
		.help = "memory in use by TCP"},
	[TCP_MEM_PRESSURE] = {.name = "tcp_mem_pressure",
		.unit = "pages",
		.help = "memory from which on TCP saves, the second number of net.ipv4.tcp_mem"},
	[TCP_MEM_MAX] = {.name = "tcp_mem_max",
		.unit = "pages",
		.announce = "maximum of TCP memory",
		.help = "most memory for TCP, the third number of net.ipv4.tcp_mem"},
	[SOFTNET_DROPPED] = {.name = "softnet_dropped",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "packets dropped because a CPU's backlog was full"},
	[SOFTNET_SQUEEZED] = {.name = "softnet_squeezed",
		.unit = "times",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "times a CPU had to put off packets because its budget was used up"},
	[NEIGH4_ENTRIES] = {.name = "neigh4_entries",
		.unit = "entries",
		.help = "IPv4 neighbours (ARP)"},
	[NEIGH4_MAX] = {.name = "neigh4_max",
		.unit = "entries",
		.announce = "maximum of IPv4 neighbours",
		.help = "most of them, net.ipv4.neigh.default.gc_thresh3"},
	[NEIGH6_ENTRIES] = {.name = "neigh6_entries",
		.unit = "entries",
		.help = "IPv6 neighbours (NDP)"},
	[NEIGH6_MAX] = {.name = "neigh6_max",
		.unit = "entries",
		.announce = "maximum of IPv6 neighbours",
		.help = "most of them, net.ipv6.neigh.default.gc_thresh3"},
	[NEIGH_TABLE_FULLS] = {.name = "neigh_table_fulls",
		.unit = "times",
		.kind = METRIC_COUNTER,
		.help = "times a neighbour table was full, both families"},
	[UDP_RCVBUF_ERRORS] = {.name = "udp_rcvbuf_errors",
		.unit = "datagrams",
		.kind = METRIC_COUNTER,
		.help = "UDP datagrams dropped because a receive buffer was full"},
	[PORT_TUPLE] = {.name = "port_tuple",
		.unit = "ports",
		.with_sockets = true,
		.help = "local ports in use from the local address to the remote end with most"},
	[PORT_TUPLE_MAX] = {.name = "port_tuple_max",
		.unit = "ports",
		.with_sockets = true,
		.announce = "maximum of ports to a remote end",
		.help = "most of them, net.ipv4.ip_local_port_range less reserved ports"},
};
_Static_assert(ARRAY_LEN(metrics) == N_METRICS, "a metric for each column");

/* Of a rate over a minute: passed when there was none at all. */
#define CLEAR_AT_NONE(threshold) .clear = ((threshold)-0.01)

static const struct rule rules[] = {
	{RULE_DEFAULTS, .name = "listen-queue", .value = "limits.listen_queue",
		.limit = "limits.listen_backlog", .subject = "listen queue", .warning = 80,
		.critical = RULE_OVERFULL, .clear = 10, .message_id = MESSAGE_ID_LISTEN_QUEUE,
		.advice = "the program accepts too slowly, or raise its listen backlog and "
			  "net.core.somaxconn"},
	/* Low, as for a socket that misbehaves the kernel counts orphans double or fourfold. */
	{RULE_DEFAULTS, .name = "orphans", .value = "limits.orphans", .limit = "limits.orphans_max",
		.subject = "orphaned sockets", .warning = 25, .critical = 50, .clear = 5,
		.advice = "raise net.ipv4.tcp_max_orphans", .message_id = MESSAGE_ID_ORPHANS},
	{RULE_DEFAULTS, .name = "time-wait", .value = "limits.tw", .limit = "limits.tw_max",
		.subject = "TIME-WAIT sockets", .warning = 80, .critical = 95, .clear = 10,
		.advice = "raise net.ipv4.tcp_max_tw_buckets", .message_id = MESSAGE_ID_TIME_WAIT},
	{RULE_DEFAULTS, .name = "tcp-memory", .value = "limits.tcp_mem",
		.limit = "limits.tcp_mem_pressure", .subject = "TCP memory before pressure",
		.warning = 100, .clear = 20,
		.advice = "raise the second number of net.ipv4.tcp_mem",
		.message_id = MESSAGE_ID_TCP_MEMORY},
	{RULE_DEFAULTS, .name = "tcp-memory-max", .value = "limits.tcp_mem",
		.limit = "limits.tcp_mem_max", .subject = "TCP memory", .critical = 90, .clear = 5,
		.advice = "raise the third number of net.ipv4.tcp_mem",
		.message_id = MESSAGE_ID_TCP_MEMORY},
	{RULE_DEFAULTS, .name = "softnet-dropped", .value = "limits.softnet_dropped",
		.subject = "per-CPU backlog drops", .over = 60, .warning = 10, CLEAR_AT_NONE(10),
		.advice = "raise net.core.netdev_max_backlog", .message_id = MESSAGE_ID_SOFTNET},
	{RULE_DEFAULTS, .name = "softnet-squeezed", .value = "limits.softnet_squeezed",
		.subject = "packets put off by a CPU", .over = 60, .warning = 10, CLEAR_AT_NONE(10),
		.advice = "raise net.core.netdev_budget and net.core.netdev_budget_usecs",
		.message_id = MESSAGE_ID_SOFTNET},
	{RULE_DEFAULTS, .name = "neighbours4", .value = "limits.neigh4_entries",
		.limit = "limits.neigh4_max", .subject = "IPv4 neighbour table", .warning = 80,
		.critical = 95, .clear = 5, .advice = "raise net.ipv4.neigh.default.gc_thresh3",
		.message_id = MESSAGE_ID_NEIGHBOURS},
	{RULE_DEFAULTS, .name = "neighbours6", .value = "limits.neigh6_entries",
		.limit = "limits.neigh6_max", .subject = "IPv6 neighbour table", .warning = 80,
		.critical = 95, .clear = 5, .advice = "raise net.ipv6.neigh.default.gc_thresh3",
		.message_id = MESSAGE_ID_NEIGHBOURS},
	{RULE_AT_ONCE, .name = "neighbour-overflow", .value = "limits.neigh_table_fulls",
		.subject = "neighbour table", .doing = "refusing new neighbours", .done = "refused",
		.advice = "raise net.ipv4.neigh.default.gc_thresh3 and "
			  "net.ipv6.neigh.default.gc_thresh3",
		.message_id = MESSAGE_ID_NEIGHBOURS},
	{RULE_DEFAULTS, .name = "udp-buffer", .value = "limits.udp_rcvbuf_errors",
		.subject = "UDP receive buffers", .over = 60, .warning = 10, CLEAR_AT_NONE(10),
		.advice = "the program reads too slowly, or raise net.core.rmem_max and its "
			  "SO_RCVBUF",
		.message_id = MESSAGE_ID_UDP_BUFFER},
	{RULE_DEFAULTS, .name = "ports", .value = "limits.port_tuple",
		.limit = "limits.port_tuple_max", .subject = "local ports", .warning = 80,
		.critical = 90, .clear = 5,
		.advice = "widen net.ipv4.ip_local_port_range, or let connections be reused",
		.message_id = MESSAGE_ID_PORTS},
};

static const struct graph graphs[] = {
	{"listen_queue", "Fullest accept queue", "connections",
		{{LISTEN_QUEUE, "waiting", GRAPH_AREA, COLOUR_SKY},
			{LISTEN_BACKLOG, "backlog", GRAPH_LIMIT, COLOUR_BLACK}}},
	{"time_wait", "TIME-WAIT sockets", "sockets",
		{{TW, "TIME-WAIT", GRAPH_AREA, COLOUR_SKY},
			{TW_MAX, "maximum", GRAPH_LIMIT, COLOUR_BLACK}}},
	{"orphans", "Orphaned sockets", "sockets",
		{{ORPHANS, "orphans", GRAPH_AREA, COLOUR_SKY},
			{ORPHANS_MAX, "maximum", GRAPH_LIMIT, COLOUR_BLACK}}},
	{"tcp_memory", "TCP memory", "pages",
		{{TCP_MEM, "in use", GRAPH_AREA, COLOUR_SKY},
			{TCP_MEM_PRESSURE, "pressure", GRAPH_LIMIT, COLOUR_PURPLE},
			{TCP_MEM_MAX, "maximum", GRAPH_LIMIT, COLOUR_BLACK}}},
	{"neighbours4", "IPv4 neighbours", "entries",
		{{NEIGH4_ENTRIES, "entries", GRAPH_AREA, COLOUR_SKY},
			{NEIGH4_MAX, "maximum", GRAPH_LIMIT, COLOUR_BLACK}}},
	{"neighbours6", "IPv6 neighbours", "entries",
		{{NEIGH6_ENTRIES, "entries", GRAPH_AREA, COLOUR_SKY},
			{NEIGH6_MAX, "maximum", GRAPH_LIMIT, COLOUR_BLACK}}},
	{"softnet", "Packets before IP", "events per second",
		{{SOFTNET_SQUEEZED, "CPU out of budget", GRAPH_AREA, COLOUR_SKY},
			{SOFTNET_DROPPED, "dropped, backlog full", GRAPH_LINE, COLOUR_BLUE}}},
	{"overflows", "Full buffers and tables", "events per second",
		{{UDP_RCVBUF_ERRORS, "UDP receive buffer", GRAPH_AREA, COLOUR_SKY},
			{NEIGH_TABLE_FULLS, "neighbour table", GRAPH_LINE, COLOUR_BLUE}}},
	{"ports", "Local ports to one remote end", "ports",
		{{PORT_TUPLE, "in use", GRAPH_AREA, COLOUR_SKY},
			{PORT_TUPLE_MAX, "maximum", GRAPH_LIMIT, COLOUR_BLACK}}},
};

/* A family's neighbour table. */
struct neighbours {
	struct procfile max, stat;
	struct percpu sums;
};

struct limits {
	struct proc *proc;
	struct census *census;
	struct listeners listeners;
	struct procfile sockstat, softnet, snmp, orphans_max, tw_max, tcp_mem;
	struct percpu softnet_sums;
	struct neighbours neigh4, neigh6;
	bool namespace_said;
};

static const char *const udp_names[] = {"RcvbufErrors"};
static const char *const neigh_names[] = {"entries", "table_fulls"};

static int init(void *state, const struct collector_env *env)
{
	struct limits *l = state;

	l->proc = env->proc;
	l->census = env->census;
	listeners_init(&l->listeners, env->proc);
	l->sockstat = PROCFILE("net/sockstat");
	l->softnet = PROCFILE_RECORDS("net/softnet_stat");
	l->orphans_max = PROCFILE("sys/net/ipv4/tcp_max_orphans");
	l->tw_max = PROCFILE("sys/net/ipv4/tcp_max_tw_buckets");
	l->tcp_mem = PROCFILE("sys/net/ipv4/tcp_mem");
	l->neigh4.max = PROCFILE("sys/net/ipv4/neigh/default/gc_thresh3");
	l->neigh4.stat = PROCFILE_RECORDS("net/stat/arp_cache");
	l->neigh6.max = PROCFILE("sys/net/ipv6/neigh/default/gc_thresh3");
	l->neigh6.stat = PROCFILE_RECORDS("net/stat/ndisc_cache");
	l->snmp = PROCFILE("net/snmp");
	return 0;
}

/* The first failure counts; a file that is not there is none. */
static int note(int so_far, int error, const char *path, struct reading *r)
{
	if (error < 0 && error != -ENOENT)
		reading_fail(r, error, path);
	return so_far < 0 || error == -ENOENT ? so_far : error;
}

/*
 * "TCP: inuse 1 orphan 0 tw 0 alloc 1 mem 125", of which only the names and their values are relied
 * on.
 */
static int parse_sockstat(struct span text, double values[])
{
	struct span line, word, value;
	bool found = false;
	uint64_t number;

	if (!span_is_whole(text))
		return -EBADMSG;
	while (!found && span_line(&text, &line))
		found = span_word(&line, &word) && span_equal(word, "TCP:");
	if (!found)
		return -EBADMSG;
	while (span_word(&line, &word)) {
		if (!span_word(&line, &value) || !span_decimal(value, &number))
			return -EBADMSG;
		if (span_equal(word, "orphan"))
			values[ORPHANS] = (double)number;
		else if (span_equal(word, "tw"))
			values[TW] = (double)number;
		else if (span_equal(word, "mem"))
			values[TCP_MEM] = (double)number;
	}
	return 0;
}

static int read_sockstat(struct limits *l, struct reading *r)
{
	struct span text;
	int error = procfile_read(l->proc, &l->sockstat, &text);

	r->values[ORPHANS] = r->values[TW] = r->values[TCP_MEM] = UNKNOWN;
	if (error == 0)
		error = parse_sockstat(text, r->values);
	return error < 0 ? reading_fail(r, error, l->sockstat.path) : 0;
}

/*
 * One CPU: dropped and time_squeeze are the second and third column, the CPU's number the 13th
 * (since Linux 5.10).
 */
static int parse_softnet_line(struct span line, size_t *cpu, uint32_t values[2])
{
	struct span word;
	uint64_t value;
	size_t column = 0;

	for (; span_word(&line, &word); column++) {
		if (!span_hex(word, &value) || value > UINT32_MAX)
			return -EBADMSG;
		if (column == 1 || column == 2)
			values[column - 1] = (uint32_t)value;
		else if (column == 12)
			*cpu = value;
	}
	return column < 3 ? -EBADMSG : 0;
}

static int parse_softnet(struct percpu *sums, struct span text)
{
	uint32_t values[2];
	struct span line;
	int r = span_is_whole(text) ? 0 : -EBADMSG;

	percpu_begin(sums);
	for (size_t row = 0; r == 0 && span_line(&text, &line); row++) {
		size_t cpu = row;

		r = parse_softnet_line(line, &cpu, values);
		if (r == 0)
			r = percpu_add(sums, cpu, values, ARRAY_LEN(values));
	}
	if (r == 0)
		percpu_end(sums);
	return r;
}

static int read_softnet(struct limits *l, double values[])
{
	struct span text;
	int error = procfile_read(l->proc, &l->softnet, &text);

	if (error == 0)
		error = parse_softnet(&l->softnet_sums, text);
	values[SOFTNET_DROPPED] = error < 0 ? UNKNOWN : (double)l->softnet_sums.sum[0];
	values[SOFTNET_SQUEEZED] = error < 0 ? UNKNOWN : (double)l->softnet_sums.sum[1];
	return error;
}

static int look(void *state, struct reading *r)
{
	struct limits *l = state;
	int error = read_sockstat(l, r), other;

	other = listeners_look(
		&l->listeners, &r->values[LISTEN_QUEUE], &r->values[LISTEN_BACKLOG], r);
	if (error == 0)
		error = other;
	return note(error, read_softnet(l, r->values), l->softnet.path, r);
}

/* A sysctl of n numbers; returns -ENOENT if it is not there, which is no failure. */
static int read_sysctl(struct limits *l, struct procfile *file, size_t n, double out[])
{
	int error = procfile_numbers(l->proc, file, n, out);

	if (error < 0)
		for (size_t i = 0; i < n; i++)
			out[i] = UNKNOWN;
	return error;
}

/*
 * tcp_max_orphans belongs to the initial network namespace alone, and so do the things connwatchd
 * is asked about.
 */
static void say_namespace(struct limits *l)
{
	if (l->namespace_said || proc_is_recorded(l->proc))
		return;
	l->namespace_said = true;
	log_notice(
		"limits: net.ipv4.tcp_max_orphans is missing, so this is not the initial network "
		"namespace: what is read is about this one, not about the whole host");
}

/* entries stands on every row of the table and is the same on each. */
static int read_neighbours(struct limits *l, struct neighbours *n, double *entries, double *fulls)
{
	double sums[ARRAY_LEN(neigh_names)];
	struct span text;
	int error = procfile_read(l->proc, &n->stat, &text);

	*entries = *fulls = UNKNOWN;
	if (error == 0)
		error = percpu_table(&n->sums, text, neigh_names, ARRAY_LEN(neigh_names), sums);
	if (error != 0)
		return error;
	*entries = isnan(sums[0]) ? UNKNOWN : (double)n->sums.cpus[0].last[0];
	*fulls = sums[1];
	return 0;
}

static int read_settings(struct limits *l, struct reading *r)
{
	double tcp_mem[3];
	int error, orphans_error = read_sysctl(l, &l->orphans_max, 1, &r->values[ORPHANS_MAX]);

	if (orphans_error == -ENOENT && !isnan(r->values[ORPHANS]))
		say_namespace(l);
	error = note(0, orphans_error, l->orphans_max.path, r);
	error = note(error, read_sysctl(l, &l->tw_max, 1, &r->values[TW_MAX]), l->tw_max.path, r);
	error = note(error, read_sysctl(l, &l->tcp_mem, 3, tcp_mem), l->tcp_mem.path, r);
	r->values[TCP_MEM_PRESSURE] = tcp_mem[1];
	r->values[TCP_MEM_MAX] = tcp_mem[2];
	error = note(error, read_sysctl(l, &l->neigh4.max, 1, &r->values[NEIGH4_MAX]),
		l->neigh4.max.path, r);
	return note(error, read_sysctl(l, &l->neigh6.max, 1, &r->values[NEIGH6_MAX]),
		l->neigh6.max.path, r);
}

static int read_udp(struct limits *l, double *rcvbuf_errors)
{
	struct span text;
	int error = procfile_read(l->proc, &l->snmp, &text);

	*rcvbuf_errors = UNKNOWN;
	return error < 0 ? error
			 : mib_parse(text, "Udp:", udp_names, ARRAY_LEN(udp_names), rcvbuf_errors);
}

static int read_row(void *state, struct reading *r)
{
	struct limits *l = state;
	double fulls4, fulls6;
	const struct census_ports *ports = census_ports(l->census);
	int error = read_settings(l, r);

	/* Counted for the collector sockets; unknown without it. */
	r->values[PORT_TUPLE] = ports ? ports->used : UNKNOWN;
	r->values[PORT_TUPLE_MAX] = ports ? ports->usable : UNKNOWN;

	error = note(error, read_neighbours(l, &l->neigh4, &r->values[NEIGH4_ENTRIES], &fulls4),
		l->neigh4.stat.path, r);
	error = note(error, read_neighbours(l, &l->neigh6, &r->values[NEIGH6_ENTRIES], &fulls6),
		l->neigh6.stat.path, r);
	/* A family that is not there has no part in the sum. */
	r->values[NEIGH_TABLE_FULLS] = isnan(fulls6)   ? fulls4
				       : isnan(fulls4) ? fulls6
						       : fulls4 + fulls6;
	return note(error, read_udp(l, &r->values[UDP_RCVBUF_ERRORS]), l->snmp.path, r);
}

static void close_state(void *state)
{
	struct limits *l = state;
	struct procfile *files[] = {&l->sockstat, &l->softnet, &l->snmp, &l->orphans_max,
		&l->tw_max, &l->tcp_mem, &l->neigh4.max, &l->neigh4.stat, &l->neigh6.max,
		&l->neigh6.stat};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		procfile_close(files[i]);
	listeners_close(&l->listeners);
	percpu_reset(&l->softnet_sums);
	percpu_reset(&l->neigh4.sums);
	percpu_reset(&l->neigh6.sums);
}

static void describe(const void *state, size_t metric, char *out, size_t size)
{
	const struct limits *l = state;
	const struct census_ports *ports = census_ports(l->census);

	out[0] = '\0';
	if (metric == LISTEN_QUEUE || metric == LISTEN_BACKLOG)
		fullest_describe(&l->listeners.fullest, out, size);
	else if ((metric == PORT_TUPLE || metric == PORT_TUPLE_MAX) && ports && ports->used)
		tuple_describe(&ports->tuple, out, size);
}

const struct collector collector_limits = {
	.name = "limits",
	.help = "Accept queues, orphans, TIME-WAIT, TCP memory, per-CPU backlogs and neighbours",
	.metrics = metrics,
	.n_metrics = N_METRICS,
	.section = "limits",
	.rules = rules,
	.n_rules = ARRAY_LEN(rules),
	.graphs = graphs,
	.n_graphs = ARRAY_LEN(graphs),
	.state_size = sizeof(struct limits),
	.init = init,
	.look = look,
	.read = read_row,
	.close = close_state,
	.describe = describe,
};
