/* SPDX-License-Identifier: MIT */
/* Walk netlink attributes. libmnl's own walk costs four calls an attribute, a tenth of a whole
 * dump. */
#ifndef CONNWATCH_ATTR_H
#define CONNWATCH_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

/* Bytes that are not ours: attributes still to be walked, or the payload of one. */
struct span {
	const uint8_t *at;
	size_t left;
};

/* Take the first attribute off s. False at the end, and at a length that cannot be. */
static inline bool attr_next(struct span *s, unsigned *type, struct span *payload)
{
	struct nlattr a;
	size_t step;

	if (s->left < sizeof(a))
		return false;
	memcpy(&a, s->at, sizeof(a));
	if (a.nla_len < sizeof(a) || a.nla_len > s->left)
		return false;
	*type = a.nla_type & 0x3fffu; /* NLA_TYPE_MASK */
	*payload = (struct span){s->at + sizeof(a), a.nla_len - sizeof(a)};
	step = (a.nla_len + 3u) & ~3u; /* NLA_ALIGN */
	if (step > s->left)            /* the last one may come without its padding */
		step = s->left;
	s->at += step;
	s->left -= step;
	return true;
}

/* The attributes of a netfilter message; none if it is too short for its headers. */
static inline struct span attr_of_message(const struct nlmsghdr *nlh)
{
	const size_t headers = sizeof(*nlh) + sizeof(struct nfgenmsg);

	if (nlh->nlmsg_len < headers)
		return (struct span){NULL, 0};
	return (struct span){(const uint8_t *)nlh + headers, nlh->nlmsg_len - headers};
}

/* Copy a payload of exactly size bytes; false, and nothing written, for any other length. */
static inline bool attr_get(struct span payload, void *out, size_t size)
{
	if (payload.left != size)
		return false;
	memcpy(out, payload.at, size);
	return true;
}

#endif
