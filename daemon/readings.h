/* SPDX-License-Identifier: MIT */
/*
 * The instances of the running configuration: reads their collectors, keeps the latest values, and
 * tells of changes of their state (absent, unreadable, readable again, a kernel setting changed).
 */
#ifndef CONNWATCH_READINGS_H
#define CONNWATCH_READINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/collector.h"
#include "daemon/conf.h"

/* How the last read of an instance ended. */
struct outcome {
	int r;          /* 0 or -errno */
	double seconds; /* that it took */
	char error[READING_ERROR_SIZE];
};

/* One thing that is read. Borrowed from the readings; values[] are the latest, UNKNOWN where they
 * could not be read. */
struct instance {
	const struct conf_instance *conf;
	struct space *space;
	void *state;
	double *values, *settings; /* settings: last known values of metrics with `announce` */
	struct outcome look, read;
	double shared_seconds; /* that the work of several instances took, at the first one of them */
	bool kept;             /* the last row passed it over: the values are those of one before */
	bool asked;            /* was read at all */
	bool seen;             /* was readable at least once */
	bool absent;           /* said to be absent */
	bool failing;          /* the last read failed */
	double changed; /* CLOCK_MONOTONIC seconds when that was last otherwise; 0: never read */
	bool away;      /* its namespace is, which tells of it */
	bool shares_failure; /* the work that failed was that of several instances, and the first one tells */
	bool unreadable; /* the alert for it is raised, for a failure that began at `since` */
	double since;    /* CLOCK_MONOTONIC seconds */
};

/* A network namespace: what its instances have in common. */
struct space {
	const struct conf_netns *conf; /* NULL: the daemon's own */
	struct proc *proc;
	struct census *census;
	bool used;           /* something is read there */
	void **shared;       /* one per registry entry */
	struct outcome look; /* whether it is there; of the daemon's own: it is */
	int said;            /* the last look.r that was told of */
};

struct readings {
	const struct conf *conf;    /* borrowed */
	struct proc *proc;          /* of the daemon's own namespace */
	struct instance *instances; /* in conf's order */
	size_t n;
	struct space *spaces; /* the daemon's own, then the others in conf's order */
	size_t n_spaces;
};

/* Returns 0 or -errno; a failure is logged. conf is borrowed. */
int readings_new(const struct conf *conf, struct readings **out);
/* The same for a reload: in the tree that old reads from. */
int readings_renew(const struct conf *conf, const struct readings *old, struct readings **out);
void readings_free(struct readings *readings);

/* Read what is cheap, in every instance. */
void readings_look(struct readings *readings);
/* Read everything, for a row (calls readings_look() first). */
void readings_row(struct readings *readings);
/*
 * What takes long is done in slices before the row: how many seconds before it that has to begin
 * (negative: there is nothing), and one slice, which returns whether there is more.
 */
double readings_lead(const struct readings *readings);
bool readings_advance(struct readings *readings);
/* Of the last count of all sockets; false if there was none. */
struct census_state;
bool readings_census(const struct readings *readings, struct census_state *out);
/* Say what changed in the state of the instances since the last call. now: CLOCK_MONOTONIC seconds.
 */
void readings_report(struct readings *readings, double now);

/* Take over what the instances of an older configuration know of their past (before a reload frees
 * it). */
void readings_inherit(struct readings *readings, struct readings *old);

/* Seconds that the last look and the last row of this instance took; UNKNOWN before its first. */
double instance_seconds(const struct instance *instance);
/* Why the last read of this instance failed, or NULL where it did not. */
const struct outcome *instance_failure(const struct instance *instance);
/* An outcome that is a fault, and not just a thing that is not there or not permitted. */
bool outcome_is_fault(const struct outcome *outcome);

#endif
