/* SPDX-License-Identifier: MIT */
/*
 * Network namespaces other than the daemon's own, each known by a path such as ip-netns(8) makes. What is
 * opened in one stays with it; so the daemon enters it to open, and reads from where it always is.
 */
#ifndef CONNWATCH_NETNS_H
#define CONNWATCH_NETNS_H

#include <stddef.h>
#include <stdint.h>

struct netns;

/* Both are copied. Returns 0 or -ENOMEM. */
int netns_new(const char *name, const char *path, struct netns **out);
void netns_free(struct netns *netns);
const char *netns_name(const struct netns *netns);

/*
 * See what is at the path now: 0: the same namespace as at the last call, NETNS_OTHER: another one, which may be entered;
 * or -errno: -ENOENT: nothing, -EPERM: it may not be entered, -EINVAL: something else than a network namespace.
 */
#define NETNS_OTHER 1
int netns_look(struct netns *netns);
/* The inode of the one that was seen last, by which the kernel's structures call it; 0: none. */
uint64_t netns_number(const struct netns *netns);
/* Why netns_look() failed, with what to do about it. */
void netns_explain(const struct netns *netns, int error, char *out, size_t size);

/*
 * The process is in that namespace until netns_leave(): the one that netns_look() saw, else -ESTALE. Without one (NULL)
 * it stays where it is. Returns 0 or -errno. Whoever cannot leave is ended: all its readings would be another's.
 */
int netns_enter(const struct netns *netns);
void netns_leave(const struct netns *netns);

#endif
