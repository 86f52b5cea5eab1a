/* SPDX-License-Identifier: MIT */
/* Which sections and keys there are: the daemon's own settings tables and those of the registered
 * collectors. */
#ifndef CONNWATCH_CONF_SCHEMA_H
#define CONNWATCH_CONF_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/collector.h"
#include "daemon/conf_arena.h"

enum schema_kind {
	SCHEMA_ROOT,      /* keys outside any section; settings offsets are of struct conf */
	SCHEMA_LOG,       /* of struct conf */
	SCHEMA_RRD,       /* of struct conf; archives of struct rrd_settings */
	SCHEMA_ALERT,     /* of struct rule */
	SCHEMA_NETNS,     /* of struct conf_netns */
	SCHEMA_COLLECTOR, /* of the collector's config struct, and the implicit `enabled` */
	SCHEMA_INSTANCE,  /* of the collector's titled config struct */
};

struct schema_section {
	const char *name; /* "" for the root */
	const struct setting *settings;
	size_t n_settings;
	const struct collector *collector; /* of the last two kinds */
	enum schema_kind kind;
	bool titled;
};

struct schema {
	size_t n;
	const struct schema_section *section; /* the root first, collectors in registry order */
};

/* Where the `rrd` section is read to: archives need the interval before they can go into struct
 * conf. */
struct rrd_settings {
	const char *directory, *daemon;
	long queue;
	struct string_list archives; /* "resolution:span" */
};

/* Where a collector's `enabled` is read to. */
struct collector_switch {
	bool enabled;
};

/* Build the schema in arena; NULL without memory. */
const struct schema *schema_new(struct arena *arena);

/* Number of keys of a section, and one of them; `enabled` of collectors comes first. */
size_t schema_n_keys(const struct schema_section *section);
const struct setting *schema_key(const struct schema_section *section, size_t i);

/* Find by name: the index is written to *i. False for unknown names. */
bool schema_find_section(const struct schema *schema, const char *name, size_t *i);
bool schema_find_key(const struct schema_section *section, const char *name, size_t *i);

/* The name nearest to a misspelt one, or NULL if none is near. */
const char *schema_nearest_section(const struct schema *schema, const char *name);
const char *schema_nearest_key(const struct schema_section *section, const char *name);

/* [a-z0-9][a-z0-9_-]{0,31}; of an alert two of them too, with a point between: NETNS.RULE */
bool schema_title_is_valid(const struct schema_section *section, const char *title);

#endif
