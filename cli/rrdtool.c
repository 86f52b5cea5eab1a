/* SPDX-License-Identifier: MIT */
#include "cli/rrdtool.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/util.h"

/* Returns 0 or -errno as rrdtool_info() does. */
static int run(char *const argv[], rrdtool_line_fn *take, void *arg)
{
	CLEANUP_FREE char *line = NULL;
	posix_spawn_file_actions_t actions;
	size_t size = 0;
	int pipes[2], status = 0, r;
	pid_t pid;
	FILE *f;

	if (pipe(pipes) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, pipes[0]);
	r = -posix_spawnp(&pid, "rrdtool", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	f = r == 0 ? fdopen(pipes[0], "r") : NULL;
	if (!f) {
		close(pipes[0]);
		return r;
	}
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		take(arg, line);
	}
	fclose(f);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status == 0 ? 0 : -EIO;
}

/* A line of `rrdtool info`; the members of an archive follow each other, its consolidation first. */
static void take_info(void *arg, char *line)
{
	struct rrdtool_info *info = arg;
	const char *key = strsep(&line, "="), *field = strrchr(key, '.');
	double value = line ? strtod(line, NULL) : 0;
	struct rrdtool_archive *archive;

	if (strncmp(key, "step ", 5) == 0)
		info->step = value;
	else if (strncmp(key, "last_update ", 12) == 0)
		info->last = value;
	if (strncmp(key, "rra[", 4) != 0 || !field || !line)
		return;
	if (strcmp(field, ".cf ") == 0 && info->n < RRDTOOL_ARCHIVES)
		info->archives[info->n++] = (struct rrdtool_archive){
			.average = strcmp(line, " \"AVERAGE\"") == 0,
			.max = strcmp(line, " \"MAX\"") == 0,
		};
	if (info->n == 0)
		return;
	archive = &info->archives[info->n - 1];
	if (strcmp(field, ".rows ") == 0)
		archive->rows = value;
	else if (strcmp(field, ".pdp_per_row ") == 0)
		archive->resolution = value * info->step;
}

/* A name that begins with a dash is no option. */
static void file_argument(char out[static PATH_MAX], const char *path)
{
	snprintf(out, PATH_MAX, "%s%s", *path == '-' ? "./" : "", path);
}

int rrdtool_info(const char *path, struct rrdtool_info *out)
{
	char rrdtool[] = "rrdtool", command[] = "info", file[PATH_MAX];

	*out = (struct rrdtool_info){0};
	file_argument(file, path);
	return run((char *[]){rrdtool, command, file, NULL}, take_info, out);
}

const struct rrdtool_archive *rrdtool_finest(const struct rrdtool_info *info)
{
	const struct rrdtool_archive *found = NULL;

	for (size_t i = 0; i < info->n; i++)
		if (info->archives[i].average &&
			(!found || info->archives[i].resolution < found->resolution))
			found = &info->archives[i];
	return found;
}

int rrdtool_fetch(const char *path, const struct rrdtool_info *info,
	const struct rrdtool_archive *archive, rrdtool_line_fn *take, void *arg)
{
	char rrdtool[] = "rrdtool", command[] = "fetch", average[] = "AVERAGE", max[] = "MAX";
	char file[PATH_MAX], resolution[32], start[32], end[32];

	file_argument(file, path);
	snprintf(resolution, sizeof(resolution), "-r%.0f", archive->resolution);
	snprintf(start, sizeof(start), "-s%.0f", info->last - archive->rows * archive->resolution);
	snprintf(end, sizeof(end), "-e%.0f", info->last);
	return run((char *[]){rrdtool, command, file, archive->max ? max : average, resolution,
			   start, end, NULL},
		take, arg);
}
