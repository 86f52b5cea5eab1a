/* SPDX-License-Identifier: MIT */
/* Records of /dev/kmsg (Documentation/ABI/testing/dev-kmsg), and the kernel's word for a full
 * connection tracking table. */
#ifndef CONNWATCH_KMSG_H
#define CONNWATCH_KMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/span.h"

/* Facility of what the kernel itself says; a line that a process writes into the log never has it.
 */
#define KMSG_KERNEL 0

/* One record. */
struct kmsg_record {
	uint64_t facility;   /* as of syslog(3), without the shift */
	struct span message; /* borrowed from the record */
};

/*
 * Parse one record, "PRIORITY,SEQUENCE,USEC,FLAGS[,...];MESSAGE" and perhaps lines of dictionary
 * (pure). Returns 0 or -EBADMSG.
 */
int kmsg_parse(struct span record, struct kmsg_record *out);

/*
 * True if a message is, as a whole, one of the ways in which kernels since 2.4 have said "table
 * full, dropping packet" (pure).
 */
bool kmsg_is_table_full(struct span message);

/* The two together: a record of the kernel's own that says so (pure). */
bool kmsg_counts(struct span record);

/*
 * Read what is there from a descriptor of /dev/kmsg opened with O_NONBLOCK, at most max records,
 * and add those that count to *lines. Records that were overwritten before they could be read are
 * passed over. Returns how many were read (max: there may be more), or -errno.
 */
ssize_t kmsg_drain(int fd, size_t max, uint64_t *lines);

#endif
