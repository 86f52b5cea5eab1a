/* SPDX-License-Identifier: MIT */
/*
 * A graph as data: what a collector declares beside its metrics. Pages and pictures are made from
 * it alone (cli/graphdef.h). Thresholds are not declared: a rule in force is drawn where its value,
 * and its limit if it has one, are in the graph.
 */
#ifndef CONNWATCH_GRAPH_H
#define CONNWATCH_GRAPH_H

#include <stddef.h>

/* After Okabe and Ito, with a few more of other lightness: told apart by colour-blind people too.
 * Thresholds are orange and vermilion, limits black. */
enum graph_colour {
	COLOUR_SKY,
	COLOUR_BLUE,
	COLOUR_GREEN,
	COLOUR_PURPLE,
	COLOUR_YELLOW,
	COLOUR_GREY,
	COLOUR_NAVY,
	COLOUR_LIME,
	COLOUR_BROWN,
	COLOUR_ORANGE,
	COLOUR_VERMILION,
	COLOUR_BLACK,
	N_COLOURS,
};

enum graph_style {
	GRAPH_AREA,  /* the average, and the maximum as a thin line above */
	GRAPH_LINE,  /* the same */
	GRAPH_STACK, /* an area on top of the one before; the average alone */
	GRAPH_PEAK,  /* a metric that is itself the maximum of the one before: a thin line of
			maxima, in place of the other's */
	GRAPH_LIMIT, /* what the others must not reach; none where it is 0 */
};

struct graph_series {
	size_t metric; /* index into the collector's metrics */
	const char *legend;
	enum graph_style style;
	enum graph_colour colour;
};

#define GRAPH_SERIES_MAX 12

/* Its series are all numbers, or all counters and drawn per second. */
struct graph {
	const char *name; /* [a-z][a-z0-9_]*: "drops" of instance conntrack is "conntrack-drops" */
	const char *title;
	const char *unit; /* of the axis: "entries", "packets per second" */
	struct graph_series series[GRAPH_SERIES_MAX]; /* ends with one without a legend */
};

#endif
