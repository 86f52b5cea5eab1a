/* SPDX-License-Identifier: MIT */
/*
 * The files the store's rows go to, by slot. One that the configuration no longer has stays until
 * its last row is answered; a slot is used again after that.
 */
#ifndef CONNWATCH_STORE_FILES_H
#define CONNWATCH_STORE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/conf.h"
#include "daemon/store_report.h"

struct store_file {
	uint8_t *packet; /* its OPEN */
	size_t packet_len, n_values;
	bool current;     /* the configuration in force has it */
	bool opened;      /* this store process was sent its OPEN */
	size_t pending;   /* rows in the queue, and packets on their way */
	unsigned crashes; /* of librrd over this file, since a row of it was written */
	uint64_t note;    /* hash of the last note, which is said once */
};

struct files {
	struct store_file *file;
	struct trouble *trouble;
	const char **name; /* owned; NULL: the slot is free */
	size_t n;
	uint32_t *slot; /* of conf's instances */
	size_t n_instances;
};

/* Take over conf's instances. Returns 0, or -errno with nothing changed. */
int files_set(struct files *files, const struct conf *conf);
void files_close(struct files *files);
/* One less is pending of the file. */
void files_done(struct files *files, uint32_t slot);

#endif
