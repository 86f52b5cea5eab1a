/* SPDX-License-Identifier: MIT */
#include "collectors/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "collectors/netns.h"
#include "daemon/util.h"

#define BUFFER_START (32 * 1024)        /* bytes; net/netstat has 6 KiB on Linux 6.18 */
#define BUFFER_LIMIT (16 * 1024 * 1024) /* bytes; beyond it the file is not one of ours */

struct proc {
	int fd; /* the directory */
	unsigned owners;
	bool recorded;
	struct netns *netns; /* NULL: the daemon's own */
	char *buffer;
	size_t size;
	char *supplied_path, *supplied_text; /* see proc_supply(); NULL: none */
};

/* fd: the directory, or -1 with errno. */
static int make(int directory, struct proc **out)
{
	CLEANUP_CLOSE int fd = directory;
	struct proc *proc;
	struct statfs fs;

	if (fd < 0 || faccessat(fd, ".", X_OK, AT_EACCESS) < 0 || fstatfs(fd, &fs) < 0)
		return -errno;
	proc = calloc(1, sizeof(*proc));
	if (!proc)
		return -ENOMEM;
	proc->buffer = malloc(BUFFER_START);
	if (!proc->buffer) {
		free(proc);
		return -ENOMEM;
	}
	proc->size = BUFFER_START;
	proc->owners = 1;
	proc->recorded = fs.f_type != PROC_SUPER_MAGIC;
	proc->fd = take_fd(&fd);
	*out = proc;
	return 0;
}

int proc_new(const char *path, struct proc **out)
{
	return make(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), out);
}

int proc_new_netns(const struct proc *proc, struct netns *netns, struct proc **out)
{
	int r = make(fcntl(proc->fd, F_DUPFD_CLOEXEC, 0), out);

	if (r < 0)
		netns_free(netns);
	else
		(*out)->netns = netns;
	return r;
}

struct netns *proc_netns(const struct proc *proc)
{
	return proc->netns;
}

struct proc *proc_ref(struct proc *proc)
{
	proc->owners++;
	return proc;
}

void proc_free(struct proc *proc)
{
	if (!proc || --proc->owners > 0)
		return;
	close(proc->fd);
	netns_free(proc->netns);
	free(proc->buffer);
	free(proc->supplied_path);
	free(proc->supplied_text);
	free(proc);
}

int proc_supply(struct proc *proc, const char *path, const char *text)
{
	free(proc->supplied_path);
	free(proc->supplied_text);
	proc->supplied_path = text ? strdup(path) : NULL;
	proc->supplied_text = text ? strdup(text) : NULL;
	return text && (!proc->supplied_path || !proc->supplied_text) ? -ENOMEM : 0;
}

static bool is_supplied(const struct proc *proc, const char *path)
{
	return proc->supplied_path && proc->supplied_text && strcmp(path, proc->supplied_path) == 0;
}

bool proc_is_recorded(const struct proc *proc)
{
	return proc->recorded;
}

int proc_open(const struct proc *proc, const char *path)
{
	int r = netns_enter(proc->netns), fd;

	if (r < 0)
		return r;
	/* O_NONBLOCK: a pipe put into a recorded tree must not hold up the daemon. */
	fd = openat(proc->fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		fd = -errno;
	netns_leave(proc->netns);
	return fd;
}

bool proc_has(const struct proc *proc, const char *path)
{
	return faccessat(proc->fd, path, F_OK, 0) == 0;
}

static int grow(struct proc *proc)
{
	char *larger;

	if (proc->size >= BUFFER_LIMIT)
		return -EFBIG;
	larger = realloc(proc->buffer, proc->size * 2);
	if (!larger)
		return -ENOMEM;
	proc->buffer = larger;
	proc->size *= 2;
	return 0;
}

/*
 * One file from its beginning. What is handed out in one piece ends with the first read that leaves
 * room.
 */
static int fill(struct proc *proc, int fd, bool to_zero, size_t *len)
{
	size_t have = 0;
	ssize_t n;

	for (;;) {
		if (have + 1 >= proc->size) {
			int r = grow(proc);

			if (r < 0)
				return r;
		}
		n = pread(fd, proc->buffer + have, proc->size - 1 - have, (off_t)have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		have += (size_t)n;
		if (n == 0 || (!to_zero && have + 1 < proc->size))
			break;
	}
	proc->buffer[have] = '\0';
	*len = have;
	return 0;
}

/*
 * What a kept descriptor says when its module was unloaded (and perhaps loaded again since), or the
 * process whose folder it is below has ended.
 */
static bool vanished(int error)
{
	return error == -ENOENT || error == -EIO || error == -ENODEV || error == -ESRCH;
}

int procfile_read(struct proc *proc, struct procfile *file, struct span *text)
{
	bool kept = file->fd >= 0;
	size_t len = 0;
	int r = 0;

	for (;;) {
		if (file->fd < 0)
			file->fd = proc_open(proc, file->path);
		r = file->fd < 0 ? file->fd
				 : fill(proc, file->fd, file->records || proc->recorded, &len);
		if (r < 0 || proc->recorded)
			procfile_close(file);
		if (r == 0 || !kept || !vanished(r))
			break;
		kept = false;
	}
	if (r == -ENOENT && is_supplied(proc, file->path)) {
		*text = (struct span){proc->supplied_text, strlen(proc->supplied_text)};
		return 0;
	}
	if (r < 0)
		return r;
	*text = (struct span){proc->buffer, len};
	return 0;
}

int procfile_numbers(struct proc *proc, struct procfile *file, size_t n, double out[])
{
	struct span text, line, word;
	uint64_t value;
	int r = procfile_read(proc, file, &text);

	if (r < 0)
		return r;
	if (!span_is_whole(text) || !span_line(&text, &line) || text.len)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		if (!span_word(&line, &word) || !span_decimal(word, &value))
			return -EBADMSG;
		out[i] = (double)value;
	}
	return span_word(&line, &word) ? -EBADMSG : 0;
}

void procfile_close(struct procfile *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

int reading_fail(struct reading *r, int error, const char *path)
{
	bool open_failed = error == -ENOENT || error == -EACCES || error == -EPERM ||
			   error == -ENOTDIR || error == -ELOOP || error == -EMFILE ||
			   error == -ENFILE;

	if (r->error[0])
		return error;
	if (error == -EBADMSG)
		snprintf(r->error, sizeof(r->error), "cannot read %s: unexpected content", path);
	else
		snprintf(r->error, sizeof(r->error), "cannot %s %s: %s",
			open_failed ? "open" : "read", path, strerror(-error));
	return error;
}
