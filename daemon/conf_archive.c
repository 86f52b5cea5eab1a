/* SPDX-License-Identifier: MIT */
#include "daemon/conf_archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/conf_value.h"

#define ROWS_MAX 10000000             /* 80 MB a column */
#define SPAN_MAX (100L * 365 * 86400) /* seconds */
#define ARCHIVES_MAX 32

static int parse(const char *text, long *step, long *span)
{
	const char *colon = strchr(text, ':');
	char resolution[CONF_VALUE_SIZE];

	if (!colon || (size_t)(colon - text) >= sizeof(resolution))
		return -EINVAL;
	memcpy(resolution, text, (size_t)(colon - text));
	resolution[colon - text] = '\0';
	if (conf_parse_duration(resolution, step) < 0 || conf_parse_duration(colon + 1, span) < 0)
		return -EINVAL;
	return *step > 0 && *span > 0 ? 0 : -EINVAL;
}

static int make_archive(const char *text, const struct archive_fit *fit, struct archive *out,
	char error[static CONF_ARCHIVE_ERROR_SIZE])
{
	long interval = fit->interval, step, span;

	if (parse(text, &step, &span) < 0) {
		snprintf(error, CONF_ARCHIVE_ERROR_SIZE,
			"\"%.40s\" is not RESOLUTION:SPAN, durations with s, m, h, d or y such as "
			"\"10s:2d\"",
			text);
		return -EINVAL;
	}
	if (span < step) {
		snprintf(error, CONF_ARCHIVE_ERROR_SIZE,
			"\"%.40s\": the span is shorter than the resolution", text);
		return -EINVAL;
	}
	if (span > SPAN_MAX) {
		snprintf(error, CONF_ARCHIVE_ERROR_SIZE,
			"\"%.40s\": the span is longer than 100 years", text);
		return -EINVAL;
	}
	if (step < interval)
		step = interval;
	if (step % interval != 0 && !fit->round_up) {
		snprintf(error, CONF_ARCHIVE_ERROR_SIZE,
			"\"%.40s\": the resolution is no multiple of interval (%ld s)", text,
			interval);
		return -EINVAL;
	}
	if (step % interval != 0)
		step += interval - step % interval;
	out->step = step;
	out->rows = span / step + (span % step != 0);
	if (out->rows > ROWS_MAX) {
		snprintf(error, CONF_ARCHIVE_ERROR_SIZE, "\"%.40s\" makes %ld rows, more than %d",
			text, out->rows, ROWS_MAX);
		return -EINVAL;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct archive *x = a, *y = b;

	return x->step < y->step ? -1 : x->step > y->step;
}

/* Put a into out[n], unless its step is there; returns the new n. */
static size_t merge(struct archive out[], size_t n, const struct archive *a)
{
	for (size_t i = 0; i < n; i++) {
		if (out[i].step != a->step)
			continue;
		if (out[i].rows < a->rows)
			out[i].rows = a->rows;
		return n;
	}
	out[n] = *a;
	return n + 1;
}

int conf_archives(const struct string_list *texts, const struct archive_fit *fit,
	struct archive out[], size_t *n_out, char error[static CONF_ARCHIVE_ERROR_SIZE])
{
	size_t filled = 0;

	if (texts->n > ARCHIVES_MAX) {
		snprintf(error, CONF_ARCHIVE_ERROR_SIZE, "%zu archives are more than %d", texts->n,
			ARCHIVES_MAX);
		return -EINVAL;
	}
	for (size_t i = 0; i < texts->n; i++) {
		struct archive a;
		int r = make_archive(texts->string[i], fit, &a, error);

		if (r < 0)
			return r;
		filled = merge(out, filled, &a);
	}
	qsort(out, filled, sizeof(*out), compare);
	*n_out = filled;
	return 0;
}
