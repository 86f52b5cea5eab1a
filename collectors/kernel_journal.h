/* SPDX-License-Identifier: MIT */
/*
 * The kernel's lines in the systemd journal, for a process that may not read /dev/kmsg. The newest
 * files are opened to read what has come and closed again, so that nothing of them stays mapped.
 * Nothing is watched, so nothing wakes the daemon.
 */
#ifndef CONNWATCH_KERNEL_JOURNAL_H
#define CONNWATCH_KERNEL_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Begins zeroed. */
struct kernel_journal {
	const char *directory; /* of journal files; NULL: the system's */
	char *cursor;          /* of the last line that was read; NULL: none was */
};

/*
 * Read what has come since the last time, at most max lines of the kernel, and add those that say
 * that the conntrack table was full to *lines; the first time, the last max lines there are.
 * Returns how many lines were read (max: there may be more), or -errno: -EACCES if no journal may
 * be read, -ENOENT if there is none or it has no line of the kernel, as a container's.
 */
ssize_t kernel_journal_drain(struct kernel_journal *journal, size_t max, uint64_t *lines);
void kernel_journal_close(struct kernel_journal *journal);

#endif
