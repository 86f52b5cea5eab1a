/* SPDX-License-Identifier: MIT */
/* A configuration file as one piece of memory, and the files it names. */
#ifndef CONNWATCH_CONF_FILE_H
#define CONNWATCH_CONF_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "daemon/conf_arena.h"

#define CONF_FILE_MAX (1024 * 1024) /* bytes */

struct conf_file {
	char *text; /* without a byte order mark; for free(3) */
	size_t len;
	dev_t dev;
	ino_t ino;
};

/*
 * Read path whole. Returns 0 or -errno: -EISDIR for a folder, -ENOTSUP for anything else that is no
 * regular file, -EFBIG above CONF_FILE_MAX. Never waits for a FIFO.
 */
int conf_file_read(const char *path, struct conf_file *out);
/* What such an error means, to follow "FILE: ". */
const char *conf_file_strerror(int error);

/* name as seen from the folder of the file `from`: absolute ones stay as they are. NULL without
 * memory. */
const char *conf_file_beside(struct arena *arena, const char *from, const char *name);
/* As conf_file_beside(), made absolute, without trailing slashes: a path the daemon is to use. NULL
 * with errno set. */
const char *conf_file_absolute(struct arena *arena, const char *from, const char *name);

#endif
