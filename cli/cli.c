/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <getopt.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MESSAGE_SIZE 1024

char *cli_sanitize(char *text)
{
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return text;
}

void cli_error(const char *format, ...)
{
	char message[MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(stderr, "connwatch: %s\n", cli_sanitize(message));
}

/* "-xyz" of which getopt_long() has refused x but not passed on to the next argument. */
static bool is_unfinished(int argc, char **argv)
{
	const char *arg = optind < argc ? argv[optind] : "";

	return optopt > 0 && arg[0] == '-' && arg[1] != '-' && strchr(arg, optopt);
}

int cli_usage_error(int argc, char **argv, int option)
{
	const char *what = option == 0     ? "unexpected argument"
			   : option == ':' ? "a value is missing after"
					   : "unknown option, or one that takes no value:";
	int at = option == 0 || (option == '?' && is_unfinished(argc, argv)) ? optind : optind - 1;

	cli_error("%s: %s %s; see connwatch %s --help", argv[0], what, argv[at], argv[0]);
	return CLI_EXIT_USAGE;
}

int cli_parse_flag(int argc, char **argv, struct cli_flag *flag, struct cli_context *context,
	void (*usage)(void))
{
	const struct option options[] = {
		{flag->name, no_argument, NULL, 'f'},
		{"status", required_argument, NULL, 'S'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			flag->on = true;
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

static void print_problem(void *arg, const char *problem)
{
	(void)arg;
	cli_error("%s", problem);
}

int cli_conf_load(const struct cli_context *context, struct conf **out)
{
	return conf_load(conf_path(context->config), print_problem, NULL, out);
}

bool cli_colour(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && term &&
	       strcmp(term, "dumb") != 0;
}

bool cli_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
