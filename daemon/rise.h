/* SPDX-License-Identifier: MIT */
/* Is a stretch of looks a rise, how fast is it, and does it end at the limit or come to rest below?
 * Pure. */
#ifndef CONNWATCH_RISE_H
#define CONNWATCH_RISE_H

#include <stdbool.h>
#include <stddef.h>

#define RISE_BINS 18 /* a multiple of 3 and of 2 */

/* What one window knows between its evaluations. Zeroed to begin with. */
struct rise_noise {
	float bend; /* running median of how far its thirds are off a line, points of the limit */
	unsigned count; /* evaluations it was taken from */
};

/* What one evaluation finds. Zeroed: nothing. */
struct rise {
	double slope;   /* at the end of the window, of the value per second */
	double most;    /* an upper bound of it, for those who ask whether a rise has ended */
	double seconds; /* to full from the end of the window; UNKNOWN: comes to rest before */
	double soonest; /* if the noise hides that it bends less, with less proof of a rise; or
			   UNKNOWN */
	bool valid;     /* enough looks in each third */
	bool real;      /* a rise beyond the noise, neither a step nor just begun */
	bool even;      /* real, and it was there all along the window */
	bool full; /* real, and it fills the table even if it bends as much as the noise can hide */
	bool rest; /* it bends beyond the noise, to a rest below the limit */
};

/* A window to be judged. */
struct rise_window {
	const float *means; /* of n stretches of bin_seconds each, oldest first; NAN where there was
			       no look */
	size_t n;           /* RISE_BINS or half of them */
	double bin_seconds;
	double limit; /* > 0, in the unit of the means */
};

/* noise is carried from one evaluation of the same window to the next. */
void rise_judge(const struct rise_window *window, struct rise_noise *noise, struct rise *out);

#endif
