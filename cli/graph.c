/* SPDX-License-Identifier: MIT */
/* connwatch graph: one graph as a picture, drawn by rrdtool. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/arglist.h"
#include "cli/cli.h"
#include "cli/graphdef.h"
#include "daemon/util.h"

#define MESSAGE_SIZE 512

struct arguments {
	const char *name, *start, *end, *out;
};

static void usage(void)
{
	puts("usage: connwatch [--config=FILE] graph [NAME] [--start=TIME] [--end=TIME] [-o FILE]\n"
	     "Draws one graph of the recorded history as a picture, by rrdtool.\n"
	     "\n"
	     "  NAME           a graph, e.g. conntrack-table, or an instance, e.g. tcp, for its "
	     "first one;\n"
	     "                 without it all names are listed\n"
	     "  --start=TIME   where it begins, as rrdfetch(1) takes times; default -1d\n"
	     "  --end=TIME     where it ends; default now\n"
	     "  -o, --output=FILE\n"
	     "                 the file, ending in .png or .svg; default: PNG to standard output\n"
	     "  -h, --help     print this");
}

/* Returns -1 to go on, or the exit code. */
static int parse(int argc, char **argv, struct arguments *args)
{
	static const struct option options[] = {
		{"start", required_argument, NULL, 's'},
		{"end", required_argument, NULL, 'e'},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, ":s:e:o:h", options, NULL)) != -1) {
		switch (option) {
		case 's':
			args->start = optarg;
			break;
		case 'e':
			args->end = optarg;
			break;
		case 'o':
			args->out = optarg;
			break;
		case 'h':
			usage();
			return EXIT_SUCCESS;
		default:
			return cli_usage_error(argc, argv, option);
		}
	}
	if (optind < argc)
		args->name = argv[optind++];
	return optind < argc ? cli_usage_error(argc, argv, 0) : -1;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && strcmp(text + len - n, end) == 0;
}

static const struct graph_ref *find(
	const struct conf *conf, const struct graph_ref *refs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(refs[i].name, name) == 0)
			return &refs[i];
	for (size_t i = 0; i < n; i++)
		if (strcmp(conf->instances[refs[i].instance].name, name) == 0)
			return &refs[i];
	return NULL;
}

static int list(const struct conf *conf, const struct graph_ref *refs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%-28s %s (%s)\n", refs[i].name, refs[i].graph->title,
			conf->instances[refs[i].instance].name);
	return EXIT_SUCCESS;
}

static int refuse(const struct graph_ref *refs, size_t n, const char *name)
{
	char names[MESSAGE_SIZE] = "";
	size_t len = 0;

	for (size_t i = 0; i < n && len < sizeof(names); i++)
		len += (size_t)snprintf(
			names + len, sizeof(names) - len, "%s%s", i ? ", " : "", refs[i].name);
	cli_error("graph: there is no graph %s; there are %s%s", name, names,
		len >= sizeof(names) ? "..., see connwatch graph" : "");
	return EXIT_FAILURE;
}

/* The file as rrdtool takes it: not an option, and "-" for standard output. */
static void add_file(struct arglist *args, const char *out)
{
	arglist_add(args, "%s%s", out && out[0] == '-' ? "./" : "", out ? out : "-");
}

static void read_message(int fd, char message[static MESSAGE_SIZE])
{
	size_t len = 0;
	ssize_t n;

	while (len < MESSAGE_SIZE - 1 && (n = read(fd, message + len, MESSAGE_SIZE - 1 - len)) > 0)
		len += (size_t)n;
	message[len] = '\0';
}

/* Run rrdtool; its messages go to the pipe, and its output too unless that is the picture.
 * Returns 0, or an error number. */
static int spawn(char *const argv[], const int pipe_fds[2], bool is_picture, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDERR_FILENO);
	if (!error && !is_picture)
		error = posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static void tell_failure(char *message)
{
	static const char prefix[] = "ERROR: ";
	size_t skip = strncmp(message, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;

	message += skip;
	message[strcspn(message, "\n")] = '\0';
	cli_error("graph: rrdtool: %s", message[0] ? message : "it failed without a word");
}

static int run(const struct arglist *args, bool is_picture, char message[static MESSAGE_SIZE])
{
	int fds[2], status = 0, error;
	pid_t pid;

	if (args->failed) {
		cli_error("out of memory");
		return EXIT_FAILURE;
	}
	if (pipe2(fds, O_CLOEXEC) < 0) {
		cli_error("graph: cannot make a pipe: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	error = spawn(args->arg, fds, is_picture, &pid);
	close(fds[1]);
	if (!error)
		read_message(fds[0], message);
	close(fds[0]);
	if (error) {
		cli_error("graph: cannot run rrdtool: %s%s", strerror(error),
			error == ENOENT ? "; install the package rrdtool" : "");
		return EXIT_FAILURE;
	}
	if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
		tell_failure(message);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

/* out: file name of the picture, or NULL for standard output. */
static int run_graph(
	const struct graph_request *request, const char *out, char message[static MESSAGE_SIZE])
{
	struct arglist args = {0};
	int code;

	arglist_add(&args, "rrdtool");
	arglist_add(&args, "graph");
	add_file(&args, out);
	if (request->conf->rrd_daemon[0])
		arglist_add(&args, "--daemon=%s", request->conf->rrd_daemon);
	graphdef_add(request, &args);
	code = run(&args, !out, message);
	arglist_free(&args);
	return code;
}

/* Of the averages, a line each behind the one with the size: rrdtool itself says no more than
 * "nan". */
static unsigned find_unknown(const char *averages)
{
	unsigned unknown = 0, bit = 1;

	for (const char *line = strchr(averages, '\n'); line; line = strchr(line + 1, '\n')) {
		if (strncmp(line, "\nnan", 4) == 0 || strncmp(line, "\n-nan", 5) == 0)
			unknown |= bit;
		bit <<= 1;
	}
	return unknown;
}

static int draw(
	const struct conf *conf, const struct graph_ref *ref, const struct arguments *arguments)
{
	char zone[64] = "local time", message[MESSAGE_SIZE];
	time_t now = time(NULL);
	struct tm tm;
	struct graph_request request = {
		.zone = zone,
		.conf = conf,
		.ref = ref,
		.form = GRAPH_AVERAGES,
		.start = arguments->start,
		.end = arguments->end,
		.svg = arguments->out && ends_with(arguments->out, ".svg"),
	};
	int code;

	if (localtime_r(&now, &tm))
		strftime(zone, sizeof(zone), "%Z (UTC%z)", &tm);
	code = run_graph(&request, "/dev/null", message);
	if (code)
		return code;
	request.form = GRAPH_PICTURE;
	request.unknown = find_unknown(message);
	return run_graph(&request, arguments->out, message);
}

static int graph(const struct conf *conf, const struct arguments *args)
{
	CLEANUP_FREE struct graph_ref *refs = NULL;
	const struct graph_ref *ref;
	size_t n;

	if (graphdef_list(conf, &refs, &n) < 0) {
		cli_error("out of memory");
		return EXIT_FAILURE;
	}
	if (!args->name)
		return list(conf, refs, n);
	ref = find(conf, refs, n, args->name);
	if (!ref)
		return refuse(refs, n, args->name);
	if (args->out && !ends_with(args->out, ".png") && !ends_with(args->out, ".svg")) {
		cli_error("graph: %s ends neither in .png nor in .svg", args->out);
		return CLI_EXIT_USAGE;
	}
	if (!args->out && isatty(STDOUT_FILENO)) {
		cli_error("graph: a terminal shows no picture; name a file by -o");
		return CLI_EXIT_USAGE;
	}
	return draw(conf, ref, args);
}

int cmd_graph(const struct cli_context *context, int argc, char **argv)
{
	struct arguments args = {.start = "-1d", .end = "now"};
	int code = parse(argc, argv, &args);
	struct conf *conf;

	if (code >= 0)
		return code;
	if (cli_conf_load(context, &conf) < 0)
		return EXIT_FAILURE;
	code = graph(conf, &args);
	conf_free(conf);
	return code;
}
