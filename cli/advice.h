/* SPDX-License-Identifier: MIT */
/* What `connwatch advise` says of each setting, from facts alone. Pure. */
#ifndef CONNWATCH_ADVICE_H
#define CONNWATCH_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

/* How much of a limit is used. UNKNOWN where it is not known. */
struct advice_usage {
	double now, peak; /* peak: the highest that is known, now included */
	double span;      /* seconds of records that peak is from; 0: none, peak is a moment's */
};

/* UNKNOWN where a fact is not to be had. Settings are those in force. */
struct advice_facts {
	double conntrack_max, conntrack_buckets, timeout_established, tcp_loose; /* seconds */
	double max_orphans, max_tw_buckets, somaxconn, port_low, port_high;
	struct advice_usage entries, orphans, tw, listen_queue, ports; /* ports: of one tuple */
	double listen_overflows;                                       /* since the boot */
	double memory, memory_available;                               /* bytes */
	double entry_size, tw_size; /* bytes of kernel memory; UNKNOWN: not to be seen */
	bool other_namespace;       /* than the initial one, which some settings belong to */
};

/* What is assumed where the kernel does not show it; bytes. */
#define ADVICE_ENTRY_SIZE 256 /* Linux 6.1 and 6.18 on x86_64 */
#define ADVICE_BUCKET_SIZE 8

#define ADVICE_KEYS 8
#define ADVICE_VALUE_SIZE 32
#define ADVICE_REASON_SIZE 512

struct advice {
	const char *key;
	char value[ADVICE_VALUE_SIZE];   /* to be set, or as it is; "" if it is not there */
	char reason[ADVICE_REASON_SIZE]; /* why, and what it costs in memory: one line */
	bool change;
};

/* In the order in which they are printed. */
void advice_give(const struct advice_facts *facts, struct advice out[static ADVICE_KEYS]);

/* "512 bytes", "64 KiB", "1.5 MiB", "122 MiB"; returns out (TEXT_SIZE). */
const char *advice_bytes(char *out, double bytes);

#endif
