/* SPDX-License-Identifier: MIT */
#include "daemon/ahead.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct ahead {
	sd_event_source *source;
	struct readings *const *readings;
};

static int on_idle(sd_event_source *source, void *arg)
{
	struct ahead *ahead = arg;

	if (!readings_advance(*ahead->readings))
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

int ahead_new(sd_event *event, struct readings *const *readings, struct ahead **out)
{
	struct ahead *ahead = calloc(1, sizeof(*ahead));
	int r;

	if (!ahead)
		return -ENOMEM;
	ahead->readings = readings;
	r = sd_event_add_defer(event, &ahead->source, on_idle, ahead);
	if (r >= 0)
		r = sd_event_source_set_enabled(ahead->source, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_source_set_priority(ahead->source, SD_EVENT_PRIORITY_IDLE);
	if (r < 0) {
		ahead_free(ahead);
		return r;
	}
	*out = ahead;
	return 0;
}

void ahead_free(struct ahead *ahead)
{
	if (!ahead)
		return;
	sd_event_source_unref(ahead->source);
	free(ahead);
}

void ahead_look(struct ahead *ahead, double wall)
{
	const struct readings *readings = *ahead->readings;
	double interval = (double)readings->conf->interval;
	double watch = (double)readings->conf->watch_interval;
	double left = interval - fmod(wall, interval), lead = readings_lead(readings);

	if (watch > 0 && lead >= 0 && left <= watch + lead)
		sd_event_source_set_enabled(ahead->source, SD_EVENT_ON);
}
