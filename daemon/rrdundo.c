/* SPDX-License-Identifier: MIT */
#include "daemon/rrdundo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/util.h"

#define HEAD_MAX (1 << 20) /* of 64 columns and 64 archives it is less than half of that */

/* The beginning of the file; the head follows. */
struct record {
	uint64_t kept; /* 1 while the row is written */
	uint64_t sum;  /* of all that follows */
	uint64_t dev, ino, size;
	uint64_t head_size, last_at;
	int64_t row;
	char path[4096];
};

/* Of what is whole words. */
static uint64_t add_up(uint64_t sum, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	uint64_t word;

	for (size_t at = 0; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		sum = (sum ^ word) * UINT64_C(1099511628211);
	}
	return sum;
}

/* A power loss may leave the head of another row behind a record, or parts of both. */
static uint64_t sum_up(const struct record *r, const uint8_t *head)
{
	const size_t before = offsetof(struct record, dev);
	uint64_t sum = UINT64_C(14695981039346656037);

	sum = add_up(sum, (const uint8_t *)r + before, sizeof(*r) - before);
	return add_up(sum, head, r->head_size);
}

static void set_kept(int undo, uint64_t kept)
{
	if (pwrite(undo, &kept, sizeof(kept), offsetof(struct record, kept)) < 0)
		return; /* in place: there is no room to be short of */
}

/* Between the states before and after that row, and by nobody else since. */
static bool is_half_done(int fd, const struct record *r, const uint8_t *head)
{
	struct stat st;
	int64_t now, before;

	if (fstat(fd, &st) < 0 || st.st_dev != r->dev || st.st_ino != r->ino ||
		(uint64_t)st.st_size != r->size)
		return false;
	memcpy(&before, head + r->last_at, sizeof(before));
	return pread(fd, &now, sizeof(now), (off_t)r->last_at) == (ssize_t)sizeof(now) &&
	       (now == before || now == r->row);
}

static bool is_sane(const struct record *r)
{
	return r->kept == 1 && r->head_size <= HEAD_MAX && r->head_size < r->size &&
	       r->last_at <= r->head_size - sizeof(int64_t) && r->head_size >= sizeof(int64_t) &&
	       memchr(r->path, '\0', sizeof(r->path));
}

static void put_back(int undo)
{
	CLEANUP_FREE uint8_t *head = NULL;
	CLEANUP_CLOSE int fd = -1;
	struct record r;

	if (pread(undo, &r, sizeof(r), 0) != (ssize_t)sizeof(r) || !is_sane(&r))
		return;
	head = malloc(r.head_size);
	if (!head || pread(undo, head, r.head_size, sizeof(r)) != (ssize_t)r.head_size ||
		sum_up(&r, head) != r.sum)
		return;
	fd = open(r.path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && is_half_done(fd, &r, head) &&
		pwrite(fd, head, r.head_size, 0) != (ssize_t)r.head_size)
		return; /* the next store tries again */
	set_kept(undo, 0);
}

int rrdundo_open(const char *directory)
{
	const char *runtime = getenv("RUNTIME_DIRECTORY");
	char path[4096];
	int undo;

	if (runtime && *runtime)
		snprintf(
			path, sizeof(path), "%.*s/store.undo", (int)strcspn(runtime, ":"), runtime);
	else
		snprintf(path, sizeof(path), "%s/.store.undo", directory);
	undo = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (undo < 0)
		return -errno;
	put_back(undo);
	return undo;
}

void rrdundo_keep(int undo, const char *path, const struct rrdundo_head *head, int64_t row)
{
	CLEANUP_FREE uint8_t *buffer = NULL;
	CLEANUP_CLOSE int fd = -1;
	size_t size = sizeof(struct record) + head->size;
	struct record *r;
	struct stat st;

	if (undo < 0 || head->size > HEAD_MAX || strlen(path) >= sizeof(r->path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	buffer = calloc(1, size);
	if (!buffer)
		return;
	r = (struct record *)(void *)buffer;
	*r = (struct record){.dev = st.st_dev,
		.ino = st.st_ino,
		.size = (uint64_t)st.st_size,
		.head_size = head->size,
		.last_at = head->last_at,
		.row = row};
	memcpy(r->path, path, strlen(path));
	if (pread(fd, buffer + sizeof(*r), head->size, 0) != (ssize_t)head->size)
		return;
	r->sum = sum_up(r, buffer + sizeof(*r));
	if (pwrite(undo, buffer, size, 0) == (ssize_t)size)
		set_kept(undo, 1);
}

void rrdundo_forget(int undo)
{
	if (undo >= 0)
		set_kept(undo, 0);
}
