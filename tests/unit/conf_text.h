/* SPDX-License-Identifier: MIT */
/* For the tests of the configuration: texts as files in a folder of their own, and the problems
 * found in them. */
#ifndef CONNWATCH_CONF_TEXT_H
#define CONNWATCH_CONF_TEXT_H

#include "daemon/conf.h"

/* Group fixtures: make the folder, remove it with all that was written. */
int conf_text_setup(void **state);
int conf_text_teardown(void **state);

const char *conf_text_folder(void);
/* Write a file into the folder. */
void conf_text_write(const char *name, const char *text);

/* Load text as the file main.conf of the folder, or a file; fails the test on any problem. For
 * conf_free(). */
struct conf *conf_text_load(const char *text);
struct conf *conf_file_load(const char *path);

/* The problems of such a text or file, one to a line, without the folder's name; for free(). Fails
 * without one. */
char *conf_text_problems(const char *text);
char *conf_file_problems(const char *path, int expected_error);

/* The file as it stands; for free(). */
char *conf_file_text(const char *path);

/* A conf_problem_fn that fails the test. */
void conf_text_unexpected(void *arg, const char *problem);

#endif
