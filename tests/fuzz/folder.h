/* SPDX-License-Identifier: MIT */
/* A folder for a target's files, in memory where there is such a place; it goes with the process. */
#ifndef CONNWATCH_FUZZ_FOLDER_H
#define CONNWATCH_FUZZ_FOLDER_H

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/util.h"

static char folder[64];

static void folder_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	if (system(command) != 0)
		warnx("%s is left behind", folder);
}

static inline void folder_make(void)
{
	strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX");
	if (!mkdtemp(folder))
		err(2, "%s", folder);
	atexit(folder_remove);
}

/* In the place of what is there. */
static inline void file_put(const char *path, const void *data, size_t size)
{
	CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		err(2, "%s", path);
}

#endif
