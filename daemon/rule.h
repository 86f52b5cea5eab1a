/* SPDX-License-Identifier: MIT */
/* An alert rule as data: shipped by a collector, or written in an alert section. See
 * connwatchd.conf(5). */
#ifndef CONNWATCH_RULE_H
#define CONNWATCH_RULE_H

#include <stdbool.h>

enum level { LEVEL_OK, LEVEL_WARNING, LEVEL_CRITICAL };

/* Every field as in the configuration. Shipped rules begin with RULE_DEFAULTS and override
 * (designated initialisers). */
struct rule {
	const char *name;    /* "conntrack-full" */
	const char *value;   /* operand "INSTANCE.COLUMN": "conntrack.entries" */
	const char *limit;   /* operand; NULL: thresholds are in the value's own unit, of a counter
				its increase per second */
	const char *subject; /* what a sentence begins with: "conntrack"; NULL: the name */
	const char *advice;  /* what to do, ends the sentence of a warning: "raise
				net.ipv4.tcp_max_orphans"; or NULL */
	const char *above;   /* operand of the setting that is to be raised, for "... above 262144";
				or NULL */
	const char *doing, *done; /* of a counter: "dropping packets", "dropped" for a sentence with
				     the number; or NULL */
	const char *ratio; /* what a value per limit is, where nothing can be full: "entries per
			      bucket"; or NULL */
	const char *message_id;   /* of its warnings in the journal (daemon/message_id.h); NULL: the
				     common one */
	double warning, critical; /* percent of limit, or the value's unit; 0: this level is off */
	double clear;       /* points (or units) below a threshold before it counts as passed */
	long hold, release; /* looks in a row to raise, to clear */
	long escalate;      /* more looks in a row than hold before it is critical */
	long remind;        /* seconds between reminders; 0: none */
	long over; /* seconds a counter's increase is taken over; 0: since the look before */
	long forecast_warning, forecast_critical; /* seconds to full; 0: off */
	bool enabled;
};

/* What an alert section that says nothing gets; with a limit, RULE_PERCENT as well. */
#define RULE_DEFAULTS .hold = 2, RULE_COMMON
#define RULE_COMMON .release = 3, .remind = 30 * 60, .enabled = true
#define RULE_PERCENT .warning = 80, .critical = 90, .clear = 5

/* A threshold that any increase at all passes: less than one in the longest interval. */
#define RULE_ANY 0.0001
/* Shipped rules of counters that ought to stand still and are read at rows only, in place of
 * RULE_DEFAULTS: a warning at the first increase, critical if the next row has one too; or, where a
 * few are no harm, a warning at the third. */
#define RULE_AT_ONCE                                                                               \
	.warning = RULE_ANY, .critical = RULE_ANY, .hold = 1, .escalate = 1, RULE_COMMON
#define RULE_SUSTAINED .warning = RULE_ANY, .hold = 3, RULE_COMMON
/* Percent of a listener's backlog: one connection more than it waits, and the next is dropped. */
#define RULE_OVERFULL 100.001

/* Whether time to full is to be foreseen. */
static inline bool rule_forecasts(const struct rule *rule)
{
	return rule->enabled && rule->limit &&
	       (rule->forecast_warning > 0 || rule->forecast_critical > 0);
}

#endif
