/* SPDX-License-Identifier: MIT */
/* A death while librrd writes: here, a row that was written and not told of. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
		TEST(without_a_folder_rows_are_written_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
