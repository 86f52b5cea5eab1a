/* SPDX-License-Identifier: MIT */
/* Craft ctnetlink messages, right and wrong ones. */
#ifndef CONNWATCH_CT_MESSAGE_H
#define CONNWATCH_CT_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>

struct ct_message {
	_Alignas(struct nlmsghdr) char bytes[1024];
	struct nlmsghdr *nlh;
};

static inline void message_begin(struct ct_message *m, unsigned type)
{
	memset(m, 0, sizeof(*m));
	m->nlh = mnl_nlmsg_put_header(m->bytes);
	m->nlh->nlmsg_type = (uint16_t)(NFNL_SUBSYS_CTNETLINK << 8 | type);
	mnl_nlmsg_put_extra_header(m->nlh, sizeof(struct nfgenmsg));
}

/* A connection's tuple; the address length tells the family. */
struct ct_tuple {
	const void *source, *destination;
	size_t address_size;
	uint8_t protocol;
	uint16_t port; /* of the destination, host order; 0: the protocol has none */
};

static inline void put_tuple(struct ct_message *m, const struct ct_tuple *t)
{
	struct nlattr *tuple = mnl_attr_nest_start(m->nlh, CTA_TUPLE_ORIG);
	struct nlattr *ip = mnl_attr_nest_start(m->nlh, CTA_TUPLE_IP), *proto;

	mnl_attr_put(m->nlh, t->address_size == 4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC, t->address_size,
		t->source);
	mnl_attr_put(m->nlh, t->address_size == 4 ? CTA_IP_V4_DST : CTA_IP_V6_DST, t->address_size,
		t->destination);
	mnl_attr_nest_end(m->nlh, ip);
	proto = mnl_attr_nest_start(m->nlh, CTA_TUPLE_PROTO);
	mnl_attr_put_u8(m->nlh, CTA_PROTO_NUM, t->protocol);
	if (t->port) {
		mnl_attr_put_u16(m->nlh, CTA_PROTO_SRC_PORT, 0x1234);
		mnl_attr_put_u16(
			m->nlh, CTA_PROTO_DST_PORT, (uint16_t)(t->port << 8 | t->port >> 8));
	}
	mnl_attr_nest_end(m->nlh, proto);
	mnl_attr_nest_end(m->nlh, tuple);
}

/* status in host order; state < 0: no TCP entry. */
static inline void put_rest(struct ct_message *m, uint32_t status, int state)
{
	struct nlattr *info, *tcp;

	mnl_attr_put_u32(m->nlh, CTA_STATUS, __builtin_bswap32(status));
	if (state < 0)
		return;
	info = mnl_attr_nest_start(m->nlh, CTA_PROTOINFO);
	tcp = mnl_attr_nest_start(m->nlh, CTA_PROTOINFO_TCP);
	mnl_attr_put_u8(m->nlh, CTA_PROTOINFO_TCP_STATE, (uint8_t)state);
	mnl_attr_nest_end(m->nlh, tcp);
	mnl_attr_nest_end(m->nlh, info);
}

#endif
