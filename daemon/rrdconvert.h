/* SPDX-License-Identifier: MIT */
/* Making a file new, and making one anew that is not as the configuration wants it. */
#ifndef CONNWATCH_RRDCONVERT_H
#define CONNWATCH_RRDCONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/rrdmap.h"
#include "daemon/rrdwrite.h"
#include "daemon/store_proto.h"

/* What the file is to be. */
struct rrdconvert {
	char *path;
	struct store_open spec;
	struct rrdwrite_busy busy;
};

/*
 * Make path, which must not exist, for a first row of time `first`. False with answer->cause set.
 */
bool rrdconvert_create(const struct rrdconvert *to, int64_t first, struct store_answer *answer);

enum converted {
	CONVERT_NONE,  /* it has all that is asked for */
	CONVERT_DONE,  /* another file stands there now; answer->note says so */
	CONVERT_LATER, /* it cannot be done now, as answer->note says; the file will do as it is */
	CONVERT_FAILED, /* it cannot be done, as answer->cause says, and rows of this step do not fit */
};

/* Give the file at path, open as map, what it lacks, with all that it has. */
enum converted rrdconvert_file(
	const struct rrdconvert *to, const struct rrdmap *map, struct store_answer *answer);

/* The text of librrd's last error without the path in front. */
const char *rrdconvert_reason(const char *path);

#endif
