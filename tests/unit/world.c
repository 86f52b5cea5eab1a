/* SPDX-License-Identifier: MIT */
#include "tests/unit/world.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/log.h"
#include "tests/unit/test.h"

void world_open(struct world *w)
{
	char path[128];

	memset(w, 0, sizeof *w);
	snprintf(w->directory, sizeof w->directory, "/tmp/connwatch-test.XXXXXX");
	assert_non_null(mkdtemp(w->directory));
	snprintf(path, sizeof path, "%s/proc", w->directory);
	assert_int_equal(mkdir(path, 0755), 0);
	w->now = 1000;
	w->ears = memfd_create("said", MFD_CLOEXEC);
	w->stderr_fd = dup(STDERR_FILENO);
	assert_true(w->ears >= 0 && w->stderr_fd >= 0);
	log_open(LOG_TARGET_STDERR, LOG_INFO);
}

static void remember(void *arg, const char *problem)
{
	strncat(arg, problem, 500);
}

struct conf *world_conf(struct world *w, const char *text)
{
	char path[128], problem[1024] = "";
	struct conf *conf = NULL;
	FILE *f;

	snprintf(path, sizeof path, "%s/test.conf", w->directory);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "proc = \"%s/proc\"\nstate_directory = \"%s/state\"\n%s\n", w->directory,
		w->directory, text);
	fclose(f);
	if (conf_load(path, remember, problem, &conf) < 0)
		fail_msg("%s", problem);
	return conf;
}

void world_configure(struct world *w, const char *text)
{
	judge_free(w->judge);
	readings_free(w->readings);
	conf_free(w->conf);
	w->conf = world_conf(w, text);
	assert_int_equal(readings_new(w->conf, &w->readings), 0);
	assert_int_equal(judge_new(w->conf, w->readings, &w->judge), 0);
}

void world_reload(struct world *w, const char *text)
{
	struct conf *conf = world_conf(w, text);
	struct readings *readings;
	struct judge *judge;

	assert_int_equal(readings_renew(conf, w->readings, &readings), 0);
	assert_int_equal(judge_new(conf, readings, &judge), 0);
	readings_inherit(readings, w->readings);
	judge_inherit(judge, w->judge);
	judge_free(w->judge);
	readings_free(w->readings);
	conf_free(w->conf);
	w->conf = conf;
	w->readings = readings;
	w->judge = judge;
}

void world_put(struct world *w, const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof full, "%s/proc/%s", w->directory, path);
	if (!text) {
		unlink(full);
		return;
	}
	for (char *slash = strchr(full + strlen(w->directory) + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

void world_conntrack(struct world *w, const char *count, const char *max)
{
	world_put(w, "sys/net/netfilter/nf_conntrack_count", count);
	world_put(w, "sys/net/netfilter/nf_conntrack_max", max);
}

/* Only while the world's own modules speak does stderr lead to its ears: a failing test must be
 * heard. */
static void step(struct world *w, bool row)
{
	fflush(stderr);
	dup2(w->ears, STDERR_FILENO);
	w->now += 1;
	if (row)
		readings_row(w->readings);
	else
		readings_look(w->readings);
	readings_report(w->readings, w->now);
	judge_look(w->judge, row, w->now, WORLD_EPOCH + w->now);
	fflush(stderr);
	dup2(w->stderr_fd, STDERR_FILENO);
}

void world_look(struct world *w)
{
	step(w, false);
}

void world_row(struct world *w)
{
	step(w, true);
}

const char *world_said(struct world *w)
{
	ssize_t n = pread(w->ears, w->said, sizeof w->said - 1, 0);

	w->said[n > 0 ? n : 0] = '\0';
	assert_int_equal(ftruncate(w->ears, 0), 0);
	lseek(w->ears, 0, SEEK_SET);
	return w->said;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void world_close(struct world *w)
{
	judge_free(w->judge);
	readings_free(w->readings);
	conf_free(w->conf);
	close(w->ears);
	close(w->stderr_fd);
	nftw(w->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
