/* SPDX-License-Identifier: MIT */
/* TCP's standard counters: the lines "Tcp:" of net/snmp. RFC 4022 has their meaning. */
#include "collectors/mib.h"
#include "collectors/registry.h"
#include "daemon/util.h"

enum {
	ACTIVE_OPENS,
	PASSIVE_OPENS,
	CURR_ESTAB,
	ATTEMPT_FAILS,
	ESTAB_RESETS,
	IN_SEGS,
	OUT_SEGS,
	RETRANS_SEGS,
	IN_ERRS,
	OUT_RSTS,
	IN_CSUM_ERRORS,
	N_METRICS,
};

static const struct metric metrics[] = {
	[ACTIVE_OPENS] = {.name = "active_opens",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "connections opened from here"},
	[PASSIVE_OPENS] = {.name = "passive_opens",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "connections opened from outside"},
	[CURR_ESTAB] = {.name = "curr_estab",
		.unit = "connections",
		.kind = METRIC_GAUGE,
		.look = true,
		.help = "connections in ESTABLISHED or CLOSE-WAIT"},
	[ATTEMPT_FAILS] = {.name = "attempt_fails",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "connections that failed before they were established"},
	[ESTAB_RESETS] = {.name = "estab_resets",
		.unit = "connections",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "established connections that ended with a reset"},
	[IN_SEGS] = {.name = "in_segs",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "segments received"},
	[OUT_SEGS] = {.name = "out_segs",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "segments sent, without retransmitted ones"},
	[RETRANS_SEGS] = {.name = "retrans_segs",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "segments sent again"},
	[IN_ERRS] = {.name = "in_errs",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "segments received with an error"},
	[OUT_RSTS] = {.name = "out_rsts",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "resets sent"},
	[IN_CSUM_ERRORS] = {.name = "in_csum_errors",
		.unit = "segments",
		.kind = METRIC_COUNTER,
		.look = true,
		.help = "segments received with a wrong checksum"},
};
_Static_assert(ARRAY_LEN(metrics) == N_METRICS, "a metric for each column");

static const struct graph graphs[] = {
	{"established", "TCP connections", "connections",
		{{CURR_ESTAB, "established", GRAPH_AREA, COLOUR_SKY}}},
	{"opens", "TCP connections opened and failed", "connections per second",
		{{PASSIVE_OPENS, "opened from outside", GRAPH_AREA, COLOUR_SKY},
			{ACTIVE_OPENS, "opened from here", GRAPH_LINE, COLOUR_BLUE},
			{ATTEMPT_FAILS, "failed", GRAPH_LINE, COLOUR_PURPLE},
			{ESTAB_RESETS, "reset", GRAPH_LINE, COLOUR_VERMILION}}},
	{"segments", "TCP segments", "segments per second",
		{{IN_SEGS, "received", GRAPH_AREA, COLOUR_SKY},
			{OUT_SEGS, "sent", GRAPH_LINE, COLOUR_BLUE}}},
	{"errors", "TCP retransmissions and errors", "segments per second",
		{{RETRANS_SEGS, "sent again", GRAPH_AREA, COLOUR_SKY},
			{OUT_RSTS, "resets sent", GRAPH_LINE, COLOUR_BLUE},
			{IN_ERRS, "received with an error", GRAPH_LINE, COLOUR_VERMILION},
			{IN_CSUM_ERRORS, "of them checksum", GRAPH_LINE, COLOUR_PURPLE}}},
};

/* The kernel's names of the columns. */
static const char *const names[] = {
	[ACTIVE_OPENS] = "ActiveOpens",
	[PASSIVE_OPENS] = "PassiveOpens",
	[CURR_ESTAB] = "CurrEstab",
	[ATTEMPT_FAILS] = "AttemptFails",
	[ESTAB_RESETS] = "EstabResets",
	[IN_SEGS] = "InSegs",
	[OUT_SEGS] = "OutSegs",
	[RETRANS_SEGS] = "RetransSegs",
	[IN_ERRS] = "InErrs",
	[OUT_RSTS] = "OutRsts",
	[IN_CSUM_ERRORS] = "InCsumErrors",
};
_Static_assert(ARRAY_LEN(names) == N_METRICS, "a name for each column");

static int init(void *state, const struct collector_env *env)
{
	struct mib *mib = state;

	*mib = (struct mib){env->proc, PROCFILE("net/snmp"), "Tcp:", names, N_METRICS};
	return 0;
}

const struct collector collector_tcp = {
	.name = "tcp",
	.help = "TCP connections and segments",
	.metrics = metrics,
	.n_metrics = N_METRICS,
	.in_netns = true,
	.section = "tcp",
	.graphs = graphs,
	.n_graphs = ARRAY_LEN(graphs),
	.state_size = sizeof(struct mib),
	.init = init,
	.look = mib_look,
	.close = mib_close,
};
