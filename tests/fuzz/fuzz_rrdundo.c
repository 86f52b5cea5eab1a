/* SPDX-License-Identifier: MIT */
/*
 * The record of a half written row, with the bytes laid over it by exclusive or, from its sum on. Of the first byte, bit 0
 * makes the sum right again, and the next two choose the time that stands in the file. Whatever the record says, the file is
 * as it was or as it was before that row, and a second start changes nothing.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>

#include "daemon/rrdundo.h"
#include "tests/fuzz/folder.h"

#define FILE_SIZE 512
#define HEAD_SIZE 256
#define LAST_AT 64
#define ROW 1796068800
/* Of the record (daemon/rrdundo.c): where it has what. */
#define SUM_AT 8
#define SUMMED_AT 16
#define HEAD_SIZE_AT 40
#define HEAD_AT (64 + 4096)
#define RECORD_SIZE (HEAD_AT + HEAD_SIZE)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[128], undo[128];
static uint8_t kept[RECORD_SIZE], before[FILE_SIZE];

static void get(const char *from, void *data, size_t size)
{
	CLEANUP_CLOSE int fd = open(from, O_RDONLY | O_CLOEXEC);
	char more;

	if (fd < 0 || read(fd, data, size) != (ssize_t)size || read(fd, &more, 1) != 0)
		err(2, "%s", from);
}

static void open_undo(void)
{
	CLEANUP_CLOSE int fd = rrdundo_open(folder);

	assert(fd >= 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct rrdundo_head head = {HEAD_SIZE, LAST_AT};
	CLEANUP_CLOSE int fd = -1;

	(void)argc;
	(void)argv;
	folder_make();
	snprintf(path, sizeof(path), "%s/a.rrd", folder);
	snprintf(undo, sizeof(undo), "%s/store.undo", folder);
	setenv("RUNTIME_DIRECTORY", folder, 1);
	for (size_t i = 0; i < FILE_SIZE; i++)
		before[i] = (uint8_t)i;
	file_put(path, before, FILE_SIZE);
	fd = rrdundo_open(folder);
	rrdundo_keep(fd, path, &head, ROW);
	get(undo, kept, RECORD_SIZE);
	return 0;
}

static void make_sum(uint8_t record[static RECORD_SIZE])
{
	uint64_t sum = UINT64_C(14695981039346656037), word, size;

	memcpy(&size, record + HEAD_SIZE_AT, sizeof(size));
	if (size > HEAD_SIZE)
		return; /* there is not so much */
	for (size_t at = SUMMED_AT; at + sizeof(word) <= HEAD_AT + size; at += sizeof(word)) {
		memcpy(&word, record + at, sizeof(word));
		sum = (sum ^ word) * UINT64_C(1099511628211);
	}
	memcpy(record + SUM_AT, &sum, sizeof(sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t record[RECORD_SIZE], written[FILE_SIZE], now[FILE_SIZE];
	const int64_t row = ROW;

	if (size == 0 || size > RECORD_SIZE - SUM_AT)
		return 0;
	memcpy(record, kept, sizeof(record));
	for (size_t i = 1; i < size; i++)
		record[SUM_AT + i - 1] ^= data[i];
	if (data[0] & 1)
		make_sum(record);
	file_put(undo, record, sizeof(record));
	memset(written, 0xee, sizeof(written));
	if (data[0] & 2)
		memcpy(written + LAST_AT, &row, sizeof(row));
	else if (data[0] & 4)
		memcpy(written + LAST_AT, before + LAST_AT, sizeof(row));
	file_put(path, written, sizeof(written));
	open_undo();
	get(path, now, sizeof(now));
	if (memcmp(now, written, sizeof(now)) != 0) {
		memcpy(&size, record + HEAD_SIZE_AT, sizeof(size));
		assert(size <= HEAD_SIZE && memcmp(now, record + HEAD_AT, size) == 0);
		assert(memcmp(now + size, written + size, sizeof(now) - size) == 0);
	}
	open_undo();
	get(path, written, sizeof(written));
	assert(memcmp(now, written, sizeof(now)) == 0);
	return 0;
}
