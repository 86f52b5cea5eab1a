/* SPDX-License-Identifier: MIT */
#include "daemon/rrdcreate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/util.h"

/* One DS or RRA argument: "DS:" 19 ":DERIVE:" 12 ":0:U". */
#define ARGUMENT_SIZE 80

const char *rrdcreate_reason(const char *path)
{
	const char *error = rrd_get_error();
	size_t len = strlen(path);
	const char *opening = strstr(error, "': ");

	if (!strncmp(error, path, len) && !strncmp(error + len, ": ", 2))
		error += len + 2;
	else if (!strncmp(error, "opening '", 9) && opening)
		error = opening + 3; /* without the name, one sentence serves several files */
	return error[0] ? error : strerror(ENOSPC);
}

struct create_arguments {
	size_t n;
	const char *pointers[STORE_MAX_COLUMNS + 2 * STORE_MAX_ARCHIVES];
	char text[STORE_MAX_COLUMNS + 2 * STORE_MAX_ARCHIVES][ARGUMENT_SIZE];
};

static char *next_argument(struct create_arguments *args)
{
	char *text = args->text[args->n];

	args->pointers[args->n++] = text;
	return text;
}

static void describe_file(const struct store_open *spec, struct create_arguments *args)
{
	args->n = 0;
	for (size_t i = 0; i < spec->n_columns; i++)
		snprintf(next_argument(args), ARGUMENT_SIZE, "DS:%s:%s:%" PRId64 ":0:U",
			spec->columns[i].name,
			spec->columns[i].kind == METRIC_COUNTER ? "DERIVE" : "GAUGE",
			spec->heartbeat);
	for (size_t i = 0; i < spec->n_archives; i++) {
		const struct store_archive *archive = &spec->archives[i];
		int64_t steps = archive->step / spec->step;

		snprintf(next_argument(args), ARGUMENT_SIZE, "RRA:AVERAGE:0.5:%" PRId64 ":%" PRId64,
			steps, archive->rows);
		if (steps > 1)
			snprintf(next_argument(args), ARGUMENT_SIZE,
				"RRA:MAX:0.5:%" PRId64 ":%" PRId64, steps, archive->rows);
	}
}

/* On the disk, so that it can be dropped from the page cache when it is opened (rrdfile.c). */
static int settle(const char *path)
{
	CLEANUP_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? -ENOSPC : -errno; /* librrd may call a full disk success */
	if (fchmod(fd, 0644) < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

int rrdcreate_file(const char *path, const struct store_open *spec, int64_t last_update,
	char why[static STORE_TEXT_SIZE / 2])
{
	CLEANUP_FREE struct create_arguments *args = malloc(sizeof(*args));
	int r = -ENOMEM;

	if (!args)
		goto fail;
	describe_file(spec, args);
	rrd_clear_error();
	if (rrd_create_r2(path, (unsigned long)spec->step, last_update, 1, NULL, NULL, (int)args->n,
		    args->pointers)) {
		snprintf(why, STORE_TEXT_SIZE / 2, "%s", rrdcreate_reason(path));
		return -1;
	}
	malloc_trim(0); /* librrd had the whole file in memory: 9 MiB that would stay on the heap */
	r = settle(path);
	if (r == 0)
		return 0;
fail:
	snprintf(why, STORE_TEXT_SIZE / 2, "%s", strerror(-r));
	return -1;
}
