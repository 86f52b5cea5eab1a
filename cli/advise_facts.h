/* SPDX-License-Identifier: MIT */
/* The facts for advice: of the kernel now, of the daemon, and of the recorded history. */
#ifndef CONNWATCH_ADVISE_FACTS_H
#define CONNWATCH_ADVISE_FACTS_H

#include "cli/advice.h"
#include "cli/status_file.h"
#include "daemon/conf.h"

#define ADVISE_NOTE_SIZE 1024

/*
 * Gather out. status may be NULL. What could not be asked for its peaks is told in note, a sentence
 * for each, "" if there is nothing. Returns 0 or -errno if conf's tree cannot be read.
 */
int advise_facts_gather(const struct conf *conf, const struct status_file *status,
	struct advice_facts *out, char note[static ADVISE_NOTE_SIZE]);

/* "MemTotal:  975 kB" of /proc/meminfo: bytes, or UNKNOWN. Pure. */
double advise_meminfo(const char *text, size_t len, const char *name);
/* What an object of a cache takes, its share of what its slab leaves over included, of
 * /proc/slabinfo: bytes, or UNKNOWN. Pure. */
double advise_slab(const char *text, size_t len, const char *cache);

#endif
