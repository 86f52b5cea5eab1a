/* SPDX-License-Identifier: MIT */
/* connwatch pages: writes the pages that a web server shows by rrdcgi. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/graphdef.h"
#include "cli/limits.h"
#include "cli/page.h"
#include "cli/status_file.h"
#include "daemon/alerts_page.h"
#include "daemon/util.h"

#define IMAGES "/var/cache/connwatchd-graphs"
#define NEW_FILE ".connwatch-new"
#define PAGE_MODE 0755 /* some web servers ask for x */
#define STYLE_MODE 0644

struct arguments {
	const char *directory, *images;
};

static void usage(void)
{
	puts("usage: connwatch [--config=FILE] pages DIR [--images=DIR]\n"
	     "Writes the pages of the configured collectors' graphs into DIR, for a web server\n"
	     "that has rrdcgi show them. Pages of earlier runs that are no more are removed.\n"
	     "\n"
	     "  --images=DIR  folder for the images, which the web server may write, and shows\n"
	     "                as images/ beside the pages; default " IMAGES "\n"
	     "  -h, --help    print this");
}

/* Returns -1 to go on, or the exit code. */
static int parse(int argc, char **argv, struct arguments *args)
{
	static const struct option options[] = {
		{"images", required_argument, NULL, 'i'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case 'i':
			args->images = optarg;
			break;
		case 'h':
			usage();
			return EXIT_SUCCESS;
		default:
			return cli_usage_error(argc, argv, option);
		}
	}
	if (optind == argc) {
		cli_error("pages: a folder is missing; see connwatch pages --help");
		return CLI_EXIT_USAGE;
	}
	args->directory = argv[optind++];
	return optind < argc ? cli_usage_error(argc, argv, 0) : -1;
}

/* The file that is being written, in the folder fd. */
struct target {
	int fd;
	const char *folder;
};

static int fail(const struct target *t, const char *name, int error)
{
	cli_error("pages: cannot write %s/%s: %s", t->folder, name, strerror(error));
	return -error;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Replaced as a whole: a page is never seen half. */
static int replace(const struct target *t, const char *name, const char *text, mode_t mode)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, r = 0, fd;

	unlinkat(t->fd, NEW_FILE, 0); /* of a run that was ended */
	fd = openat(t->fd, NEW_FILE, flags, mode);
	if (fd < 0)
		return fail(t, name, errno);
	r = write_all(fd, text, strlen(text));
	if (r == 0 && fchmod(fd, mode) < 0)
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && renameat(t->fd, NEW_FILE, t->fd, name) < 0)
		r = -errno;
	if (r == 0)
		return 0;
	unlinkat(t->fd, NEW_FILE, 0);
	return fail(t, name, -r);
}

/* The page of graph number i; n: the index, n + 1: the style sheet. */
static int write_page(const struct target *t, const struct pages *pages, size_t i)
{
	CLEANUP_FREE char *text = NULL;
	char name[GRAPH_NAME_SIZE + 8] = "index.cgi";
	mode_t mode = PAGE_MODE;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return fail(t, name, errno);
	if (i < pages->n_graphs) {
		snprintf(name, sizeof(name), "%s.cgi", pages->graphs[i].name);
		page_graph(pages, &pages->graphs[i], out);
	} else if (i == pages->n_graphs) {
		page_index(pages, out);
	} else {
		snprintf(name, sizeof(name), "style.css");
		page_style(out);
		mode = STYLE_MODE;
	}
	if (ferror(out) | fclose(out))
		return fail(t, name, ENOMEM);
	return replace(t, name, text, mode);
}

static bool is_ours(int folder, const char *name)
{
	CLEANUP_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[sizeof(PAGE_HEAD)] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1 &&
	       strcmp(text, PAGE_HEAD) == 0;
}

static bool is_current(const struct pages *pages, const char *name, size_t len)
{
	for (size_t i = 0; i < pages->n_graphs; i++)
		if (strlen(pages->graphs[i].name) == len &&
			strncmp(pages->graphs[i].name, name, len) == 0)
			return true;
	return len == strlen("index") && strncmp(name, "index", len) == 0;
}

/* Pages of instances that are no more; what else is in the folder is not ours. */
static int remove_old(const struct target *t, const struct pages *pages)
{
	int copy = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
	DIR *folder = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!folder) {
		cleanup_close(&copy);
		return fail(t, "", errno);
	}
	while ((entry = readdir(folder))) {
		size_t len = strlen(entry->d_name), end = strlen(".cgi");

		if (len <= end || strcmp(entry->d_name + len - end, ".cgi") != 0 ||
			is_current(pages, entry->d_name, len - end) ||
			!is_ours(t->fd, entry->d_name))
			continue;
		if (unlinkat(t->fd, entry->d_name, 0) < 0)
			cli_error("pages: cannot remove %s/%s: %s", t->folder, entry->d_name,
				strerror(errno));
	}
	closedir(folder);
	return 0;
}

static int write_pages(const struct arguments *args, const struct pages *pages)
{
	struct target t = {.folder = args->directory};
	int r = mkdir(args->directory, 0755) < 0 ? -errno : 0;

	if (r == 0 && chmod(args->directory, 0755) < 0) /* whatever the umask */
		r = -errno;
	if (r < 0 && r != -EEXIST) {
		cli_error("pages: cannot make %s: %s", args->directory, strerror(-r));
		return r;
	}
	t.fd = open(args->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t.fd < 0) {
		cli_error("pages: cannot open %s: %s", args->directory, strerror(errno));
		return -errno;
	}
	r = 0;
	for (size_t i = 0; i < pages->n_graphs + 2 && r == 0; i++)
		r = write_page(&t, pages, i);
	if (r == 0)
		r = remove_old(&t, pages);
	close(t.fd);
	return r;
}

static bool can_hold(const char *what, const char *text)
{
	if (page_can_hold(text))
		return true;
	cli_error("pages: a page cannot hold the %s %s: no <, > or control character", what, text);
	return false;
}

/* A relative path would be meant from wherever rrdcgi runs. Returns 0 with a path for free(). */
static int absolute(const char *path, char **out)
{
	char folder[PATH_MAX];

	if (path[0] == '/')
		folder[0] = '\0';
	else if (!getcwd(folder, sizeof(folder)))
		return -errno;
	return asprintf(out, "%s%s%s", folder, path[0] == '/' ? "" : "/", path) < 0 ? -ENOMEM : 0;
}

/* Whatever the umask, the web server has to read it. An existing one is the daemon's business. */
static int make_readable_file(const char *path)
{
	CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	return fchmod(fd, 0644) < 0 ? -errno : 0;
}

/*
 * The daemon's alerts.html beside its status.json, for free(). rrdcgi 1.7.2 crashes where it is
 * not there, so it is made here; where that cannot be, pages do without.
 */
static char *find_alerts(const struct cli_context *context, const struct conf *conf)
{
	CLEANUP_FREE char *status = status_file_path(context, conf), *alerts = NULL, *path = NULL;
	char *slash = status ? strrchr(status, '/') : NULL;
	int r;

	if (slash)
		*slash = '\0';
	if (!status || asprintf(&alerts, "%s/" ALERTS_FILE, slash ? status : ".") < 0)
		return NULL;
	r = make_readable_file(alerts);
	if (r == 0)
		r = absolute(alerts, &path);
	if (r < 0)
		cli_error("pages: open alerts are left out: cannot make %s: %s", alerts,
			strerror(-r));
	return r < 0 ? NULL : take_ptr(path);
}

static int make(const struct cli_context *context, const struct arguments *args,
	const struct conf *conf, struct pages *pages)
{
	CLEANUP_FREE struct graph_ref *graphs = NULL;
	CLEANUP_FREE struct limit *limits = NULL;
	CLEANUP_FREE char *images = NULL, *alerts = find_alerts(context, conf);
	char host[HOST_NAME_MAX + 1] = "";
	int r = graphdef_list(conf, &graphs, &pages->n_graphs);

	if (r == 0)
		r = limits_find(conf, &limits, &pages->n_limits);
	if (r == 0)
		r = absolute(args->images, &images);
	if (r < 0) {
		cli_error("pages: %s", strerror(-r));
		return r;
	}
	if (!can_hold("rrd directory", conf->rrd_directory) || !can_hold("images folder", images) ||
		!can_hold("rrd daemon", conf->rrd_daemon) || (alerts && !can_hold("path", alerts)))
		return -EINVAL;
	gethostname(host, sizeof(host) - 1);
	pages->conf = conf;
	pages->graphs = graphs;
	pages->limits = limits;
	pages->images = images;
	pages->alerts = alerts;
	pages->host = cli_sanitize(host);
	return write_pages(args, pages);
}

int cmd_pages(const struct cli_context *context, int argc, char **argv)
{
	struct arguments args = {.directory = ".", .images = IMAGES};
	int code = parse(argc, argv, &args);
	struct pages pages = {0};
	struct conf *conf;

	if (code >= 0)
		return code;
	if (cli_conf_load(context, &conf) < 0)
		return EXIT_FAILURE;
	code = make(context, &args, conf, &pages) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	conf_free(conf);
	return code;
}
