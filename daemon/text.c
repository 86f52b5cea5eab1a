/* SPDX-License-Identifier: MIT */
#include "daemon/text.h"

#include <math.h>
#include <stdio.h>

const char *text_duration(char out[static TEXT_SIZE], double seconds)
{
	static const struct {
		unsigned long long seconds;
		const char *name;
	} unit[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
	unsigned long long left = seconds > 0 ? (unsigned long long)fmin(round(seconds), 1e15) : 0;
	int i = 0, len;

	while (unit[i].seconds > 1 && left < unit[i].seconds)
		i++;
	len = snprintf(out, TEXT_SIZE, "%llu %s", left / unit[i].seconds, unit[i].name);
	left %= unit[i].seconds;
	if (unit[i].seconds > 1 && left >= unit[i + 1].seconds)
		snprintf(out + len, TEXT_SIZE - (size_t)len, " %llu %s", left / unit[i + 1].seconds,
			unit[i + 1].name);
	return out;
}

const char *text_number(char out[static TEXT_SIZE], double value)
{
	if (isnan(value))
		snprintf(out, TEXT_SIZE, "unknown");
	else if (fabs(value) >= 10 || fabs(value - round(value)) < 0.005)
		snprintf(out, TEXT_SIZE, "%.0f", value + 0.0); /* + 0.0: no "-0" */
	else
		snprintf(out, TEXT_SIZE, fabs(value) >= 1 ? "%.1f" : "%.2f", value);
	return out;
}

const char *text_time(char out[static TEXT_SIZE], time_t time)
{
	struct tm tm;

	if (!gmtime_r(&time, &tm) || !strftime(out, TEXT_SIZE, "%Y-%m-%d %H:%M:%S UTC", &tm))
		snprintf(out, TEXT_SIZE, "%lld", (long long)time);
	return out;
}
