/* SPDX-License-Identifier: MIT */
/* From parsed sections to struct conf: defaults, instances, archives, rules, and the checks across
 * sections. */
#ifndef CONNWATCH_CONF_BUILD_H
#define CONNWATCH_CONF_BUILD_H

#include "daemon/conf.h"
#include "daemon/conf_arena.h"
#include "daemon/conf_problem.h"
#include "daemon/conf_read.h"
#include "daemon/conf_schema.h"

struct cfg_t; /* confuse.h, which conf.c alone includes */

/*
 * One conf_load() at work. libconfuse hands its callbacks no argument of ours: the address of
 * `anchor`, which comes first, is the target of the first option of every section, and so they find
 * the way back here.
 */
struct load {
	long anchor;
	struct conf *conf;
	struct arena *arena;
	const struct schema *schema;
	struct conf_problems problems;
	struct conf_statements statements;
	struct cfg_t *cfg;
	struct conf_netns *netns;
	struct conf_instance *instances; /* conf->instances while they are made */
	size_t n_instances;
	struct rule *rules; /* conf->rules, the same */
	size_t n_rules;
};

/* Store what a section says into base, `enabled` of a collector into *on. In conf.c. */
void conf_fill(const struct load *load, const struct conf_block *block, void *base,
	struct collector_switch *on);

/* Fill load->conf. Bad values count as not given; problems go to load->problems, a lack of memory
 * to the arena. */
void conf_build(struct load *load);

#endif
