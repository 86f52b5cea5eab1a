/* SPDX-License-Identifier: MIT */
#include "collectors/kernel_journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

#include "collectors/kmsg.h"
#include "daemon/util.h"

/* The one that is written, and those it has replaced since the last time. */
#define FILES 3

static void cleanup_journal(sd_journal **journal)
{
	sd_journal_close(*journal);
}
#define CLEANUP_JOURNAL __attribute__((cleanup(cleanup_journal)))

/* The files that were written last, newest first. */
struct newest {
	struct {
		char path[PATH_MAX];
		struct timespec changed;
	} file[FILES];
	size_t n;
	int error; /* why another may not be read */
};

static bool later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* system.journal, or an archived system@...journal; a name that ends in ~ was damaged. */
static bool is_system_file(const char *name)
{
	size_t len = strlen(name);

	return strncmp(name, "system", 6) == 0 && len > 8 &&
	       strcmp(name + len - 8, ".journal") == 0;
}

static void consider(struct newest *newest, const char *directory, const char *name, int fd)
{
	struct stat st;
	size_t i;

	if (!is_system_file(name) || fstatat(fd, name, &st, 0) < 0)
		return;
	if (faccessat(fd, name, R_OK, AT_EACCESS) < 0) {
		newest->error = -errno;
		return;
	}
	if (newest->n < FILES)
		newest->n++;
	else if (!later(&st.st_mtim, &newest->file[FILES - 1].changed))
		return;
	for (i = newest->n - 1; i > 0 && later(&st.st_mtim, &newest->file[i - 1].changed); i--)
		newest->file[i] = newest->file[i - 1];
	snprintf(newest->file[i].path, sizeof(newest->file[i].path), "%s/%s", directory, name);
	newest->file[i].changed = st.st_mtim;
}

static void scan(struct newest *newest, const char *directory)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	if (!dir) {
		if (errno != ENOENT)
			newest->error = -errno;
		return;
	}
	while ((entry = readdir(dir)))
		consider(newest, directory, entry->d_name, dirfd(dir));
	closedir(dir);
}

static void scan_system(struct newest *newest)
{
	static const char *const parents[] = {"/var/log/journal", "/run/log/journal"};
	char machine[SD_ID128_STRING_MAX], directory[64];
	sd_id128_t id;

	if (sd_id128_get_machine(&id) < 0)
		return;
	sd_id128_to_string(id, machine);
	for (size_t i = 0; i < ARRAY_LEN(parents); i++) {
		snprintf(directory, sizeof(directory), "%s/%s", parents[i], machine);
		scan(newest, directory);
	}
}

static int open_newest(const struct kernel_journal *from, sd_journal **out)
{
	const char *paths[FILES + 1] = {NULL};
	struct newest newest = {.n = 0};

	if (from->directory)
		scan(&newest, from->directory);
	else
		scan_system(&newest);
	if (newest.n == 0)
		return newest.error < 0 ? newest.error : -ENOENT;
	for (size_t i = 0; i < newest.n; i++)
		paths[i] = newest.file[i].path;
	return sd_journal_open_files(out, paths, 0);
}

static int open_all(const struct kernel_journal *from, sd_journal **out)
{
	if (from->directory)
		return sd_journal_open_directory(out, from->directory, SD_JOURNAL_SYSTEM);
	return sd_journal_open(out, SD_JOURNAL_SYSTEM | SD_JOURNAL_LOCAL_ONLY);
}

/* The value of a field of the current entry; empty if it has none. */
static struct span field(sd_journal *journal, const char *name)
{
	size_t len, skip = strlen(name) + 1;
	const void *data;

	if (sd_journal_get_data(journal, name, &data, &len) < 0 || len < skip)
		return (struct span){"", 0};
	return (struct span){(const char *)data + skip, len - skip};
}

/* journald gives _TRANSPORT=kernel also to what processes write into /dev/kmsg. */
static bool counts(sd_journal *journal)
{
	return kmsg_is_table_full(field(journal, "MESSAGE")) &&
	       span_equal(field(journal, "SYSLOG_FACILITY"), "0");
}

/* To the first line that has not been read. Returns 1, 0 if there is none, or -errno. */
static int find_start(const struct kernel_journal *from, sd_journal *journal, size_t max)
{
	int r = sd_journal_add_match(journal, "_TRANSPORT=kernel", 0);

	if (r < 0)
		return r;
	if (!from->cursor) {
		r = sd_journal_seek_tail(journal);
		if (r >= 0)
			r = sd_journal_previous_skip(journal, max);
		return r > 0 ? 1 : r;
	}
	r = sd_journal_seek_cursor(journal, from->cursor);
	if (r >= 0)
		r = sd_journal_next(journal);
	/* Behind the line itself, if it has not been deleted meanwhile. */
	if (r > 0 && sd_journal_test_cursor(journal, from->cursor) > 0)
		r = sd_journal_next(journal);
	return r;
}

/* From the current line on. Returns how many were read, or -errno. */
static ssize_t read_lines(
	struct kernel_journal *from, sd_journal *journal, size_t max, uint64_t *lines)
{
	uint64_t found = 0;
	size_t n = 0;
	char *cursor;
	int r = 1;

	while (r > 0 && n < max) {
		n++;
		found += counts(journal);
		if (n < max)
			r = sd_journal_next(journal);
	}
	if (r >= 0)
		r = sd_journal_get_cursor(journal, &cursor);
	if (r < 0)
		return r;
	free(from->cursor);
	from->cursor = cursor;
	*lines += found;
	return (ssize_t)n;
}

/* Where the kernel has been silent for so long that its last line is in an older file. */
static ssize_t begin_with_all(struct kernel_journal *from, size_t max, uint64_t *lines)
{
	CLEANUP_JOURNAL sd_journal *journal = NULL;
	int r = open_all(from, &journal);

	if (r >= 0)
		r = find_start(from, journal, max);
	return r > 0 ? read_lines(from, journal, max, lines) : r < 0 ? r : -ENOENT;
}

ssize_t kernel_journal_drain(struct kernel_journal *from, size_t max, uint64_t *lines)
{
	CLEANUP_JOURNAL sd_journal *journal = NULL;
	int r = open_newest(from, &journal);

	if (r >= 0)
		r = find_start(from, journal, max);
	if (r > 0)
		return read_lines(from, journal, max, lines);
	return r == 0 && !from->cursor ? begin_with_all(from, max, lines) : r;
}

void kernel_journal_close(struct kernel_journal *journal)
{
	free(journal->cursor);
	journal->cursor = NULL;
}
