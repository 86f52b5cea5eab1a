/* SPDX-License-Identifier: MIT */
/*
 * The pages that rrdcgi shows, as HTML with its tags in it: an index of all graphs, and a page for
 * each. They take no parameter and need no script.
 */
#ifndef CONNWATCH_PAGE_H
#define CONNWATCH_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "cli/graphdef.h"
#include "cli/limits.h"
#include "daemon/conf.h"

/* The first two lines of every page; the first is not shown. */
#define PAGE_HEAD                                                                                  \
	"#!/usr/bin/rrdcgi\n"                                                                      \
	"<!DOCTYPE html><!-- made by connwatch pages -->\n"

/* What all pages are made from; borrowed. No path may hold <, > or control characters: see
 * page_can_hold(). */
struct pages {
	const struct conf *conf;
	const struct graph_ref *graphs;
	size_t n_graphs;
	const struct limit *limits;
	size_t n_limits;
	const char *images; /* folder where rrdcgi puts them; images/ of the pages' URL */
	const char *alerts; /* the daemon's alerts.html, which has to exist; or NULL */
	const char *host;
};

void page_index(const struct pages *pages, FILE *out);
void page_graph(const struct pages *pages, const struct graph_ref *graph, FILE *out);
void page_style(FILE *out);

/* Whether a tag of rrdcgi can hold this text: it counts < and > within quotes too. */
bool page_can_hold(const char *text);

/* One argument within a tag of rrdcgi, quoted, with a blank before it. */
void page_argument(const char *text, FILE *out);

#endif
