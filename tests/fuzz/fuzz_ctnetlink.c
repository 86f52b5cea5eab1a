/* SPDX-License-Identifier: MIT */
/* The bytes are the attributes of one ctnetlink message, in memory of exactly their length. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ct/attr.h"
#include "daemon/ct/counters.h"
#include "daemon/ct/who.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t headers = sizeof(struct nlmsghdr) + sizeof(struct nfgenmsg);
	static struct who *who; /* kept: making one costs more than a thousand messages */
	struct counters counters = {0};
	struct nlmsghdr *nlh = calloc(1, headers + size);
	FILE *out = fopen("/dev/null", "we");

	if (!nlh || !out || (!who && who_new(&who) < 0))
		abort();
	nlh->nlmsg_len = (uint32_t)(headers + size);
	memcpy((char *)nlh + headers, data, size);
	who_count(who, nlh);
	counters_write(&counters, nlh, out);
	if (who_entries(who) % 1024 == 0)
		who_write(who, false, out);
	fclose(out);
	free(nlh);
	return 0;
}
