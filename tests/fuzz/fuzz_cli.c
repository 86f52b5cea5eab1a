/* SPDX-License-Identifier: MIT */
/* Any bytes as what `connwatch` reads: the first one chooses between status.json and the CSV of backtest. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/past.h"
#include "cli/status_file.h"
#include "daemon/util.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_status(const uint8_t *data, size_t size)
{
	char error[STATUS_ERROR_SIZE] = "", *text = malloc(size + 1);
	struct status_file file;
	const char *name;
	json_t *reading, *alert;
	size_t i;
	double value;

	assert(text);
	memcpy(text, data, size);
	if (status_file_parse(text, size, &file, error) < 0) {
		assert(error[0]);
		free(text);
		return;
	}
	status_file_is_stale(&file, 1796068800, error);
	json_object_foreach(json_object_get(file.json, "readings"), name, reading)
	{
		status_reading(&file, name, "entries", &value);
		assert(isnan(value) || value >= 0);
	}
	json_array_foreach(file.alerts, i, alert) assert(status_alert_level(alert) != LEVEL_OK);
	status_file_free(&file);
}

/* Times never go back. */
static void take_row(void *arg, const struct past_row *row)
{
	double *before = arg;

	assert(row->time >= *before);
	*before = row->time;
}

static void parse_csv(const uint8_t *data, size_t size)
{
	char error[PAST_ERROR_SIZE] = "", path[32];
	CLEANUP_CLOSE int fd = -1;
	double before = -1;

	if (size >= 3 && memcmp(data, "RRD", 3) == 0)
		return; /* that is for rrdtool */
	fd = memory_file(data, size, path);
	if (fd >= 0 && past_read(path, take_row, &before, error) < 0)
		assert(error[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] % 2)
		parse_csv(data + 1, size - 1);
	else
		parse_status(data + 1, size - 1);
	return 0;
}
