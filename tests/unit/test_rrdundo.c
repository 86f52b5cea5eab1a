/* SPDX-License-Identifier: MIT */
/* A death while librrd writes: here, a row that was written and not told of. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/rrdmap.h" /* before rrd.h, of which it wants the insides */
#include "daemon/rrdundo.h"
#include "tests/unit/rrd_world.h"

#define ROWS 5

static struct rrdundo_head head_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct rrdundo_head head;
	struct rrdmap map;

	assert_int_equal(rrdmap_open(fd, &map), 0);
	head.size = (size_t)((const char *)map.rows - (const char *)map.base);
	head.last_at = (size_t)((const char *)&map.live->last_up - (const char *)map.base);
	rrdmap_close(&map);
	close(fd);
	return head;
}

/* The row after those of open_and_write(), and nobody comes to say that it is there. */
static void die_while_writing(struct world *w)
{
	const int64_t row = BASE + ROWS * 10;
	struct rrdundo_head head;
	int undo;

	setenv("RUNTIME_DIRECTORY", w->root, 1);
	open_and_write(w, BASE, ROWS);
	head = head_of(w->path);
	undo = rrdundo_open(w->directory);
	assert_true(undo >= 0);
	rrdundo_keep(undo, w->path, &head, row);
	assert_int_equal(row_at(w, row, 77, 300), STORE_DONE);
	close(undo);
}

static void open_again(struct world *w)
{
	int undo = rrdundo_open(w->directory);

	assert_true(undo >= 0);
	close(undo);
}

static void half_a_row_is_taken_back(void **state)
{
	struct world *w = *state;

	die_while_writing(w);
	assert_int_equal(rrd_last_r(w->path), BASE + ROWS * 10);
	open_again(w);
	assert_int_equal(rrd_last_r(w->path), BASE + (ROWS - 1) * 10);
	open_at(w, BASE + ROWS * 10);
	assert_int_equal(row_at(w, BASE + ROWS * 10, 88, 300), STORE_DONE);
	for (int i = 1; i < ROWS; i++)
		assert_true(fetch(w->path, "AVERAGE", BASE + i * 10, 10, 0) == 1000 + i);
	assert_true(fetch(w->path, "AVERAGE", BASE + ROWS * 10, 10, 0) == 88);
}

static void it_is_taken_back_once(void **state)
{
	struct world *w = *state;

	die_while_writing(w);
	open_again(w);
	open_at(w, BASE + ROWS * 10);
	assert_int_equal(row_at(w, BASE + ROWS * 10, 88, 300), STORE_DONE);
	open_again(w);
	assert_int_equal(rrd_last_r(w->path), BASE + ROWS * 10);
}

static void a_row_that_was_told_of_stays(void **state)
{
	struct world *w = *state;
	int undo;

	die_while_writing(w);
	undo = open(strcat(strcpy((char[64]){0}, w->root), "/store.undo"), O_RDWR);
	assert_true(undo >= 0);
	rrdundo_forget(undo);
	close(undo);
	open_again(w);
	assert_int_equal(rrd_last_r(w->path), BASE + ROWS * 10);
}

static void a_file_that_others_have_written_since_is_left_alone(void **state)
{
	struct world *w = *state;

	die_while_writing(w);
	assert_int_equal(row_at(w, BASE + (ROWS + 1) * 10, 99, 350), STORE_DONE);
	open_again(w);
	assert_int_equal(rrd_last_r(w->path), BASE + (ROWS + 1) * 10);
}

static void another_file_of_the_name_is_left_alone(void **state)
{
	struct world *w = *state;
	char other[128];

	die_while_writing(w);
	snprintf(other, sizeof(other), "%s.other", w->path);
	copy_file(w->path, other);
	assert_int_equal(rename(other, w->path), 0);
	open_again(w);
	assert_int_equal(rrd_last_r(w->path), BASE + ROWS * 10);
	assert_int_equal(remove(w->path), 0);
	open_again(w);
	assert_int_equal(access(w->path, F_OK), -1);
}

static void what_is_no_record_is_passed_over(void **state)
{
	static const uint64_t kept = 1;
	struct world *w = *state;
	char path[64];
	FILE *file;

	die_while_writing(w);
	snprintf(path, sizeof(path), "%s/store.undo", w->root);
	for (size_t size = sizeof(kept); size < 5000; size += 1229) {
		file = fopen(path, "w");
		assert_non_null(file);
		fwrite(&kept, sizeof(kept), 1, file);
		for (size_t i = sizeof(kept); i < size; i++)
			fputc(0xff, file);
		fclose(file);
		open_again(w);
		assert_int_equal(rrd_last_r(w->path), BASE + ROWS * 10);
	}
}

static int open_record(const struct world *w)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/store.undo", w->root);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Write these bytes into a record, look what becomes of the file, and put the record back as it was. */
static void spoil(struct world *w, off_t at, const void *bytes, size_t size)
{
	uint8_t record[65536];
	int fd = open_record(w);
	ssize_t len = read(fd, record, sizeof(record));

	assert_true(len > 0);
	assert_int_equal(pwrite(fd, bytes, size, at), size);
	open_again(w);
	assert_int_equal(pwrite(fd, record, (size_t)len, 0), len);
	assert_int_equal(ftruncate(fd, len), 0);
	close(fd);
}

/* A record of which a power loss left half, and numbers that no record has. */
static void any_wrong_word_in_a_record_makes_it_none(void **state)
{
	static const uint64_t numbers[] = {0, 7, UINT64_MAX, 1, UINT64_C(1) << 40};
	struct world *w = *state;
	uint8_t record[65536];
	ssize_t len;
	int fd;

	die_while_writing(w);
	fd = open_record(w);
	len = read(fd, record, sizeof(record));
	assert_true(len > 4096);
	close(fd);
	for (off_t at = 0; at + 8 <= len; at += 8) {
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			uint64_t is, word = numbers[i];

			memcpy(&is, record + at, sizeof(is));
			if (i >= 2)
				word ^= is;
			if (word == is)
				continue;
			spoil(w, at, &word, sizeof(word));
			if (rrd_last_r(w->path) != BASE + ROWS * 10)
				fail_msg("word %ld as %lu was believed", (long)at / 8,
					(unsigned long)word);
		}
	}
	open_again(w);
	assert_int_equal(rrd_last_r(w->path), BASE + (ROWS - 1) * 10);
}

static void death_before_the_row_changes_nothing(void **state)
{
	struct world *w = *state;
	struct rrdundo_head head;
	int undo;

	setenv("RUNTIME_DIRECTORY", w->root, 1);
	open_and_write(w, BASE, ROWS);
	head = head_of(w->path);
	undo = rrdundo_open(w->directory);
	rrdundo_keep(undo, w->path, &head, BASE + ROWS * 10);
	close(undo);
	open_again(w);
	assert_int_equal(rrd_last_r(w->path), BASE + (ROWS - 1) * 10);
	for (int i = 0; i < ROWS; i++)
		assert_number(fetch(w->path, "AVERAGE", BASE + i * 10, 10, 0), 1000 + i);
}

static void a_path_without_an_end_is_none(void **state)
{
	static uint8_t path[4096];
	struct world *w = *state;

	die_while_writing(w);
	memset(path, '/', sizeof(path));
	spoil(w, 72, path, sizeof(path));
	assert_int_equal(rrd_last_r(w->path), BASE + ROWS * 10);
}

static void a_record_that_is_cut_is_none(void **state)
{
	struct world *w = *state;
	struct stat st;
	int fd;

	die_while_writing(w);
	fd = open_record(w);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(ftruncate(fd, st.st_size - 1), 0);
	close(fd);
	open_again(w);
	assert_int_equal(rrd_last_r(w->path), BASE + ROWS * 10);
}

static void a_file_of_another_length_is_left_alone(void **state)
{
	struct world *w = *state;
	struct stat st;

	die_while_writing(w);
	assert_int_equal(stat(w->path, &st), 0);
	assert_int_equal(truncate(w->path, st.st_size + 1), 0);
	open_again(w);
	assert_int_equal(truncate(w->path, st.st_size), 0);
	assert_int_equal(rrd_last_r(w->path), BASE + ROWS * 10);
}

/* Rows are written without then, and the record of another is not left to mislead anybody. */
static void what_has_no_room_in_a_record_is_not_kept(void **state)
{
	static char path[4097];
	struct world *w = *state;
	struct rrdundo_head head = {.size = (1 << 20) + 8, .last_at = 8};
	int undo;

	setenv("RUNTIME_DIRECTORY", w->root, 1);
	open_and_write(w, BASE, ROWS);
	undo = rrdundo_open(w->directory);
	rrdundo_keep(undo, w->path, &head, BASE);
	assert_int_equal(lseek(undo, 0, SEEK_END), 0);
	memset(path, '/', sizeof(path) - 1);
	head.size = 512;
	rrdundo_keep(undo, path, &head, BASE);
	assert_int_equal(lseek(undo, 0, SEEK_END), 0);
	head.size = 1 << 20; /* more than the file has */
	rrdundo_keep(undo, w->path, &head, BASE);
	assert_int_equal(lseek(undo, 0, SEEK_END), 0);
	rrdundo_keep(undo, "/nowhere/tcp.rrd", &head, BASE);
	assert_int_equal(lseek(undo, 0, SEEK_END), 0);
	close(undo);
}

/* What a power loss leaves: some of the pages that a row was written to, and of the others the contents before. */
struct pages {
	uint8_t before[65536], after[65536];
	size_t size;
};

static size_t read_whole(const char *path, uint8_t out[static 65536])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, out, 65536);

	assert_true(fd >= 0 && len > 0 && len < 65536);
	close(fd);
	return (size_t)len;
}

/* Page 0 has the head. */
static void write_half(const struct world *w, const struct pages *pages, bool head)
{
	int fd = open(w->path, O_WRONLY | O_CLOEXEC);
	const uint8_t *first = head ? pages->after : pages->before,
		      *rest = head ? pages->before : pages->after;

	assert_int_equal(pwrite(fd, first, 4096, 0), 4096);
	assert_int_equal(pwrite(fd, rest + 4096, pages->size - 4096, 4096), pages->size - 4096);
	close(fd);
}

/* So many rows that the archive of all has been gone round, and the next is not in page 0. */
#define MANY 550

static void lose_power(struct world *w, struct pages *pages, bool head)
{
	unsetenv("RUNTIME_DIRECTORY"); /* a folder in memory, gone as well */
	open_and_write(w, BASE, MANY);
	pages->size = read_whole(w->path, pages->before);
	assert_true(head_of(w->path).size <= 4096);
	assert_int_equal(row_at(w, BASE + MANY * 10, 77, 50 * MANY), STORE_DONE);
	assert_int_equal(read_whole(w->path, pages->after), pages->size);
	assert_memory_not_equal(pages->before, pages->after, 4096);
	assert_memory_not_equal(pages->before + 4096, pages->after + 4096, pages->size - 4096);
	write_half(w, pages, head);
	open_at(w, BASE + MANY * 10 + 5);
	assert_int_equal(w->answer.code, STORE_DONE);
	assert_string_equal(w->answer.note, "");
	assert_int_equal(count_files(w, "*"), 1);
}

/* Of the rows before, but for the oldest, in whose place the lost one is written. */
static void assert_rows_before(const struct world *w, int rows)
{
	for (int i = MANY - rows; i < MANY; i++) {
		assert_number(fetch(w->path, "AVERAGE", BASE + i * 10, 10, 0), 1000 + i);
		assert_number(fetch(w->path, "AVERAGE", BASE + i * 10, 10, 1), 5);
	}
}

static void row_without_its_head_is_lost_and_no_other(void **state)
{
	static struct pages pages;
	struct world *w = *state;

	lose_power(w, &pages, false);
	assert_int_equal(w->answer.last, BASE + (MANY - 1) * 10);
	assert_rows_before(w, 359);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			row_at(w, BASE + (MANY + i) * 10, 88 + i, 50 * (MANY + i)), STORE_DONE);
	assert_rows_before(w, 357);
	for (int i = 0; i < 3; i++)
		assert_number(fetch(w->path, "AVERAGE", BASE + (MANY + i) * 10, 10, 0), 88 + i);
}

static void head_without_its_row_costs_that_row_and_no_other(void **state)
{
	static struct pages pages;
	struct world *w = *state;

	lose_power(w, &pages, true);
	assert_int_equal(w->answer.last, BASE + MANY * 10);
	assert_rows_before(w, 359);
	assert_int_equal(row_at(w, BASE + MANY * 10, 88, 50 * MANY), STORE_SAME);
	for (int i = 1; i < 4; i++)
		assert_int_equal(
			row_at(w, BASE + (MANY + i) * 10, 88 + i, 50 * (MANY + i)), STORE_DONE);
	assert_rows_before(w, 356);
	for (int i = 1; i < 4; i++)
		assert_number(fetch(w->path, "AVERAGE", BASE + (MANY + i) * 10, 10, 0), 88 + i);
	/* And the minute that it is in has its value from the head. */
	assert_number(fetch(w->path, "AVERAGE", BASE + (MANY + 2) * 10 / 60 * 60, 60, 1), 5);
}

static void without_a_folder_rows_are_written_without(void **state)
{
	const struct rrdundo_head head = {.size = 100, .last_at = 50};
	struct world *w = *state;

	unsetenv("RUNTIME_DIRECTORY");
	assert_int_equal(rrdundo_open("/nowhere"), -ENOENT);
	rrdundo_keep(-1, w->path, &head, BASE);
	rrdundo_forget(-1);
	open_and_write(w, BASE, 1);
	open_again(w);
	assert_int_equal(count_files(w, ".store.undo"), 1);
	setenv("RUNTIME_DIRECTORY", "", 1);
	remove_tree(w->directory);
	assert_int_equal(rrdundo_open(w->directory), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(half_a_row_is_taken_back),
		TEST(it_is_taken_back_once),
		TEST(a_row_that_was_told_of_stays),
		TEST(a_file_that_others_have_written_since_is_left_alone),
		TEST(another_file_of_the_name_is_left_alone),
		TEST(what_is_no_record_is_passed_over),
		TEST(death_before_the_row_changes_nothing),
		TEST(any_wrong_word_in_a_record_makes_it_none),
		TEST(a_path_without_an_end_is_none),
		TEST(a_record_that_is_cut_is_none),
		TEST(a_file_of_another_length_is_left_alone),
		TEST(what_has_no_room_in_a_record_is_not_kept),
		TEST(row_without_its_head_is_lost_and_no_other),
		TEST(head_without_its_row_costs_that_row_and_no_other),
		TEST(without_a_folder_rows_are_written_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
