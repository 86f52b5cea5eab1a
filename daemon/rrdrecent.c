/* SPDX-License-Identifier: MIT */
#include "daemon/rrdrecent.h"

#include <string.h>

static void drop_oldest(struct rrdrecent *recent)
{
	const char *path, *update;
	size_t size = 0;

	rrdrecent_next(recent, &size, &path, &update);
	recent->used -= size;
	memmove(recent->text, recent->text + size, recent->used);
}

void rrdrecent_put(struct rrdrecent *recent, const char *path, const char *update)
{
	size_t path_size = strlen(path) + 1, update_size = strlen(update) + 1;

	if (path_size + update_size > sizeof(recent->text))
		return;
	while (recent->used + path_size + update_size > sizeof(recent->text))
		drop_oldest(recent);
	memcpy(recent->text + recent->used, path, path_size);
	memcpy(recent->text + recent->used + path_size, update, update_size);
	recent->used += path_size + update_size;
}

bool rrdrecent_next(
	const struct rrdrecent *recent, size_t *at, const char **path, const char **update)
{
	if (*at >= recent->used)
		return false;
	*path = recent->text + *at;
	*update = *path + strlen(*path) + 1;
	*at += strlen(*path) + 1 + strlen(*update) + 1;
	return true;
}
