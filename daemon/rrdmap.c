/* SPDX-License-Identifier: MIT */
#include "daemon/rrdmap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "daemon/util.h"

/* n structures from *at on, NULL where the file has not so many. */
static const void *take(const struct rrdmap *map, size_t *at, uint64_t n, size_t size)
{
	const void *p = (const uint8_t *)map->base + *at;

	if (n > (map->size - *at) / size)
		return NULL;
	*at += n * size;
	return p;
}

static bool is_known_format(const stat_head_t *head)
{
	return !memcmp(head->cookie, RRD_COOKIE, sizeof(head->cookie)) && head->version[4] == 0 &&
	       strcmp(head->version, RRD_VERSION3) >= 0 &&
	       strcmp(head->version, RRD_VERSION5) <= 0 && head->float_cookie == FLOAT_COOKIE &&
	       head->pdp_step >= 1 && head->pdp_step <= RRDMAP_MAX_SECONDS;
}

static bool take_rows(struct rrdmap *map, size_t at)
{
	map->rows = take(map, &at, 0, sizeof(map->rows[0]));
	for (size_t i = 0; i < map->head->rra_cnt; i++) {
		const rra_def_t *archive = &map->archives[i];

		if (archive->pdp_cnt < 1 ||
			archive->pdp_cnt > RRDMAP_MAX_SECONDS / map->head->pdp_step)
			return false;
		if (archive->row_cnt < 1 || archive->row_cnt > RRDMAP_MAX_ROWS ||
			map->newest[i].cur_row >= archive->row_cnt)
			return false;
		if (!take(map, &at, archive->row_cnt, map->head->ds_cnt * sizeof(map->rows[0])))
			return false;
	}
	return true;
}

static bool take_all(struct rrdmap *map)
{
	const stat_head_t *head;
	size_t at = 0;

	head = map->head = take(map, &at, 1, sizeof(*head));
	if (!head || !is_known_format(head) || head->ds_cnt < 1 || head->rra_cnt < 1)
		return false;
	map->columns = take(map, &at, head->ds_cnt, sizeof(map->columns[0]));
	if (!map->columns)
		return false;
	map->archives = take(map, &at, head->rra_cnt, sizeof(map->archives[0]));
	if (!map->archives)
		return false;
	map->live = take(map, &at, 1, sizeof(map->live[0]));
	map->pdps = take(map, &at, head->ds_cnt, sizeof(map->pdps[0]));
	map->cdps = take(map, &at, head->ds_cnt * head->rra_cnt, sizeof(map->cdps[0]));
	map->newest = take(map, &at, head->rra_cnt, sizeof(map->newest[0]));
	return map->live && map->live->last_up >= 0 && map->pdps && map->cdps && map->newest &&
	       take_rows(map, at);
}

int rrdmap_open(int fd, struct rrdmap *out)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size < (off_t)sizeof(stat_head_t))
		return -EBADMSG;
	*out = (struct rrdmap){.size = (size_t)st.st_size};
	out->base = mmap(NULL, out->size, PROT_READ, MAP_SHARED, fd, 0);
	if (out->base == MAP_FAILED)
		return -errno;
	if (take_all(out))
		return 0;
	rrdmap_close(out);
	return -EBADMSG;
}

void rrdmap_close(struct rrdmap *map)
{
	munmap(map->base, map->size);
}

int rrdmap_function(const rra_def_t *archive)
{
	static const struct {
		const char *name;
		int function;
	} known[] = {{"AVERAGE", CF_AVERAGE}, {"MIN", CF_MINIMUM}, {"MAX", CF_MAXIMUM},
		{"LAST", CF_LAST}};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strncmp(archive->cf_nam, known[i].name, CF_NAM_SIZE))
			return known[i].function;
	return -1;
}

size_t rrdmap_column(const struct rrdmap *map, const char *name)
{
	size_t i = 0;

	while (i < map->head->ds_cnt && strncmp(map->columns[i].ds_nam, name, DS_NAM_SIZE) != 0)
		i++;
	return i;
}

const char *rrdmap_type(enum metric_kind kind)
{
	return kind == METRIC_COUNTER ? "DERIVE" : "GAUGE";
}

int rrdmap_longest(const struct rrdmap *map)
{
	uint64_t longest = 0;
	int index = 0;

	for (int i = 0; i < (int)map->head->rra_cnt; i++) {
		uint64_t steps = map->archives[i].row_cnt * map->archives[i].pdp_cnt;

		if (steps > longest) {
			longest = steps;
			index = i;
		}
	}
	return index;
}
