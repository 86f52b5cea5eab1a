/* SPDX-License-Identifier: MIT */
/*
 * Files below /proc, or below a recorded tree. On a real procfs descriptors are kept open and read
 * with pread (half the cost of reopening); a recorded tree is opened afresh each time, as its files
 * may be replaced.
 */
#ifndef CONNWATCH_PROCFILE_H
#define CONNWATCH_PROCFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/span.h"
#include "daemon/collector.h"

/* Returns 0 and a handle for proc_free(), or -errno if path is not a directory one may enter. */
int proc_new(const char *path, struct proc **out);
struct netns; /* collectors/netns.h */
/*
 * The same tree as another network namespace has it: a handle of its own, for proc_free() too, whose files are opened in
 * there. netns is taken over, also where it fails. Returns 0 or -errno.
 */
int proc_new_netns(const struct proc *proc, struct netns *netns, struct proc **out);
/* The namespace of the handle; NULL: the daemon's own. */
struct netns *proc_netns(const struct proc *proc);
/* One more owner of the handle: proc_free() for each. Returns proc. */
struct proc *proc_ref(struct proc *proc);
void proc_free(struct proc *proc);
/*
 * True for anything that is not procfs: then nothing may be asked of the running kernel by another
 * way.
 */
bool proc_is_recorded(const struct proc *proc);
/* Opens path below the tree to read it piece by piece: a descriptor for close(), or -errno. */
int proc_open(const struct proc *proc, const char *path);

/* Whether there is such a file; not asked of what was supplied. */
bool proc_has(const struct proc *proc, const char *path);
/*
 * Let path read as text wherever the kernel has no such file, until the next call; NULL: no more.
 * Both are copied. Returns 0 or -ENOMEM.
 */
int proc_supply(struct proc *proc, const char *path, const char *text);

/*
 * One file: a path relative to the tree, and its descriptor while it is kept open. Initialise with
 * PROCFILE(path).
 */
struct procfile {
	const char *path;
	int fd;
	bool records; /* the kernel hands it out record by record (seq_file): only a read of 0 bytes
			 is its end */
};
#define PROCFILE(p) ((struct procfile){.path = (p), .fd = -1})
#define PROCFILE_RECORDS(p) ((struct procfile){.path = (p), .fd = -1, .records = true})

/*
 * Read the whole file, however long (up to 16 MiB), into proc's buffer: text->at is NUL-terminated
 * beyond text->len, valid until the next read from proc. The buffer grows when a file outgrows it
 * and is kept: no allocation otherwise. A file that vanished behind its descriptor is opened anew
 * once. Returns 0 or -errno; on error the descriptor is closed, so that the next read opens the
 * file anew.
 */
int procfile_read(struct proc *proc, struct procfile *file, struct span *text);
/*
 * Read a file that holds exactly n unsigned numbers (a sysctl) into out[n]; -EBADMSG if it holds
 * anything else.
 */
int procfile_numbers(struct proc *proc, struct procfile *file, size_t n, double out[]);
void procfile_close(struct procfile *file);

/*
 * Puts "cannot open|read PATH: errno text" into r->error unless something stands there already;
 * returns error.
 */
int reading_fail(struct reading *r, int error, const char *path);

#endif
