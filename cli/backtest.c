/* SPDX-License-Identifier: MIT */
/* connwatch backtest: the alert rules over a past, and what would have been said. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/past.h"
#include "daemon/judge.h"
#include "daemon/readings.h"
#include "daemon/util.h"

static const char usage[] = "usage: connwatch [--config=FILE] backtest FILE\n";
static const char help[] =
	"Runs the alert rules about the conntrack table over FILE, and prints what would have been "
	"said,\n"
	"when: TIME LEVEL RULE SENTENCE, a reminder with \"reminder\" for its level. FILE is a CSV "
	"with the\n"
	"header time,entries,max (UNIX seconds, or 2026-11-30T12:00:05Z; an empty cell is "
	"unknown), each\n"
	"line one look, or a conntrack.rrd that the daemon recorded (needs rrdtool).\n";

/* The daemon's own judge, fed from the past. */
struct replay {
	struct conf *conf;
	struct readings *readings;
	struct judge *judge;
	struct instance *conntrack;
	double first, time;   /* UNIX seconds, of the first row and of this one */
	struct past_row held; /* the first row, until the second tells how often there was a look */
	int error;
};

static void print_event(
	void *arg, const struct notify_subject *subject, const struct alert_event *event)
{
	const struct replay *replay = arg;
	time_t seconds = (time_t)replay->time;
	const char *level = level_names[event->to];
	char when[sizeof("2026-11-30T12:00:05Z") + 16], text[NOTIFY_TEXT_SIZE];
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(when, sizeof(when), "%lld", (long long)seconds);
	if (event->kind == ALERT_REMINDER)
		level = "reminder";
	notify_sentence(subject, event, text);
	printf("%s %s %s %s\n", when, level, subject->rule->name, text);
}

static size_t column(const struct replay *replay, const char *name)
{
	const struct collector *collector = replay->conntrack->conf->collector;
	size_t i = 0;

	while (i < collector->n_metrics && strcmp(collector->metrics[i].name, name) != 0)
		i++;
	return i;
}

static void judge_row(struct replay *replay, const struct past_row *row)
{
	const struct collector *collector = replay->conntrack->conf->collector;

	replay->time = row->time;
	for (size_t i = 0; i < row->n; i++) {
		size_t m = column(replay, row->names[i]);

		if (m < collector->n_metrics)
			replay->conntrack->values[m] = row->values[i];
	}
	judge_look(replay->judge, true, row->time - replay->first, row->time);
}

/* Looks were every `seconds`. */
static int start(struct replay *replay, double seconds)
{
	size_t instance, metric;

	replay->conf->watch_interval = seconds > 1 ? lround(fmin(seconds, 3600)) : 1;
	if (conf_operand(replay->conf, "conntrack.entries", &instance, &metric) < 0) {
		cli_error("backtest: conntrack is switched off in the configuration");
		return -ENOENT;
	}
	if (readings_new(replay->conf, &replay->readings) < 0 ||
		judge_new(replay->conf, replay->readings, &replay->judge) < 0)
		return -ENOMEM;
	replay->conntrack = &replay->readings->instances[instance];
	judge_redirect(replay->judge, print_event, replay);
	return 0;
}

/* A past_row_fn: one look. */
static void look(void *arg, const struct past_row *row)
{
	struct replay *replay = arg;

	if (isnan(replay->first)) {
		replay->first = row->time;
		replay->held = *row;
		return;
	}
	if (!replay->judge && replay->error == 0) {
		replay->error = start(replay, row->time - replay->first);
		if (replay->error == 0)
			judge_row(replay, &replay->held);
	}
	if (replay->error == 0)
		judge_row(replay, row);
}

static int run(const struct cli_context *context, const char *path)
{
	struct replay replay = {.first = UNKNOWN};
	char error[PAST_ERROR_SIZE] = "";
	int r = cli_conf_load(context, &replay.conf);

	if (r == 0)
		r = past_read(path, look, &replay, error);
	if (r == 0)
		r = replay.error;
	if (error[0])
		cli_error("%s", error);
	judge_free(replay.judge);
	readings_free(replay.readings);
	conf_free(replay.conf);
	if (fflush(stdout) != 0) {
		cli_error("cannot write the output: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int cmd_backtest(const struct cli_context *context, int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option != 'h')
			return cli_usage_error(argc, argv, option);
		printf("%s%s", usage, help);
		return EXIT_SUCCESS;
	}
	if (optind + 1 < argc) {
		optind++;
		return cli_usage_error(argc, argv, 0);
	}
	if (optind == argc) {
		cli_error("backtest: needs a file; see connwatch backtest --help");
		return CLI_EXIT_USAGE;
	}
	return run(context, argv[optind]);
}
