/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/once.h"
#include "daemon/util.h"

#define DEFAULT_CONFIG CONNWATCH_SYSCONFDIR "/connwatchd/connwatchd.conf"

struct arguments {
	const char *config; /* NULL: none given, the default */
	bool test, once, json, verbose;
};

static void usage(FILE *out)
{
	fputs("usage: connwatchd [-c FILE] [-t | -1 [--json]] [-v] [-h] [-V]\n", out);
}

static void help(void)
{
	usage(stdout);
	puts("Watches the tables and queues in which Linux loses connections, keeps their history "
	     "in\n"
	     "round-robin databases and warns before they are full. Stays in the foreground.\n"
	     "\n"
	     "  -c, --config=FILE  configuration (" DEFAULT_CONFIG ")\n"
	     "  -t, --test         check the configuration, print every problem as FILE:LINE: "
	     "message;\n"
	     "                     with -v print the configuration in force\n"
	     "  -1, --once         read everything once, print the readings, write nothing\n"
	     "      --json         with --once: print JSON, as in status.json\n"
	     "  -v, --verbose      log level debug\n"
	     "  -V, --version      print the version\n"
	     "  -h, --help         print this\n"
	     "\n"
	     "SIGHUP reloads the configuration. See connwatchd(8), connwatchd.conf(5).");
}

/* Returns -1 to go on, or the exit code. */
static int parse(int argc, char **argv, struct arguments *args)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"test", no_argument, NULL, 't'},
		{"once", no_argument, NULL, '1'},
		{"json", no_argument, NULL, 'j'},
		{"verbose", no_argument, NULL, 'v'},
		{"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	opterr = 0; /* one line of usage is all */
	while ((option = getopt_long(argc, argv, "c:t1vVh", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			args->config = optarg;
			break;
		case 't':
			args->test = true;
			break;
		case '1':
			args->once = true;
			break;
		case 'j':
			args->json = true;
			break;
		case 'v':
			args->verbose = true;
			break;
		case 'V':
			puts("connwatchd " CONNWATCH_VERSION);
			return EXIT_SUCCESS;
		case 'h':
			help();
			return EXIT_SUCCESS;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc || (args->json && !args->once) || (args->once && args->test)) {
		usage(stderr);
		return 2;
	}
	return -1;
}

static void print_problem(void *arg, const char *problem)
{
	(void)arg;
	fprintf(stderr, "%s\n", problem);
}

/* The shipped file may have been removed: an empty configuration is a complete one. */
static const char *config_path(const struct arguments *args)
{
	if (args->config)
		return args->config;
	return access(DEFAULT_CONFIG, F_OK) < 0 && errno == ENOENT ? NULL : DEFAULT_CONFIG;
}

static int test(const struct arguments *args)
{
	struct conf *conf;

	if (conf_load(config_path(args), print_problem, NULL, &conf) < 0)
		return EXIT_FAILURE;
	if (args->verbose)
		conf_print(conf, stdout);
	conf_free(conf);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct arguments args = {0};
	int code = parse(argc, argv, &args);
	const char *path;
	struct conf *conf;

	if (code >= 0)
		return code;
	if (args.test)
		return test(&args);
	log_open(LOG_TARGET_AUTO, args.verbose ? LOG_DEBUG : args.once ? LOG_WARNING : LOG_INFO);
	path = config_path(&args);
	if (conf_load(path, daemon_log_problem, NULL, &conf) < 0)
		return EX_CONFIG;
	if (args.once) {
		code = once_run(conf, args.json);
		conf_free(conf);
		return code;
	}
	if (!path)
		log_info("there is no " DEFAULT_CONFIG ": every default is in force");
	return daemon_run(conf, path ? path : DEFAULT_CONFIG, args.verbose);
}
