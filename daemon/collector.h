/* SPDX-License-Identifier: MIT */
/*
 * The one interface between the daemon and its collectors. A collector is a file below collectors/
 * that defines one `const struct collector` and a line in registry.c; everything else (RRD columns,
 * status.json, alerts, configuration keys, documentation checks) is made from its tables.
 */
#ifndef CONNWATCH_COLLECTOR_H
#define CONNWATCH_COLLECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/graph.h"
#include "daemon/rule.h"

/* A value that could not be read. Never 0: zero is a reading. (The cast is for clang's
 * -Wdouble-promotion.) */
#define UNKNOWN ((double)NAN)

enum metric_kind {
	METRIC_GAUGE,   /* RRD GAUGE */
	METRIC_COUNTER, /* RRD DERIVE, minimum 0: a reset is one unknown, never a spike */
};

/* One column: an RRD data source, an exported series and an alert operand. Only ever append. */
struct metric {
	const char *name, *help; /* name: [a-z][a-z0-9_]*, at most 19 characters (librrd) */
	const char *unit;        /* plural noun for sentences and graphs: "entries", "packets" */
	enum metric_kind kind;
	bool look;            /* fresh at every look; else only when a row is made */
	bool with_sockets;    /* known only where the collector sockets counts them */
	const char *announce; /* a setting of the kernel whose change is a notice, by this name
				 ("maximum"); or NULL */
};

enum setting_type {
	SETTING_BOOL,     /* bool */
	SETTING_INT,      /* long, within [min, max] */
	SETTING_NUMBER,   /* double, within [min, max], no nan or inf */
	SETTING_DURATION, /* long seconds: "30m"; "0" is zero; within [min, max] */
	SETTING_CHOICE,   /* int: index into choices */
	SETTING_STRING,   /* const char * */
	SETTING_PORTS,    /* struct port_list, sorted, no duplicates */
	SETTING_NETWORKS, /* struct network_list */
	SETTING_STRINGS,  /* struct string_list, in the order written */
};

/* One configuration key, stored at offset in the struct that the table belongs to. */
struct setting {
	const char *name, *help;
	enum setting_type type;
	size_t offset;
	const char *initial; /* default as the user would write it; NULL: empty list, or no value
				(NaN, NULL) */
	double min, max;     /* numbers and durations */
	const char *const *choices; /* SETTING_CHOICE: NULL-terminated */
};

struct port_list {
	size_t n;
	const uint16_t *port; /* host byte order, ascending */
};

/* An address prefix. IPv4 is kept as ::ffff:a.b.c.d/96+n, so that one comparison serves both
 * families. */
struct network {
	uint8_t address[16];
	unsigned prefix; /* bits of address that count, 0..128 */
};

struct network_list {
	size_t n;
	const struct network *network;
};

struct string_list {
	size_t n;
	const char *const *string;
};

struct proc;   /* collectors/procfile.h */
struct census; /* collectors/census.h */

/* Lent to init(); everything in it outlives the instance. */
struct collector_env {
	struct proc *proc; /* the host's /proc or a recorded tree; of an instance in another network
			      namespace as that one has it */
	struct census *census; /* of the same namespace */
	const char *title;     /* title of its section, "" if none */
	const void *config;    /* the struct its section's settings filled */
	const void *common; /* titled instances: the struct of the collector's untitled section, or
			       NULL */
	void *shared;       /* shared_size bytes common to the collector's instances in one network
			 namespace, zeroed before the first init() */
};

#define READING_ERROR_SIZE 192
#define READING_KEPT 1 /* a round() with nothing new: values stay, and there is no row of them */

/* What a look or a row read gives back. */
struct reading {
	double *values;                 /* n_metrics in declared order */
	char error[READING_ERROR_SIZE]; /* why it returned an error: "cannot open net/snmp: No such
					   file or directory" */
};

struct collector {
	const char *name; /* RRD file stem, prefix of alert operands; "sockets-TITLE" for titled
			     instances */
	const char *help;
	const struct metric *metrics;
	size_t n_metrics;
	const char *
		label; /* exported as one series with this label, the column its value ("state"); NULL: as a
			      series for each column */

	bool in_netns; /* its untitled instance has one like it in each other network namespace; its
			  init() opens files by env->proc alone, and only -ENOMEM fails it */

	const char *section; /* untitled configuration section (any number of keys besides
				`enabled`), or NULL */
	const struct setting *settings;
	size_t n_settings, config_size;

	const char *titled_section; /* section that makes one more instance per title, or NULL */
	const struct setting *titled_settings;
	size_t n_titled_settings, titled_config_size;

	const struct rule *rules; /* shipped alert rules */
	size_t n_rules;

	long heartbeat; /* rows that may be missing before they are unknown, where not 3 */

	const struct graph *graphs; /* of each instance, the most important first */
	size_t n_graphs;

	size_t state_size;  /* of one instance; zeroed before init(), freed after close() */
	size_t shared_size; /* 0: no shared state */

	/* Returns 0 or -errno; fails only for what can never work. */
	int (*init)(void *state, const struct collector_env *env);
	/*
	 * Refresh the metrics marked `look`; called at every look. Allocates nothing. NULL: none
	 * are. Fills what can be read and sets UNKNOWN for what cannot. Returns 0, or -errno with
	 * r->error set: -ENOENT: the source is not there now (a module not loaded), said on change,
	 * asked again next time; -EACCES, -EPERM: not permitted; anything else is a failure.
	 */
	int (*look)(void *state, struct reading *r);
	/* Refresh all other metrics; called when a row is made, right after look(). Same returns.
	 */
	int (*read)(void *state, struct reading *r);
	/* Once for every init() that returned 0. May be NULL. */
	void (*close)(void *state);

	/* Once per row, before any read() of this collector: the work its instances share. May be
	 * NULL. Same returns as read(), r->values is NULL; a failure here makes every instance's
	 * row unknown with this error. Or READING_KEPT. */
	int (*round)(void *shared, struct reading *r);
	void (*shared_close)(void *shared); /* after the last close(); may be NULL */

	/* Names the object behind a value in a sentence ("192.0.2.1:443" for the fullest listener)
	 * into out; leaves "" where there is none. May be NULL. */
	void (*describe)(const void *state, size_t metric, char *out, size_t size);
};

#endif
