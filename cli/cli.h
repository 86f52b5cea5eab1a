/* SPDX-License-Identifier: MIT */
/* What the commands of connwatch share: the table of commands, where things are, messages, safe
 * output. */
#ifndef CONNWATCH_CLI_H
#define CONNWATCH_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/conf.h"

/* Exit code of a command line that is not understood. */
#define CLI_EXIT_USAGE 2

/* What stands before the command. */
struct cli_context {
	const char *config; /* --config, or NULL: the default */
	const char *status; /* --status, or NULL: where the daemon keeps it */
};

/* argv[0] is the command's name; getopt_long() begins anew and is silent (opterr 0). Returns the
 * exit code. */
typedef int cli_command_fn(const struct cli_context *context, int argc, char **argv);

cli_command_fn cmd_advise, cmd_backtest, cmd_check, cmd_graph, cmd_metrics, cmd_pages, cmd_status,
	cmd_top;

/* Say `connwatch: message` on stderr. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * For a getopt_long() that returned '?' or ':' (its short options begin with ':'), and for an
 * argv[optind] that was not expected (option 0): say what is not understood in one line that names
 * --help. Returns CLI_EXIT_USAGE.
 */
int cli_usage_error(int argc, char **argv, int option);

struct cli_flag {
	const char *name; /* of --NAME */
	bool on;
};

/*
 * The options of a command that has one flag, --status=FILE (into context) and --help, and no
 * arguments. Returns -1 to go on, or the exit code.
 */
int cli_parse_flag(int argc, char **argv, struct cli_flag *flag, struct cli_context *context,
	void (*usage)(void));

/*
 * Load the configuration that context names: the default where it names none, every default in
 * force where that file is not there. Problems are said. Returns 0 with a struct for conf_free(),
 * or -errno.
 */
int cli_conf_load(const struct cli_context *context, struct conf **out);

/* Whether stdout takes colour: a terminal, and neither NO_COLOR nor TERM=dumb says otherwise. */
bool cli_colour(void);
/* Whether the locale's characters are UTF-8. */
bool cli_utf8(void);

/* Replace all but printable ASCII in text by '?': what comes from a file cannot steer a terminal.
 * Returns text. */
char *cli_sanitize(char *text);

#endif
