/* SPDX-License-Identifier: MIT */
#include "collectors/census.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "collectors/bpf_walk.h"
#include "collectors/inet_diag.h"
#include "collectors/netns.h"
#include "collectors/proc_net_tcp.h"
#include "daemon/log.h"
#include "daemon/util.h"

#define NAME_SIZE 48 /* a title of 32 in front */
#define SLICE_SECONDS 0.003
#define EVERY_MAX 6   /* intervals between counts; half of what the RRDs bear */
#define LEAD_FACTOR 2 /* a count is given its own time twice */
#define OLD_PART 0.75 /* of the cost, when a new one is averaged in */

/* Up to what two counts may differ for no reason but time: sockets, and part of them. */
#define DIFFERENCE 16
#define DIFFERENCE_PART 0.01

const char *const census_source_names[] = {"auto", "bpf", "netlink", "proc", NULL};

enum bpf_state { BPF_UNTRIED, BPF_WORKS, BPF_REFUSED };

/* A way to list all sockets. Both return 1 if there is more to do, 0, or -errno with failure set. */
struct source {
	const char *name;
	int (*begin)(struct census *census);
	int (*step)(struct census *census);
};

/* On whose behalf sockets are counted. */
struct client {
	struct census_config config;
	struct socket_sink sink;
};

#define CLIENTS 2 /* while a configuration takes over from another */

/* Whether a namespace's connections are in the table that the program walks. */
enum table { TABLE_UNKNOWN, TABLE_SHARED, TABLE_OTHER };

struct census {
	unsigned owners;
	char name[NAME_SIZE]; /* of what it counts: "sockets", "gw.sockets" */
	struct proc *proc;
	struct client clients[CLIENTS];
	size_t n_clients;        /* the last one counts */
	struct socket_sink sink; /* our own, which tells that of the client */

	struct inet_diag diag;
	struct bpf_walk walk;
	enum bpf_state bpf;
	bool netlink_refused;

	const struct source *source; /* of the count under way, or NULL */
	double cpu, wall;            /* seconds that it took so far */
	bool done;                   /* it is, before its row */
	int result;
	struct reading failure;

	const struct source *last; /* of the last one that went well, or NULL */
	double cost, duration;     /* of one: CPU time, averaged, and time */
	unsigned every, passed;    /* rows from one to the next; rows since the last one */
	bool every_said;

	struct census *leader;       /* whose walk may count for this one, or NULL */
	struct census *first, *next; /* of those that follow this one; of this one's leader */
	bool led;                    /* by the walk under way, or the last one */
	enum table table;
	struct bpf_walk_target *targets; /* of the walk under way */
	size_t n_followers;
	bool own_alone, own_alone_said; /* the program tells of no other namespace */

	struct procfile range, reserved;
	struct ports ports;
	struct census_ports fullest; /* of the last count */
};

static const struct client *client(const struct census *c)
{
	return &c->clients[c->n_clients - 1];
}

static void begin_sockets(void *arg)
{
	struct census *c = arg;
	const struct socket_sink *sink = &client(c)->sink;

	ports_begin(&c->ports);
	sink->begin(sink->arg);
}

static void add_socket(void *arg, const struct tcp_socket *socket)
{
	struct census *c = arg;
	const struct socket_sink *sink = &client(c)->sink;

	ports_add(&c->ports, socket);
	sink->add(sink->arg, socket);
}

int census_new(struct proc *proc, struct census **out)
{
	struct census *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->owners = 1;
	snprintf(c->name, sizeof(c->name), "%s%ssockets",
		proc_netns(proc) ? netns_name(proc_netns(proc)) : "", proc_netns(proc) ? "." : "");
	c->proc = proc_ref(proc);
	c->sink = (struct socket_sink){begin_sockets, add_socket, c};
	c->diag = (struct inet_diag){.fd = -1, .netns = proc_netns(proc)};
	c->walk = BPF_WALK;
	c->every = 1;
	c->result = READING_KEPT;
	c->range = PROCFILE("sys/net/ipv4/ip_local_port_range");
	c->reserved = PROCFILE("sys/net/ipv4/ip_local_reserved_ports");
	*out = c;
	return 0;
}

struct census *census_ref(struct census *c)
{
	c->owners++;
	return c;
}

/* A walk that tells of it begins anew. */
static void leave_walk(struct census *c)
{
	if (c->leader && c->led)
		c->leader->source = NULL;
	c->led = false;
}

static void unfollow(struct census *c)
{
	struct census **link = &c->leader->first;

	leave_walk(c);
	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	c->leader->n_followers--;
	census_free(take_ptr(c->leader));
}

int census_follow(struct census *c, struct census *leader)
{
	size_t n = leader->n_followers + 1;
	struct bpf_walk_target *targets =
		reallocarray(leader->targets, n, sizeof(*leader->targets));

	/* A walk under way has them in another place. */
	for (struct census *f = leader->first; f; f = f->next)
		leave_walk(f);
	if (!targets)
		return -ENOMEM;
	leader->targets = targets;
	leader->n_followers = n;
	c->next = leader->first;
	leader->first = c;
	c->leader = census_ref(leader);
	return 0;
}

void census_free(struct census *c)
{
	if (!c || --c->owners > 0)
		return;
	if (c->leader)
		unfollow(c);
	free(c->targets);
	inet_diag_close(&c->diag);
	bpf_walk_close(&c->walk);
	procfile_close(&c->range);
	procfile_close(&c->reserved);
	proc_free(c->proc);
	free(c);
}

static int netlink_begin(struct census *c)
{
	int r = inet_diag_begin(&c->diag, INET_DIAG_ALL, &c->sink);

	return r < 0 ? reading_fail(&c->failure, r, "TCP sockets by netlink") : 1;
}

static int netlink_step(struct census *c)
{
	int r = inet_diag_step(&c->diag, &c->sink);

	if (r < 0)
		return reading_fail(&c->failure, r, "TCP sockets by netlink");
	return r == INET_DIAG_MORE;
}

/* A namespace may have a table of its own (net.ipv4.tcp_child_ehash_entries, since Linux 6.1); a number below 0 says that it
 * has none. */
static bool has_own_table(const struct census *c)
{
	struct procfile file = PROCFILE("sys/net/ipv4/tcp_ehash_entries");
	struct span text;
	bool own = procfile_read(c->proc, &file, &text) == 0 && text.len && text.at[0] != '-';

	procfile_close(&file);
	return own;
}

/* The initial namespace has the table that the others share, and is the only one with this file. */
static bool walks_shared_table(const struct census *c)
{
	return proc_has(c->proc, "sys/net/ipv4/tcp_max_orphans") || !has_own_table(c);
}

static bool shares_table(struct census *c)
{
	if (c->table == TABLE_UNKNOWN)
		c->table = has_own_table(c) || !walks_shared_table(c->leader) ? TABLE_OTHER
									      : TABLE_SHARED;
	return c->table == TABLE_SHARED;
}

static void let_go(struct census *c)
{
	for (struct census *f = c->first; f; f = f->next)
		f->led = false;
}

/* Its listeners, which the walk does not find; then the walk counts for it. What fails here, its own count will tell. */
static bool lead(struct census *follower)
{
	if (!follower->n_clients || !netns_number(proc_netns(follower->proc)) ||
		!shares_table(follower))
		return false;
	follower->led = inet_diag_dump(&follower->diag, INET_DIAG_LISTEN, &follower->sink) == 0;
	return follower->led;
}

static int bpf_begin(struct census *c)
{
	int r = inet_diag_dump(&c->diag, INET_DIAG_LISTEN, &c->sink);
	size_t n = 0;

	for (struct census *f = c->first; f && r == 0 && !c->own_alone; f = f->next)
		if (lead(f))
			c->targets[n++] = (struct bpf_walk_target){
				netns_number(proc_netns(f->proc)), &f->sink};
	bpf_walk_begin(&c->walk, c->targets, n);
	return r < 0 ? reading_fail(&c->failure, r, "TCP listeners by netlink") : 1;
}

static void go_alone(struct census *c)
{
	let_go(c);
	c->own_alone = true;
	if (!c->own_alone_said)
		log_notice("%s: the BPF program that is there tells of the daemon's own network "
			   "namespace alone, see "
			   "connwatch-bpf --netns; source netlink is used for the others",
			c->name);
	c->own_alone_said = true;
}

static int bpf_step(struct census *c)
{
	int r = bpf_walk_step(&c->walk, &c->sink);

	if (r >= 0 && c->walk.n_targets && !c->own_alone && !bpf_walk_has_others(&c->walk))
		go_alone(c);
	return r < 0 ? reading_fail(&c->failure, r, "TCP sockets by BPF") : r;
}

static int proc_begin(struct census *c)
{
	(void)c;
	return 1;
}

static int proc_step(struct census *c)
{
	const char *path;
	int r = proc_net_tcp_dump(c->proc, &c->sink, &path);

	return r < 0 ? reading_fail(&c->failure, r, path) : 0;
}

static const struct source sources[] = {
	[CENSUS_BPF] = {"bpf", bpf_begin, bpf_step},
	[CENSUS_NETLINK] = {"netlink", netlink_begin, netlink_step},
	[CENSUS_PROC] = {"proc", proc_begin, proc_step},
};

/* Another one's count begins anew, and what was refused is tried again. */
static void change_client(struct census *c)
{
	if (c->source == &sources[CENSUS_NETLINK])
		inet_diag_close(&c->diag); /* with what is left of the dump */
	leave_walk(c);
	c->source = NULL;
	c->done = false;
	c->every = 1;
	c->netlink_refused = false;
	if (c->bpf == BPF_REFUSED)
		c->bpf = BPF_UNTRIED;
}

void census_start(
	struct census *c, const struct census_config *config, const struct socket_sink *sink)
{
	if (c->n_clients == CLIENTS)
		return;
	c->clients[c->n_clients++] = (struct client){*config, *sink};
	change_client(c);
}

void census_stop(struct census *c, const void *arg)
{
	size_t i = 0;

	while (i < c->n_clients && c->clients[i].sink.arg != arg)
		i++;
	if (i == c->n_clients)
		return;
	if (i + 1 == c->n_clients)
		change_client(c);
	else
		c->clients[i] = c->clients[i + 1];
	c->n_clients--;
}

void census_restart(struct census *c)
{
	inet_diag_close(&c->diag);
	procfile_close(&c->range);
	procfile_close(&c->reserved);
	change_client(c);
	c->last = NULL;
	c->table = TABLE_UNKNOWN;
	c->fullest.usable = 0;
}

struct counts {
	double n[TCP_STATES];
};

static void begin_counts(void *arg)
{
	*(struct counts *)arg = (struct counts){{0}};
}

static void add_count(void *arg, const struct tcp_socket *socket)
{
	struct counts *counts = arg;

	counts->n[socket->state == TCP_NEW_SYN_RECV ? TCP_SYN_RECV : socket->state]++;
}

static int count_by_netlink(struct census *c, struct counts *counts)
{
	const struct socket_sink sink = {begin_counts, add_count, counts};

	return inet_diag_dump(&c->diag, INET_DIAG_ALL & ~INET_DIAG_LISTEN, &sink);
}

static int count_by_bpf(struct census *c, struct counts *counts)
{
	const struct socket_sink sink = {begin_counts, add_count, counts};
	int r;

	begin_counts(counts);
	bpf_walk_begin(&c->walk, NULL, 0);
	do
		r = bpf_walk_step(&c->walk, &sink);
	while (r == 1);
	return r;
}

/* A state of which b is not what it may have been between a and c, or 0. */
static int find_difference(const struct counts *a, const struct counts *b, const struct counts *c)
{
	for (int s = 1; s < TCP_STATES; s++) {
		double low = a->n[s] < c->n[s] ? a->n[s] : c->n[s];
		double high = a->n[s] < c->n[s] ? c->n[s] : a->n[s];
		double more = DIFFERENCE + high * DIFFERENCE_PART;

		if (b->n[s] < low - more || b->n[s] > high + more)
			return s;
	}
	return 0;
}

/*
 * Whether the program counts what sock_diag counts: what it takes from the kernel's structures is
 * no interface that is promised to anybody.
 */
static bool agrees(struct census *c)
{
	struct counts before = {{0}}, walked = {{0}}, after;
	int r = count_by_netlink(c, &before), state;

	if (r == 0)
		r = count_by_bpf(c, &walked);
	after = before;
	if (r == 0 && find_difference(&before, &walked, &after)) /* it may have changed meanwhile */
		r = count_by_netlink(c, &after);
	if (r != 0) {
		log_notice("sockets: cannot compare the count by BPF with that of sock_diag: %s; "
			   "source netlink is used instead",
			strerror(-r));
		return false;
	}
	state = find_difference(&before, &walked, &after);
	if (state)
		log_notice("sockets: BPF counts %.0f sockets in state %d, sock_diag %.0f; source "
			   "netlink is used instead",
			walked.n[state], state, after.n[state]);
	return !state;
}

/*
 * With source = auto it is no news that what was not switched on is not there; nor that what was in
 * use before still is.
 */
static void say_not_opened(const struct census *c, int r, const char *what)
{
	bool expected = r == -ENOENT || r == -EACCES || r == -EBUSY;
	bool news = client(c)->config.source != CENSUS_AUTO || !expected;
	int priority = news && (r != -EBUSY || !c->last) ? LOG_NOTICE : LOG_DEBUG;

	log_fields(priority, NULL, 0, "sockets: source bpf: %s: %s; source netlink is used instead",
		what,
		r == -ENOENT  ? "is not there, does connwatch-bpf.service run?"
		: r == -EBUSY ? "in use by another process"
			      : strerror(-r));
}

static void try_bpf(struct census *c)
{
	const char *what;
	int r = bpf_walk_open(&c->walk, &what);

	if (r < 0) {
		say_not_opened(c, r, what);
		/* The one that has it may end. */
		c->bpf = r == -EBUSY ? BPF_UNTRIED : BPF_REFUSED;
		return;
	}
	c->bpf = BPF_WORKS;
	c->own_alone = false;
	if (client(c)->config.source == CENSUS_AUTO && !agrees(c)) {
		c->bpf = BPF_REFUSED;
		bpf_walk_close(&c->walk);
	}
}

static const struct source *choose_source(struct census *c)
{
	if (proc_is_recorded(c->proc) || client(c)->config.source == CENSUS_PROC)
		return &sources[CENSUS_PROC];
	if (client(c)->config.source == CENSUS_NETLINK)
		return &sources[CENSUS_NETLINK];
	/* The program walks on behalf of the daemon's own namespace, and tells of the others with it. */
	if (c->bpf == BPF_UNTRIED && !proc_netns(c->proc))
		try_bpf(c);
	if (c->bpf == BPF_WORKS)
		return &sources[CENSUS_BPF];
	return &sources[c->netlink_refused ? CENSUS_PROC : CENSUS_NETLINK];
}

/* Whether another source is to be asked, for this count and from now on. */
static bool fall_back(struct census *c, int error)
{
	const struct source *source = c->source, *other;

	if (source == &sources[CENSUS_BPF]) {
		c->bpf = BPF_REFUSED;
		bpf_walk_close(&c->walk);
	}
	if (source == &sources[CENSUS_NETLINK] && inet_diag_is_refusal(error))
		c->netlink_refused = true;
	other = choose_source(c);
	if (other == source)
		return false;
	log_notice("%s: %s; source %s is used instead", c->name, c->failure.error, other->name);
	return true;
}

static void read_ports(struct census *c)
{
	struct span text, range = {0};
	char copy[64]; /* the next read takes the same buffer */
	int r = procfile_read(c->proc, &c->range, &text);

	if (r == 0 && text.len <= sizeof(copy)) {
		memcpy(copy, text.at, text.len);
		range = (struct span){copy, text.len};
	}
	if (procfile_read(c->proc, &c->reserved, &text) < 0)
		text.len = 0;
	ports_set_usable(&c->ports, range, text);
}

static int step(struct census *c)
{
	double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = clock_seconds(CLOCK_MONOTONIC);
	int r;

	if (!c->source) {
		c->failure.error[0] = '\0';
		c->cpu = c->wall = 0;
		let_go(c);
		c->source = choose_source(c);
		if (!c->leader) /* port_tuple is of the daemon's own */
			read_ports(c);
		r = c->source->begin(c);
	} else {
		r = c->source->step(c);
		c->cpu += clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		c->wall += clock_seconds(CLOCK_MONOTONIC) - wall;
	}
	if (r >= 0 || !fall_back(c, r))
		return r;
	c->source = NULL;
	return 1;
}

static void space_out(struct census *c, long interval, size_t sharers)
{
	double budget = client(c)->config.cpu_share / 100 * (double)interval / (double)sharers;

	c->every = 1;
	while (c->every < EVERY_MAX && c->cost > budget * c->every)
		c->every++;
	if (c->every == 1 || c->every_said)
		return;
	c->every_said = true;
	log_notice("%s: a count takes %.2f s of CPU time; it is made every %ld s, because of "
		   "cpu_share = %g",
		c->name, c->cost, c->every * interval, client(c)->config.cpu_share);
}

static void finish(struct census *c, int r)
{
	c->done = true;
	c->result = r;
	c->fullest.usable = 0;
	if (r == 0) {
		c->cost = c->last ? c->cost * OLD_PART + c->cpu * (1 - OLD_PART) : c->cpu;
		c->duration = c->wall;
		c->last = c->source;
		c->fullest.used = ports_fullest(&c->ports, &c->fullest.tuple);
		c->fullest.usable = c->ports.n_usable;
	}
	c->source = NULL;
}

/* A count of the leader is one of those that it led too; if it failed, they make their own. */
static void finish_walk(struct census *c, int r)
{
	if (r < 0)
		let_go(c);
	for (struct census *f = c->first; f; f = f->next) {
		if (!f->led)
			continue;
		f->cpu = f->wall = 0;
		f->source = c->source;
		finish(f, 0);
	}
	finish(c, r);
}

static bool is_due(const struct census *c)
{
	return c->n_clients && !c->done && c->passed + 1 >= c->every;
}

double census_lead(const struct census *c)
{
	/* A recorded tree is read when the row is made, as all of it is. */
	if (!is_due(c) || proc_is_recorded(c->proc))
		return -1;
	return c->duration * LEAD_FACTOR;
}

bool census_advance(struct census *c)
{
	double end = clock_seconds(CLOCK_MONOTONIC) + SLICE_SECONDS;
	int r = 1;

	if (!is_due(c))
		return false;
	while (r == 1 && clock_seconds(CLOCK_MONOTONIC) < end)
		r = step(c);
	if (r != 1)
		finish_walk(c, r);
	return r == 1;
}

void census_row(struct census *c, long interval, size_t sharers)
{
	while (is_due(c))
		census_advance(c);
	if (c->done) {
		c->done = false;
		c->passed = 0;
		if (c->led)
			c->every = c->leader->every;
		else if (c->result == 0)
			space_out(c, interval, sharers);
	} else {
		c->passed++;
		c->result = READING_KEPT;
	}
}

int census_result(const struct census *c, struct reading *r)
{
	if (c->result < 0)
		memcpy(r->error, c->failure.error, sizeof(r->error));
	return c->result;
}

const struct census_ports *census_ports(const struct census *c)
{
	return c->n_clients && c->fullest.usable ? &c->fullest : NULL;
}

bool census_state(const struct census *c, struct census_state *out)
{
	if (!c->last)
		return false;
	*out = (struct census_state){c->last->name, c->every, c->cost};
	return true;
}
