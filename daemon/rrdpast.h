/* SPDX-License-Identifier: MIT */
/* What an RRD holds of the last days. */
#ifndef CONNWATCH_RRDPAST_H
#define CONNWATCH_RRDPAST_H

#include <stdint.h>

#include "daemon/rrdfile.h"

/* rrdfile_past() of the file at path, whose newest row is of time last. */
void rrdpast_read(const char *path, const struct store_open *spec, int64_t last,
	rrdfile_past_fn *call, void *arg);

#endif
