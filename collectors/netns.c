/* SPDX-License-Identifier: MIT */
#include "collectors/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/util.h"

struct netns {
	char *name, *path;
	dev_t device;
	ino_t inode; /* 0: none was seen */
};

/* The daemon's own, to come back to; opened before the first other one is entered, and kept. */
static int own = -1;

int netns_new(const char *name, const char *path, struct netns **out)
{
	struct netns *netns = calloc(1, sizeof(*netns));

	if (!netns)
		return -ENOMEM;
	netns->name = strdup(name);
	netns->path = strdup(path);
	if (!netns->name || !netns->path) {
		netns_free(netns);
		return -ENOMEM;
	}
	*out = netns;
	return 0;
}

void netns_free(struct netns *netns)
{
	if (!netns)
		return;
	free(netns->name);
	free(netns->path);
	free(netns);
}

const char *netns_name(const struct netns *netns)
{
	return netns->name;
}

uint64_t netns_number(const struct netns *netns)
{
	return netns->inode;
}

/* O_NONBLOCK: a pipe in its place must not hold up the daemon. */
static int open_seen(const struct netns *netns)
{
	CLEANUP_CLOSE int fd = open(netns->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_ino != netns->inode || st.st_dev != netns->device)
		return -ESTALE;
	return take_fd(&fd);
}

int netns_enter(const struct netns *netns)
{
	CLEANUP_CLOSE int fd = -1;

	if (!netns)
		return 0;
	if (own < 0)
		own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (own < 0)
		return -errno;
	fd = open_seen(netns);
	if (fd < 0)
		return fd;
	return setns(fd, CLONE_NEWNET) < 0 ? -errno : 0;
}

void netns_leave(const struct netns *netns)
{
	if (netns && setns(own, CLONE_NEWNET) < 0)
		abort();
}

int netns_look(struct netns *netns)
{
	struct stat st;
	int r = stat(netns->path, &st) < 0 ? -errno : 0;

	if (r == 0 && st.st_ino == netns->inode && st.st_dev == netns->device)
		return 0;
	if (r == 0) {
		netns->inode = st.st_ino;
		netns->device = st.st_dev;
		r = netns_enter(netns);
	}
	if (r < 0) {
		netns->inode = 0;
		return r;
	}
	netns_leave(netns);
	return NETNS_OTHER;
}

void netns_explain(const struct netns *netns, int error, char *out, size_t size)
{
	if (error == -EINVAL)
		snprintf(out, size, "%.96s is no network namespace", netns->path);
	else if (error == -EPERM)
		snprintf(out, size,
			"cannot enter %.96s: it takes CAP_SYS_ADMIN, see the drop-in netns.conf",
			netns->path);
	else
		snprintf(out, size, "cannot enter %.96s: %s", netns->path, strerror(-error));
}
