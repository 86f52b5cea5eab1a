/* SPDX-License-Identifier: MIT */
/* connwatch metrics: status.json as metrics, on standard output. */
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
	struct cli_flag text = {.name = "text"};
	CLEANUP_FREE char *path = NULL;
	int code = cli_parse_flag(argc, argv, &text, &own, usage);
	struct conf *conf;

	if (code >= 0)
		return code;
	if (cli_conf_load(context, &conf) < 0)
		return EXIT_FAILURE;
	path = status_file_path(&own, conf);
	code = print(path, text.on ? EXPO_TEXT : EXPO_OPENMETRICS);
	conf_free(conf);
	return code;
}
