/* SPDX-License-Identifier: MIT */
/* A world for tests of the loop's modules: a /proc of files, a configuration, and ears for what is
 * said. */
#ifndef CONNWATCH_WORLD_H
#define CONNWATCH_WORLD_H

#include "daemon/conf.h"
#include "daemon/judge.h"
#include "daemon/readings.h"

struct world {
	char directory[64]; /* holds proc/ and state/; removed at the end */
	char said[8192];
	int ears, stderr_fd;
	double now; /* CLOCK_MONOTONIC seconds, moved by hand; the wall clock is WORLD_EPOCH later
		     */
	struct conf *conf;
	struct readings *readings;
	struct judge *judge;
};

#define WORLD_EPOCH 1796068800.0

void world_open(struct world *w);
/* Give it this configuration (proc and paths are added), fresh readings and a fresh judge. */
void world_configure(struct world *w, const char *text);
/* Change over to this configuration as a reload does. */
void world_reload(struct world *w, const char *text);
/* A configuration to be used beside the world's own. */
struct conf *world_conf(struct world *w, const char *text);
/* A file below proc/; NULL removes it. */
void world_put(struct world *w, const char *path, const char *text);
/* Count, maximum: the conntrack table's files. */
void world_conntrack(struct world *w, const char *count, const char *max);
/* One second passes, then a look, or a row; what changes is reported and judged. */
void world_look(struct world *w);
void world_row(struct world *w);
/* Everything logged since the last call, one message a line as "<PRIORITY>text". */
const char *world_said(struct world *w);
void world_close(struct world *w);

#endif
