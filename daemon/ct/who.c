/* SPDX-License-Identifier: MIT */
#include "daemon/ct/who.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <linux/netfilter/nfnetlink_conntrack.h>

#include "daemon/ct/attr.h"
#include "daemon/ct/tally.h"
#include "daemon/util.h"

/* The lists of the answer; every key is 16 bytes, zeros where not said. */
enum list {
	SOURCES, /* address, IPv4 as ::ffff:a.b.c.d */
	DESTINATIONS,
	PORTS,     /* protocol, port in network order */
	PROTOCOLS, /* protocol */
	STATES,    /* enum tcp_conntrack */
	LISTS
};

/* As conntrack(8) prints them, in lower case. */
static const char *const state_names[] = {
	[TCP_CONNTRACK_NONE] = "none",
	[TCP_CONNTRACK_SYN_SENT] = "syn_sent",
	[TCP_CONNTRACK_SYN_RECV] = "syn_recv",
	[TCP_CONNTRACK_ESTABLISHED] = "established",
	[TCP_CONNTRACK_FIN_WAIT] = "fin_wait",
	[TCP_CONNTRACK_CLOSE_WAIT] = "close_wait",
	[TCP_CONNTRACK_LAST_ACK] = "last_ack",
	[TCP_CONNTRACK_TIME_WAIT] = "time_wait",
	[TCP_CONNTRACK_CLOSE] = "close",
	[TCP_CONNTRACK_SYN_SENT2] = "syn_sent2",
};

static const char *const protocol_names[] = {
	[IPPROTO_ICMP] = "icmp",
	[IPPROTO_TCP] = "tcp",
	[IPPROTO_UDP] = "udp",
	[IPPROTO_DCCP] = "dccp",
	[IPPROTO_GRE] = "gre",
	[IPPROTO_ICMPV6] = "icmpv6",
	[IPPROTO_SCTP] = "sctp",
	[IPPROTO_UDPLITE] = "udplite",
};

struct who {
	uint64_t entries, assured, unreplied;
	struct tally *list[LISTS];
};

int who_new(struct who **out)
{
	struct who *w = calloc(1, sizeof(*w));
	int r = w ? 0 : -ENOMEM;

	for (int i = 0; r == 0 && i < LISTS; i++)
		r = tally_new(&w->list[i]);
	if (r < 0) {
		who_free(w);
		return r;
	}
	*out = w;
	return 0;
}

void who_free(struct who *w)
{
	if (!w)
		return;
	for (int i = 0; i < LISTS; i++)
		tally_free(w->list[i]);
	free(w);
}

static void count_address(struct tally *t, struct span payload)
{
	uint8_t key[16] = {[10] = 0xff, [11] = 0xff};

	if (attr_get(payload, key + 12, 4) || attr_get(payload, key, 16))
		tally_add(t, key);
}

static void count_addresses(struct who *w, struct span ip)
{
	struct span payload;
	unsigned type;

	while (attr_next(&ip, &type, &payload)) {
		if (type == CTA_IP_V4_SRC || type == CTA_IP_V6_SRC)
			count_address(w->list[SOURCES], payload);
		else if (type == CTA_IP_V4_DST || type == CTA_IP_V6_DST)
			count_address(w->list[DESTINATIONS], payload);
	}
}

static void count_protocol(struct who *w, struct span proto)
{
	uint8_t protocol[16] = {0}, port[16] = {0};
	bool has_protocol = false, has_port = false;
	struct span payload;
	unsigned type;

	while (attr_next(&proto, &type, &payload)) {
		if (type == CTA_PROTO_NUM)
			has_protocol = attr_get(payload, protocol, 1);
		else if (type == CTA_PROTO_DST_PORT)
			has_port = attr_get(payload, port + 1, 2);
	}
	if (!has_protocol)
		return;
	tally_add(w->list[PROTOCOLS], protocol);
	port[0] = protocol[0];
	if (has_port)
		tally_add(w->list[PORTS], port);
}

/* The tuple as the connection was opened: before any NAT. */
static void count_tuple(struct who *w, struct span tuple)
{
	struct span payload;
	unsigned type;

	while (attr_next(&tuple, &type, &payload)) {
		if (type == CTA_TUPLE_IP)
			count_addresses(w, payload);
		else if (type == CTA_TUPLE_PROTO)
			count_protocol(w, payload);
	}
}

static void count_status(struct who *w, struct span payload)
{
	uint32_t status;

	if (!attr_get(payload, &status, sizeof(status)))
		return;
	status = ntohl(status);
	w->assured += (status & IPS_ASSURED) != 0;
	w->unreplied += (status & IPS_SEEN_REPLY) == 0;
}

static void count_state(struct who *w, struct span protoinfo)
{
	struct span tcp, payload;
	uint8_t key[16] = {0};
	unsigned type;

	while (attr_next(&protoinfo, &type, &tcp)) {
		if (type != CTA_PROTOINFO_TCP)
			continue;
		while (attr_next(&tcp, &type, &payload)) {
			if (type == CTA_PROTOINFO_TCP_STATE && attr_get(payload, key, 1))
				tally_add(w->list[STATES], key);
		}
	}
}

void who_count(struct who *w, const struct nlmsghdr *nlh)
{
	struct span attrs = attr_of_message(nlh), payload;
	unsigned type;

	w->entries++;
	while (attr_next(&attrs, &type, &payload)) {
		if (type == CTA_TUPLE_ORIG)
			count_tuple(w, payload);
		else if (type == CTA_STATUS)
			count_status(w, payload);
		else if (type == CTA_PROTOINFO)
			count_state(w, payload);
	}
}

uint64_t who_entries(const struct who *w)
{
	return w->entries;
}

static void format_address(const uint8_t key[static 16], char *out, size_t size)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (memcmp(key, mapped, sizeof(mapped)) == 0)
		inet_ntop(AF_INET, key + 12, out, (socklen_t)size);
	else
		inet_ntop(AF_INET6, key, out, (socklen_t)size);
}

/* A number without a name stands for itself. */
static void format_name(const char *const names[], size_t n, uint8_t number, char *out, size_t size)
{
	if (number < n && names[number])
		snprintf(out, size, "%s", names[number]);
	else
		snprintf(out, size, "%u", number);
}

static void format_protocol(const uint8_t key[static 16], char *out, size_t size)
{
	format_name(protocol_names, ARRAY_LEN(protocol_names), key[0], out, size);
}

static void format_state(const uint8_t key[static 16], char *out, size_t size)
{
	format_name(state_names, ARRAY_LEN(state_names), key[0], out, size);
}

static void format_port(const uint8_t key[static 16], char *out, size_t size)
{
	char protocol[16];

	format_protocol(key, protocol, sizeof(protocol));
	snprintf(out, size, "%u/%s", (unsigned)key[1] << 8 | key[2], protocol);
}

static const struct {
	const char *name;
	void (*format)(const uint8_t key[static 16], char *out, size_t size);
} lists[LISTS] = {
	[SOURCES] = {"sources", format_address},
	[DESTINATIONS] = {"destinations", format_address},
	[PORTS] = {"ports", format_port},
	[PROTOCOLS] = {"protocols", format_protocol},
	[STATES] = {"states", format_state},
};

static void write_list(const struct who *w, enum list list, FILE *out)
{
	struct tally *t = w->list[list];
	uint32_t undercount = tally_undercount(t);
	struct tally_item top[WHO_TOP];
	size_t n = tally_top(t, top, WHO_TOP);
	char name[INET6_ADDRSTRLEN];

	fprintf(out, ",\n\"%s\":{\"undercount\":%u,\"different\":", lists[list].name, undercount);
	if (undercount == 0)
		fprintf(out, "%zu", tally_keys(t));
	else
		fputs("null", out);
	fputs(",\"top\":[", out);
	for (size_t i = 0; i < n; i++) {
		lists[list].format(top[i].key, name, sizeof(name));
		fprintf(out, "%s\n{\"name\":\"%s\",\"entries\":%u,\"percent\":%.1f}", i ? "," : "",
			name, top[i].count, 100.0 * top[i].count / (double)w->entries);
	}
	fputs("]}", out);
}

void who_write(const struct who *w, bool sample, FILE *out)
{
	fprintf(out, "{\"entries\":%ju,\"sample\":%s,\"assured\":%ju,\"unreplied\":%ju",
		(uintmax_t)w->entries, sample ? "true" : "false", (uintmax_t)w->assured,
		(uintmax_t)w->unreplied);
	for (enum list i = 0; i < LISTS; i++)
		write_list(w, i, out);
	fputs("}\n", out);
}
