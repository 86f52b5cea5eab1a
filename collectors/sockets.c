/* SPDX-License-Identifier: MIT */
/*
 * TCP sockets by state: of the whole namespace, and of each socket_group. One listing per round
 * serves all instances; nothing is kept per socket.
 */
#include <errno.h>
#include <string.h>

#include "collectors/inet_diag.h"
#include "collectors/proc_net_tcp.h"
#include "collectors/procfile.h"
#include "collectors/registry.h"
#include "daemon/log.h"
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

enum { SOURCE_AUTO, SOURCE_BPF, SOURCE_NETLINK, SOURCE_PROC };

static const char *const source_names[] = {"auto", "bpf", "netlink", "proc", NULL};

struct sockets_config {
	int source;
	double cpu_share; /* percent of one CPU */
};

static const struct setting settings[] = {
	{.name = "source",
		.type = SETTING_CHOICE,
		.offset = offsetof(struct sockets_config, source),
		.initial = "auto",
		.choices = source_names,
		.help = "where sockets are listed from"},
	{.name = "cpu_share",
		.type = SETTING_NUMBER,
		.offset = offsetof(struct sockets_config, cpu_share),
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
	struct proc *proc;
	struct sockets_config config;
	struct sockets *first;
	struct inet_diag diag;
	bool netlink_refused; /* for good */
};

/* A way to list all sockets into a sink. Returns as a collector's round(). */
struct socket_source {
	const char *name;
	int (*list)(struct shared *shared, const struct socket_sink *sink, struct reading *r);
};

static int list_netlink(struct shared *shared, const struct socket_sink *sink, struct reading *r)
{
	int error = inet_diag_dump(&shared->diag, INET_DIAG_ALL, sink);

	if (error == 0)
		return 0;
	if (inet_diag_is_refusal(error))
		shared->netlink_refused = true;
	return reading_fail(r, error, "TCP sockets by netlink");
}

static int list_proc(struct shared *shared, const struct socket_sink *sink, struct reading *r)
{
	const char *path;
	int error = proc_net_tcp_dump(shared->proc, sink, &path);

	return error < 0 ? reading_fail(r, error, path) : 0;
}

static const struct socket_source sources[] = {
	[SOURCE_NETLINK] = {"netlink", list_netlink},
	[SOURCE_PROC] = {"proc", list_proc},
};

static const struct socket_source *choose_source(const struct shared *shared)
{
	if (proc_is_recorded(shared->proc) || shared->config.source == SOURCE_PROC)
		return &sources[SOURCE_PROC];
	if (shared->config.source == SOURCE_AUTO && shared->netlink_refused)
		return &sources[SOURCE_PROC];
	return &sources[SOURCE_NETLINK];
}

static int init(void *state, const struct collector_env *env)
{
	struct sockets *sockets = state;
	struct shared *shared = env->shared;
	bool titled = env->title[0] != '\0';
	const struct sockets_config *config = titled ? env->common : env->config;

	if (!shared->proc) {
		shared->proc = env->proc;
		shared->diag.fd = -1;
		shared->config = config ? *config : (struct sockets_config){SOURCE_AUTO, 1};
		if (shared->config.source == SOURCE_BPF)
			log_notice("sockets: source = bpf is not in this build, netlink is used");
	}
	sockets->shared = shared;
	sockets->group = titled ? env->config : NULL;
	sockets->next = shared->first;
	shared->first = sockets;
	return 0;
}

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

static int round_all(void *arg, struct reading *r)
{
	struct shared *shared = arg;
	const struct socket_sink sink = {begin, add, shared};
	const struct socket_source *source = choose_source(shared), *other;
	int error = source->list(shared, &sink, r);

	other = choose_source(shared);
	if (error < 0 && other != source) {
		log_notice("sockets: %s; source %s is used instead", r->error, other->name);
		r->error[0] = '\0';
		error = other->list(shared, &sink, r);
	}
	return error;
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

	if (shared->proc)
		inet_diag_close(&shared->diag);
}

const struct collector collector_sockets = {
	.name = "sockets",
	.help = "TCP sockets by state",
	.metrics = metrics,
	.n_metrics = N_METRICS,
	.label = "state",
	.section = "sockets",
	.settings = settings,
	.n_settings = ARRAY_LEN(settings),
	.config_size = sizeof(struct sockets_config),
	.titled_section = "socket_group",
	.titled_settings = group_settings,
	.n_titled_settings = ARRAY_LEN(group_settings),
	.titled_config_size = sizeof(struct group_config),
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
