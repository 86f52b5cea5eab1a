/* SPDX-License-Identifier: MIT */
#include "tests/backtest/run.h"

#include <math.h>
#include <stdlib.h>

#include "daemon/alert.h"
#include "daemon/forecast.h"

static void say(struct messages *m, struct message message)
{
	if (m->n < MAX_MESSAGES)
		m->of[m->n++] = message;
}

void run_ours(const struct trace *t, bool forecast, long look, struct messages *out)
{
	struct rule rule = {.name = "conntrack-full",
		.value = "conntrack.entries",
		.limit = "conntrack.max",
		RULE_DEFAULTS,
		RULE_PERCENT,
		.forecast_warning = forecast ? 1800 : 0,
		.forecast_critical = forecast ? 300 : 0};
	struct forecast *f = malloc(sizeof(*f));
	struct alert alert = {0};
	struct alert_event event;

	if (!f)
		abort();
	forecast_init(f, (double)look);
	alert.forecast = forecast ? f : NULL;
	for (long i = 0; i < t->n; i += look) {
		struct alert_sample sample = {.now = 5000 + (double)i,
			.wall = t->start + (double)i,
			.value = t->entries[i],
			.limit = t->max[i]};

		alert_step(&rule, &alert, &sample, &event);
		if (event.kind != ALERT_NONE)
			say(out, (struct message){i, event.from, event.to,
					 event.kind == ALERT_REMINDER, event.forecast,
					 event.percent, event.seconds_to_full});
	}
	free(f);
}

void run_rival(const struct trace *t, const struct rival *rival, struct messages *out)
{
	struct rival_state state = {0};

	for (long i = 0; i < t->n; i += rival->every) {
		enum level to;

		if (isnan(t->entries[i]) || !(t->max[i] > 0))
			continue;
		to = rival->step(&state, (double)i, t->entries[i], t->max[i]);
		if (to != state.level)
			say(out, (struct message){i, state.level, to, false, false,
					 t->entries[i] * 100 / t->max[i], (double)NAN});
		state.level = to;
	}
}
