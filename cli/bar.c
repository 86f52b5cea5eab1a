/* SPDX-License-Identifier: MIT */
#include "cli/bar.h"

#include <math.h>
#include <string.h>

/* What a cell looks like with this many of its parts filled, the last one whole. */
struct shape {
	int parts;
	const char *filled[9];
};

static const struct shape ascii = {1, {".", "#"}};
/* U+2591, then eighths of a block from the left, U+258F down to U+2588. */
static const struct shape blocks = {
	8, {"\xe2\x96\x91", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d", "\xe2\x96\x8c",
		   "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89", "\xe2\x96\x88"}};

const char *bar_render(char out[static BAR_SIZE], double percent, int cells, bool utf8)
{
	const struct shape *shape = utf8 ? &blocks : &ascii;
	int all, filled = 0;
	char *end = out;

	cells = cells < BAR_MAX_CELLS ? cells : BAR_MAX_CELLS;
	all = cells * shape->parts;
	if (percent >= 100)
		filled = all;
	else if (percent > 0)
		filled = (int)fmin(fmax(floor(percent / 100 * all), 1), all - 1);
	*end = '\0';
	for (int i = 0; i < cells; i++) {
		int part = filled - i * shape->parts;

		part = part < 0 ? 0 : part > shape->parts ? shape->parts : part;
		end = stpcpy(end, shape->filled[part]);
	}
	return out;
}
