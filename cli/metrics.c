/* SPDX-License-Identifier: MIT */
/* connwatch metrics: status.json as metrics, on standard output. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/metrics_text.h"
#include "daemon/util.h"

static void usage(void)
{
	puts("usage: connwatch [--config=FILE] metrics [--text] [--status=FILE]\n"
	     "Prints what connwatchd sees now as OpenMetrics, as connwatch-metrics.socket serves "
	     "it over HTTP.\n"
	     "\n"
	     "      --text         print Prometheus' text format 0.0.4, as node_exporter reads it\n"
	     "      --status=FILE  read status.json from there\n"
	     "  -h, --help         print this");
}

static int parse(int argc, char **argv, struct cli_context *context, enum expo_format *format)
{
	static const struct option options[] = {
		{"text", no_argument, NULL, 't'},
		{"status", required_argument, NULL, 'S'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case 't':
			*format = EXPO_TEXT;
			break;
		case 'S':
			context->status = optarg;
			break;
		case 'h':
			usage();
			return EXIT_SUCCESS;
		default:
			return cli_usage_error(argc, argv, option);
		}
	}
	return optind < argc ? cli_usage_error(argc, argv, 0) : -1;
}

/* What is wrong with the file is among the metrics: for who collects them that is a success. */
static int print(const char *path, enum expo_format format)
{
	struct metrics_text metrics;

	if (!path || metrics_text_make(path, format, &metrics) < 0) {
		cli_error("out of memory");
		return EXIT_FAILURE;
	}
	if (metrics.error[0])
		cli_error("%s %s", path, metrics.error);
	fwrite(metrics.text, 1, metrics.len, stdout);
	free(metrics.text);
	return EXIT_SUCCESS;
}

int cmd_metrics(const struct cli_context *context, int argc, char **argv)
{
	struct cli_context own = *context;
	enum expo_format format = EXPO_OPENMETRICS;
	CLEANUP_FREE char *path = NULL;
	int code = parse(argc, argv, &own, &format);
	struct conf *conf;

	if (code >= 0)
		return code;
	if (cli_conf_load(context, &conf) < 0)
		return EXIT_FAILURE;
	path = status_file_path(&own, conf);
	code = print(path, format);
	conf_free(conf);
	return code;
}
