/* SPDX-License-Identifier: MIT */
/* The limits that are watched: every enabled alert rule with a limit, bound to what it is about. */
#ifndef CONNWATCH_LIMITS_H
#define CONNWATCH_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/conf.h"
#include "daemon/rule.h"

#define LIMIT_LABEL_SIZE 72

/* A rule, once for each instance that its value names. Indices are those of conf's instances and of
 * their collectors' metrics. */
struct limit {
	const struct rule *rule;
	size_t instance, metric, limit_instance, limit_metric;
	/* The rule's name, without a "-full" at its end where no other rule is called so, and with
	 * the instance's title for a rule about several: "conntrack". Unique. */
	char label[LIMIT_LABEL_SIZE];
};

/* All of them, in the order of the rules, into an array for free(). conf is borrowed. Returns 0 or
 * -ENOMEM. */
int limits_find(const struct conf *conf, struct limit **out, size_t *n);

/* value as percent of limit; UNKNOWN where one of them is, and without a limit (0). */
double limit_percent(double value, double limit);
/* How it is written: only what is full is 100. */
double limit_whole_percent(double percent);
/* The level of a percent (an unknown one is ok); a threshold of 0 is off. */
enum level limit_level(double percent, double warning, double critical);

#endif
