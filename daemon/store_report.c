/* SPDX-License-Identifier: MIT */
#include "daemon/store_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/text.h"

/* Files one sentence is about. */
struct group {
	const char *first;
	size_t n;
	int64_t time, last;    /* the latest */
	uint64_t rows, rounds; /* dropped: in all, of the file that lost most */
};

void trouble_clock(struct trouble *t, int64_t time, int64_t last)
{
	if (t->kind != TROUBLE_CLOCK) {
		t->kind = TROUBLE_CLOCK;
		t->said = false;
	}
	t->over = false;
	t->time = time;
	t->last = last;
}

void trouble_cause(struct trouble *t, const char *cause)
{
	if (t->kind != TROUBLE_CAUSE || strcmp(t->cause, cause) != 0) {
		t->kind = TROUBLE_CAUSE;
		t->said = false;
		snprintf(t->cause, sizeof(t->cause), "%s", cause);
	}
	t->over = false;
}

static void group_add(struct group *g, const char *name, const struct trouble *t)
{
	if (!g->n++)
		g->first = name;
	if (t->time > g->time)
		g->time = t->time;
	if (t->last > g->last)
		g->last = t->last;
	g->rows += t->rows;
	if (t->rows > g->rounds)
		g->rounds = t->rows;
}

static void group_names(const struct group *g, char out[static 128])
{
	if (g->n > 1)
		snprintf(out, 128, "%s.rrd and %zu other%s", g->first, g->n - 1,
			g->n > 2 ? "s" : "");
	else
		snprintf(out, 128, "%s.rrd", g->first);
}

static bool is_new(const struct trouble *t, enum trouble_kind kind)
{
	return t->kind == kind && !t->said && !t->over;
}

static void say_clock(struct trouble troubles[], const char *const names[], size_t n)
{
	struct group g = {0};
	char who[128], clock[TEXT_SIZE], last[TEXT_SIZE];

	for (size_t i = 0; i < n; i++) {
		if (!names[i] || !is_new(&troubles[i], TROUBLE_CLOCK))
			continue;
		group_add(&g, names[i], &troubles[i]);
		troubles[i].said = true;
	}
	if (!g.n)
		return;
	group_names(&g, who);
	log_warning("store: clock stands at %s but %s %s rows up to %s: rows are dropped until the "
		    "clock gets there",
		text_time(clock, (time_t)g.time), who, g.n > 1 ? "hold" : "holds",
		text_time(last, (time_t)g.last));
}

/* All files with the same cause as number `first`. */
static void say_cause(struct trouble troubles[], const char *const names[], size_t first, size_t n)
{
	struct group g = {0};
	char who[128];

	for (size_t i = first; i < n; i++) {
		if (!names[i] || !is_new(&troubles[i], TROUBLE_CAUSE) ||
			strcmp(troubles[i].cause, troubles[first].cause) != 0)
			continue;
		group_add(&g, names[i], &troubles[i]);
		troubles[i].said = true;
	}
	group_names(&g, who);
	log_error("store: %s: %s", who, troubles[first].cause);
}

static void say_over(struct trouble troubles[], const char *const names[], size_t n)
{
	struct group g = {0};
	char who[128];

	for (size_t i = 0; i < n; i++) {
		if (!troubles[i].over)
			continue;
		if (names[i] && troubles[i].said)
			group_add(&g, names[i], &troubles[i]);
		troubles[i] = (struct trouble){0};
	}
	if (!g.n)
		return;
	group_names(&g, who);
	if (g.rows)
		log_notice("store: storing again in %s: %" PRIu64 " round%s (%" PRIu64
			   " row%s) were dropped",
			who, g.rounds, g.rounds == 1 ? "" : "s", g.rows, g.rows == 1 ? "" : "s");
	else
		log_notice("store: storing again in %s", who);
}

void trouble_report(struct trouble troubles[], const char *const names[], size_t n)
{
	say_clock(troubles, names, n);
	for (size_t i = 0; i < n; i++)
		if (names[i] && is_new(&troubles[i], TROUBLE_CAUSE))
			say_cause(troubles, names, i, n);
	say_over(troubles, names, n);
}
