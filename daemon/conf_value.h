/* SPDX-License-Identifier: MIT */
/*
 * Strict, pure parsers for single configuration values, and their printers. Independent of the
 * locale: no strtod, no octal, no exponent, nan or inf, nothing after the value.
 */
#ifndef CONNWATCH_CONF_VALUE_H
#define CONNWATCH_CONF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/collector.h"

/* One parsed value; which member counts depends on the setting's type. */
union conf_value {
	bool boolean;
	long whole; /* SETTING_INT, SETTING_DURATION (seconds) */
	double number;
	int choice;
	uint16_t port;
	struct network network;
	const char *string; /* borrowed from the text */
};

#define CONF_VALUE_SIZE 64   /* longest printed number, duration, port or network, with NUL */
#define CONF_EXPECT_SIZE 192 /* longest description by conf_value_expected(), with NUL */

/* True for types whose value is a list in braces. */
bool conf_value_is_list(enum setting_type type);

/* Parse one value (of a list: one member). Returns 0, -EINVAL for a wrong form, -ERANGE outside
 * [min, max]. */
int conf_value_parse(const struct setting *setting, const char *text, union conf_value *out);

/* What the setting accepts, as the end of "NAME: "VALUE" is not ...": "a whole number in 1..3600".
 */
void conf_value_expected(const struct setting *setting, char *out, size_t size);

/* Whole decimal number: "-"? digits, no leading zero. 0 or -EINVAL (also when it does not fit). */
int conf_parse_whole(const char *text, long *out);
/* Decimal number with "." and at most 15 digits, so that the result is exact to the last bit. 0 or
 * -EINVAL. */
int conf_parse_number(const char *text, double *out);
/* "30m" in seconds: whole number and s, m, h, d or y (365 days); "0" alone is zero. 0 or -EINVAL.
 */
int conf_parse_duration(const char *text, long *out);
/* "10.0.0.0/8", "2001:db8::/32" or a bare address. -EINVAL for anything else; -EDOM with bits set
 * beyond the prefix. */
int conf_parse_network(const char *text, struct network *out);

/* The printers give what the parsers read back to the same value. */
void conf_format_number(double value, char out[static CONF_VALUE_SIZE]);
void conf_format_duration(long seconds, char out[static CONF_VALUE_SIZE]);
void conf_format_network(const struct network *network, char out[static CONF_VALUE_SIZE]);

#endif
