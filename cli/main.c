/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "cli/cli.h"
#include "daemon/log.h"
#include "daemon/util.h"

static const struct {
	const char *name, *summary;
	cli_command_fn *run;
} commands[] = {
	{"advise", "which limits to change, as a fragment for sysctl.d", cmd_advise},
	{"backtest", "what the alert rules would have said of a past", cmd_backtest},
	{"check", "judge the limits as a monitoring plugin", cmd_check},
	{"graph", "draw a graph of the recorded history", cmd_graph},
	{"pages", "write the pages that a web server shows by rrdcgi", cmd_pages},
	{"status", "what the daemon sees now: limits and open alerts", cmd_status},
	{"top", "who fills the conntrack table", cmd_top},
};

static void help(void)
{
	puts("usage: connwatch [--config=FILE] [--status=FILE] COMMAND [OPTION...]\n"
	     "Shows what connwatchd knows about the tables and queues in which Linux loses "
	     "connections.\n"
	     "\n"
	     "  --config=FILE  configuration of the daemon (" CONNWATCH_SYSCONFDIR
	     "/connwatchd/connwatchd.conf)\n"
	     "  --status=FILE  status.json of the daemon (/run/connwatchd/status.json)\n"
	     "  --version      print the version\n"
	     "  --help         print this; connwatch COMMAND --help explains a command\n"
	     "\n"
	     "Commands:");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	puts("\nSee connwatch(1).");
}

/* Returns -1 to go on with the command at argv[optind], or the exit code. */
static int parse(int argc, char **argv, struct cli_context *context)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'C'},
		{"status", required_argument, NULL, 'S'},
		{"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:Vh", options, NULL)) != -1) {
		switch (option) {
		case 'C':
			context->config = optarg;
			break;
		case 'S':
			context->status = optarg;
			break;
		case 'V':
			puts("connwatch " CONNWATCH_VERSION);
			return EXIT_SUCCESS;
		case 'h':
			help();
			return EXIT_SUCCESS;
		default:
			cli_error("%s %s; see connwatch --help",
				option == ':' ? "a value is missing after" : "unknown option",
				argv[optind - 1]);
			return CLI_EXIT_USAGE;
		}
	}
	return -1;
}

static int run(const struct cli_context *context, int argc, char **argv)
{
	if (argc == 0) {
		cli_error("a command is missing; see connwatch --help");
		return CLI_EXIT_USAGE;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(argv[0], commands[i].name) != 0)
			continue;
		optind = 0; /* glibc: begin anew, and with operands before options allowed */
		return commands[i].run(context, argc, argv);
	}
	cli_error("there is no command %s; see connwatch --help", argv[0]);
	return CLI_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct cli_context context = {0};
	int code;

	setlocale(LC_CTYPE, ""); /* no other category: numbers are written and read with a point */
	log_open(LOG_TARGET_STDERR,
		LOG_CRIT); /* commands say themselves what the daemon's code finds */
	code = parse(argc, argv, &context);
	if (code < 0)
		code = run(&context, argc - optind, argv + optind);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_error("cannot write the output: %s", strerror(errno));
		/* To the caller of a plugin 1 would be a warning. */
		return code                                                  ? code
		       : optind < argc && strcmp(argv[optind], "check") == 0 ? 3
									     : EXIT_FAILURE;
	}
	return code;
}
