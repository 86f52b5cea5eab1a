/* SPDX-License-Identifier: MIT */
/*
 * The per-CPU conntrack counters from ctnetlink, written as /proc/net/stat/nf_conntrack has them,
 * so that one parser reads both. Pure: messages go in, text comes out.
 */
#ifndef CONNWATCH_COUNTERS_H
#define CONNWATCH_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/netlink.h>

/* Zeroed at first. */
struct counters {
	uint32_t columns; /* bit per CTA_STATS_ attribute that this kernel has; 0: no message yet */
};

/*
 * Write one CPU's row: a complete IPCTNL_MSG_CT_GET_STATS_CPU message (nlmsg_len bytes can be
 * read); before the first one the line of names. The kernel sends its possible CPUs in ascending
 * order, as the file lists them. The values are 32 bits and wrap: whoever adds them up takes the
 * difference of each row first. Returns 0, or -EBADMSG for a message without counters or with
 * others than the first one had.
 */
int counters_write(struct counters *c, const struct nlmsghdr *nlh, FILE *out);

#endif
