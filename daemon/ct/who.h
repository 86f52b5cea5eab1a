/* SPDX-License-Identifier: MIT */
/*
 * Who fills the conntrack table: counts the entries of a ctnetlink dump and writes the result as
 * JSON. Pure: messages go in, text comes out. At most 23 MiB, whatever the table holds.
 */
#ifndef CONNWATCH_WHO_H
#define CONNWATCH_WHO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/netlink.h>

/* Lines of each list in the answer. */
enum { WHO_TOP = 100 };

struct who;

/* Returns 0 and a count of nothing for who_free(), or -errno. */
int who_new(struct who **out);
void who_free(struct who *w);

/* Count one entry: a complete IPCTNL_MSG_CT_NEW message (nlmsg_len bytes can be read). What it
 * lacks, or what has a wrong length in it, is not counted. */
void who_count(struct who *w, const struct nlmsghdr *nlh);

/* Entries counted so far. */
uint64_t who_entries(const struct who *w);

/* Write the answer, one JSON document as described in ct/summary.h. sample: the table holds more
 * than was counted. */
void who_write(const struct who *w, bool sample, FILE *out);

#endif
