/* SPDX-License-Identifier: MIT */
/*
 * The alert engine: (rule, state, sample) -> event. Pure: no clock, no I/O, no allocation. One
 * struct alert per rule and value, zeroed to begin with; the rule is given at each look, so that a
 * reload may change it under an open episode.
 */
#ifndef CONNWATCH_ALERT_H
#define CONNWATCH_ALERT_H

#include <stdbool.h>

#include "daemon/rule.h"

struct forecast; /* daemon/forecast.h */

/* One look. */
struct alert_sample {
	double now;   /* CLOCK_MONOTONIC seconds; only ever forward */
	double wall;  /* CLOCK_REALTIME seconds; may jump */
	double value; /* in its own unit, a counter as its increase per second; UNKNOWN if it could
			 not be read */
	double limit; /* UNKNOWN if it could not be read; 0: no limit. Not read for a rule without
			 limit */
};

enum alert_kind {
	ALERT_NONE,     /* nothing to say */
	ALERT_CHANGE,   /* from one level to another, neither of them the way back to ok */
	ALERT_REMINDER, /* the level goes on (from == to) */
	ALERT_RECOVERY, /* back to ok */
};

/* What a look has changed. Filled at every look; with ALERT_NONE from == to, the level as it is. */
struct alert_event {
	enum alert_kind kind;
	enum level from, to;
	enum level worst;       /* of this episode; LEVEL_OK outside one */
	double value, limit;    /* of the sample */
	double percent;         /* of limit, may exceed 100; UNKNOWN without a limit */
	double growth;          /* of value, per second; UNKNOWN if no trend is to be told */
	double seconds_to_full; /* UNKNOWN if it is not to be told */
	double since;           /* wall-clock seconds when the episode left ok; 0 outside one */
	double duration;        /* seconds since then, untouched by clock steps; 0 outside one */
	bool forecast;          /* the level comes from the forecast, not from a threshold */
};

struct alert {
	struct forecast *forecast; /* borrowed; NULL: thresholds only */
	enum level level, worst;
	bool foreseen; /* no threshold has been at this level yet, the forecast is */
	long above[LEVEL_CRITICAL + 1]; /* looks in a row at or over each level's threshold */
	long below[LEVEL_CRITICAL + 1]; /* looks in a row below its threshold less `clear` */
	double since;                   /* wall-clock seconds when it left ok */
	double began, said;             /* now of that, and of the last message */
	double calm;                    /* now of the last look at which the level was not below */
	double recovered;               /* now of the last recovery; 0: none yet */
	double trough; /* the lowest since then, as it was when the level was raised again */
	long relapses; /* raises in a row that came soon after a recovery */
};

/* An open episode as status.json keeps it over a restart of the daemon. */
struct alert_episode {
	enum level level;
	enum level worst; /* LEVEL_OK where it was not kept: as level */
	double since;     /* wall-clock seconds */
	bool forecast;    /* it was the forecast that had raised it, and no threshold since */
};

/*
 * Judge one look. An unknown value or limit changes nothing, is no step towards a raise and begins
 * the looks to a release anew. A limit of 0 ends an episode at once. After two relapses within ten
 * minutes of a recovery the next one takes a value lower than before or ten quiet minutes, so that
 * no swing, however wide, fills the log. event->kind says whether there is something to say.
 */
void alert_step(const struct rule *rule, struct alert *alert, const struct alert_sample *sample,
	struct alert_event *event);

/* The open episode into out; false and out untouched if there is none. */
bool alert_save(const struct alert *alert, struct alert_episode *out);
/* Go on with an episode in a zeroed alert; nothing is said for it again, but it still ends with a
 * recovery. now and wall are as in a sample; a `since` in the future counts as wall. */
void alert_restore(
	struct alert *alert, const struct alert_episode *episode, double now, double wall);

#endif
