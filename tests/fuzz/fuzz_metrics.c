/* SPDX-License-Identifier: MIT */
/* The bytes are an Accept header up to the first NUL, and the rest a status.json: whatever it holds, what is written of
 * it are lines of the format. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/accept.h"
#include "cli/metrics_text.h"
#include "daemon/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A comment, or NAME{LABELS} VALUE. */
static void check_line(const char *line)
{
	const char *end;

	if (strncmp(line, "# ", 2) == 0)
		return;
	assert(strncmp(line, "connwatch_", 10) == 0);
	end = strrchr(line, ' ');
	assert(end && end[1]);
	assert(strspn(end + 1, "0123456789.e+-Inf") == strlen(end + 1));
}

static void check(char *text)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && rest)
		check_line(line);
	assert(line && !*line); /* the last one ends too */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_FREE char *accept = malloc(size + 1), *text = NULL;
	char error[STATUS_ERROR_SIZE], *json;
	struct status_file file;
	size_t len, begin;
	struct expo e;

	if (!accept)
		abort();
	memcpy(accept, data, size);
	accept[size] = '\0';
	begin = strlen(accept) + 1;
	e.format = accept_format(accept);
	if (begin >= size)
		return 0;
	json = strndup((const char *)data + begin, size - begin);
	if (!json || status_file_parse(json, strlen(json), &file, error) < 0) {
		free(json);
		return 0;
	}
	e.out = open_memstream(&text, &len);
	if (!e.out)
		abort();
	metrics_write(&e, &file, file.time);
	fclose(e.out);
	check(text);
	status_file_free(&file);
	return 0;
}
