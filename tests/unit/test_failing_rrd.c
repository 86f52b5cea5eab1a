/* SPDX-License-Identifier: MIT */
/* Where memory or the system fails them, the store's modules answer with the cause; no file is lost, and nothing leaks. */
#include <errno.h>
#include <rrd.h>
#include <string.h>
#include <unistd.h>

#include "daemon/cachedfile.h"
#include "daemon/rrdundo.h"
#include "tests/unit/failing.h"
#include "tests/unit/rrd_world.h"

static struct rrdfile *open_file(const struct world *w, struct store_answer *answer)
{
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_open(packet, 0, &w->spec);
	struct rrdfile *file = NULL;
	int r = rrdfile_new(packet, (size_t)len, &file);

	assert_true(r == 0 || r == -ENOMEM);
	if (r < 0)
		return NULL;
	rrdfile_open(file, BASE + 100, answer);
	return file;
}

static void write_one(void *arg)
{
	struct world *w = arg;
	struct store_row row = {.time = rrd_last_r(w->path) + 10, .n = 2, .values = {1, 2}};
	struct store_answer answer = {0};
	struct rrdfile *file = open_file(w, &answer);

	if (!file)
		return;
	rrdfile_update(file, &row, &answer);
	assert_true(answer.code == STORE_DONE || (answer.code == STORE_FAILED && answer.cause[0]));
	rrdfile_free(file);
}

static void each_for_a_row(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 5);
	assert_true(each_failing(&failing.memory, write_one, w) >= 3);
	assert_true(each_failing(&failing.calls, write_one, w) >= 3);
	assert_int_equal(count_files(w, "*.bad-*"), 0);
}

static void make_one(void *arg)
{
	struct world *w = arg;
	struct store_row row = {.time = BASE, .n = 2, .values = {1, 2}};
	struct store_answer answer = {0};
	struct rrdfile *file;

	remove(w->path);
	file = open_file(w, &answer);
	if (!file)
		return;
	rrdfile_update(file, &row, &answer);
	assert_true(answer.code == STORE_DONE || (answer.code == STORE_FAILED && answer.cause[0]));
	rrdfile_free(file);
}

static void each_for_a_new_file(void **state)
{
	struct world *w = *state;

	assert_true(each_failing(&failing.memory, make_one, w) >= 3);
	assert_true(each_failing(&failing.calls, make_one, w) >= 3);
	assert_int_equal(count_files(w, ".*.new"), 0);
}

/* An archive gets longer each time. */
static void convert_one(void *arg)
{
	struct world *w = arg;
	struct store_answer answer = {0};
	struct rrdfile *file = NULL;

	w->spec.archives[0].rows++;
	file = open_file(w, &answer);
	if (file)
		assert_true(answer.code == STORE_DONE ||
			    (answer.code == STORE_FAILED && answer.cause[0]));
	rrdfile_free(file);
}

static void each_for_a_conversion(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 5);
	assert_true(each_failing(&failing.memory, convert_one, w) >= 3);
	assert_true(each_failing(&failing.calls, convert_one, w) >= 3);
	assert_int_equal(count_files(w, "*.bad-*"), 0);
	assert_int_equal(rrd_last_r(w->path), BASE + 40);
}

/* One that is large enough to be handed to the disk in parts. */
static void convert_large(void *arg)
{
	struct world *w = arg;

	w->spec.archives[0].rows = 70000 + w->spec.archives[0].rows % 1000;
	convert_one(w);
}

static void each_for_a_large_conversion(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 5);
	assert_true(each_failing(&failing.calls, convert_large, w) >= 10);
	assert_int_equal(count_files(w, "*.bad-*"), 0);
	assert_int_equal(rrd_last_r(w->path), BASE + 40);
}

static void open_one(void *arg)
{
	struct store_answer answer = {0};
	struct rrdfile *file = open_file(arg, &answer);

	if (file)
		assert_true(answer.code == STORE_DONE ||
			    (answer.code == STORE_FAILED && answer.cause[0]));
	rrdfile_free(file);
}

static void each_for_holes_that_are_filled(void **state)
{
	struct world *w = *state;
	struct stat st;
	int fd;

	open_and_write(w, BASE, 5);
	fd = open(w->path, O_RDWR | O_CLOEXEC);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096) < 0) {
		close(fd);
		skip();
	}
	assert_true(each_failing(&failing.calls, open_one, w) >= 5);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_blocks * 512 >= st.st_size);
	close(fd);
}

/* A death while a row was written, and each call failing when it is to be kept or taken back. */
static void keep_one(struct world *w, int undo)
{
	rrdundo_keep(undo, w->path, &(struct rrdundo_head){.size = 512, .last_at = 8}, BASE);
}

static void keep(void *arg)
{
	int undo = open("/dev/null", O_RDWR);

	keep_one(arg, undo);
	rrdundo_forget(undo);
	if (undo >= 0)
		close(undo);
}

static void take_back(void *arg)
{
	const long calls = failing.calls, memory = failing.memory;
	struct world *w = arg;
	int undo;

	failing.calls = failing.memory = -1;
	undo = rrdundo_open(w->root);
	assert_true(undo >= 0);
	keep_one(w, undo);
	close(undo);
	failing.calls = calls;
	failing.memory = memory;
	undo = rrdundo_open(w->root);
	if (undo >= 0)
		close(undo);
}

static void each_for_an_undo(void **state)
{
	struct world *w = *state;

	open_and_write(w, BASE, 5);
	assert_true(each_failing(&failing.memory, take_back, w) >= 1);
	assert_true(each_failing(&failing.calls, take_back, w) >= 6);
	assert_true(each_failing(&failing.memory, keep, w) >= 1);
	assert_true(each_failing(&failing.calls, keep, w) >= 5);
	assert_int_equal(rrd_last_r(w->path), BASE + 40);
}

/* What is there of the connection to an rrdcached, and of a file that it keeps, before it is asked. */
static bool busy(void *arg)
{
	(void)arg;
	return true;
}

static void begin_cached(void *arg)
{
	const struct rrdcached_caller caller = {.busy = busy};
	const struct world *w = arg;
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_open(packet, 0, &w->spec);
	struct rrdcached *cached = NULL;
	struct cachedfile *file = NULL;
	int r = rrdcached_new("127.0.0.1:1", &caller, &cached);

	if (r == 0)
		r = cachedfile_new(packet, (size_t)len, &file);
	assert_true(r == 0 || r == -ENOMEM);
	cachedfile_free(file);
	rrdcached_free(cached);
}

static void each_for_an_rrdcached(void **state)
{
	assert_true(each_failing(&failing.memory, begin_cached, *state) >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_for_a_row),
		TEST(each_for_a_new_file),
		TEST(each_for_a_conversion),
		TEST(each_for_a_large_conversion),
		TEST(each_for_holes_that_are_filled),
		TEST(each_for_an_undo),
		TEST(each_for_an_rrdcached),
	};

	unsetenv("RUNTIME_DIRECTORY");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
