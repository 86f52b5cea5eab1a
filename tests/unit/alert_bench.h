/* SPDX-License-Identifier: MIT */
/* A rule under test with its clocks, for the tests of daemon/alert.h. */
#ifndef CONNWATCH_TESTS_ALERT_BENCH_H
#define CONNWATCH_TESTS_ALERT_BENCH_H

#include <math.h>

#include "daemon/alert.h"

#define U ((double)NAN)

static const struct rule percent_rule = {.name = "conntrack-full",
	.value = "conntrack.entries",
	.limit = "conntrack.max",
	RULE_DEFAULTS,
	RULE_PERCENT};
/* A rule under test, its clock, and what it has said so far. */
struct bench {
	struct rule rule;
	struct alert alert;
	double now, wall, limit;
	struct alert_event event, last; /* of the last look; of the last look that said something */
	int messages, changes, reminders, recoveries;
};

static inline struct bench bench_of(const struct rule *rule)
{
	return (struct bench){.rule = *rule, .now = 1000, .wall = 1796068800, .limit = 100};
}

static inline enum alert_kind look(struct bench *b, double value)
{
	struct alert_sample sample = {
		.now = b->now, .wall = b->wall, .value = value, .limit = b->limit};

	alert_step(&b->rule, &b->alert, &sample, &b->event);
	b->now++;
	b->wall++;
	b->changes += b->event.kind == ALERT_CHANGE;
	b->reminders += b->event.kind == ALERT_REMINDER;
	b->recoveries += b->event.kind == ALERT_RECOVERY;
	if (b->event.kind != ALERT_NONE) {
		b->messages++;
		b->last = b->event;
	}
	return b->event.kind;
}

static inline void looks(struct bench *b, double value, int n)
{
	while (n-- > 0)
		look(b, value);
}

#endif
