/* SPDX-License-Identifier: MIT */
/* rrd.archives: "resolution:span" made into archives that fit the interval. */
#ifndef CONNWATCH_CONF_ARCHIVE_H
#define CONNWATCH_CONF_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/conf.h"

#define CONF_ARCHIVE_ERROR_SIZE 160

struct archive_fit {
	long interval; /* seconds */
	bool round_up; /* a resolution that is no multiple of interval; else it is refused */
};

/*
 * Make archives of texts into out[texts->n], ascending: finer ones become interval, equal ones are
 * merged (the longer span wins). Returns 0 with *n_out, or -EINVAL with a message in error.
 */
int conf_archives(const struct string_list *texts, const struct archive_fit *fit,
	struct archive out[], size_t *n_out, char error[static CONF_ARCHIVE_ERROR_SIZE]);

#endif
