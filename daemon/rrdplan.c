/* SPDX-License-Identifier: MIT */
#include "daemon/rrdplan.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What part of a row may be unknown. */
#define XFF 0.5

static void add_column(struct rrdplan *plan, const struct store_column *column, int64_t heartbeat)
{
	ds_def_t *ds = &plan->columns[plan->n_columns++];

	*ds = (ds_def_t){0};
	snprintf(ds->ds_nam, sizeof(ds->ds_nam), "%s", column->name);
	snprintf(ds->dst, sizeof(ds->dst), "%s", rrdmap_type(column->kind));
	ds->par[DS_mrhb_cnt].u_cnt = (unsigned long)heartbeat;
	ds->par[DS_min_val].u_val = 0;
	ds->par[DS_max_val].u_val = UNKNOWN;
}

/* NULL: not there. */
static rra_def_t *find_archive(struct rrdplan *plan, int function, uint64_t steps)
{
	for (size_t i = 0; i < plan->n_archives; i++)
		if (rrdmap_function(&plan->archives[i]) == function &&
			plan->archives[i].pdp_cnt == steps)
			return &plan->archives[i];
	return NULL;
}

static void add_archive(
	struct rrdplan *plan, const char *function, const struct store_archive *archive)
{
	rra_def_t *rra = &plan->archives[plan->n_archives++];

	*rra = (rra_def_t){.row_cnt = (unsigned long)archive->rows,
		.pdp_cnt = (unsigned long)(archive->step / plan->step)};
	snprintf(rra->cf_nam, sizeof(rra->cf_nam), "%s", function);
	rra->par[RRA_cdp_xff_val].u_val = XFF;
}

static void add_wanted_archives(struct rrdplan *plan, const struct store_open *spec)
{
	for (size_t i = 0; i < spec->n_archives; i++) {
		add_archive(plan, "AVERAGE", &spec->archives[i]);
		if (spec->archives[i].step > spec->step)
			add_archive(plan, "MAX", &spec->archives[i]);
	}
}

void rrdplan_new(struct rrdplan *plan, const struct store_open *spec, int64_t last)
{
	plan->step = spec->step;
	plan->last = last;
	plan->n_columns = plan->n_archives = 0;
	for (size_t i = 0; i < spec->n_columns; i++)
		add_column(plan, &spec->columns[i], spec->heartbeat);
	add_wanted_archives(plan, spec);
	plan->added = plan->n_archives;
	plan->lengthened = 0;
	plan->heartbeat = false;
}

static bool is_computed(const ds_def_t *ds)
{
	return !strncmp(ds->dst, "COMPUTE", DST_SIZE);
}

static void plan_columns(
	struct rrdplan *plan, const struct store_open *spec, const struct rrdmap *old)
{
	plan->n_columns = old->head->ds_cnt;
	memcpy(plan->columns, old->columns, plan->n_columns * sizeof(plan->columns[0]));
	for (size_t i = 0; i < plan->n_columns; i++) {
		unival *heartbeat = &plan->columns[i].par[DS_mrhb_cnt];
		bool longer = heartbeat->u_cnt < (unsigned long)spec->heartbeat;

		if (is_computed(&plan->columns[i]) || (plan->step == rrdmap_step(old) && !longer))
			continue;
		plan->heartbeat |= plan->step == rrdmap_step(old);
		heartbeat->u_cnt = (unsigned long)spec->heartbeat;
	}
	for (size_t i = 0; i < spec->n_columns; i++)
		if (rrdmap_column(old, spec->columns[i].name) == old->head->ds_cnt)
			add_column(plan, &spec->columns[i], spec->heartbeat);
}

/*
 * An archive of the old file goes on: as one that is asked for, or as itself. False where its rows would be longer than any
 * that are read again.
 */
static bool keep_archive(struct rrdplan *plan, const rra_def_t *old, uint64_t old_step)
{
	uint64_t step = (uint64_t)plan->step, seconds = old->pdp_cnt * old_step;
	uint64_t steps = (seconds + step - 1) / step;
	uint64_t rows = (old->row_cnt * seconds + steps * step - 1) / (steps * step);
	rra_def_t *same = find_archive(plan, rrdmap_function(old), steps);

	if (steps * step > RRDMAP_MAX_SECONDS)
		return false;
	if (!same) {
		same = &plan->archives[plan->n_archives++];
		*same = *old;
		same->pdp_cnt = steps;
		same->row_cnt = rows;
	} else if (same->row_cnt < rows) {
		same->row_cnt = rows;
	}
	return true;
}

/* The same in the old file, which may have more of them; NULL: none. */
static const rra_def_t *find_old(
	const struct rrdplan *plan, const rra_def_t *archive, const struct rrdmap *old)
{
	uint64_t seconds = archive->pdp_cnt * (uint64_t)plan->step;

	for (size_t i = 0; i < old->head->rra_cnt; i++)
		if (rrdmap_function(&old->archives[i]) == rrdmap_function(archive) &&
			old->archives[i].pdp_cnt * old->head->pdp_step == seconds)
			return &old->archives[i];
	return NULL;
}

static void count_changes(struct rrdplan *plan, const struct rrdmap *old)
{
	for (size_t i = 0; i < plan->n_archives; i++) {
		const rra_def_t *was = find_old(plan, &plan->archives[i], old);

		plan->added += !was;
		plan->lengthened += was && was->row_cnt < plan->archives[i].row_cnt;
	}
}

/*
 * To librrd rows of single steps are averages and maxima alike, and of several archives it takes
 * the first: averages come first.
 */
static int compare_archives(const void *a, const void *b)
{
	const rra_def_t *x = a, *y = b;

	if (x->pdp_cnt != y->pdp_cnt)
		return x->pdp_cnt < y->pdp_cnt ? -1 : 1;
	return rrdmap_function(x) - rrdmap_function(y);
}

int rrdplan_change(struct rrdplan *plan, const struct store_open *spec, const struct rrdmap *old)
{
	plan->step = spec->step;
	plan->last = rrdmap_last(old);
	plan->n_archives = plan->added = plan->lengthened = 0;
	plan->heartbeat = false;
	if (old->head->ds_cnt > RRDPLAN_COLUMNS - STORE_MAX_COLUMNS ||
		old->head->rra_cnt > RRDPLAN_ARCHIVES - 2 * STORE_MAX_ARCHIVES)
		return -E2BIG;
	for (size_t i = 0; i < old->head->rra_cnt; i++)
		if (rrdmap_function(&old->archives[i]) < 0)
			return -EXDEV;
	plan_columns(plan, spec, old);
	add_wanted_archives(plan, spec);
	for (size_t i = 0; i < old->head->rra_cnt; i++)
		if (!keep_archive(plan, &old->archives[i], old->head->pdp_step))
			return -E2BIG;
	count_changes(plan, old);
	qsort(plan->archives, plan->n_archives, sizeof(plan->archives[0]), compare_archives);
	return plan->step != rrdmap_step(old) || plan->n_columns > old->head->ds_cnt ||
	       plan->added || plan->lengthened || plan->heartbeat;
}

struct text {
	char *at;
	size_t left;
	const char *separator; /* before the next part */
};

static void __attribute__((format(printf, 2, 3))) append(struct text *text, const char *format, ...)
{
	va_list ap;
	size_t len;

	va_start(ap, format);
	len = (size_t)vsnprintf(text->at, text->left, format, ap);
	va_end(ap);
	if (len >= text->left)
		len = text->left - 1;
	text->at += len;
	text->left -= len;
}

static void append_archives(struct text *text, size_t n, const char *what)
{
	if (!n)
		return;
	append(text, "%s%zu archive%s %s", text->separator, n, n == 1 ? "" : "s", what);
	text->separator = ", ";
}

void rrdplan_describe(const struct rrdplan *plan, const struct rrdmap *old, char *text, size_t size)
{
	struct text t = {text, size, ""};
	size_t first = old->head->ds_cnt;

	text[0] = 0;
	if (plan->step != rrdmap_step(old)) {
		append(&t, "a row every %" PRId64 " s instead of every %" PRId64 " s", plan->step,
			rrdmap_step(old));
		t.separator = ", ";
	}
	append_archives(&t, plan->added, "added");
	append_archives(&t, plan->lengthened, "lengthened");
	if (plan->heartbeat) {
		append(&t, "%sheartbeat lengthened", t.separator);
		t.separator = ", ";
	}
	if (plan->n_columns > first)
		append(&t, "%scolumn%s added:", t.separator,
			plan->n_columns > first + 1 ? "s" : "");
	for (size_t i = first; i < plan->n_columns; i++)
		append(&t, "%s%s", i > first ? ", " : " ", plan->columns[i].ds_nam);
}
