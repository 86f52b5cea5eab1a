/* SPDX-License-Identifier: MIT */
/*
 * What rrdtool(1) prints: the first byte chooses who asked, connwatch backtest or connwatch advise; up to the next NUL it
 * is the output of `rrdtool info`, and the rest is that of `rrdtool fetch`.
 */
#include <assert.h>
#include <err.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/advise_facts.h"
#include "cli/past.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_access(const char *path, int mode);
int __real_pipe(int ends[2]);
int __wrap_pipe(int ends[2]);
int __wrap_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);

static struct conf *conf;
static char rrd[32]; /* a file that begins as an RRD does */
static const uint8_t *info, *fetched;
static size_t info_size, fetched_size;
static int output; /* of the rrdtool that is about to run */

static void complain(void *arg, const char *problem)
{
	(void)arg;
	errx(2, "%s", problem);
}

/* A tree without any file that is read, so that only what is recorded counts. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char text[] = "proc = \"" SRCDIR "/tests/fuzz\"\n";
	char path[32];
	int fd = memory_file(text, sizeof(text) - 1, path);

	(void)argc;
	(void)argv;
	if (memory_file("RRD", sizeof("RRD"), rrd) < 0 ||
		conf_load(path, complain, NULL, &conf) < 0)
		errx(2, "cannot begin");
	close(fd);
	return 0;
}

/* All RRDs are there. */
int __wrap_access(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return 0;
}

int __wrap_pipe(int ends[2])
{
	int r = __real_pipe(ends);

	output = ends[1];
	return r;
}

/* What it prints fits into the pipe. */
int __wrap_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	bool is_info = strcmp(argv[1], "info") == 0;
	size_t size = is_info ? info_size : fetched_size;

	(void)file;
	(void)actions;
	(void)attributes;
	(void)environment;
	if (write(output, is_info ? info : fetched, size) != (ssize_t)size)
		err(2, "cannot print");
	*pid = 1;
	return 0;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	(void)options;
	*status = 0;
	return pid;
}

static void take_row(void *arg, const struct past_row *row)
{
	(void)arg;
	assert(row->n > 0 && row->n <= PAST_COLUMNS && !isnan(row->time));
	for (size_t i = 0; i < row->n; i++)
		assert(row->names[i][0]);
}

static void check_advise(void)
{
	char note[ADVISE_NOTE_SIZE];
	struct advice_facts facts;

	assert(advise_facts_gather(conf, NULL, &facts, note) == 0);
	assert(!isnan(facts.entries.span) && isnan(facts.entries.now));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[PAST_ERROR_SIZE] = "";

	if (size < 2)
		return 0;
	info = data + 1;
	info_size = strnlen((const char *)info, size - 1);
	fetched = info + info_size;
	fetched_size = size - 1 - info_size;
	if (fetched_size) {
		fetched++;
		fetched_size--;
	}
	if (data[0] % 2)
		check_advise();
	else if (past_read(rrd, take_row, NULL, error) < 0)
		assert(error[0]);
	return 0;
}
