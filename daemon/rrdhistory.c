/* SPDX-License-Identifier: MIT */
#include "daemon/rrdhistory.h"

#include <math.h>

/* More than seconds of any row. A finer row that does not fit would be torn. */
#define MISFIT (INT64_C(1) << 38)
#define COARSER (INT64_C(1) << 40)
#define SECOND_CHOICE (INT64_C(1) << 42)

static int64_t row_seconds(const struct rrdmap *map, size_t archive)
{
	return (int64_t)map->archives[archive].pdp_cnt * rrdmap_step(map);
}

/* Time of the newest finished row. */
static int64_t archive_end(const struct rrdmap *map, size_t archive)
{
	return rrdmap_last(map) - rrdmap_last(map) % row_seconds(map, archive);
}

static int64_t archive_start(const struct rrdmap *map, size_t archive)
{
	return archive_end(map, archive) -
	       (int64_t)map->archives[archive].row_cnt * row_seconds(map, archive);
}

/*
 * How well an archive is suited, the least being the best; -1: not at all. Rows of single steps are
 * their own maxima; averages of more stand in where there is nothing better.
 */
static int64_t rank(const struct rrdmap *map, size_t archive, const struct history_target *target)
{
	int function = rrdmap_function(&map->archives[archive]);
	int64_t seconds = row_seconds(map, archive), rank = seconds;

	if (function != (int)target->function && function != CF_AVERAGE)
		return -1;
	if (!target->finest)
		rank = seconds <= target->seconds ? target->seconds - seconds : COARSER + seconds;
	if (!target->finest && target->seconds % seconds && seconds < target->seconds)
		rank += MISFIT;
	rank = 2 * rank + (function != (int)target->function);
	if (function != (int)target->function && map->archives[archive].pdp_cnt > 1)
		rank += SECOND_CHOICE;
	return rank;
}

int history_choose(const struct rrdmap *map, const struct history_target *target, int64_t from)
{
	int64_t oldest = INT64_MAX, best_rank = INT64_MAX;
	int best = -1;

	for (size_t i = 0; i < map->head->rra_cnt; i++)
		if (rank(map, i, target) >= 0 && archive_start(map, i) < oldest)
			oldest = archive_start(map, i);
	if (from < oldest)
		from = oldest;
	for (size_t i = 0; i < map->head->rra_cnt; i++) {
		int64_t r = rank(map, i, target);

		if (r >= 0 && r < best_rank && archive_start(map, i) <= from) {
			best_rank = r;
			best = (int)i;
		}
	}
	return best;
}

static void add(struct history_sum *sum, double value, double seconds)
{
	if (isnan(value) || seconds <= 0)
		return;
	sum->integral += value * seconds;
	sum->seconds += seconds;
	sum->min = sum->rows ? fmin(sum->min, value) : value;
	sum->max = sum->rows ? fmax(sum->max, value) : value;
	sum->last = value;
	sum->rows++;
}

/* The row that ends at time. */
static double cell(const struct rrdmap *map, size_t archive, size_t column, int64_t time)
{
	const rra_def_t *def = &map->archives[archive];
	uint64_t age = (uint64_t)((archive_end(map, archive) - time) / row_seconds(map, archive));
	uint64_t row = (map->newest[archive].cur_row + def->row_cnt - age) % def->row_cnt;
	const double *rows = map->rows;

	for (size_t i = 0; i < archive; i++)
		rows += map->archives[i].row_cnt * map->head->ds_cnt;
	return rows[row * map->head->ds_cnt + column];
}

/*
 * Of the steps since the newest row `seconds`; the unfinished row holds a sum of them, or the
 * maximum.
 */
static void add_unfinished_row(const struct rrdmap *map, size_t archive, size_t column,
	double seconds, struct history_sum *sum)
{
	const unival *scratch = map->cdps[archive * map->head->ds_cnt + column].scratch;
	uint64_t steps =
		(uint64_t)(rrdmap_last(map) - archive_end(map, archive)) / map->head->pdp_step;
	double known = (double)steps - (double)scratch[CDP_unkn_pdp_cnt].u_cnt;
	double value = scratch[CDP_val].u_val;

	if (rrdmap_function(&map->archives[archive]) == CF_AVERAGE)
		value /= known;
	if (known > 0)
		add(sum, value, seconds * known / (double)steps);
}

/* The unfinished step holds a sum of value times seconds. */
static void add_unfinished_step(
	const struct rrdmap *map, size_t column, double seconds, struct history_sum *sum)
{
	const unival *scratch = map->pdps[column].scratch;
	double all = (double)(rrdmap_last(map) % rrdmap_step(map));
	double known = all - (double)scratch[PDP_unkn_sec_cnt].u_cnt;

	if (known > 0)
		add(sum, scratch[PDP_val].u_val / known, seconds * known / all);
}

struct history_sum history_read(
	const struct rrdmap *map, size_t archive, size_t column, struct history_span span)
{
	const int64_t seconds = row_seconds(map, archive), end = archive_end(map, archive);
	const int64_t last = rrdmap_last(map), last_step = last - last % rrdmap_step(map);
	const int64_t to = span.to < last ? span.to : last, start = archive_start(map, archive);
	struct history_sum sum = {0};
	int64_t until;

	for (int64_t at = span.from > start ? span.from : start; at < to; at = until) {
		if (at < end)
			until = at - at % seconds + seconds;
		else
			until = at < last_step ? last_step : last;
		if (until > to)
			until = to;
		if (at < end)
			add(&sum, cell(map, archive, column, at - at % seconds + seconds),
				(double)(until - at));
		else if (at < last_step)
			add_unfinished_row(map, archive, column, (double)(until - at), &sum);
		else
			add_unfinished_step(map, column, (double)(until - at), &sum);
	}
	return sum;
}

double history_value(const struct history_sum *sum, enum cf_en function)
{
	if (!sum->rows)
		return UNKNOWN;
	if (sum->rows == 1) /* exactly as it was */
		return sum->last;
	switch ((int)function) {
	case CF_MINIMUM:
		return sum->min;
	case CF_MAXIMUM:
		return sum->max;
	case CF_LAST:
		return sum->last;
	default:
		return sum->integral / sum->seconds;
	}
}
