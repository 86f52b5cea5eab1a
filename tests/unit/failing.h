/* SPDX-License-Identifier: MIT */
/*
 * Lets the nth allocation, or the nth call to the system, of the code under test fail; for programs that are linked with
 * the --wrap options of tests/CMakeLists.txt. Libraries go on as ever.
 */
#ifndef CONNWATCH_FAILING_H
#define CONNWATCH_FAILING_H

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>

static struct {
	long memory, calls; /* that succeed before one that fails; negative: none fails */
} failing = {-1, -1};

static bool fails(long *left, int error)
{
	if (*left < 0 || (*left)-- > 0)
		return false;
	errno = error;
	return true;
}

#define WRAP(type, name, parameters, arguments, left, error, failure)                              \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(&failing.left, error) ? (failure) : __real_##name arguments;          \
	}

WRAP(void *, malloc, (size_t size), (size), memory, ENOMEM, NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), memory, ENOMEM, NULL)
WRAP(void *, realloc, (void *p, size_t size), (p, size), memory, ENOMEM, NULL)
WRAP(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size), memory, ENOMEM, NULL)
WRAP(char *, strdup, (const char *s), (s), memory, ENOMEM, NULL)
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size), memory, ENOMEM, NULL)
WRAP(int, vasprintf, (char **out, const char *format, va_list args), (out, format, args), memory,
	ENOMEM, -1)

WRAP(int, connect, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size), calls,
	EAGAIN, -1)
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), calls, ENOMEM, NULL)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), calls, EIO, -1)
WRAP(int, fflush, (FILE * file), (file), calls, EIO, -1)
WRAP(pid_t, fork, (void), (), calls, EAGAIN, -1)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), calls, EIO, -1)
WRAP(int, fstatfs, (int fd, struct statfs *fs), (fd, fs), calls, EIO, -1)
WRAP(int, fsync, (int fd), (fd), calls, EIO, -1)
WRAP(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset),
	(at, size, protection, flags, fd, offset), calls, ENOMEM, MAP_FAILED)
WRAP(int, pipe2, (int ends[2], int flags), (ends, flags), calls, EMFILE, -1)
WRAP(int, posix_fallocate, (int fd, off_t from, off_t size), (fd, from, size), calls, ENOSPC,
	ENOSPC)
WRAP(int, posix_spawn,
	(pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),
	(pid, path, actions, attributes, argv, envp), calls, EAGAIN, EAGAIN)
WRAP(ssize_t, pread, (int fd, void *buffer, size_t size, off_t at), (fd, buffer, size, at), calls,
	EIO, -1)
WRAP(ssize_t, pwrite, (int fd, const void *buffer, size_t size, off_t at), (fd, buffer, size, at),
	calls, ENOSPC, -1)
WRAP(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size), calls, EIO, -1)
/* As where the kernel had no room for what it has to say. */
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), calls,
	ENOBUFS, -1)
WRAP(int, renameat2, (int from_fd, const char *from, int to_fd, const char *to, unsigned flags),
	(from_fd, from, to_fd, to, flags), calls, EIO, -1)
WRAP(ssize_t, send, (int fd, const void *buffer, size_t size, int flags), (fd, buffer, size, flags),
	calls, EPIPE, -1)
WRAP(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t size),
	(fd, level, name, value, size), calls, ENOPROTOOPT, -1)
WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol), calls, EMFILE, -1)
WRAP(int, socketpair, (int domain, int type, int protocol, int pair[2]),
	(domain, type, protocol, pair), calls, EMFILE, -1)
WRAP(ssize_t, write, (int fd, const void *buffer, size_t size), (fd, buffer, size), calls, ENOSPC,
	-1)

/* Those of any number of arguments. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list args;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return fails(&failing.calls, EIO) ? -1 : __real_open(path, flags, mode);
}

int __wrap_asprintf(char **out, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(out, format, args);
	va_end(args);
	return n;
}

/*
 * Makes an attempt with the first, the second, ... of *left failing, until it gets through without. Returns how many
 * failed.
 */
static unsigned each_failing(long *left, void (*attempt)(void *arg), void *arg)
{
	for (unsigned n = 0;; n++) {
		*left = n;
		attempt(arg);
		if (*left >= 0) {
			*left = -1;
			return n;
		}
	}
}

#endif
