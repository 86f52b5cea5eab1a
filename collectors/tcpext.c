/* SPDX-License-Identifier: MIT */
/* What Linux counts about TCP beyond the standard: the lines "TcpExt:" of net/netstat. */
#include "collectors/mib.h"
#include "collectors/registry.h"
#include "daemon/message_id.h"
#include "daemon/util.h"

enum {
	LISTEN_OVERFLOWS,
	LISTEN_DROPS,
	REQQ_FULL_DROP,
	REQQ_FULL_COOKIES,
	SYNCOOKIES_SENT,
	SYNCOOKIES_RECV,
	SYNCOOKIES_FAILED,
	SYN_RETRANS,
	TIMEOUTS,
	BACKLOG_DROP,
	RCVQ_DROP,
	TW_OVERFLOW,
	ABORT_ON_MEMORY,
	ABORT_ON_TIMEOUT,
	MEMORY_PRESSURES,
	PRUNE_CALLED,
	RP_FILTER,
	N_METRICS,
};

static const struct metric metrics[] = {
	[LISTEN_OVERFLOWS] = {.name = "listen_overflows",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "connections dropped because an accept queue was full"},
	[LISTEN_DROPS] = {.name = "listen_drops",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "connections dropped by listeners for any reason"},
	[REQQ_FULL_DROP] = {.name = "reqq_full_drop",
		.unit = "requests",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "SYNs dropped because a SYN backlog was full"},
	[REQQ_FULL_COOKIES] = {.name = "reqq_full_cookies",
		.unit = "requests",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "SYNs answered with a cookie because a SYN backlog was full"},
	[SYNCOOKIES_SENT] = {.name = "syncookies_sent",
		.unit = "cookies",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "SYN cookies sent"},
	[SYNCOOKIES_RECV] = {.name = "syncookies_recv",
		.unit = "cookies",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "valid SYN cookies received"},
	[SYNCOOKIES_FAILED] = {.name = "syncookies_failed",
		.unit = "cookies",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "invalid SYN cookies received"},
	[SYN_RETRANS] = {.name = "syn_retrans",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "SYNs and SYN-ACKs sent again"},
	[TIMEOUTS] = {.name = "timeouts",
		.unit = "timeouts",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "retransmission timers that ran out"},
	[BACKLOG_DROP] = {.name = "backlog_drop",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "segments dropped because a socket's backlog was full"},
	[RCVQ_DROP] = {.name = "rcvq_drop",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "segments dropped because a receive queue was full"},
	[TW_OVERFLOW] = {.name = "tw_overflow",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "TIME-WAIT sockets not kept because there were too many"},
	[ABORT_ON_MEMORY] = {.name = "abort_on_memory",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "connections aborted for want of memory or too many orphans"},
	[ABORT_ON_TIMEOUT] = {.name = "abort_on_timeout",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "connections aborted because the peer did not answer"},
	[MEMORY_PRESSURES] = {.name = "memory_pressures",
		.unit = "events",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "times TCP came under memory pressure"},
	[PRUNE_CALLED] = {.name = "prune_called",
		.unit = "events",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "times a receive queue was cut to save memory"},
	[RP_FILTER] = {.name = "rp_filter",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "packets dropped by the reverse path filter"},
};
_Static_assert(ARRAY_LEN(metrics) == N_METRICS, "a metric for each column");

/* The kernel's names of the columns. */
static const char *const names[] = {
	[LISTEN_OVERFLOWS] = "ListenOverflows",
	[LISTEN_DROPS] = "ListenDrops",
	[REQQ_FULL_DROP] = "TCPReqQFullDrop",
	[REQQ_FULL_COOKIES] = "TCPReqQFullDoCookies",
	[SYNCOOKIES_SENT] = "SyncookiesSent",
	[SYNCOOKIES_RECV] = "SyncookiesRecv",
	[SYNCOOKIES_FAILED] = "SyncookiesFailed",
	[SYN_RETRANS] = "TCPSynRetrans",
	[TIMEOUTS] = "TCPTimeouts",
	[BACKLOG_DROP] = "TCPBacklogDrop",
	[RCVQ_DROP] = "TCPRcvQDrop",
	[TW_OVERFLOW] = "TCPTimeWaitOverflow",
	[ABORT_ON_MEMORY] = "TCPAbortOnMemory",
	[ABORT_ON_TIMEOUT] = "TCPAbortOnTimeout",
	[MEMORY_PRESSURES] = "TCPMemoryPressures",
	[PRUNE_CALLED] = "PruneCalled",
	[RP_FILTER] = "IPReversePathFilter",
};
_Static_assert(ARRAY_LEN(names) == N_METRICS, "a name for each column");

static const struct rule rules[] = {
	{RULE_DEFAULTS, .name = "listen-drops", .value = "tcpext.listen_drops",
		.subject = "listen drops", .over = 60, .warning = 1, .critical = 5,
		.advice = "a program accepts too slowly, or its listen backlog or "
			  "net.core.somaxconn is too small",
		.message_id = MESSAGE_ID_LISTEN_DROPS},
	{RULE_DEFAULTS, .name = "syn-queue", .value = "tcpext.reqq_full_drop",
		.subject = "SYN backlog drops", .over = 60, .warning = 1, .critical = 5,
		.advice = "raise net.ipv4.tcp_max_syn_backlog or set net.ipv4.tcp_syncookies to 1",
		.message_id = MESSAGE_ID_SYN_QUEUE},
	{RULE_DEFAULTS, .name = "syn-cookies", .value = "tcpext.reqq_full_cookies",
		.subject = "SYN cookies for want of backlog", .over = 60, .warning = 1,
		.critical = 5,
		.advice = "raise net.ipv4.tcp_max_syn_backlog and the program's listen backlog, "
			  "unless it is an attack",
		.message_id = MESSAGE_ID_SYN_QUEUE},
	{RULE_DEFAULTS, .name = "time-wait-overflow", .value = "tcpext.tw_overflow",
		.subject = "TIME-WAIT sockets", .over = 60, .critical = RULE_ANY,
		.doing = "more than may be kept", .done = "closed without TIME-WAIT",
		.advice = "raise net.ipv4.tcp_max_tw_buckets", .above = "limits.tw_max",
		.message_id = MESSAGE_ID_TIME_WAIT},
};

static const struct graph graphs[] = {
	{"listen", "Connections dropped by listeners", "connections per second",
		{{LISTEN_DROPS, "dropped, any reason", GRAPH_AREA, COLOUR_SKY},
			{LISTEN_OVERFLOWS, "accept queue full", GRAPH_LINE, COLOUR_BLUE},
			{REQQ_FULL_DROP, "SYN backlog full", GRAPH_LINE, COLOUR_PURPLE}}},
	{"cookies", "SYN cookies", "cookies per second",
		{{SYNCOOKIES_SENT, "sent", GRAPH_AREA, COLOUR_SKY},
			{REQQ_FULL_COOKIES, "SYN backlog full", GRAPH_LINE, COLOUR_BLUE},
			{SYNCOOKIES_RECV, "valid ones received", GRAPH_LINE, COLOUR_GREEN},
			{SYNCOOKIES_FAILED, "invalid ones", GRAPH_LINE, COLOUR_PURPLE}}},
	{"timeouts", "TCP timeouts", "events per second",
		{{TIMEOUTS, "retransmission timeouts", GRAPH_AREA, COLOUR_SKY},
			{SYN_RETRANS, "SYNs sent again", GRAPH_LINE, COLOUR_BLUE},
			{ABORT_ON_TIMEOUT, "connections given up", GRAPH_LINE, COLOUR_VERMILION}}},
	{"queues", "TCP segments dropped at sockets", "events per second",
		{{BACKLOG_DROP, "socket backlog full", GRAPH_STACK, COLOUR_SKY},
			{RCVQ_DROP, "receive queue full", GRAPH_STACK, COLOUR_BLUE},
			{PRUNE_CALLED, "queue cut for memory", GRAPH_LINE, COLOUR_GREEN},
			{RP_FILTER, "reverse path filter", GRAPH_LINE, COLOUR_PURPLE}}},
	{"memory", "TCP out of memory or buckets", "events per second",
		{{ABORT_ON_MEMORY, "aborted for memory", GRAPH_STACK, COLOUR_SKY},
			{TW_OVERFLOW, "TIME-WAIT not kept", GRAPH_STACK, COLOUR_BLUE},
			{MEMORY_PRESSURES, "memory pressures", GRAPH_LINE, COLOUR_PURPLE}}},
};

static int init(void *state, const struct collector_env *env)
{
	struct mib *mib = state;

	*mib = (struct mib){env->proc, PROCFILE("net/netstat"), "TcpExt:", names, N_METRICS};
	return 0;
}

static int look(void *state, struct reading *r)
{
	return mib_read(state, r->values, r);
}

static void close_files(void *state)
{
	struct mib *mib = state;

	procfile_close(&mib->file);
}

const struct collector collector_tcpext = {
	.name = "tcpext",
	.help = "TCP drops, retransmissions and aborts",
	.metrics = metrics,
	.n_metrics = N_METRICS,
	.section = "tcpext",
	.rules = rules,
	.n_rules = ARRAY_LEN(rules),
	.graphs = graphs,
	.n_graphs = ARRAY_LEN(graphs),
	.state_size = sizeof(struct mib),
	.init = init,
	.look = look,
	.close = close_files,
};
