/* SPDX-License-Identifier: MIT */
#include "daemon/sched.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/util.h"

#define SECOND INT64_C(1000000000)

/* A relative timer that fired is at most this early by the wall clock, which NTP may slew by 500
 * ppm. */
#define EARLY (SECOND / 100)

struct sched {
	sched_fn *call;
	void *arg;
	long interval, watch;
	time_t last;
	int timer; /* fires when something is due */
	int steps; /* never fires; a step of the wall clock ends its read with ECANCELED */
	sd_event_source *timer_source, *steps_source;
};

static int64_t until_multiple(int64_t now, long seconds)
{
	int64_t step = seconds * SECOND;

	return step - ((now % step) + step) % step;
}

int64_t sched_wait(int64_t now, long interval, long watch)
{
	int64_t row = until_multiple(now, interval);
	int64_t look = watch ? until_multiple(now, watch) : row;

	return row < look ? row : look;
}

bool sched_row_due(int64_t now, long interval, time_t last, time_t *stamp)
{
	*stamp = (time_t)(now / SECOND / interval * interval);
	return *stamp > last || last - *stamp > interval;
}

static int64_t wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* CLOCK_BOOTTIME goes on in suspend, so that the first look is due at the resume. */
static int arm(struct sched *sched)
{
	int64_t wait = sched_wait(wall_clock(), sched->interval, sched->watch);
	struct itimerspec at = {.it_value = {wait / SECOND, wait % SECOND}};

	return timerfd_settime(sched->timer, 0, &at, NULL) < 0 ? -errno : 0;
}

static int arm_steps(struct sched *sched)
{
	struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX / SECOND}};
	int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;

	return timerfd_settime(sched->steps, flags, &never, NULL) < 0 ? -errno : 0;
}

static int on_timer(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct sched *sched = arg;
	uint64_t expirations;
	time_t stamp;
	bool row;

	(void)source;
	(void)revents;
	if (read(fd, &expirations, sizeof expirations) < 0 && errno == EAGAIN)
		return 0;
	row = sched_row_due(wall_clock() + EARLY, sched->interval, sched->last, &stamp);
	if (row)
		sched->last = stamp;
	sched->call(sched->arg, row, stamp);
	return arm(sched);
}

static int on_step(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct sched *sched = arg;
	uint64_t expirations;

	(void)source;
	(void)revents;
	if (read(fd, &expirations, sizeof expirations) < 0 && errno != ECANCELED)
		return 0;
	arm_steps(sched);
	return arm(sched);
}

int sched_new(sd_event *event, sched_fn *call, void *arg, struct sched **out)
{
	struct sched *sched = calloc(1, sizeof *sched);
	int r;

	if (!sched)
		return -ENOMEM;
	sched->call = call;
	sched->arg = arg;
	sched->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	sched->steps = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	r = sched->timer < 0 || sched->steps < 0 ? -errno : arm_steps(sched);
	if (r == 0)
		r = sd_event_add_io(
			event, &sched->timer_source, sched->timer, EPOLLIN, on_timer, sched);
	if (r >= 0)
		r = sd_event_add_io(
			event, &sched->steps_source, sched->steps, EPOLLIN, on_step, sched);
	if (r < 0) {
		sched_free(sched);
		return r;
	}
	*out = sched;
	return 0;
}

int sched_set(struct sched *sched, long interval, long watch)
{
	sched->interval = interval;
	sched->watch = watch;
	sched_row_due(wall_clock(), interval, 0,
		&sched->last); /* the interval under way began without us */
	return arm(sched);
}

void sched_free(struct sched *sched)
{
	if (!sched)
		return;
	sd_event_source_unref(sched->timer_source);
	sd_event_source_unref(sched->steps_source);
	cleanup_close(&sched->timer);
	cleanup_close(&sched->steps);
	free(sched);
}
