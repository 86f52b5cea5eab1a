/* SPDX-License-Identifier: MIT */
/* A bar that shows how full something is. */
#ifndef CONNWATCH_BAR_H
#define CONNWATCH_BAR_H

#include <stdbool.h>

#define BAR_MAX_CELLS 40
#define BAR_SIZE (BAR_MAX_CELLS * 3 + 1)

/*
 * A bar of cells (at most BAR_MAX_CELLS) columns into out, as UTF-8 block characters or ASCII. Only
 * what is full fills it, and what is not empty shows; an unknown percent is an empty bar. Returns
 * out.
 */
const char *bar_render(char out[static BAR_SIZE], double percent, int cells, bool utf8);

#endif
