/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <time.h>

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/once.h"
#include "daemon/util.h"

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
	     "  -c, --config=FILE  configuration (" CONF_DEFAULT_PATH ")\n"
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

/* Where systemctl reload runs this, the journal is to know that it is an error. */
static void print_problem(void *arg, const char *problem)
{
	(void)arg;
	fprintf(stderr, "%s%s\n", log_stderr_is_journal() ? "<3>" : "", problem);
}

/* What was printed has arrived, or code is a failure that is said. */
static int flushed(int code)
{
	if (fflush(stdout) == 0)
		return code;
	fprintf(stderr, "connwatchd: cannot write standard output: %s\n", strerror(errno));
	return EXIT_FAILURE;
}

/* Started without them, the next files opened would be taken for stdin, stdout and stderr. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	cleanup_close(&fd);
}

/* A low soft limit is for select(2), which nobody here calls. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int test(const struct arguments *args)
{
	struct conf *conf;

	if (conf_load(conf_path(args->config), print_problem, NULL, &conf) < 0)
		return EXIT_FAILURE;
	if (args->verbose)
		conf_print(conf, stdout);
	conf_free(conf);
	return flushed(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
	struct arguments args = {0};
	const char *path;
	struct conf *conf;
	int code;

	open_standard_files();
	code = parse(argc, argv, &args);

	if (code >= 0)
		return flushed(code);
	if (args.test)
		return test(&args);
	log_open(LOG_TARGET_AUTO, args.verbose ? LOG_DEBUG : args.once ? LOG_WARNING : LOG_INFO);
	path = conf_path(args.config);
	if (conf_load(path, daemon_log_problem, NULL, &conf) < 0)
		return EX_CONFIG;
	if (args.once) {
		code = once_run(conf, args.json);
		conf_free(conf);
		return flushed(code);
	}
	raise_file_limit();
	if (!path)
		log_info("there is no " CONF_DEFAULT_PATH ": every default is in force");
	return daemon_run(conf, args.config, args.verbose);
}
