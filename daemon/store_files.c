/* SPDX-License-Identifier: MIT */
#include "daemon/store_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store_proto.h"
#include "daemon/util.h"

/* A row may come up to two intervals late before it leaves a gap. */
#define HEARTBEAT_STEPS 3

/* Forecasts want to know what the machine is used to. */
static uint32_t wanted_past(const struct conf *conf, const struct conf_instance *instance)
{
	uint32_t wanted = 0;
	size_t of, metric;

	for (size_t i = 0; i < conf->n_rules; i++) {
		const struct rule *rule = &conf->rules[i];

		if (rule_forecasts(rule) && conf_operand(conf, rule->value, &of, &metric) == 0 &&
			&conf->instances[of] == instance && metric < 32)
			wanted |= UINT32_C(1) << metric;
	}
	return wanted;
}

static ssize_t make_packet(const struct conf *conf, const struct conf_instance *instance,
	uint32_t slot, uint8_t packet[static STORE_PACKET_SIZE])
{
	const struct collector *collector = instance->collector;
	struct store_open open = {.name = instance->name,
		.past = wanted_past(conf, instance),
		.directory = conf->rrd_directory,
		.daemon = conf->rrd_daemon,
		.step = conf->interval,
		.heartbeat = (collector->heartbeat ? collector->heartbeat : HEARTBEAT_STEPS) *
			     conf->interval,
		.n_columns = collector->n_metrics,
		.n_archives = conf->n_archives};

	if (open.n_columns > STORE_MAX_COLUMNS || open.n_archives > STORE_MAX_ARCHIVES)
		return -E2BIG;
	for (size_t i = 0; i < open.n_columns; i++)
		open.columns[i] = (struct store_column){
			collector->metrics[i].name, collector->metrics[i].kind};
	for (size_t i = 0; i < open.n_archives; i++)
		open.archives[i] =
			(struct store_archive){conf->archives[i].step, conf->archives[i].rows};
	return store_put_open(packet, slot, &open);
}

static void free_slot(struct files *files, size_t slot)
{
	union {
		const char *constant;
		char *owned;
	} name = {files->name[slot]};

	free(name.owned);
	free(files->file[slot].packet);
	files->name[slot] = NULL;
	files->file[slot] = (struct store_file){0};
	files->trouble[slot] = (struct trouble){0};
}

static void sweep(struct files *files)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->name[i] && !files->file[i].current && !files->file[i].pending)
			free_slot(files, i);
}

static int grow(struct files *files)
{
	size_t n = files->n + 1;
	void *p;

	if (n > STORE_MAX_SLOTS)
		return -E2BIG;
	p = reallocarray(files->file, n, sizeof(files->file[0]));
	if (!p)
		return -ENOMEM;
	files->file = p;
	p = reallocarray(files->trouble, n, sizeof(files->trouble[0]));
	if (!p)
		return -ENOMEM;
	files->trouble = p;
	p = reallocarray(files->name, n, sizeof(files->name[0]));
	if (!p)
		return -ENOMEM;
	files->name = p;
	files->file[files->n] = (struct store_file){0};
	files->trouble[files->n] = (struct trouble){0};
	files->name[files->n] = NULL;
	files->n = n;
	return 0;
}

/* A slot that has the same OPEN (but for its number), else a free one, else a new one. */
static int find_slot(
	struct files *files, const uint8_t *packet, size_t len, const char *name, uint32_t *out)
{
	const size_t head = sizeof(struct store_packet);
	size_t slot;

	for (slot = 0; slot < files->n; slot++)
		if (files->name[slot] && !strcmp(files->name[slot], name) &&
			files->file[slot].packet_len == len &&
			!memcmp(files->file[slot].packet + head, packet + head, len - head))
			break;
	if (slot == files->n)
		for (slot = 0; slot < files->n && files->name[slot];)
			slot++;
	*out = (uint32_t)slot;
	return slot == files->n ? grow(files) : 0;
}

static int fill_slot(struct files *files, uint32_t slot, const struct conf *conf,
	const struct conf_instance *instance)
{
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = make_packet(conf, instance, slot, packet);
	uint8_t *copy;
	char *name;

	if (len < 0)
		return (int)len;
	copy = malloc((size_t)len);
	name = strdup(instance->name);
	if (!copy || !name) {
		free(copy);
		free(name);
		return -ENOMEM;
	}
	memcpy(copy, packet, (size_t)len);
	files->file[slot] = (struct store_file){.packet = copy,
		.packet_len = (size_t)len,
		.n_values = instance->collector->n_metrics};
	files->name[slot] = name;
	return 0;
}

/* claimed[i] becomes the slot of instance i; a slot is filled in before the next is looked for. */
static int claim_slots(struct files *files, const struct conf *conf, uint32_t *claimed)
{
	for (size_t i = 0; i < conf->n_instances; i++) {
		uint8_t packet[STORE_PACKET_SIZE];
		ssize_t len = make_packet(conf, &conf->instances[i], 0, packet);
		int r;

		if (len < 0)
			return (int)len;
		r = find_slot(files, packet, (size_t)len, conf->instances[i].name, &claimed[i]);
		if (r == 0 && !files->name[claimed[i]])
			r = fill_slot(files, claimed[i], conf, &conf->instances[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int files_set(struct files *files, const struct conf *conf)
{
	uint32_t *claimed = calloc(conf->n_instances + 1, sizeof(claimed[0]));
	int r;

	if (!claimed)
		return -ENOMEM;
	r = claim_slots(files, conf, claimed);
	if (r == 0) {
		for (size_t i = 0; i < files->n; i++)
			files->file[i].current = false;
		for (size_t i = 0; i < conf->n_instances; i++)
			files->file[claimed[i]].current = true;
		free(files->slot);
		files->slot = take_ptr(claimed);
		files->n_instances = conf->n_instances;
	}
	free(claimed);
	sweep(files);
	return r;
}

void files_close(struct files *files)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->name[i])
			free_slot(files, i);
	free(files->file);
	free(files->trouble);
	free(files->name);
	free(files->slot);
	*files = (struct files){0};
}

void files_done(struct files *files, uint32_t slot)
{
	struct store_file *file = &files->file[slot];

	file->pending--;
	if (!file->current && !file->pending)
		free_slot(files, slot);
}
