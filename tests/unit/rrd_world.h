/* SPDX-License-Identifier: MIT */
/* A folder with one RRD in it, and what the store process does with that. */
#ifndef CONNWATCH_RRD_WORLD_H
#define CONNWATCH_RRD_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/rrdfile.h"
#include "tests/unit/test.h"

#define DAY 86400
/* A multiple of every archive's step, later than the build: an earlier clock is taken for a wrong
 * one. */
#define BASE (((int64_t)CONNWATCH_BUILD_DATE / DAY + 30) * DAY)
#define DAMAGED SRCDIR "/tests/fixtures/cases/25-rrd-damaged"

struct world {
	char root[32], directory[64], path[96];
	struct store_open spec; /* columns entries and drop, a row every 10 s */
	struct rrdfile *file;
	struct store_answer answer;
	unsigned busy; /* signs of life */
};

/* Of every test; the directory of the files does not exist yet. */
int set_up(void **state);
int tear_down(void **state);
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* What the store process does with an OPEN and with a ROW. */
void open_at(struct world *w, int64_t clock);
enum store_code row_at(struct world *w, int64_t time, double gauge, double counter);
/* Open and write n rows from time first on: 1000 + i, and 50 i. */
void open_and_write(struct world *w, int64_t first, int n);

/* Of a column, the row of step seconds that ends at time. */
double fetch(const char *path, const char *cf, int64_t time, unsigned long step, size_t column);
/* Of the path's rrd_info. */
bool info_has(const char *path, const char *key, const char *value);

size_t count_files(const struct world *w, const char *pattern);
void copy_file(const char *from, const char *to);
int remove_tree(const char *path);

/* Be somebody who may not write what root owns; an ordinary user takes the permission away from
 * itself. */
void lose_rights(const char *path, mode_t mode);
void regain_rights(const char *path, mode_t mode);

#endif
