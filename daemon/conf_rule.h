/* SPDX-License-Identifier: MIT */
/* The alert rules in force: those the collectors ship, as changed by alert sections, and the
 * administrator's own. */
#ifndef CONNWATCH_CONF_RULE_H
#define CONNWATCH_CONF_RULE_H

#include "daemon/conf.h"
#include "daemon/conf_arena.h"
#include "daemon/conf_problem.h"
#include "daemon/conf_read.h"

/* A shipped rule by name, or NULL. */
const struct rule *conf_shipped_rule(const char *name);

/* The rule an alert section starts from: the shipped one of its name, else the defaults (those with
 * a limit if it has one). */
struct rule conf_rule_initial(const char *name, bool has_limit);

/* Check a rule that a section has changed; conf's instances are complete. Problems name the
 * section's lines. */
void conf_rule_check(const struct conf *conf, const struct rule *rule,
	const struct conf_block *block, struct conf_problems *problems);

#endif
