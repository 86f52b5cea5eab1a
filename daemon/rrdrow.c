/* SPDX-License-Identifier: MIT */
#include "daemon/rrdrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Whole numbers stay whole, and nothing here asks a locale: the process never calls setlocale(). */
int rrdrow_value(char *out, size_t size, enum metric_kind kind, double value)
{
	if (!isfinite(value))
		return snprintf(out, size, ":U");
	/* DERIVE takes integers only. */
	return snprintf(out, size, kind == METRIC_COUNTER ? ":%.0f" : ":%.17g", value);
}

void rrdrow_format(struct rrdrow *out, const struct store_open *spec, const bool has[],
	const struct store_row *row)
{
	const size_t size = sizeof(out->update);
	char *update = out->update;
	size_t used = (size_t)snprintf(update, size, "%" PRId64, row->time), named = 0;

	out->names[0] = 0;
	for (size_t i = 0; i < row->n; i++) {
		if (!has[i])
			continue;
		named += (size_t)snprintf(out->names + named, sizeof(out->names) - named, "%s%s",
			named ? ":" : "", spec->columns[i].name);
		used += (size_t)rrdrow_value(
			update + used, size - used, spec->columns[i].kind, row->values[i]);
	}
}
