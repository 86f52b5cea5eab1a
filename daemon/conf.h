/* SPDX-License-Identifier: MIT */
/*
 * The configuration: connwatchd.conf(5) read through libconfuse into one immutable struct. Strict:
 * whatever libconfuse would let through (facts: unclosed sections, "" as a number, octal, nan,
 * duplicates) is a problem here.
 */
#ifndef CONNWATCH_CONF_H
#define CONNWATCH_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "daemon/collector.h"
#include "daemon/log.h"
#include "daemon/rule.h"

/* One round-robin archive as it is in force: step and span after `interval` has been taken into
 * account. */
struct archive {
	long step, rows; /* seconds; number of rows */
};

/* Another network namespace that is watched. */
struct conf_netns {
	const char *name; /* "gw", what its instances and rules begin with */
	const char *path; /* "/run/netns/gw" */
};

/* One thing that is read, kept in one RRD: an enabled collector, or one titled section of it, or such a collector in
 * another network namespace. */
struct conf_instance {
	const struct collector *collector;
	const char *
		name; /* "conntrack", "sockets-http", "gw.conntrack": RRD file stem, key of status.json */
	const char *title;              /* "" if none */
	const void *config, *common;    /* see struct collector_env */
	const struct conf_netns *netns; /* NULL: the daemon's own */
};

struct conf {
	long interval, watch_interval; /* seconds */
	const char *state_directory, *proc;
	int log_target, log_level; /* enum log_target; index into log_level_names */
	const char *rrd_directory, *rrd_daemon;
	long rrd_queue;                 /* seconds of rows that may wait to be written */
	const struct archive *archives; /* ascending steps, one per step, in force for `interval` */
	size_t n_archives;
	const struct conf_netns *netns; /* in the order written */
	size_t n_netns;
	const struct conf_instance *instances; /* enabled ones only, in registry order, titled ones
						  after their untitled, then those of other network
						  namespaces */
	size_t n_instances;
	const struct rule *rules; /* shipped ones as changed, with those that other network
				     namespaces have of them, then the administrator's, disabled
				     ones included */
	size_t n_rules;
};

#define CONF_DEFAULT_PATH CONNWATCH_SYSCONFDIR "/connwatchd/connwatchd.conf"

/* Whether an rrdcached's address is that of another machine, or of this one's network: its directory is then below its
 * base, without a "/" in front. */
bool conf_is_remote(const char *rrd_daemon);

/* The file to load: given, or else the default one; NULL where that was removed (an empty configuration is complete). */
const char *conf_path(const char *given);

/* Called once per problem, in order of file and line, with the whole line "FILE:LINE: message" (no
 * newline). */
typedef void conf_problem_fn(void *arg, const char *problem);

/*
 * Read path (NULL: nothing, all defaults). Every problem is handed to report. Returns 0 and a new
 * struct for conf_free(); -errno if path cannot be opened or is no regular file (reported too);
 * -EINVAL for other problems.
 */
int conf_load(const char *path, conf_problem_fn *report, void *arg, struct conf **out);
void conf_free(struct conf *conf);

/* Print the configuration in force as a file that conf_load() reads back to an equal one. */
void conf_print(const struct conf *conf, FILE *out);

/*
 * Split the operand "INSTANCE.COLUMN" against conf's instances: 0 with indices, -ENOENT where the
 * operand names a collector that is switched off, -EINVAL for a name that exists nowhere.
 */
int conf_operand(const struct conf *conf, const char *operand, size_t *instance, size_t *metric);

/* The network namespace that an instance, operand or rule is called by in front ("gw." of "gw.conntrack-full"), or NULL;
 * then *rest is the name behind it, else the whole one. */
const struct conf_netns *conf_netns_of(
	const struct conf *conf, const char *name, const char **rest);

/* True for "listener-*.drops": one rule with a state for each titled instance. */
bool conf_operand_is_pattern(const char *operand);
/* The metric of one of conf's instances that a pattern is about: 0, or -ENOENT where it is not
 * about this one. */
int conf_operand_of(const struct conf *conf, const char *pattern, size_t instance, size_t *metric);
/*
 * An operand of a rule for one of its candidates: a pattern is about that instance, any other operand about the one it
 * names. Returns 0 with which instance and metric, or as the two above.
 */
int conf_operand_for(const struct conf *conf, const char *operand, size_t candidate,
	size_t *instance, size_t *metric);

#endif
