/* SPDX-License-Identifier: MIT */
#include "daemon/store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "daemon/log.h"
#include "daemon/store_child.h"
#include "daemon/store_internal.h"
#include "daemon/util.h"

/* However short the queue is to be. */
#define MIN_ROUNDS 3
/* Intervals without an answer before the process is replaced; and without a death before it "works
 * again". */
#define PATIENCE 3
/* The least seconds for one that is writing a whole file, and says so with every megabyte. */
#define PATIENCE_BUSY 30.0
/* What a killed process gets to go away. */
#define KILL_WAIT_MS 100

double store_clock(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

void store_say_failing(struct store *s, const char *format, ...)
{
	char text[STORE_TEXT_SIZE + 64];
	va_list ap;

	if (s->failing)
		return;
	s->failing = true;
	s->failing_restarts = 0;
	s->failing_dropped = s->counts.dropped;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	log_error("store: %s", text);
}

static void kill_child(struct store *s)
{
	if (!s->killed) {
		s->killed = true;
		kill(s->pid, SIGKILL);
	}
}

static void end_overflow(struct store *s)
{
	if (!s->overflowing || s->ring.tail < s->ring.head)
		return;
	log_notice("store: queue is empty again: %" PRIu64 " rows were dropped from it",
		s->overflow_rows);
	s->overflowing = false;
	s->overflow_rows = 0;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct store *s = userdata;

	(void)fd;
	(void)revents;
	if (!link_receive(s)) {
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		kill_child(s);
		return 0;
	}
	end_overflow(s);
	link_send(s);
	return 0;
}

/* "signal 7 (Bus error)" */
static void describe_end(const siginfo_t *si, char out[static 64])
{
	if (si->si_code == CLD_EXITED)
		snprintf(out, 64, "exit status %d", si->si_status);
	else
		snprintf(out, 64, "signal %d (%s)", si->si_status, strsignal(si->si_status));
}

static bool speaks_of_contents(const siginfo_t *si)
{
	return si->si_code != CLD_EXITED &&
	       (si->si_status == SIGSEGV || si->si_status == SIGABRT || si->si_status == SIGFPE ||
		       si->si_status == SIGILL);
}

/*
 * The packet that was being worked on is taken as the cause of a death. Its row is dropped, so that
 * one bad file cannot stop the others; but one that merely got no answer is tried once more.
 */
static void blame_oldest(struct store *s, const siginfo_t *si)
{
	const struct flight *f = link_oldest(s);

	if (!f)
		return;
	if (speaks_of_contents(si) && s->files.file[f->slot].crashes < MAX_CRASHES)
		s->files.file[f->slot].crashes++;
	if (f->open || f->seq != s->ring.tail)
		return;
	if (s->killed && si->si_status == SIGKILL && s->spared != f->seq + 1)
		s->spared = f->seq + 1;
	else
		link_drop_oldest(s);
}

static int start_child(struct store *s);

static int on_death(sd_event_source *source, const siginfo_t *si, void *userdata)
{
	struct store *s = userdata;
	const struct flight *f;
	char how[64];

	(void)source;
	link_receive(s); /* what it answered before */
	f = link_oldest(s);
	describe_end(si, how);
	if (f)
		store_say_failing(s, "ended by %s while %s %s.rrd; starting it anew", how,
			f->open ? "opening" : "writing", s->files.name[f->slot]);
	else
		store_say_failing(s, "ended by %s; starting it anew", how);
	blame_oldest(s, si);
	link_reset(s);
	s->io = sd_event_source_disable_unref(s->io);
	s->death = sd_event_source_disable_unref(s->death);
	close(s->fd);
	s->fd = -1;
	s->pid = 0;
	if (!s->failing_restarts || store_clock() - s->started >= s->interval)
		start_child(s);
	return 0;
}

/* Returns 0 or -errno; with an error store_check() tries again. */
static int start_child(struct store *s)
{
	int r;

	s->started = store_clock();
	s->killed = s->answered = false;
	if (s->failing) {
		s->failing_restarts++;
		s->counts.restarts++;
	}
	r = child_start(&s->pid, &s->fd);
	if (r < 0) {
		s->pid = 0;
		store_say_failing(s, "cannot start its process: %s; trying again", strerror(-r));
		return r;
	}
	if (sd_event_get_state(s->event) == SD_EVENT_FINISHED) {
		link_send(s); /* for store_finish(), which waits by itself */
		return 0;
	}
	r = sd_event_add_child(s->event, &s->death, s->pid, WEXITED, on_death, s);
	if (r >= 0)
		r = sd_event_add_io(s->event, &s->io, s->fd, EPOLLIN, on_io, s);
	if (r < 0) {
		log_error_errno(r, "store: cannot watch its process");
		kill_child(s);
		return r;
	}
	link_send(s);
	return 0;
}

static size_t queue_rounds(const struct conf *conf)
{
	size_t rounds = (size_t)(conf->rrd_queue / conf->interval);

	return rounds > MIN_ROUNDS ? rounds : MIN_ROUNDS;
}

/* Room for the rows of conf; the oldest are dropped where there is less than before. */
static int fit_ring(struct store *s, const struct conf *conf)
{
	struct ring ring;
	size_t n_values = s->ring.n_values, capacity = queue_rounds(conf) * conf->n_instances, left;
	int r;

	for (size_t i = 0; i < conf->n_instances; i++)
		if (conf->instances[i].collector->n_metrics > n_values)
			n_values = conf->instances[i].collector->n_metrics;
	if (s->ring.capacity == capacity && s->ring.n_values == n_values)
		return 0;
	r = ring_init(&ring, capacity, n_values);
	if (r < 0)
		return r;
	left = (size_t)(s->ring.head - s->ring.tail);
	left = left > ring.capacity ? left - ring.capacity : 0;
	for (size_t i = 0; i < left; i++)
		link_drop_oldest(s);
	ring_move(&ring, &s->ring);
	ring_close(&s->ring);
	s->ring = ring;
	return 0;
}

int store_reconfigure(struct store *s, const struct conf *conf)
{
	int r = fit_ring(s, conf);

	if (r < 0)
		return r;
	r = files_set(&s->files, conf);
	if (r < 0)
		return r;
	s->interval = (double)conf->interval;
	link_send(s);
	return 0;
}

int store_new(sd_event *event, const struct conf *conf, struct store **out)
{
	struct store *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->fd = -1;
	s->event = sd_event_ref(event);
	r = store_reconfigure(s, conf);
	if (r == 0)
		start_child(s); /* if not now, then by store_check() */
	if (r < 0) {
		store_free(s);
		return r;
	}
	*out = s;
	return 0;
}

static void drop_overflow(struct store *s)
{
	if (!s->overflowing)
		log_warning(
			"store: queue is full, %zu rows wait to be written: the oldest are dropped "
			"(rrd { queue })",
			s->ring.capacity);
	s->overflowing = true;
	s->overflow_rows++;
	link_drop_oldest(s);
}

void store_append(struct store *s, size_t instance, time_t time, const double values[], bool last)
{
	uint32_t slot = s->files.slot[instance];
	struct store_file *file = &s->files.file[slot];
	struct ring_row *row;

	if (ring_is_full(&s->ring))
		drop_overflow(s);
	row = ring_push(&s->ring);
	*row = (struct ring_row){.time = time, .slot = slot, .last = last};
	memcpy(row->values, values, file->n_values * sizeof(values[0]));
	file->pending++;
	link_send(s);
}

static void end_failing(struct store *s)
{
	uint64_t lost = s->counts.dropped - s->failing_dropped;

	log_notice("store: works again after %u restart%s, %" PRIu64 " row%s lost",
		s->failing_restarts, s->failing_restarts == 1 ? "" : "s", lost,
		lost == 1 ? " was" : "s were");
	s->failing = false;
}

static double patience(const struct store *s)
{
	double seconds = PATIENCE * s->interval;

	return s->busy ? fmax(seconds, PATIENCE_BUSY) : seconds;
}

void store_check(struct store *s, double now)
{
	const struct flight *f = link_oldest(s);

	if (!s->pid) {
		if (now - s->started >= s->interval)
			start_child(s);
	} else if (f && !s->killed && now - s->since >= patience(s)) {
		store_say_failing(s,
			"no answer for %.0f s while %s %s.rrd; its process is replaced",
			now - s->since, f->open ? "opening" : "writing", s->files.name[f->slot]);
		kill_child(s);
	} else if (s->failing && s->answered && !s->killed &&
		   now - s->started >= PATIENCE * s->interval) {
		end_failing(s);
	}
}

void store_on_past(struct store *s, store_past_fn *past, void *arg)
{
	s->past = past;
	s->past_arg = arg;
}

void store_get_counts(const struct store *s, struct store_counts *out)
{
	*out = s->counts;
	out->waiting = (size_t)(s->ring.head - s->ring.tail);
}

/* Until nothing waits any more, the deadline is over or the process gone. */
static void flush(struct store *s, double deadline)
{
	while (s->ring.tail < s->ring.head && s->pid && !s->killed) {
		double left = deadline - store_clock();
		struct pollfd p = {.fd = s->fd, .events = POLLIN};

		link_send(s);
		if (s->n_flight < MAX_FLIGHT && s->ring.next < s->ring.head)
			p.events |= POLLOUT;
		if (left <= 0 || poll(&p, 1, (int)(left * 1000) + 1) < 0 || !link_receive(s))
			return;
	}
}

void store_finish(struct store *s, int timeout_ms)
{
	double deadline = store_clock() + timeout_ms / 1000.0;
	int left;

	if (!s->pid && s->ring.tail < s->ring.head)
		start_child(s);
	flush(s, deadline);
	end_overflow(s);
	if (s->ring.tail < s->ring.head)
		log_warning("store: %" PRIu64 " rows are not written: no answer in time",
			s->ring.head - s->ring.tail);
	while (s->ring.tail < s->ring.head)
		link_drop_oldest(s);
	if (!s->pid)
		return;
	s->io = sd_event_source_disable_unref(s->io);
	s->death = sd_event_source_disable_unref(s->death);
	close(s->fd);
	s->fd = -1;
	left = (int)((deadline - store_clock()) * 1000);
	if (child_wait(s->pid, left > 0 ? left : 0))
		s->pid = 0;
	else
		kill_child(s);
}

void store_free(struct store *s)
{
	if (!s)
		return;
	sd_event_source_disable_unref(s->io);
	sd_event_source_disable_unref(s->death);
	if (s->pid) {
		kill(s->pid, SIGKILL);
		child_wait(s->pid, KILL_WAIT_MS);
	}
	if (s->fd >= 0)
		close(s->fd);
	files_close(&s->files);
	ring_close(&s->ring);
	sd_event_unref(s->event);
	free(s);
}
