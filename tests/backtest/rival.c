/* SPDX-License-Identifier: MIT */
#include "tests/backtest/rival.h"

/* kubernetes node-mixin, NodeHighNumberConntrackEntriesUsed: above 75 %, evaluated every 30 s. */
static enum level node_mixin(struct rival_state *state, double now, double value, double limit)
{
	(void)state;
	(void)now;
	return value / limit > 0.75 ? LEVEL_WARNING : LEVEL_OK;
}

/* netdata's template: warns above 90, or 85 once raised; critical above 95, or 90 once critical. */
static enum level netdata(struct rival_state *state, double now, double value, double limit)
{
	double used = value * 100 / limit;

	(void)now;
	if (used > (state->level == LEVEL_CRITICAL ? 90 : 95))
		return LEVEL_CRITICAL;
	return used > (state->level >= LEVEL_WARNING ? 85 : 90) ? LEVEL_WARNING : LEVEL_OK;
}

static enum level collectd(struct rival_state *state, double now, double value, double limit)
{
	double used = value * 100 / limit;

	(void)state;
	(void)now;
	if (used > 90)
		return LEVEL_CRITICAL;
	return used > 80 ? LEVEL_WARNING : LEVEL_OK;
}

/* Prometheus: predict_linear(entries[30m], 1800) > max; least squares over what the range holds. */
static enum level predict_linear(struct rival_state *s, double now, double value, double limit)
{
	double st = 0, sv = 0, stt = 0, stv = 0, points = 0, slope;

	s->at[s->n % RIVAL_POINTS] = now;
	s->value[s->n++ % RIVAL_POINTS] = value;
	for (size_t i = 0; i < RIVAL_POINTS && i < s->n; i++) {
		double t = s->at[i] - now, v = s->value[i];

		if (t < -1800)
			continue;
		st += t;
		sv += v;
		stt += t * t;
		stv += t * v;
		points++;
	}
	if (points < 2)
		return LEVEL_OK;
	slope = (points * stv - st * sv) / (points * stt - st * st);
	return (sv - slope * st) / points + slope * 1800 > limit ? LEVEL_WARNING : LEVEL_OK;
}

const struct rival rivals[] = {
	{"node-mixin >75%", 30, node_mixin, 0},
	{"netdata 90/95", 10, netdata, 1},
	{"collectd 80/90", 10, collectd, 1},
	{"predict_linear 30 min", 15, predict_linear, 0},
};
const size_t n_rivals = sizeof(rivals) / sizeof(rivals[0]);
