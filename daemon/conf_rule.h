/* SPDX-License-Identifier: MIT */
/* The alert rules in force: those the collectors ship, as changed by alert sections, and the
 * administrator's own. */
#ifndef CONNWATCH_CONF_RULE_H
#define CONNWATCH_CONF_RULE_H

#include "daemon/conf.h"
#include "daemon/conf_arena.h"
#include "daemon/conf_problem.h"
#include "daemon/conf_read.h"

/*
 * A shipped rule (as changed) becomes that of another network namespace: its name, operands and subject begin with the
 * namespace's. False for a rule that is about something which is not read there. Strings belong to arena.
 */
bool conf_rule_derive(const struct rule *rule, const struct conf_netns *netns, struct arena *arena,
	struct rule *out);

/* The rule an alert section of no other starts from: the defaults (those with a limit if it has one). */
struct rule conf_rule_initial(const char *name, bool has_limit);

/* Check a rule that a section has changed; conf's instances are complete. Problems name the
 * section's lines. */
void conf_rule_check(const struct conf *conf, const struct rule *rule,
	const struct conf_block *block, struct conf_problems *problems);

#endif
