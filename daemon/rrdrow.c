/* SPDX-License-Identifier: MIT */
#include "daemon/rrdrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Whole numbers stay whole, and nothing here asks a locale: the process never calls setlocale(). */
void rrdrow_format(struct rrdrow *out, const struct store_open *spec, const bool has[],
	const struct store_row *row)
{
	const size_t size = sizeof(out->update);
	char *update = out->update;
	size_t used = (size_t)snprintf(update, size, "%" PRId64, row->time), named = 0;

	out->names[0] = 0;
	for (size_t i = 0; i < row->n; i++) {
		double value = row->values[i];

		if (!has[i])
			continue;
		named += (size_t)snprintf(out->names + named, sizeof(out->names) - named, "%s%s",
			named ? ":" : "", spec->columns[i].name);
		if (!isfinite(value))
			used += (size_t)snprintf(update + used, size - used, ":U");
		else if (spec->columns[i].kind == METRIC_COUNTER) /* DERIVE takes integers only */
			used += (size_t)snprintf(update + used, size - used, ":%.0f", value);
		else
			used += (size_t)snprintf(update + used, size - used, ":%.17g", value);
	}
}
