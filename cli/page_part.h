/* SPDX-License-Identifier: MIT */
/* What the parts of a page share: cli/page.c, cli/page_limits.c. */
#ifndef CONNWATCH_PAGE_PART_H
#define CONNWATCH_PAGE_PART_H

#include "cli/page.h"

/* What becomes of a graph that could be made. */
#define PAGE_IMGINFO "<!--%s %lu %lu-->"

/* Text, escaped. */
void page_html(const char *text, FILE *out);
/* A tag of rrdcgi: "GRAPH". */
void page_tag(const char *name, const struct arglist *args, FILE *out);
/* The tag for what the n-th PRINT of the graph before has given. */
void page_print(size_t n, FILE *out);

/* The section of the limits. */
void page_limits(const struct pages *pages, FILE *out);

#endif
