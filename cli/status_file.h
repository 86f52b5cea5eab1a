/* SPDX-License-Identifier: MIT */
/* status.json as the daemon writes it, read with suspicion: what it holds is checked before it is
 * used. */
#ifndef CONNWATCH_STATUS_FILE_H
#define CONNWATCH_STATUS_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"
#include "daemon/conf.h"
#include "daemon/rule.h"

/* Members whose types the contract gives have them; numbers within are still to be read by
 * status_number(), strings to be sanitized. */
struct status_file {
	char *text; /* as it stands in the file */
	size_t len;
	json_t *json;
	double time;     /* UNIX seconds */
	double interval; /* seconds */
	const json_t *readings, *errors, *alerts;
};

#define STATUS_DEFAULT_PATH "/run/connwatchd/status.json"
#define STATUS_ERROR_SIZE 256

/* Where it is, for free(): --status; else beside the daemon that context's configuration tells of.
 * NULL without memory. */
char *status_file_path(const struct cli_context *context, const struct conf *conf);

/* Read and check it. Returns 0 with a file for status_file_free(), or -errno with the reason
 * in error, to be said after
 * the path. */
int status_file_read(
	const char *path, struct status_file *out, char error[static STATUS_ERROR_SIZE]);
/* The checking part: takes text (len bytes, for free()) over on success only. Returns 0 or
 * -EBADMSG. */
int status_file_parse(
	char *text, size_t len, struct status_file *out, char error[static STATUS_ERROR_SIZE]);
void status_file_free(struct status_file *file);

/* Why it tells nothing about now (UNIX seconds), to be said after its path, in error; or false. */
bool status_file_is_stale(
	const struct status_file *file, double now, char error[static STATUS_ERROR_SIZE]);

/* A number that could be a reading: UNKNOWN for null, other types, below 0, and what no counter of
 * 64 bits reaches. */
double status_number(const json_t *value);
/* readings.INSTANCE.COLUMN; false if there is no such column. */
bool status_reading(
	const struct status_file *file, const char *instance, const char *column, double *out);
/* The level of one of alerts. */
enum level status_alert_level(const json_t *alert);

#endif
