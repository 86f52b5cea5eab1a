/* SPDX-License-Identifier: MIT */
#include "daemon/conf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/util.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";

static int read_all(int fd, char *text, size_t size, size_t *len)
{
	size_t n = 0;

	while (n < size) {
		ssize_t got = read(fd, text + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*len = n;
	return 0;
}

int conf_file_read(const char *path, struct conf_file *out)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	CLEANUP_FREE char *text = NULL;
	struct stat st;
	size_t len = 0;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	/* /dev/null is an empty file to everybody. */
	if (!S_ISREG(st.st_mode) && !(S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)))
		return -ENOTSUP;
	text = malloc(CONF_FILE_MAX + 1);
	if (!text)
		return -ENOMEM;
	r = read_all(fd, text, CONF_FILE_MAX + 1, &len);
	if (r < 0)
		return r;
	if (len > CONF_FILE_MAX)
		return -EFBIG;
	if (len >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
		len -= 3;
		memmove(text, text + 3, len);
	}
	*out = (struct conf_file){
		.text = take_ptr(text), .len = len, .dev = st.st_dev, .ino = st.st_ino};
	return 0;
}

const char *conf_file_strerror(int error)
{
	switch (-error) {
	case EISDIR:
		return "is a folder, not a regular file";
	case ENOTSUP:
		return "is not a regular file";
	case EACCES:
		return "Permission denied; let all, or the group connwatchd, read it";
	case EFBIG:
		return "is larger than 1 MiB";
	default:
		return strerror(-error);
	}
}

const char *conf_file_beside(struct arena *arena, const char *from, const char *name)
{
	const char *slash = strrchr(from, '/');

	if (*name == '/' || !slash)
		return arena_strdup(arena, name);
	return arena_printf(arena, "%.*s/%s", (int)(slash - from), from, name);
}

/* The folder has no symbolic links any more, so that leading "../" may be taken off it by name. */
static const char *join(struct arena *arena, char *folder, const char *name)
{
	while (strncmp(name, "../", 3) == 0 || strncmp(name, "./", 2) == 0) {
		char *slash = strrchr(folder, '/');

		if (name[1] == '.' && slash)
			*slash = '\0';
		name = strchr(name, '/') + 1;
	}
	return arena_printf(arena, "%s/%s", folder, name);
}

const char *conf_file_absolute(struct arena *arena, const char *from, const char *name)
{
	const char *slash = strrchr(from, '/');
	const char *folder = slash ? arena_printf(arena, "%.*s", (int)(slash - from), from) : ".";
	CLEANUP_FREE char *real = NULL;
	char *path;
	size_t len;

	if (!folder)
		return NULL;
	if (*name == '/') {
		path = arena_strdup(arena, name);
	} else {
		real = realpath(*folder ? folder : "/", NULL);
		if (!real)
			return NULL;
		if (strcmp(real, "/") == 0)
			*real = '\0';
		path = arena_strdup(arena, join(arena, real, name));
	}
	len = path ? strlen(path) : 0;
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	return path;
}
