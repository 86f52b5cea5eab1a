/* SPDX-License-Identifier: MIT */
/*
 * The accept queue, backlog and drops of each listening port that the configuration names. One
 * listing of the listeners serves all of them in a look.
 */
#include <string.h>

#include "collectors/drops.h"
#include "collectors/listeners.h"
#include "collectors/registry.h"
#include "daemon/message_id.h"
#include "daemon/util.h"

enum { ACCEPT_QUEUE, BACKLOG, DROPS, N_METRICS };

static const struct metric metrics[] = {
	[ACCEPT_QUEUE] = {.name = "accept_queue",
		.unit = "connections",
		.look = true,
		.help = "connections waiting for accept() at the fullest socket on the port"},
	[BACKLOG] = {.name = "backlog",
		.unit = "connections",
		.look = true,
		.help = "most connections that may wait there"},
	[DROPS] = {.name = "drops",
		.unit = "packets",
		.kind = METRIC_COUNTER,
		.help = "packets dropped by the sockets on the port"},
};
_Static_assert(ARRAY_LEN(metrics) == N_METRICS, "a metric for each column");

struct listener_config {
	long port;
};

static const struct setting settings[] = {
	{.name = "port",
		.type = SETTING_INT,
		.offset = offsetof(struct listener_config, port),
		.min = 1,
		.max = UINT16_MAX,
		.help = "the port it listens on, at any address"},
};

static const struct rule rules[] = {
	{RULE_DEFAULTS, .name = "listener-queue", .value = "listener-*.accept_queue",
		.limit = "listener-*.backlog", .subject = "accept queue", .warning = 80,
		.critical = RULE_OVERFULL, .clear = 10, .message_id = MESSAGE_ID_LISTEN_QUEUE,
		.advice = "the program accepts too slowly, or raise its listen backlog and "
			  "net.core.somaxconn"},
	{RULE_DEFAULTS, .name = "listener-drops", .value = "listener-*.drops",
		.subject = "listener drops", .over = 60, .warning = 1, .critical = 5,
		.message_id = MESSAGE_ID_LISTEN_DROPS,
		.advice = "the program accepts too slowly, or raise its listen backlog and "
			  "net.core.somaxconn"},
};

static const struct graph graphs[] = {
	{"queue", "Accept queue", "connections",
		{{ACCEPT_QUEUE, "waiting", GRAPH_AREA, COLOUR_SKY},
			{BACKLOG, "backlog", GRAPH_LIMIT, COLOUR_BLACK}}},
	{"drops", "Dropped by the listener", "packets per second",
		{{DROPS, "dropped", GRAPH_AREA, COLOUR_BLUE}}},
};

/* One instance. */
struct listener {
	struct shared *shared;
	struct listener *next;
	uint16_t port;
	unsigned long taken; /* number of the listing it has last taken its values from */
	struct fullest fullest;
	bool counted; /* the kernel tells the drops of every socket on the port */
	struct drops drops;
};

struct shared {
	struct listeners listeners;
	struct listener *first;
	unsigned long listing; /* number of the last one, from 1 */
	int error;             /* of it */
	char text[READING_ERROR_SIZE];
};

static int init(void *state, const struct collector_env *env)
{
	const struct listener_config *config = env->config;
	struct listener *listener = state;
	struct shared *shared = env->shared;
	int r = drops_init(&listener->drops);

	if (r < 0)
		return r;
	if (!shared->listeners.proc)
		listeners_init(&shared->listeners, env->proc);
	listener->shared = shared;
	listener->port = (uint16_t)config->port;
	listener->next = shared->first;
	shared->first = listener;
	return 0;
}

static void begin(void *arg)
{
	struct shared *shared = arg;

	for (struct listener *l = shared->first; l; l = l->next) {
		l->fullest.any = false;
		l->counted = true;
		drops_begin(&l->drops);
	}
}

static void add(void *arg, const struct tcp_socket *socket)
{
	struct shared *shared = arg;

	for (struct listener *l = shared->first; l; l = l->next) {
		if (socket->state != TCP_LISTEN || socket->local_port != l->port)
			continue;
		fullest_add(&l->fullest, socket);
		if (socket->drops == DROPS_UNKNOWN)
			l->counted = false;
		else
			drops_add(&l->drops, socket->cookie, (uint32_t)socket->drops);
	}
}

static void list(struct shared *shared)
{
	const struct socket_sink sink = {begin, add, shared};
	struct reading r = {.error = ""};

	shared->listing++;
	shared->error = listeners_list(&shared->listeners, &sink, &r);
	memcpy(shared->text, r.error, sizeof(shared->text));
	for (struct listener *l = shared->first; l && shared->error == 0; l = l->next)
		drops_end(&l->drops);
}

/* Who has taken the last listing already is the first one to ask in another look. */
static int look(void *state, struct reading *r)
{
	struct listener *l = state;
	struct shared *shared = l->shared;

	if (l->taken == shared->listing)
		list(shared);
	l->taken = shared->listing;
	if (shared->error < 0)
		l->fullest.any = false;
	memcpy(r->error, shared->text, sizeof(r->error));
	fullest_values(&l->fullest, &r->values[ACCEPT_QUEUE], &r->values[BACKLOG]);
	return shared->error;
}

/* A look has just been made. */
static int read_row(void *state, struct reading *r)
{
	struct listener *l = state;
	bool complete = drops_settle(&l->drops);

	r->values[DROPS] =
		l->fullest.any && l->counted && complete ? (double)l->drops.sum : UNKNOWN;
	return 0;
}

static void leave(void *state)
{
	struct listener *listener = state, **link = &listener->shared->first;

	while (*link && *link != listener)
		link = &(*link)->next;
	if (*link)
		*link = listener->next;
	drops_free(&listener->drops);
}

static void shared_close(void *arg)
{
	struct shared *shared = arg;

	if (shared->listeners.proc)
		listeners_close(&shared->listeners);
}

static void describe(const void *state, size_t metric, char *out, size_t size)
{
	const struct listener *l = state;

	(void)metric;
	fullest_describe(&l->fullest, out, size);
}

const struct collector collector_listener = {
	.name = "listener",
	.help = "Accept queue, backlog and drops of a listening port",
	.metrics = metrics,
	.n_metrics = N_METRICS,
	.titled_section = "listener",
	.titled_settings = settings,
	.n_titled_settings = ARRAY_LEN(settings),
	.titled_config_size = sizeof(struct listener_config),
	.rules = rules,
	.n_rules = ARRAY_LEN(rules),
	.graphs = graphs,
	.n_graphs = ARRAY_LEN(graphs),
	.state_size = sizeof(struct listener),
	.shared_size = sizeof(struct shared),
	.init = init,
	.look = look,
	.read = read_row,
	.close = leave,
	.shared_close = shared_close,
	.describe = describe,
};
