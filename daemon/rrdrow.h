/* SPDX-License-Identifier: MIT */
/* A row as rrdupdate(1) wants it. */
#ifndef CONNWATCH_RRDROW_H
#define CONNWATCH_RRDROW_H

#include <stdbool.h>

#include "daemon/store_proto.h"

#define RRDROW_VALUE_SIZE 312 /* %.17g has up to 24 characters, %.0f up to 309 */

struct rrdrow {
	char names[2048]; /* a template, empty where the file has none of the columns */
	char update[STORE_MAX_COLUMNS * RRDROW_VALUE_SIZE];
};

/* ":VALUE" or ":U". Returns its length, as snprintf(3). */
int rrdrow_value(char *out, size_t size, enum metric_kind kind, double value);
/* has: which of the columns are in the file. */
void rrdrow_format(struct rrdrow *out, const struct store_open *spec, const bool has[],
	const struct store_row *row);

#endif
