/* SPDX-License-Identifier: MIT */
/*
 * Counters that the kernel keeps as 32 bits per CPU (net/stat, net/softnet_stat), as 64-bit sums:
 * the difference is taken per CPU modulo 2^32, then added. The sums start at the kernel's values.
 */
#ifndef CONNWATCH_PERCPU_H
#define CONNWATCH_PERCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/span.h"

#define PERCPU_COLUMNS 10

struct percpu_cpu {
	bool known, fresh; /* there is a last value; a value of this pass */
	uint32_t last[PERCPU_COLUMNS], value[PERCPU_COLUMNS];
};

/* Begins zeroed. */
struct percpu {
	struct percpu_cpu *cpus; /* by CPU number, or by row where the file has none */
	size_t n_cpus;
	uint64_t sum[PERCPU_COLUMNS];
};

/*
 * A pass: begin, add each CPU's n values (n <= PERCPU_COLUMNS), end. Without the end it counts for
 * nothing.
 */
void percpu_begin(struct percpu *percpu);
/*
 * Allocates when cpu is the highest so far. Returns 0, -ENOMEM, or -EBADMSG for a number no machine
 * has.
 */
int percpu_add(struct percpu *percpu, size_t cpu, const uint32_t values[], size_t n);
/*
 * A CPU seen for the first time adds its value. A difference of 2^30 or more within one interval is
 * no wrap but a reset: the column's sum starts again at the kernel's values.
 */
void percpu_end(struct percpu *percpu);

/* Forget everything: the next pass starts at the kernel's values. */
void percpu_reset(struct percpu *percpu);

/*
 * A pass over a table with a line of names and one line of hexadecimal values per CPU. Column i is
 * names[i], n of them; sums[i] is its sum, UNKNOWN where the header lacks the name. Returns 0;
 * -ENOMEM; -EBADMSG (all UNKNOWN, nothing counted) if a row has more or fewer values than there are
 * names, there is no row or the text is torn.
 */
int percpu_table(struct percpu *percpu, struct span text, const char *const names[], size_t n,
	double sums[]);

#endif
