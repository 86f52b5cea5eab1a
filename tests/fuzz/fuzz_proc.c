/* SPDX-License-Identifier: MIT */
/* Any bytes as a file below /proc; the first byte chooses which. */
#include <stdint.h>

#include "cli/advise_facts.h"
#include "collectors/mib.h"
#include "collectors/percpu.h"
#include "collectors/proc_net_tcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"entries", "drop", "ListenDrops"};
	double values[3];
	struct percpu percpu = {0};
	struct tcp_socket socket;
	struct span text;

	if (size == 0)
		return 0;
	text = (struct span){(const char *)data + 1, size - 1};
	switch (data[0] % 4) {
	case 0:
		mib_parse(text, "TcpExt:", names, 3, values);
		break;
	case 1: /* twice: the second time there are values to compare with */
		percpu_table(&percpu, text, names, 3, values);
		percpu_table(&percpu, text, names, 3, values);
		percpu_reset(&percpu);
		break;
	case 2:
		proc_net_tcp_parse(text, &socket);
		break;
	default:
		advise_meminfo(text.at, text.len, "MemTotal:");
		advise_slab(text.at, text.len, "nf_conntrack");
	}
	return 0;
}
