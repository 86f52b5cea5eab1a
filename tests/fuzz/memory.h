/* SPDX-License-Identifier: MIT */
/* A file in memory, for readers that want a path. */
#ifndef CONNWATCH_FUZZ_MEMORY_H
#define CONNWATCH_FUZZ_MEMORY_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns a descriptor, which has to be closed, with its path; or -1. */
static inline int memory_file(const void *data, size_t size, char path[static 32])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return -1;
	}
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

#endif
