/* SPDX-License-Identifier: MIT */
/*
 * Graphs as rrdtool takes them: a collector's struct graph, an instance and the rules in force
 * become arguments of `rrdtool graph`, for a picture of its own (connwatch graph) and for a page
 * (connwatch pages), whose legend is not in the picture.
 */
#ifndef CONNWATCH_GRAPHDEF_H
#define CONNWATCH_GRAPHDEF_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/arglist.h"
#include "daemon/conf.h"
#include "daemon/rule.h"

#define GRAPH_NAME_SIZE 80
#define GRAPH_THRESHOLDS 8

/* One graph of one instance. */
struct graph_ref {
	size_t instance; /* of conf's */
	const struct graph *graph;
	char name[GRAPH_NAME_SIZE]; /* "sockets-http-states": [a-z0-9_.-]+, unique */
};

/* All of them, in the order of conf's instances, into an array for free(). Returns 0 or -ENOMEM. */
int graphdef_list(const struct conf *conf, struct graph_ref **out, size_t *n);

/* A threshold that is a line in a graph. */
struct graph_threshold {
	enum level level;
	size_t limit; /* series that it is a percentage of; SIZE_MAX: a number of its own */
	double value;
	char legend[64]; /* "warning at 80%" */
};

/* Those of the rules in force. Returns how many there are, at most GRAPH_THRESHOLDS. */
size_t graphdef_thresholds(const struct conf *conf, const struct graph_ref *ref,
	struct graph_threshold out[static GRAPH_THRESHOLDS]);

enum graph_form {
	GRAPH_PICTURE,  /* title, legend and numbers in it */
	GRAPH_PAGE,     /* the bare graph at twice its size, without a background; numbers by PRINT
			*/
	GRAPH_AVERAGES, /* no picture: each series' average by PRINT, "nan" where nothing is known */
};

/* Size of a page's graph as it is shown. */
#define GRAPH_PAGE_WIDTH 480
#define GRAPH_PAGE_HEIGHT 200

struct graph_request {
	const struct conf *conf;
	const struct graph_ref *ref;
	enum graph_form form;
	const char *start, *end; /* as rrdtool takes times */
	long span;               /* seconds between them; 0: not known */
	bool svg;                /* else PNG; pictures */
	const char *zone;        /* of the times, named in pictures */
	unsigned unknown;        /* series of which nothing is known, 1 << number; pictures */
};

/* How many series there are. */
size_t graphdef_series(const struct graph *graph);
/* "#56b4e9" */
const char *graphdef_colour(enum graph_colour colour);

/*
 * Add the arguments behind `rrdtool graph FILE`.
 *
 * A page's PRINTs are, from 0 on: GRAPHDEF_SHOW and GRAPHDEF_END, then for each series, as
 * graphdef_series() counts, its last, average, maximum and 95th percentile; of a limit the last
 * alone.
 */
void graphdef_add(const struct graph_request *request, struct arglist *args);

/* Text that rrdcgi puts in place of a PRINT, if there is one: both of a pair close and open a
 * comment, so that what is between is a part of the page only if the graph could be made. (No tag
 * of rrdcgi can hold a < without a > behind it.) */
#define GRAPHDEF_SHOW "-->"
#define GRAPHDEF_END "<!-- >"

/* The path of an instance's RRD in a DEF. */
void graphdef_add_def(struct arglist *args, const struct conf *conf, size_t instance,
	const char *name, const char *column_and_rest);

#endif
