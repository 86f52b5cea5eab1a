/* SPDX-License-Identifier: MIT */
#include "daemon/ct/counters.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>

#include <linux/netfilter/nfnetlink_conntrack.h>

#include "daemon/ct/attr.h"
#include "daemon/util.h"

/* The file's names. A kernel leaves out what it does not count (any more): so do we. */
static const char *const names[] = {
	[CTA_STATS_FOUND] = "found",
	[CTA_STATS_INVALID] = "invalid",
	[CTA_STATS_INSERT] = "insert",
	[CTA_STATS_INSERT_FAILED] = "insert_failed",
	[CTA_STATS_DROP] = "drop",
	[CTA_STATS_EARLY_DROP] = "early_drop",
	[CTA_STATS_ERROR] = "icmp_error",
	[CTA_STATS_SEARCH_RESTART] = "search_restart",
	[CTA_STATS_CLASH_RESOLVE] = "clashres",
	[CTA_STATS_CHAIN_TOOLONG] = "chainlength",
};

int counters_write(struct counters *c, const struct nlmsghdr *nlh, FILE *out)
{
	struct span attrs = attr_of_message(nlh), payload;
	uint32_t value[ARRAY_LEN(names)] = {0}, columns = 0;
	unsigned type;

	while (attr_next(&attrs, &type, &payload)) {
		if (type < ARRAY_LEN(names) && names[type] &&
			attr_get(payload, &value[type], sizeof(value[type])))
			columns |= 1u << type;
	}
	if (columns == 0 || (c->columns && columns != c->columns))
		return -EBADMSG;
	for (size_t i = 0; !c->columns && i < ARRAY_LEN(names); i++) {
		if (columns & 1u << i)
			fprintf(out, "%s ", names[i]);
	}
	fputs(c->columns ? "" : "\n", out);
	c->columns = columns;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (columns & 1u << i)
			fprintf(out, "%08x ", (unsigned)ntohl(value[i]));
	}
	fputc('\n', out);
	return 0;
}
