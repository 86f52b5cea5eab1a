/* SPDX-License-Identifier: MIT */
/* Making a new RRD, in the store process. */
#ifndef CONNWATCH_RRDCREATE_H
#define CONNWATCH_RRDCREATE_H

#include <stdint.h>

#include "daemon/store_proto.h"

/*
 * Make path (mode 0644), which must not exist, with last_update as the time before which nothing is
 * stored, and sync it. Returns 0, or -1 with the reason in why.
 */
int rrdcreate_file(const char *path, const struct store_open *spec, int64_t last_update,
	char why[static STORE_TEXT_SIZE / 2]);

/* The text of librrd's last error without the path in front; "No space left on device" where librrd
 * has no words. */
const char *rrdcreate_reason(const char *path);

#endif
