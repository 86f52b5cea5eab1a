/* SPDX-License-Identifier: MIT */
#include "tests/unit/rrd_world.h"

#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <math.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int remove_tree(const char *path)
{
	return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	strcpy(w->root, "/tmp/rrdfile-XXXXXX");
	if (!mkdtemp(w->root))
		return -1;
	snprintf(w->directory, sizeof(w->directory), "%s/a/rrd", w->root);
	snprintf(w->path, sizeof(w->path), "%s/conntrack.rrd", w->directory);
	w->spec = (struct store_open){.name = "conntrack",
		.directory = w->directory,
		.daemon = "",
		.step = 10,
		.heartbeat = 30,
		.n_columns = 2,
		.n_archives = 2,
		.columns = {{"entries", METRIC_GAUGE}, {"drop", METRIC_COUNTER}},
		.archives = {{10, 360}, {60, 100}}};
	*state = w;
	return 0;
}

int tear_down(void **state)
{
	struct world *w = *state;

	rrdfile_free(w->file);
	remove_tree(w->root);
	free(w);
	return 0;
}

static void count_busy(void *arg)
{
	unsigned *n = arg;

	(*n)++;
}

void open_at(struct world *w, int64_t clock)
{
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_open(packet, 0, &w->spec);

	rrdfile_free(w->file);
	w->file = NULL;
	assert_int_equal(rrdfile_new(packet, (size_t)len, &w->file), 0);
	rrdfile_on_busy(w->file, count_busy, &w->busy);
	rrdfile_open(w->file, clock, &w->answer);
}

enum store_code row_at(struct world *w, int64_t time, double gauge, double counter)
{
	struct store_row row = {.time = time, .n = w->spec.n_columns, .values = {gauge, counter}};

	rrdfile_update(w->file, &row, &w->answer);
	return w->answer.code;
}

void open_and_write(struct world *w, int64_t first, int n)
{
	open_at(w, first);
	assert_string_equal(w->answer.cause, "");
	for (int i = 0; i < n; i++)
		if (row_at(w, first + i * w->spec.step, 1000 + i, 50 * i) != STORE_DONE)
			fail_msg("row %d: %s", i, w->answer.cause);
}

double fetch(const char *path, const char *cf, int64_t time, unsigned long step, size_t column)
{
	time_t start = (time_t)time - (time_t)step, end = (time_t)time - 1;
	unsigned long n;
	char **names;
	double *data, value;

	rrd_clear_error();
	if (rrd_fetch_r(path, cf, &start, &end, &step, &n, &names, &data) != 0)
		fail_msg("%s", rrd_get_error());
	assert_int_equal(start + (time_t)step, time);
	value = data[column];
	for (size_t i = 0; i < n; i++)
		rrd_freemem(names[i]);
	rrd_freemem(names);
	rrd_freemem(data);
	return value;
}

bool info_has(const char *path, const char *key, const char *value)
{
	rrd_info_t *info = rrd_info_r(path);
	char text[64] = "";

	assert_non_null(info);
	for (rrd_info_t *i = info; i; i = i->next) {
		if (strcmp(i->key, key))
			continue;
		if (i->type == RD_I_STR)
			snprintf(text, sizeof(text), "%s", i->value.u_str);
		else if (i->type == RD_I_CNT)
			snprintf(text, sizeof(text), "%lu", i->value.u_cnt);
		else if (i->type == RD_I_VAL && isnan(i->value.u_val))
			strcpy(text, "U");
		else if (i->type == RD_I_VAL)
			snprintf(text, sizeof(text), "%g", i->value.u_val);
	}
	rrd_info_free(info);
	return !strcmp(text, value);
}

size_t count_files(const struct world *w, const char *pattern)
{
	char path[128];
	glob_t found;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", w->directory, pattern);
	n = glob(path, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
	globfree(&found);
	return n;
}

void copy_file(const char *from, const char *to)
{
	char buf[8192];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		assert_int_equal(write(out, buf, (size_t)n), n);
	close(in);
	close(out);
}

void lose_rights(const char *path, mode_t mode)
{
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	else
		assert_int_equal(chmod(path, mode), 0);
}

void regain_rights(const char *path, mode_t mode)
{
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	else
		assert_int_equal(chmod(path, mode), 0);
}
