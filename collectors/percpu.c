/* SPDX-License-Identifier: MIT */
#include "collectors/percpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collector.h"

#define CPU_LIMIT 65536                /* Linux has at most 8192 */
#define RESET_STEP (UINT32_C(1) << 30) /* counts; 10^8 a second for ten seconds */
#define FIELDS_LIMIT 64                /* columns of a table; 17 on Linux 6.18 */

void percpu_begin(struct percpu *percpu)
{
	for (size_t i = 0; i < percpu->n_cpus; i++)
		percpu->cpus[i].fresh = false;
}

static int make_room(struct percpu *percpu, size_t cpu)
{
	struct percpu_cpu *cpus;

	if (cpu < percpu->n_cpus)
		return 0;
	if (cpu >= CPU_LIMIT)
		return -EBADMSG;
	cpus = realloc(percpu->cpus, (cpu + 1) * sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	memset(cpus + percpu->n_cpus, 0, (cpu + 1 - percpu->n_cpus) * sizeof(*cpus));
	percpu->cpus = cpus;
	percpu->n_cpus = cpu + 1;
	return 0;
}

int percpu_add(struct percpu *percpu, size_t cpu, const uint32_t values[], size_t n)
{
	int r = make_room(percpu, cpu);

	if (r < 0)
		return r;
	memcpy(percpu->cpus[cpu].value, values, n * sizeof(values[0]));
	percpu->cpus[cpu].fresh = true;
	return 0;
}

static uint64_t next_sum(const struct percpu *percpu, size_t column)
{
	uint64_t total = 0, sum = percpu->sum[column];
	bool reset = false;

	for (size_t i = 0; i < percpu->n_cpus; i++) {
		const struct percpu_cpu *cpu = &percpu->cpus[i];
		uint32_t step = cpu->value[column] - (cpu->known ? cpu->last[column] : 0);

		if (!cpu->fresh)
			continue;
		reset = reset || (cpu->known && step >= RESET_STEP);
		total += cpu->value[column];
		sum += step;
	}
	return reset ? total : sum;
}

void percpu_end(struct percpu *percpu)
{
	for (size_t i = 0; i < PERCPU_COLUMNS; i++)
		percpu->sum[i] = next_sum(percpu, i);
	for (size_t i = 0; i < percpu->n_cpus; i++) {
		struct percpu_cpu *cpu = &percpu->cpus[i];

		if (!cpu->fresh)
			continue;
		memcpy(cpu->last, cpu->value, sizeof(cpu->last));
		cpu->known = true;
	}
}

void percpu_reset(struct percpu *percpu)
{
	free(percpu->cpus);
	*percpu = (struct percpu){0};
}

/* Which of the wanted columns each field of the header is: an index, or n for the others. */
static int read_header(
	struct span line, const char *const names[], size_t n, size_t column_of[], size_t *fields)
{
	struct span word;

	for (*fields = 0; span_word(&line, &word); (*fields)++) {
		size_t column = 0;

		if (*fields == FIELDS_LIMIT)
			return -EBADMSG;
		while (column < n && !span_equal(word, names[column]))
			column++;
		column_of[*fields] = column;
	}
	return *fields ? 0 : -EBADMSG;
}

static int read_row(
	struct span line, const size_t column_of[], size_t fields, size_t n, uint32_t values[])
{
	struct span word;
	uint64_t value;

	for (size_t i = 0; i < fields; i++) {
		if (!span_word(&line, &word) || !span_hex(word, &value))
			return -EBADMSG;
		if (column_of[i] < n)
			values[column_of[i]] =
				(uint32_t)value; /* net/stat/arp_cache prints 64 bits */
	}
	return span_word(&line, &word) ? -EBADMSG : 0;
}

int percpu_table(
	struct percpu *percpu, struct span text, const char *const names[], size_t n, double sums[])
{
	uint32_t values[PERCPU_COLUMNS] = {0};
	size_t column_of[FIELDS_LIMIT], fields, rows = 0;
	struct span line;
	int r;

	for (size_t i = 0; i < n; i++)
		sums[i] = UNKNOWN;
	if (!span_is_whole(text) || !span_line(&text, &line) ||
		read_header(line, names, n, column_of, &fields) < 0)
		return -EBADMSG;
	percpu_begin(percpu);
	while (span_line(&text, &line)) {
		r = read_row(line, column_of, fields, n, values);
		if (r == 0)
			r = percpu_add(percpu, rows, values, n);
		if (r < 0)
			return r;
		rows++;
	}
	if (!rows)
		return -EBADMSG;
	percpu_end(percpu);
	for (size_t i = 0; i < fields; i++)
		if (column_of[i] < n)
			sums[column_of[i]] = (double)percpu->sum[column_of[i]];
	return 0;
}
