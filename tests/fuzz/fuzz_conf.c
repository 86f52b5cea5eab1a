/* SPDX-License-Identifier: MIT */
/* Any bytes as a configuration: the scanner ends, and the whole way from the file to struct conf
 * and back holds. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/conf.h"
#include "daemon/conf_file.h"
#include "daemon/conf_scan.h"
#include "daemon/util.h"
#include "tests/fuzz/memory.h"

#define FILE_SIZE (256 * 1024)

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the room for the largest file, which the sanitizer would have to mark, as much as any of these takes. */
void *__wrap_malloc(size_t size)
{
	return __real_malloc(size > CONF_FILE_MAX ? FILE_SIZE : size);
}

static void ignore(void *arg, const char *problem)
{
	(void)arg;
	(void)problem;
}

static void complain(void *arg, const char *problem)
{
	(void)arg;
	fprintf(stderr, "%s\n", problem);
}

/* What conf_print() writes must be read back without a problem. */
static void read_back(const struct conf *conf)
{
	CLEANUP_FREE char *text = NULL;
	CLEANUP_CLOSE int fd = -1;
	struct conf *again = NULL;
	char path[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r;

	if (!out)
		return;
	conf_print(conf, out);
	fclose(out);
	fd = memory_file(text, size, path);
	if (fd < 0)
		return;
	r = conf_load(path, complain, NULL, &again);
	assert(r == 0);
	conf_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_CLOSE int fd = -1;
	struct token_list tokens;
	struct conf *conf;
	char path[32];

	if (conf_scan((const char *)data, size, &tokens) == 0)
		conf_scan_free(&tokens);
	fd = memory_file(data, size, path);
	if (fd < 0 || conf_load(path, ignore, NULL, &conf) < 0)
		return 0;
	read_back(conf);
	conf_free(conf);
	return 0;
}
