/* SPDX-License-Identifier: MIT */
/*
 * The count of all TCP sockets, which several collectors share: from the source that is configured
 * or works, in slices between the looks, and less often than each row where it would take more than
 * its share of a CPU.
 */
#ifndef CONNWATCH_CENSUS_H
#define CONNWATCH_CENSUS_H

#include <stdbool.h>

#include "collectors/ports.h"
#include "collectors/procfile.h"
#include "collectors/tcp_socket.h"

enum census_source { CENSUS_AUTO, CENSUS_BPF, CENSUS_NETLINK, CENSUS_PROC };

/* NULL-terminated, for a settings table. */
extern const char *const census_source_names[];

struct census_config {
	int source;       /* enum census_source */
	double cpu_share; /* percent of one CPU */
};

struct census;

/* Of the sockets that proc's network namespace has; proc gets one more owner. Returns 0 or -ENOMEM. */
int census_new(struct proc *proc, struct census **out);
/*
 * The census of another network namespace follows that of the daemon's own, which has to be done first: where the BPF
 * program walks the table that they share, one walk counts for all. Returns 0 or -ENOMEM.
 */
int census_follow(struct census *census, struct census *leader);
/* One more owner, as of a configuration that is to take over: census_free() for each. Returns census. */
struct census *census_ref(struct census *census);
void census_free(struct census *census);

/*
 * Count from now on, and hand all sockets to sink; both are copied. Without this nothing is done. A
 * second one comes before the first, as long as both are there.
 */
void census_start(
	struct census *census, const struct census_config *config, const struct socket_sink *sink);
/* Another network namespace is in the place of the one that was counted, or none: begin anew. */
void census_restart(struct census *census);
/* No more for the sink with this arg. */
void census_stop(struct census *census, const void *arg);

/*
 * How many seconds before the next row its count has to begin, to be done by then; negative if
 * there is none to begin.
 */
double census_lead(const struct census *census);
/* Do a slice of it, some milliseconds. Returns whether there is more to do. */
bool census_advance(struct census *census);
/* A row is made, one each interval (seconds): finish its count, or pass it over. sharers: how many censuses have the
 * cpu_share together. */
void census_row(struct census *census, long interval, size_t sharers);
/*
 * How that went: 0, and the sink was told of every socket; READING_KEPT: this row was passed over;
 * or -errno with r->error set, as a collector's round().
 */
int census_result(const struct census *census, struct reading *r);

/* Local ports of the fullest tuple. */
struct census_ports {
	unsigned used, usable; /* the tuple is none if none are used */
	struct tuple tuple;
};
/* NULL if there was no count, or it failed, or what the ports are could not be read. */
const struct census_ports *census_ports(const struct census *census);

struct census_state {
	const char *source; /* of the last count, its name */
	unsigned every;     /* rows from one to the next */
	double cost;        /* of one, seconds of CPU time */
};
/* False if nothing was counted yet. */
bool census_state(const struct census *census, struct census_state *out);

#endif
