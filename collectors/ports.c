/* SPDX-License-Identifier: MIT */
#include "collectors/ports.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_usable(const struct ports *ports, uint64_t port)
{
	return ports->usable[port / 64] >> (port % 64) & 1;
}

static void set_usable(struct ports *ports, uint64_t first, uint64_t last, bool usable)
{
	for (uint64_t word = first / 64; first <= last && word <= last / 64; word++) {
		uint64_t *bits = &ports->usable[word], mask = UINT64_MAX;

		if (word == first / 64)
			mask &= UINT64_MAX << first % 64;
		if (word == last / 64)
			mask &= UINT64_MAX >> (63 - last % 64);
		ports->n_usable -= (uint32_t)__builtin_popcountll(*bits & mask);
		*bits = usable ? *bits | mask : *bits & ~mask;
		ports->n_usable += (uint32_t)__builtin_popcountll(*bits & mask);
	}
}

static bool parse_port(struct span word, uint64_t *port)
{
	return span_decimal(word, port) && *port <= UINT16_MAX;
}

static bool parse_range(struct ports *ports, struct span text)
{
	struct span line, word;
	uint64_t first, last;

	if (!span_is_whole(text) || !span_line(&text, &line) || !span_word(&line, &word) ||
		!parse_port(word, &first) || !span_word(&line, &word) || !parse_port(word, &last))
		return false;
	set_usable(ports, first, last, true);
	return true;
}

/* Takes what stands before the separator off rest; all of it, where there is none. */
static struct span take(struct span *rest, char separator)
{
	const char *at = rest->len ? memchr(rest->at, separator, rest->len) : NULL;
	struct span head = {rest->at, at ? (size_t)(at - rest->at) : rest->len};
	size_t used = head.len + (at ? 1 : 0);

	*rest = (struct span){rest->at + used, rest->len - used};
	return head;
}

/* "8080,9148-9150" */
static bool parse_reserved(struct ports *ports, struct span text)
{
	struct span list;
	uint64_t first, last;

	if (!text.len)
		return true;
	if (!span_is_whole(text))
		return false;
	if (!span_line(&text, &list))
		return true;
	while (list.len) {
		struct span item = take(&list, ','), begin = take(&item, '-');

		if (!parse_port(begin, &first) || !parse_port(item.len ? item : begin, &last))
			return false;
		set_usable(ports, first, last, false);
	}
	return true;
}

int ports_set_usable(struct ports *ports, struct span range, struct span reserved)
{
	memset(ports->usable, 0, sizeof(ports->usable));
	ports->n_usable = 0;
	if (parse_range(ports, range) && parse_reserved(ports, reserved))
		return 0;
	memset(ports->usable, 0, sizeof(ports->usable));
	ports->n_usable = 0;
	return -EBADMSG;
}

void ports_begin(struct ports *ports)
{
	memset(ports->sets, 0, sizeof(ports->sets));
}

/* Sums of products, which a processor makes side by side, and their bits mixed. */
static uint64_t hash(const struct tcp_socket *socket)
{
	uint64_t local[2], remote[2], h;

	memcpy(local, socket->local, sizeof(local));
	memcpy(remote, socket->remote, sizeof(remote));
	h = local[0] * UINT64_C(0x9e3779b97f4a7c15) + local[1] * UINT64_C(0xbf58476d1ce4e5b9) +
	    remote[0] * UINT64_C(0x94d049bb133111eb) + remote[1] * UINT64_C(0xd6e8feb86659fd93) +
	    socket->remote_port * UINT64_C(0xa0761d6478bd642f);
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static void insert(struct ports *ports, size_t s, size_t way, const struct tcp_socket *socket)
{
	struct tuple *tuple = &ports->tuples[s][way];

	memcpy(tuple->local, socket->local, sizeof(tuple->local));
	memcpy(tuple->remote, socket->remote, sizeof(tuple->remote));
	tuple->remote_port = socket->remote_port;
}

void ports_add(struct ports *ports, const struct tcp_socket *socket)
{
	size_t s, same = PORTS_WAYS, free_way = PORTS_WAYS;
	struct ports_set *set;
	uint32_t tag;
	uint64_t h;

	if (!is_usable(ports, socket->local_port) || socket->state == TCP_LISTEN)
		return;
	h = hash(socket);
	s = h % PORTS_SETS;
	tag = (uint32_t)(h >> 32) | 1; /* never that of one which was not in use yet */
	set = &ports->sets[s];
	/* Without a branch, which could not be foreseen. */
	for (size_t way = 0; way < PORTS_WAYS; way++) {
		same = set->tag[way] == tag ? way : same;
		free_way = set->n[way] ? free_way : way;
	}
	if (same < PORTS_WAYS) {
		set->n[same]++;
	} else if (free_way < PORTS_WAYS) {
		set->n[free_way] = 1;
		set->tag[free_way] = tag;
		insert(ports, s, free_way, socket);
	} else {
		for (size_t way = 0; way < PORTS_WAYS; way++)
			set->n[way]--;
	}
}

unsigned ports_fullest(const struct ports *ports, struct tuple *tuple)
{
	unsigned most = 0;

	for (size_t s = 0; s < PORTS_SETS; s++) {
		for (size_t way = 0; way < PORTS_WAYS; way++) {
			if (ports->sets[s].n[way] <= most)
				continue;
			most = ports->sets[s].n[way];
			*tuple = ports->tuples[s][way];
		}
	}
	return most;
}

void tuple_describe(const struct tuple *tuple, char *out, size_t size)
{
	char local[64], remote[64];

	tcp_end_text(tuple->local, 0, local, sizeof(local));
	tcp_end_text(tuple->remote, tuple->remote_port, remote, sizeof(remote));
	snprintf(out, size, "%s to %s", local, remote);
}
