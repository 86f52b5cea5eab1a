/* SPDX-License-Identifier: MIT */
#include "daemon/rrdanswer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

bool answer_fail(struct store_answer *a, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(a->cause, sizeof(a->cause), format, ap);
	va_end(ap);
	a->code = STORE_FAILED;
	return false;
}

void answer_note(struct store_answer *a, int priority, const char *format, ...)
{
	va_list ap;

	if (a->note[0])
		return;
	va_start(ap, format);
	vsnprintf(a->note, sizeof(a->note), format, ap);
	va_end(ap);
	a->priority = priority;
}

void answer_begin(struct store_answer *a)
{
	*a = (struct store_answer){.code = STORE_DONE, .priority = LOG_DEBUG};
}

void answer_missing(
	struct store_answer *a, const struct store_open *spec, const bool has[], const char *more)
{
	char names[STORE_TEXT_SIZE - 160] = "";

	for (size_t i = 0; i < spec->n_columns; i++) {
		size_t len = strlen(names);

		if (!has[i])
			snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
				spec->columns[i].name);
	}
	if (names[0])
		answer_note(a, LOG_WARNING,
			"%s.rrd has no such columns, their values are not stored: %s%s", spec->name,
			names, more);
}

const char *answer_remedy(int error)
{
	if (error == EROFS)
		return "mount it writable; under systemd a folder of one's own needs "
		       "ReadWritePaths= in a drop-in of the unit";
	return "give it to the daemon's user";
}

void answer_utc(char out[static 32], bool compact, int64_t t)
{
	time_t seconds = (time_t)t;
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		snprintf(out, 32, "%" PRId64, t);
	else if (compact)
		strftime(out, 32, "%Y%m%dT%H%M%SZ", &tm);
	else
		strftime(out, 32, "%Y-%m-%d %H:%M:%S UTC", &tm);
}
