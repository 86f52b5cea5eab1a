/* SPDX-License-Identifier: MIT */
/*
 * TCP sockets by state: of the whole namespace, and of each socket_group. Nothing is
 * kept per socket.
 */
#include <string.h>

#include "collectors/census.h"
#include "collectors/registry.h"
#include "daemon/util.h"

enum {
	ESTABLISHED,
	SYN_SENT,
	SYN_RECV,
	FIN_WAIT1,
	FIN_WAIT2,
	TIME_WAIT,
	CLOSE_WAIT,
	LAST_ACK,
	LISTEN,
	CLOSING,
	N_METRICS,
};

static const struct metric metrics[] = {
	[ESTABLISHED] = {.name = "established",
		.unit = "sockets",
		.help = "established connections"},
	[SYN_SENT] = {.name = "syn_sent", .unit = "sockets", .help = "being opened from here"},
	[SYN_RECV] = {.name = "syn_recv", .unit = "sockets", .help = "being opened from outside"},
	[FIN_WAIT1] = {.name = "fin_wait1",
		.unit = "sockets",
		.help = "closed here, not yet acknowledged"},
	[FIN_WAIT2] = {.name = "fin_wait2",
		.unit = "sockets",
		.help = "closed here, still open at the peer"},
	[TIME_WAIT] = {.name = "time_wait",
		.unit = "sockets",
		.help = "closed, kept for late segments"},
	[CLOSE_WAIT] = {.name = "close_wait",
		.unit = "sockets",
		.help = "closed by the peer, still open here"},
	[LAST_ACK] = {.name = "last_ack",
		.unit = "sockets",
		.help = "closed, last acknowledgement missing"},
	[LISTEN] = {.name = "listen", .unit = "sockets", .help = "listeners"},
	[CLOSING] = {.name = "closing", .unit = "sockets", .help = "closed by both ends at once"},
};
_Static_assert(ARRAY_LEN(metrics) == N_METRICS, "a metric for each column");

/* A state has the same colour and place in the graph of each instance. */
static const struct graph graphs[] = {
	{"states", "TCP sockets by state", "sockets",
		{{ESTABLISHED, "ESTABLISHED", GRAPH_STACK, COLOUR_SKY},
			{TIME_WAIT, "TIME-WAIT", GRAPH_STACK, COLOUR_GREY},
			{CLOSE_WAIT, "CLOSE-WAIT", GRAPH_STACK, COLOUR_VERMILION},
			{SYN_RECV, "SYN-RECV", GRAPH_STACK, COLOUR_YELLOW},
			{SYN_SENT, "SYN-SENT", GRAPH_STACK, COLOUR_BLUE},
			{FIN_WAIT1, "FIN-WAIT-1", GRAPH_STACK, COLOUR_GREEN},
			{FIN_WAIT2, "FIN-WAIT-2", GRAPH_STACK, COLOUR_LIME},
			{LAST_ACK, "LAST-ACK", GRAPH_STACK, COLOUR_PURPLE},
			{CLOSING, "CLOSING", GRAPH_STACK, COLOUR_BROWN},
			{LISTEN, "LISTEN", GRAPH_STACK, COLOUR_NAVY}}},
};

/*
 * The kernel's states; N_METRICS for those that are not counted (CLOSE: a socket that is bound and
 * no more).
 */
static const uint8_t metric_of[TCP_STATES] = {
	[0] = N_METRICS,
	[TCP_ESTABLISHED] = ESTABLISHED,
	[TCP_SYN_SENT] = SYN_SENT,
	[TCP_SYN_RECV] = SYN_RECV,
	[TCP_FIN_WAIT1] = FIN_WAIT1,
	[TCP_FIN_WAIT2] = FIN_WAIT2,
	[TCP_TIME_WAIT] = TIME_WAIT,
	[TCP_CLOSE] = N_METRICS,
	[TCP_CLOSE_WAIT] = CLOSE_WAIT,
	[TCP_LAST_ACK] = LAST_ACK,
	[TCP_LISTEN] = LISTEN,
	[TCP_CLOSING] = CLOSING,
	[TCP_NEW_SYN_RECV] = SYN_RECV,
};

static const struct setting settings[] = {
	{.name = "source",
		.type = SETTING_CHOICE,
		.offset = offsetof(struct census_config, source),
		.initial = "auto",
		.choices = census_source_names,
		.help = "where sockets are listed from"},
	{.name = "cpu_share",
		.type = SETTING_NUMBER,
		.offset = offsetof(struct census_config, cpu_share),
		.initial = "1",
		.min = 0.1,
		.max = 100,
		.help = "percent of one CPU that listing them may take"},
};

struct group_config {
	struct port_list local_ports, remote_ports;
	struct network_list networks;
};

static const struct setting group_settings[] = {
	{.name = "local_ports",
		.type = SETTING_PORTS,
		.offset = offsetof(struct group_config, local_ports),
		.help = "local ports, any of them; empty: all"},
	{.name = "remote_ports",
		.type = SETTING_PORTS,
		.offset = offsetof(struct group_config, remote_ports),
		.help = "remote ports, any of them; empty: all"},
	{.name = "networks",
		.type = SETTING_NETWORKS,
		.offset = offsetof(struct group_config, networks),
		.help = "networks of the remote address, any of them; empty: all"},
};

/* One instance; group is NULL for the one that counts all sockets. */
struct sockets {
	struct shared *shared;
	const struct group_config *group;
	struct sockets *next;
	uint32_t count[N_METRICS + 1]; /* the last one takes what is not counted */
};

struct shared {
	struct census *census;
	struct sockets *first;
};

static bool has_port(const struct port_list *list, uint16_t port)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->port[middle] == port)
			return true;
		if (list->port[middle] < port)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool in_network(const struct network *network, const uint8_t address[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	unsigned bytes = network->prefix / 8, bits = network->prefix % 8;

	/* A network of IPv6 holds no IPv4 address, however it is written. */
	if (network->prefix < 96 && memcmp(address, mapped, sizeof(mapped)) == 0)
		return false;
	if (memcmp(network->address, address, bytes) != 0)
		return false;
	return bits == 0 || ((network->address[bytes] ^ address[bytes]) >> (8 - bits)) == 0;
}

static bool in_networks(const struct network_list *list, const uint8_t address[16])
{
	for (size_t i = 0; i < list->n; i++)
		if (in_network(&list->network[i], address))
			return true;
	return false;
}

static bool matches(const struct group_config *group, const struct tcp_socket *socket)
{
	if (group->local_ports.n && !has_port(&group->local_ports, socket->local_port))
		return false;
	/* A listener has no remote end, not even one in 0.0.0.0/0. */
	if (socket->state == TCP_LISTEN)
		return !group->remote_ports.n && !group->networks.n;
	if (group->remote_ports.n && !has_port(&group->remote_ports, socket->remote_port))
		return false;
	return !group->networks.n || in_networks(&group->networks, socket->remote);
}

static void begin(void *arg)
{
	struct shared *shared = arg;

	for (struct sockets *s = shared->first; s; s = s->next)
		memset(s->count, 0, sizeof(s->count));
}

static void add(void *arg, const struct tcp_socket *socket)
{
	struct shared *shared = arg;

	for (struct sockets *s = shared->first; s; s = s->next)
		if (!s->group || matches(s->group, socket))
			s->count[metric_of[socket->state]]++;
}

static int init(void *state, const struct collector_env *env)
{
	static const struct census_config initial = {CENSUS_AUTO, 1};
	struct sockets *sockets = state;
	struct shared *shared = env->shared;
	bool titled = env->title[0] != '\0';
	const struct census_config *config = titled ? env->common : env->config;

	if (!shared->census) {
		shared->census = env->census;
		census_start(shared->census, config ? config : &initial,
			&(struct socket_sink){begin, add, shared});
	}
	sockets->shared = shared;
	sockets->group = titled ? env->config : NULL;
	sockets->next = shared->first;
	shared->first = sockets;
	return 0;
}

static int round_all(void *arg, struct reading *r)
{
	const struct shared *shared = arg;

	return census_result(shared->census, r);
}

static int read_row(void *state, struct reading *r)
{
	const struct sockets *sockets = state;

	for (size_t i = 0; i < N_METRICS; i++)
		r->values[i] = sockets->count[i];
	return 0;
}

static void leave(void *state)
{
	struct sockets *sockets = state, **link = &sockets->shared->first;

	while (*link && *link != sockets)
		link = &(*link)->next;
	if (*link)
		*link = sockets->next;
}

static void shared_close(void *arg)
{
	struct shared *shared = arg;

	if (shared->census)
		census_stop(shared->census, shared);
}

const struct collector collector_sockets = {
	.name = "sockets",
	.help = "TCP sockets by state",
	.metrics = metrics,
	.n_metrics = N_METRICS,
	.label = "state",
	.in_netns = true,
	.section = "sockets",
	.settings = settings,
	.n_settings = ARRAY_LEN(settings),
	.config_size = sizeof(struct census_config),
	.titled_section = "socket_group",
	.titled_settings = group_settings,
	.n_titled_settings = ARRAY_LEN(group_settings),
	.titled_config_size = sizeof(struct group_config),
	.heartbeat = 12, /* twice the most that the census leaves out */
	.graphs = graphs,
	.n_graphs = ARRAY_LEN(graphs),
	.state_size = sizeof(struct sockets),
	.shared_size = sizeof(struct shared),
	.init = init,
	.read = read_row,
	.close = leave,
	.round = round_all,
	.shared_close = shared_close,
};
