/* SPDX-License-Identifier: MIT */
/* A head with any one byte wrong, or cut anywhere, is read within its bounds or refused. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/rrdmap.h"
#include "tests/unit/rrd_world.h"

/* Everything that it says is there. */
static void read_all(const struct rrdmap *map)
{
	volatile double value;
	size_t rows = 0;

	for (size_t i = 0; i < map->head->rra_cnt; i++) {
		assert_true(map->newest[i].cur_row < map->archives[i].row_cnt);
		assert_true(rrdmap_function(&map->archives[i]) >= -1);
		rows += map->archives[i].row_cnt;
	}
	for (size_t i = 0; i < rows * map->head->ds_cnt; i++)
		value = map->rows[i];
	assert_true(rrdmap_step(map) >= 1 && rrdmap_last(map) >= 0);
	assert_true(rrdmap_longest(map) < (int)map->head->rra_cnt);
	(void)value;
}

static void look(int fd)
{
	struct rrdmap map;
	int r = rrdmap_open(fd, &map);

	if (r < 0) {
		assert_int_equal(r, -EBADMSG);
		return;
	}
	read_all(&map);
	rrdmap_close(&map);
}

static size_t head_size(int fd)
{
	struct rrdmap map;
	size_t size;

	assert_int_equal(rrdmap_open(fd, &map), 0);
	size = (size_t)((const char *)map.rows - (const char *)map.base);
	rrdmap_close(&map);
	return size;
}

static void any_wrong_byte_is_survived(void **state)
{
	static const uint8_t wrong[] = {0, 1, 0x7f, 0xff};
	struct world *w = *state;
	size_t size;
	int fd;

	open_and_write(w, BASE, 3);
	fd = open(w->path, O_RDWR);
	size = head_size(fd);
	for (size_t i = 0; i < size; i++) {
		uint8_t right;

		assert_int_equal(pread(fd, &right, 1, (off_t)i), 1);
		for (size_t k = 0; k < sizeof(wrong); k++) {
			assert_int_equal(pwrite(fd, &wrong[k], 1, (off_t)i), 1);
			look(fd);
		}
		assert_int_equal(pwrite(fd, &right, 1, (off_t)i), 1);
	}
	close(fd);
}

static void any_cut_is_refused(void **state)
{
	struct world *w = *state;
	struct rrdmap map;
	off_t size;
	int fd;

	open_and_write(w, BASE, 3);
	fd = open(w->path, O_RDWR);
	size = lseek(fd, 0, SEEK_END);
	while (size-- > 0) {
		assert_int_equal(ftruncate(fd, size), 0);
		assert_int_equal(rrdmap_open(fd, &map), -EBADMSG);
	}
	close(fd);
}

/* One structure of each kind has no more room than the file: their numbers are not believed. */
static void numbers_beyond_the_file_are_refused(void **state)
{
	const size_t at[] = {offsetof(stat_head_t, ds_cnt), offsetof(stat_head_t, rra_cnt)};
	struct world *w = *state;
	struct rrdmap map;
	int fd;

	open_and_write(w, BASE, 3);
	fd = open(w->path, O_RDWR);
	for (size_t i = 0; i < 2; i++) {
		uint64_t right;

		assert_int_equal(pread(fd, &right, sizeof(right), (off_t)at[i]), sizeof(right));
		for (uint64_t n = right + 1; n && n < UINT64_MAX / 3; n *= 3) {
			assert_int_equal(pwrite(fd, &n, sizeof(n), (off_t)at[i]), sizeof(n));
			assert_int_equal(rrdmap_open(fd, &map), -EBADMSG);
		}
		assert_int_equal(pwrite(fd, &right, sizeof(right), (off_t)at[i]), sizeof(right));
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(any_wrong_byte_is_survived),
		TEST(any_cut_is_refused),
		TEST(numbers_beyond_the_file_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
