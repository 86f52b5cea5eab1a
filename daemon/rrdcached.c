/* SPDX-License-Identifier: MIT */
#include "daemon/rrdcached.h"

#include <errno.h>
#include <rrd.h>
#include <rrd_client.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "daemon/rrdrecent.h"
#include "daemon/util.h"

#define TIMEOUT_SECONDS 5 /* of a call; then a sign of life each second, for what no signal ends */
#define RETRY_SECONDS 1

struct rrdcached {
	char *address;
	struct rrdcached_caller caller;
	timer_t timer;
	bool has_timer, away;
	volatile sig_atomic_t timed_out;
	time_t since; /* CLOCK_MONOTONIC seconds, while it is away */
	struct rrdrecent recent;
};

/* Without SA_RESTART: what the client waits in ends with EINTR. */
static void on_alarm(int number, siginfo_t *info, void *context)
{
	struct rrdcached *c = info->si_value.sival_ptr;
	int error = errno;

	(void)number;
	(void)context;
	if (info->si_code != SI_TIMER) /* somebody else's, who sends no value */
		return;
	c->timed_out = 1;
	c->caller.busy(c->caller.arg);
	errno = error;
}

static int start_timer(struct rrdcached *c)
{
	const struct sigaction action = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = c};

	sigaction(SIGALRM, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &c->timer) < 0)
		return -errno;
	c->has_timer = true;
	return 0;
}

int rrdcached_new(
	const char *address, const struct rrdcached_caller *caller, struct rrdcached **out)
{
	struct rrdcached *c = calloc(1, sizeof(*c));
	int r = -ENOMEM;

	if (!c)
		return r;
	c->caller = *caller;
	c->address = strdup(address);
	if (c->address)
		r = start_timer(c);
	if (r < 0) {
		rrdcached_free(c);
		return r;
	}
	*out = c;
	return 0;
}

void rrdcached_free(struct rrdcached *c)
{
	if (!c)
		return;
	if (c->has_timer)
		timer_delete(c->timer);
	rrdc_disconnect();
	free(c->address);
	free(c);
}

const char *rrdcached_address(const struct rrdcached *c)
{
	return c->address;
}

static void set_alarm(const struct rrdcached *c, time_t seconds)
{
	const struct itimerspec at = {
		.it_value.tv_sec = seconds, .it_interval.tv_sec = seconds ? 1 : 0};

	timer_settime(c->timer, 0, &at, NULL);
}

/* Whether another call may follow: librrd 1.7 takes EINTR for success. */
static bool is_usable(const struct rrdcached *c)
{
	return !c->timed_out && rrdc_is_connected(c->address);
}

/* What it has after all, it refuses for its time. */
static bool tell_again(struct rrdcached *c)
{
	const char *path, *update;
	size_t at = 0;

	while (is_usable(c) && rrdrecent_next(&c->recent, &at, &path, &update)) {
		c->caller.busy(c->caller.arg);
		set_alarm(c, TIMEOUT_SECONDS);
		rrdc_update(path, 1, &update);
	}
	return is_usable(c);
}

/* Whether it was answered. *result: of the call. */
static bool try(struct rrdcached *c, rrdcached_call *call, void *arg, int *result)
{
	bool connected;

	c->timed_out = 0;
	rrd_clear_error();
	set_alarm(c, TIMEOUT_SECONDS);
	connected =
		rrdc_is_connected(c->address) || (rrdc_connect(c->address) == 0 && tell_again(c));
	if (connected) {
		rrd_clear_error();
		set_alarm(c, TIMEOUT_SECONDS);
		*result = call(arg);
	}
	set_alarm(c, 0);
	/* The answer that still comes would be taken for the next call's. */
	if (c->timed_out)
		rrdc_disconnect();
	return connected && !c->timed_out && (*result == 0 || rrdc_is_connected(c->address));
}

/* The shipped unit forbids other families than AF_UNIX and AF_NETLINK. */
static bool is_forbidden(const struct rrdcached *c)
{
	CLEANUP_CLOSE int fd = -1;

	if (strncmp(c->address, "unix:", 5) == 0 || c->address[0] == '/')
		return false;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd < 0 && errno == EAFNOSUPPORT;
}

static void go_away(struct rrdcached *c)
{
	char text[512];

	if (c->away)
		return;
	c->away = true;
	c->since = (time_t)clock_seconds(CLOCK_MONOTONIC);
	if (is_forbidden(c))
		snprintf(text, sizeof(text),
			"rrdcached at %s: the unit allows no network; install "
			"remote-rrdcached.conf of the "
			"examples as a drop-in, see connwatchd(8); until then rows wait in memory",
			c->address);
	else if (c->timed_out)
		snprintf(text, sizeof(text),
			"rrdcached at %s: no answer for %d s; rows wait in memory", c->address,
			TIMEOUT_SECONDS);
	else
		snprintf(text, sizeof(text), "rrdcached at %s: %s; rows wait in memory", c->address,
			rrd_test_error() ? rrdcached_reason("") : "the connection was closed");
	c->caller.say(c->caller.arg, LOG_ERR, text);
}

static void come_back(struct rrdcached *c)
{
	char text[512];

	if (!c->away)
		return;
	c->away = false;
	snprintf(text, sizeof(text),
		"rrdcached at %s is back after %ld s; the rows that waited follow", c->address,
		(long)((time_t)clock_seconds(CLOCK_MONOTONIC) - c->since));
	c->caller.say(c->caller.arg, LOG_NOTICE, text);
}

int rrdcached_ask(struct rrdcached *c, rrdcached_call *call, void *arg)
{
	static const struct timespec pause = {.tv_sec = RETRY_SECONDS};
	int result = 0;

	while (c->caller.busy(c->caller.arg)) {
		if (try(c, call, arg, &result)) {
			come_back(c);
			return result == 0 ? 0 : -1;
		}
		go_away(c);
		nanosleep(&pause, NULL);
	}
	exit(EXIT_FAILURE);
}

void rrdcached_took(struct rrdcached *c, const char *path, const char *update)
{
	rrdrecent_put(&c->recent, path, update);
}

const char *rrdcached_reason(const char *path)
{
	const char *error = rrd_get_error(), *at;
	size_t len = strlen(path);

	at = strstr(error, "RRD Error: ");
	if (at)
		return at + strlen("RRD Error: ");
	at = strncmp(error, "rrdcached@", 10) == 0 ? strstr(error, ": ") : NULL;
	error = at ? at + 2 : error;
	if (strncmp(error, "Unable to connect to rrdcached: ", 32) == 0)
		return error + 32;
	return len && strncmp(error, path, len) == 0 && strncmp(error + len, ": ", 2) == 0
		       ? error + len + 2
		       : error;
}
