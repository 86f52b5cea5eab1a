/* SPDX-License-Identifier: MIT */
#include "tests/unit/conf_text.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

static char folder[64];

int conf_text_setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/connwatch-conf-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int conf_text_teardown(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *conf_text_folder(void)
{
	return folder;
}

void conf_text_write(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

void conf_text_unexpected(void *arg, const char *problem)
{
	(void)arg;
	fail_msg("%s", problem);
}

struct conf *conf_file_load(const char *path)
{
	struct conf *conf = NULL;

	assert_int_equal(conf_load(path, conf_text_unexpected, NULL, &conf), 0);
	assert_non_null(conf);
	return conf;
}

static const char *main_file(const char *text, char path[static 256])
{
	conf_text_write("main.conf", text);
	snprintf(path, 256, "%s/main.conf", folder);
	return path;
}

struct conf *conf_text_load(const char *text)
{
	char path[256];

	return conf_file_load(main_file(text, path));
}

/* Appends a problem, with "FOLDER/" taken out. */
static void collect(void *arg, const char *problem)
{
	FILE *out = arg;
	size_t len = strlen(folder);

	while (*problem) {
		if (strncmp(problem, folder, len) == 0 && problem[len] == '/')
			problem += len + 1;
		else
			fputc(*problem++, out);
	}
	fputc('\n', out);
}

char *conf_file_problems(const char *path, int expected_error)
{
	struct conf *conf = NULL;
	char *problems;
	size_t size;
	FILE *out = open_memstream(&problems, &size);

	assert_non_null(out);
	assert_int_equal(conf_load(path, collect, out, &conf), expected_error);
	assert_null(conf);
	fclose(out);
	assert_true(size > 0);
	return problems;
}

char *conf_text_problems(const char *text)
{
	char path[256];

	return conf_file_problems(main_file(text, path), -EINVAL);
}

char *conf_file_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(f);
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	return text;
}
