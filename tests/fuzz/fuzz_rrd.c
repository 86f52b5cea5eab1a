/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an RRD that is to be given other archives, another column and, by the first byte, another step: what is
 * taken for one is converted, and what comes out is one that has all that was asked for. librrd reads only what we wrote.
 */
#include <assert.h>
#include <stdint.h>

#include "daemon/rrdconvert.h"
#include "daemon/rrdmap.h"
#include "tests/fuzz/folder.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[128];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	folder_make();
	snprintf(path, sizeof(path), "%s/a.rrd", folder);
	return 0;
}

static void no_busy(void *arg)
{
	(void)arg;
}

static int open_map(struct rrdmap *map)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : rrdmap_open(fd, map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t steps[] = {1, 10, 60, 300};
	struct rrdconvert to = {.path = path, .busy = {no_busy, NULL}};
	struct store_answer answer = {0};
	CLEANUP_CLOSE int fd = -1;
	enum converted converted;
	struct rrdmap map;

	if (size == 0)
		return 0;
	to.spec = (struct store_open){.name = "a",
		.directory = folder,
		.step = steps[data[0] % 4],
		.n_columns = 2,
		.n_archives = 2,
		.columns = {{"entries", METRIC_GAUGE}, {"drop", METRIC_COUNTER}}};
	to.spec.heartbeat = 4 * to.spec.step;
	to.spec.archives[0] = (struct store_archive){to.spec.step, 20};
	to.spec.archives[1] = (struct store_archive){6 * to.spec.step, 10};
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)size - 1)
		err(2, "%s", path);
	if (rrdmap_open(fd, &map) < 0)
		return 0;
	converted = rrdconvert_file(&to, &map, &answer);
	rrdmap_close(&map);
	if (converted != CONVERT_DONE)
		return 0;
	assert(open_map(&map) == 0);
	assert(rrdmap_step(&map) == to.spec.step);
	assert(rrdmap_column(&map, "entries") < map.head->ds_cnt &&
		rrdmap_column(&map, "drop") < map.head->ds_cnt);
	assert(rrdconvert_file(&to, &map, &answer) == CONVERT_NONE);
	rrdmap_close(&map);
	return 0;
}
