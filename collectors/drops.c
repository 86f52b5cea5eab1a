/* SPDX-License-Identifier: MIT */
#include "collectors/drops.h"

#include <errno.h>
#include <stdlib.h>

#define START_SOCKETS 64

int drops_init(struct drops *drops)
{
	*drops = (struct drops){.size = START_SOCKETS};
	drops->sockets = calloc(drops->size, sizeof(*drops->sockets));
	return drops->sockets ? 0 : -ENOMEM;
}

void drops_free(struct drops *drops)
{
	free(drops->sockets);
	drops->sockets = NULL;
}

void drops_begin(struct drops *drops)
{
	for (size_t i = 0; i < drops->n; i++)
		drops->sockets[i].fresh = false;
	drops->next = drops->missed = 0;
}

static struct drops_socket *find(struct drops *drops, uint64_t cookie)
{
	for (size_t k = 0; k < drops->n; k++) {
		size_t i = (drops->next + k) % drops->n;

		if (drops->sockets[i].cookie != cookie)
			continue;
		drops->next = i + 1;
		return &drops->sockets[i];
	}
	return NULL;
}

void drops_add(struct drops *drops, uint64_t cookie, uint32_t count)
{
	struct drops_socket *s = find(drops, cookie);

	if (!s && drops->n == drops->size) {
		drops->missed++;
		return;
	}
	if (!s) {
		s = &drops->sockets[drops->n++];
		*s = (struct drops_socket){.cookie = cookie};
	}
	drops->sum += (uint32_t)(count - s->last);
	s->last = count;
	s->fresh = true;
}

void drops_end(struct drops *drops)
{
	size_t kept = 0;

	for (size_t i = 0; i < drops->n; i++)
		if (drops->sockets[i].fresh)
			drops->sockets[kept++] = drops->sockets[i];
	drops->n = kept;
}

bool drops_settle(struct drops *drops)
{
	size_t size = drops->n + drops->missed;
	struct drops_socket *grown;

	if (size > DROPS_MAX_SOCKETS)
		size = DROPS_MAX_SOCKETS;
	if (size <= drops->size)
		return true;
	grown = reallocarray(drops->sockets, size, sizeof(*grown));
	if (grown) {
		drops->sockets = grown;
		drops->size = size;
	}
	return false;
}
