/* SPDX-License-Identifier: MIT */
#include "daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "collectors/procfile.h"
#include "daemon/ahead.h"
#include "daemon/alerts_page.h"
#include "daemon/conf_pages.h"
#include "daemon/ct/ct_asker.h"
#include "daemon/judge.h"
#include "daemon/log.h"
#include "daemon/messenger.h"
#include "daemon/readings.h"
#include "daemon/sched.h"
#include "daemon/status.h"
#include "daemon/status_writer.h"
#include "daemon/store.h"
#include "daemon/text.h"
#include "daemon/util.h"

#define STOP_MS 800 /* of the second that a stop may take, what the store gets */
#define PATIENCE 3  /* intervals without a sample after which the watchdog is no longer fed */

#define PAGES_DIRECTORY "/var/lib/connwatchd-pages"

struct daemon {
	sd_event *event;
	struct conf *conf;
	const char *conf_path; /* NULL: the default */
	bool verbose;
	struct readings *readings;
	struct judge *judge;
	struct ct_asker *ct_asker;
	struct messenger *messenger;
	struct store *store;
	struct sched *sched;
	struct ahead *ahead;
	struct status_writer *status;
	sd_event_source *watchdog;
	uint64_t watchdog_usec;
	double last_sample;    /* CLOCK_MONOTONIC seconds */
	time_t started, stamp; /* stamp: of the last row, or the start */
	int lock;              /* of the RRD folder: one daemon writes there */
	size_t told;           /* open alerts that systemd knows of */
};

void daemon_log_problem(void *arg, const char *problem)
{
	(void)arg;
	log_error("%s", problem);
}

/* What `systemctl status` shows. state: more assignments, each with its newline, or "" to tell
 * changes only. */
static void tell_systemd(struct daemon *d, const char *state)
{
	char since[TEXT_SIZE];
	struct open_alert alert;
	size_t open = 0;

	while (judge_open_alert(d->judge, open, &alert))
		open++;
	if (open == d->told && !*state)
		return;
	d->told = open;
	sd_notifyf(0,
		"%sSTATUS=Watching %zu sources every %ld s, a row every %ld s, since %s; %zu open "
		"alert%s",
		state, d->readings->n,
		d->conf->watch_interval ? d->conf->watch_interval : d->conf->interval,
		d->conf->interval, text_time(since, d->started), open, open == 1 ? "" : "s");
}

static void write_status(struct daemon *d, time_t stamp, double now, double wall)
{
	const struct status_source source = {d->readings, d->judge, stamp, now, wall};
	char *status = status_render(&source);

	if (status)
		status_writer_put(d->status, status, alerts_page_render(&source));
}

/* The last instance that has a row this time; n: none. */
static size_t last_with_row(const struct readings *readings)
{
	size_t i = readings->n;

	while (i > 0 && readings->instances[i - 1].kept)
		i--;
	return i > 0 ? i - 1 : readings->n;
}

static void store_row(struct daemon *d, time_t stamp)
{
	size_t last = last_with_row(d->readings);

	for (size_t i = 0; i < d->readings->n; i++)
		if (!d->readings->instances[i].kept)
			store_append(
				d->store, i, stamp, d->readings->instances[i].values, i == last);
}

static void on_wake(void *arg, bool row, time_t stamp)
{
	struct daemon *d = arg;
	double now = clock_seconds(CLOCK_MONOTONIC), wall = clock_seconds(CLOCK_REALTIME);

	if (row)
		readings_row(d->readings);
	else
		readings_look(d->readings);
	d->last_sample = now;
	readings_report(d->readings, now);
	judge_look(d->judge, row, now, wall);
	ct_asker_look(d->ct_asker, d->readings, d->judge, now, wall);
	if (row)
		store_row(d, stamp);
	store_check(d->store, now);
	if (row)
		d->stamp = stamp;
	/* An episode that a restart must know of does not wait for the next row. */
	if (row || judge_spoke(d->judge)) {
		write_status(d, d->stamp, now, wall);
		tell_systemd(d, "");
	}
	ahead_look(d->ahead, wall);
}

/* A store_past_fn. */
static void on_past(void *arg, size_t instance, size_t metric, double time, double value)
{
	struct daemon *d = arg;

	judge_learn(d->judge, &d->readings->instances[instance], metric, time, value);
}

static int on_watchdog(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	double age = clock_seconds(CLOCK_MONOTONIC) - d->last_sample;

	(void)usec;
	if (age <= PATIENCE * (double)d->conf->interval)
		sd_notify(0, "WATCHDOG=1");
	sd_event_source_set_time_relative(source, d->watchdog_usec / 2);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int start_watchdog(struct daemon *d)
{
	if (sd_watchdog_enabled(0, &d->watchdog_usec) <= 0)
		return 0;
	/* The accuracy takes its share of the half: fed well before WATCHDOG_USEC is over. */
	return sd_event_add_time_relative(
		d->event, &d->watchdog, CLOCK_MONOTONIC, 0, d->watchdog_usec / 8, on_watchdog, d);
}

static bool same_path(const char *name, const char *is, const char *would_be)
{
	if (strcmp(is, would_be) == 0)
		return true;
	log_error("%s: cannot change from \"%s\" to \"%s\" while running; restart the daemon for "
		  "that",
		name, is, would_be);
	return false;
}

static bool paths_unchanged(const struct conf *is, const struct conf *would_be)
{
	bool same = same_path("state_directory", is->state_directory, would_be->state_directory);

	same = same_path("proc", is->proc, would_be->proc) && same;
	same = same_path("rrd.directory", is->rrd_directory, would_be->rrd_directory) && same;
	return same_path("rrd.daemon", is->rrd_daemon, would_be->rrd_daemon) && same;
}

static void open_log(const struct daemon *d)
{
	log_open((enum log_target)d->conf->log_target,
		d->verbose ? LOG_DEBUG : LOG_ERR + d->conf->log_level);
}

/* A judge_say_fn. */
static void on_alert(
	void *arg, const struct notify_subject *subject, const struct alert_event *event)
{
	struct daemon *d = arg;

	notify_alert(subject, event);
	if (!proc_is_recorded(d->readings->proc))
		messenger_send(d->messenger, subject, event);
}

/* Everything that can fail comes before anything is changed. */
static int change_over(struct daemon *d, struct conf *conf)
{
	struct readings *readings = NULL;
	struct judge *judge = NULL;
	int r = readings_renew(conf, d->readings, &readings);

	if (r == 0)
		r = judge_new(conf, readings, &judge);
	if (r == 0)
		r = store_reconfigure(d->store, conf);
	if (r < 0) {
		judge_free(judge);
		readings_free(readings);
		return r;
	}
	readings_inherit(readings, d->readings);
	judge_inherit(judge, d->judge);
	judge_redirect(judge, on_alert, d);
	ct_asker_forget(d->ct_asker);
	judge_free(d->judge);
	readings_free(d->readings);
	conf_free(d->conf);
	d->judge = judge;
	d->readings = readings;
	d->conf = conf;
	open_log(d);
	return sched_set(d->sched, conf->interval, conf->watch_interval);
}

/* The daemon may not write there itself. */
static bool has_pages(void)
{
	return access(PAGES_DIRECTORY "/index.cgi", F_OK) == 0;
}

static int on_hup(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	struct daemon *d = arg;
	struct conf *conf = NULL;
	bool pages_differ = false;
	uint64_t usec = (uint64_t)(clock_seconds(CLOCK_MONOTONIC) * 1e6);
	int r;

	(void)source;
	(void)info;
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, usec);
	r = conf_load(conf_path(d->conf_path), daemon_log_problem, NULL, &conf);
	if (r == 0 && !paths_unchanged(d->conf, conf))
		r = -EINVAL;
	if (r == 0) {
		pages_differ = conf_pages_differ(d->conf, conf);
		r = change_over(d, conf);
	}
	if (r < 0) {
		log_error("the configuration was not reloaded, the one that runs stays whole");
		if (conf != d->conf)
			conf_free(conf);
	} else {
		log_notice("configuration reloaded");
		if (pages_differ && has_pages())
			log_notice(
				"the pages are out of date: run connwatch pages " PAGES_DIRECTORY);
	}
	tell_systemd(d, "READY=1\n");
	return 0;
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	(void)info;
	(void)arg;
	return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int start_event(struct daemon *d)
{
	sigset_t mask;
	int r;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signal(SIGPIPE, SIG_IGN);
	r = sd_event_default(&d->event);
	if (r >= 0)
		r = sd_event_add_signal(d->event, NULL, SIGTERM, on_stop, d);
	if (r >= 0)
		r = sd_event_add_signal(d->event, NULL, SIGINT, on_stop, d);
	if (r >= 0)
		r = sd_event_add_signal(d->event, NULL, SIGHUP, on_hup, d);
	return r < 0 ? log_error_errno(r, "cannot start the event loop") : 0;
}

static void make_directories(const char *path)
{
	char part[PATH_MAX];

	for (size_t i = 1; i < sizeof(part) && path[i]; i++) {
		if (path[i] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		mkdir(part, 0755);
	}
	mkdir(path, 0755);
}

/* Two daemons on one folder would refuse each other's rows. The folder itself is everybody's to read, and so
 * to lock: a file that is ours alone stands for it. It is open for reading only, as a file system can be
 * remounted then. Where it cannot even be made, the store will say so. */
static int lock_directory(struct daemon *d)
{
	char path[PATH_MAX];

	make_directories(d->conf->state_directory);
	/* The directory of a remote rrdcached is none of ours. */
	if (conf_is_remote(d->conf->rrd_daemon))
		return 0;
	make_directories(d->conf->rrd_directory);
	snprintf(path, sizeof(path), "%s/.lock", d->conf->rrd_directory);
	d->lock = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (d->lock < 0 || flock(d->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	log_error("%s is in use by another connwatchd; stop that one, or set another rrd { "
		  "directory }",
		d->conf->rrd_directory);
	return -EBUSY;
}

static int start(struct daemon *d)
{
	int r = start_event(d);

	if (r == 0)
		r = lock_directory(d);
	if (r == 0)
		r = status_writer_new(d->event, d->conf->state_directory, &d->status);
	if (r == 0)
		r = readings_new(d->conf, &d->readings);
	if (r == 0)
		r = judge_new(d->conf, d->readings, &d->judge);
	if (r == 0)
		r = ct_asker_new(d->event, &d->ct_asker);
	if (r == 0)
		r = messenger_new(d->event, MESSENGER_SOCKET, &d->messenger);
	if (r == 0)
		r = store_new(d->event, d->conf, &d->store);
	if (r == 0)
		r = sched_new(d->event, on_wake, d, &d->sched);
	if (r == 0)
		r = ahead_new(d->event, &d->readings, &d->ahead);
	if (r == 0)
		r = start_watchdog(d);
	return r < 0 ? r : 0;
}

static void stop(struct daemon *d)
{
	if (d->store)
		store_finish(d->store, STOP_MS);
	store_free(d->store);
	status_writer_free(d->status);
	sched_free(d->sched);
	ahead_free(d->ahead);
	ct_asker_free(d->ct_asker);
	messenger_free(d->messenger);
	judge_free(d->judge);
	readings_free(d->readings);
	sd_event_source_unref(d->watchdog);
	sd_event_unref(d->event);
	conf_free(d->conf);
	cleanup_close(&d->lock);
}

int daemon_run(struct conf *conf, const char *path, bool verbose)
{
	struct daemon d = {.conf = conf, .conf_path = path, .verbose = verbose, .lock = -1};
	int r;

	umask(022); /* whoever draws the graphs may read the files, whatever the caller's mask */
	open_log(&d);
	d.started = d.stamp = time(NULL);
	r = start(&d);
	if (r == 0) {
		log_info("connwatchd " CONNWATCH_VERSION
			 " started: %zu sources, a row every %ld s to %s",
			d.readings->n, d.conf->interval, d.conf->rrd_directory);
		judge_redirect(d.judge, on_alert, &d);
		store_on_past(d.store, on_past, &d);
		status_restore(status_writer_directory(d.status), d.judge,
			clock_seconds(CLOCK_MONOTONIC), clock_seconds(CLOCK_REALTIME));
		sched_set(d.sched, d.conf->interval, d.conf->watch_interval);
		on_wake(&d, false, 0);
		tell_systemd(&d, "READY=1\n");
		r = sd_event_loop(d.event);
		sd_notify(0, "STOPPING=1");
	}
	stop(&d);
	if (r == 0)
		log_info("stopped");
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
