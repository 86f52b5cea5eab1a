/* SPDX-License-Identifier: MIT */
/*
 * An RRD's contents as they lie in the file (rrd_format.h, librrd's own header; formats 3 to 5,
 * which RRDtool writes since 1.3). For what librrd's calls cannot do: see rrdwrite.h. To be closed
 * before the file is next written to.
 */
#ifndef CONNWATCH_RRDMAP_H
#define CONNWATCH_RRDMAP_H

#include <stddef.h>
#include <stdint.h>

/* For the structures; none of the functions that this makes known is called. */
#define RRD_EXPORT_DEPRECATED
#include <rrd.h>

#include "daemon/store_proto.h"

/* Of a row, and of an archive: every product of the two stays within 64 bits. */
#define RRDMAP_MAX_SECONDS INT64_C(0x7fffffff)
#define RRDMAP_MAX_ROWS (INT64_C(1) << 31)

struct rrdmap {
	void *base;
	size_t size;
	/* Point into base. */
	const stat_head_t *head;
	const ds_def_t *columns;
	const rra_def_t *archives;
	const live_head_t *live;
	const pdp_prep_t *pdps;  /* the unfinished step, per column */
	const cdp_prep_t *cdps;  /* the unfinished row, [archive * columns + column] */
	const rra_ptr_t *newest; /* the newest row, per archive */
	const double *rows;
};

/* Returns 0; -EBADMSG for what is no whole RRD of these formats; or -errno. */
int rrdmap_open(int fd, struct rrdmap *out);
void rrdmap_close(struct rrdmap *map);

static inline int64_t rrdmap_step(const struct rrdmap *map) /* seconds */
{
	return (int64_t)map->head->pdp_step;
}

static inline int64_t rrdmap_last(const struct rrdmap *map) /* time of the newest row */
{
	return map->live->last_up;
}

/* CF_AVERAGE, CF_MINIMUM, CF_MAXIMUM or CF_LAST; -1 for one that is none of these. */
int rrdmap_function(const rra_def_t *archive);
/* The file's number for a column; head->ds_cnt if it has none of that name. */
size_t rrdmap_column(const struct rrdmap *map, const char *name);
/* "GAUGE" or "DERIVE". */
const char *rrdmap_type(enum metric_kind kind);
/* Index of the archive that reaches back furthest. */
int rrdmap_longest(const struct rrdmap *map);

#endif
