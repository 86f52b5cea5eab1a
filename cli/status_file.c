/* SPDX-License-Identifier: MIT */
#include "cli/status_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "daemon/notify.h"
#include "daemon/text.h"
#include "daemon/util.h"

#define MAX_SIZE (8 << 20)                 /* of 10,000 listeners it has 2 MiB */
#define MAX_TIME 253402300799.0            /* the end of the year 9999 */
#define MAX_READING 18446744073709551615.0 /* 2^64 - 1 */
#define PATIENCE 3                         /* intervals after which it is old */

char *status_file_path(const struct cli_context *context, const struct conf *conf)
{
	CLEANUP_FREE char *own = NULL;
	const char *first = STATUS_DEFAULT_PATH, *second;

	if (context->status)
		return strdup(context->status);
	if (asprintf(&own, "%s/status.json", conf->state_directory) < 0)
		return NULL;
	second = own;
	/* A configuration that was named may be that of another daemon than the system's. */
	if (context->config) {
		first = own;
		second = STATUS_DEFAULT_PATH;
	}
	return strdup(access(first, F_OK) < 0 && access(second, F_OK) == 0 ? second : first);
}

/* Returns the number of bytes read into a new text, or -errno. */
static ssize_t read_all(const char *path, char **out)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	CLEANUP_FREE char *text = NULL;
	size_t len = 0, size = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		if (len == size) {
			char *more =
				size < MAX_SIZE ? realloc(text, size = size * 2 + 65536) : NULL;

			if (!more)
				return size < MAX_SIZE ? -ENOMEM : -EFBIG;
			text = more;
		}
		n = read(fd, text + len, size - len);
		if (n < 0)
			return -errno;
		len += (size_t)n;
	} while (n > 0);
	*out = take_ptr(text);
	return (ssize_t)len;
}

int status_file_read(
	const char *path, struct status_file *out, char error[static STATUS_ERROR_SIZE])
{
	char *text = NULL;
	ssize_t len = read_all(path, &text);
	int r;

	if (len == -ENOENT)
		snprintf(error, STATUS_ERROR_SIZE,
			"is missing: connwatchd is not running, has no row yet, or keeps it "
			"elsewhere "
			"(--status=FILE)");
	else if (len < 0)
		snprintf(error, STATUS_ERROR_SIZE, "cannot be read: %s", strerror((int)-len));
	if (len < 0)
		return (int)len;
	r = status_file_parse(text, (size_t)len, out, error);
	if (r < 0)
		free(text);
	return r;
}

static const char *check_alerts(const json_t *alerts)
{
	const json_t *alert;
	size_t i;

	json_array_foreach(
		alerts, i, alert) if (!json_is_string(json_object_get(alert, "name")) ||
				      status_alert_level(alert) ==
					      LEVEL_OK) return "an alert without a name or a level";
	return NULL;
}

static const char *check_errors(json_t *errors)
{
	const char *name;
	json_t *text;

	json_object_foreach(
		errors, name, text) if (!json_is_string(text)) return "an error that is no text";
	return NULL;
}

/* What is wrong with it, or NULL. */
static const char *check(const struct status_file *file)
{
	const char *wrong;

	if (!json_is_object(file->json))
		return "it is not an object";
	if (!(file->time <= MAX_TIME))
		return "\"time\" is not a time";
	if (!(file->interval >= 1 && file->interval <= 3600))
		return "\"interval\" is not in 1..3600";
	if (!json_is_object(file->readings) || !json_is_object(file->errors) ||
		!json_is_array(file->alerts))
		return "\"readings\", \"errors\" or \"alerts\" is missing";
	wrong = check_alerts(file->alerts);
	return wrong ? wrong : check_errors(json_object_get(file->json, "errors"));
}

int status_file_parse(
	char *text, size_t len, struct status_file *out, char error[static STATUS_ERROR_SIZE])
{
	json_error_t problem;
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &problem);
	struct status_file file = {
		.text = text,
		.len = len,
		.json = json,
		.time = status_number(json_object_get(json, "time")),
		.interval = status_number(json_object_get(json, "interval")),
		.readings = json_object_get(json, "readings"),
		.errors = json_object_get(json, "errors"),
		.alerts = json_object_get(json, "alerts"),
	};
	const char *wrong;

	if (!json) {
		snprintf(error, STATUS_ERROR_SIZE, "is damaged: line %d: %s", problem.line,
			problem.text);
		return -EBADMSG;
	}
	wrong = check(&file);
	if (wrong) {
		snprintf(error, STATUS_ERROR_SIZE, "is damaged: %s", wrong);
		json_decref(json);
		return -EBADMSG;
	}
	*out = file;
	return 0;
}

void status_file_free(struct status_file *file)
{
	json_decref(file->json);
	free(file->text);
}

bool status_file_is_stale(
	const struct status_file *file, double now, char error[static STATUS_ERROR_SIZE])
{
	double age = now - file->time;
	char duration[TEXT_SIZE], interval[TEXT_SIZE];

	if (fabs(age) <= PATIENCE * file->interval)
		return false;
	text_duration(duration, fabs(age));
	text_duration(interval, file->interval);
	if (age < 0)
		snprintf(error, STATUS_ERROR_SIZE, "is stamped %s ahead of this machine's clock",
			duration);
	else
		snprintf(error, STATUS_ERROR_SIZE,
			"is %s old, though it is written every %s: connwatchd is not running, or "
			"hangs",
			duration, interval);
	return true;
}

double status_number(const json_t *value)
{
	double number = json_is_number(value) ? json_number_value(value) : UNKNOWN;

	return number >= 0 && number <= MAX_READING ? number : UNKNOWN;
}

bool status_reading(
	const struct status_file *file, const char *instance, const char *column, double *out)
{
	const json_t *value = json_object_get(json_object_get(file->readings, instance), column);

	*out = status_number(value);
	return value;
}

enum level status_alert_level(const json_t *alert)
{
	const char *name = json_string_value(json_object_get(alert, "level"));
	enum level level = LEVEL_CRITICAL;

	while (level > LEVEL_OK && (!name || strcmp(name, level_names[level]) != 0))
		level--;
	return level;
}
