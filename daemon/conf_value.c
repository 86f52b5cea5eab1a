/* SPDX-License-Identifier: MIT */
#include "daemon/conf_value.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "daemon/util.h"

#define EXACT_DIGITS 15 /* decimal digits that a double holds exactly, whatever they are */

static const struct unit {
	char letter;
	long seconds;
} units[] = {
	{'y', 365L * 86400},
	{'d', 86400},
	{'h', 3600},
	{'m', 60},
	{'s', 1},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool conf_value_is_list(enum setting_type type)
{
	return type == SETTING_PORTS || type == SETTING_NETWORKS || type == SETTING_STRINGS;
}

/* Digits without a leading zero; *end is the first character behind them. */
static int parse_digits(const char *text, long *out, const char **end)
{
	const char *p = text;
	long value = 0;

	if (!is_digit(*p) || (*p == '0' && is_digit(p[1])))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		int digit = *p - '0';

		if (value > (LONG_MAX - digit) / 10)
			return -EINVAL;
		value = value * 10 + digit;
	}
	*out = value;
	*end = p;
	return 0;
}

int conf_parse_whole(const char *text, long *out)
{
	bool negative = *text == '-';
	const char *end;
	long value;
	int r;

	r = parse_digits(text + negative, &value, &end);
	if (r < 0 || *end)
		return -EINVAL;
	*out = negative ? -value : value;
	return 0;
}

int conf_parse_number(const char *text, double *out)
{
	bool negative = *text == '-';
	const char *p = text + negative;
	double mantissa = 0, scale = 1;
	int digits = 0;

	if (!is_digit(*p) || (*p == '0' && is_digit(p[1])))
		return -EINVAL;
	for (; is_digit(*p); p++, digits++)
		mantissa = mantissa * 10 + (*p - '0');
	if (*p == '.') {
		if (!is_digit(*++p))
			return -EINVAL;
		for (; is_digit(*p); p++, digits++) {
			mantissa = mantissa * 10 + (*p - '0');
			scale *= 10;
		}
	}
	if (*p || digits > EXACT_DIGITS)
		return -EINVAL;
	/* Both are exact, hence the quotient is the nearest double. */
	*out = negative ? -mantissa / scale : mantissa / scale;
	return 0;
}

int conf_parse_duration(const char *text, long *out)
{
	const char *end;
	long value;
	int r;

	r = parse_digits(text, &value, &end);
	if (r < 0)
		return r;
	if (!*end && value == 0) {
		*out = 0;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (*end != units[i].letter || end[1])
			continue;
		if (value > LONG_MAX / units[i].seconds)
			return -EINVAL;
		*out = value * units[i].seconds;
		return 0;
	}
	return -EINVAL;
}

static bool host_bits_set(const struct network *n)
{
	for (unsigned bit = n->prefix; bit < 128; bit++)
		if (n->address[bit / 8] & (0x80U >> (bit % 8)))
			return true;
	return false;
}

int conf_parse_network(const char *text, struct network *out)
{
	size_t len = strcspn(text, "/");
	struct network n = {.address = {[10] = 0xff, [11] = 0xff}};
	char address[INET6_ADDRSTRLEN];
	long bits = 128, prefix;

	if (len >= sizeof(address))
		return -EINVAL;
	memcpy(address, text, len);
	address[len] = '\0';
	if (inet_pton(AF_INET, address, n.address + 12) == 1)
		bits = 32;
	else if (inet_pton(AF_INET6, address, n.address) != 1)
		return -EINVAL;
	prefix = bits;
	if (text[len] == '/' &&
		(text[len + 1] == '-' || conf_parse_whole(text + len + 1, &prefix) < 0))
		return -EINVAL;
	if (prefix > bits)
		return -EINVAL;
	n.prefix = (unsigned)(128 - bits + prefix);
	if (host_bits_set(&n))
		return -EDOM;
	*out = n;
	return 0;
}

static int parse_boolean(const char *text, bool *out)
{
	static const char *const names[] = {"false", "true", "off", "on", "no", "yes"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcasecmp(text, names[i]) != 0)
			continue;
		*out = i % 2 == 1;
		return 0;
	}
	return -EINVAL;
}

static int parse_choice(const char *const *choices, const char *text, int *out)
{
	for (int i = 0; choices[i]; i++) {
		if (strcmp(text, choices[i]) != 0)
			continue;
		*out = i;
		return 0;
	}
	return -EINVAL;
}

static int parse_port(const char *text, uint16_t *out)
{
	long port;
	int r = conf_parse_whole(text, &port);

	if (r < 0)
		return r;
	if (port < 1 || port > UINT16_MAX)
		return -ERANGE;
	*out = (uint16_t)port;
	return 0;
}

static int check_range(const struct setting *s, double value, int r)
{
	if (r < 0)
		return r;
	return value < s->min || value > s->max ? -ERANGE : 0;
}

/* As conf_parse_duration(), but years are for the spans of archives only. */
static int parse_plain_duration(const char *text, long *out)
{
	return strchr(text, 'y') ? -EINVAL : conf_parse_duration(text, out);
}

int conf_value_parse(const struct setting *setting, const char *text, union conf_value *out)
{
	union conf_value v = {.whole = 0};
	int r = 0;

	switch (setting->type) {
	case SETTING_BOOL:
		r = parse_boolean(text, &v.boolean);
		break;
	case SETTING_INT:
		r = conf_parse_whole(text, &v.whole);
		r = check_range(setting, (double)v.whole, r);
		break;
	case SETTING_NUMBER:
		r = conf_parse_number(text, &v.number);
		r = check_range(setting, v.number, r);
		break;
	case SETTING_DURATION:
		r = parse_plain_duration(text, &v.whole);
		r = check_range(setting, (double)v.whole, r);
		break;
	case SETTING_CHOICE:
		r = parse_choice(setting->choices, text, &v.choice);
		break;
	case SETTING_PORTS:
		r = parse_port(text, &v.port);
		break;
	case SETTING_NETWORKS:
		r = conf_parse_network(text, &v.network);
		break;
	case SETTING_STRING:
	case SETTING_STRINGS:
		v.string = text;
		break;
	}
	if (r == 0)
		*out = v;
	return r;
}

static void expect_choice(const struct setting *s, char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size, "one of");

	for (size_t i = 0; s->choices[i] && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s %s", i ? "," : "", s->choices[i]);
}

void conf_value_expected(const struct setting *setting, char *out, size_t size)
{
	char low[CONF_VALUE_SIZE], high[CONF_VALUE_SIZE];

	switch (setting->type) {
	case SETTING_BOOL:
		snprintf(out, size, "true or false");
		break;
	case SETTING_INT:
		snprintf(out, size, "a whole number in %.0f..%.0f", setting->min, setting->max);
		break;
	case SETTING_NUMBER:
		conf_format_number(setting->min, low);
		conf_format_number(setting->max, high);
		snprintf(out, size, "a number in %s..%s", low, high);
		break;
	case SETTING_DURATION:
		conf_format_duration((long)setting->min, low);
		conf_format_duration((long)setting->max, high);
		snprintf(out, size, "a duration in %s..%s (a whole number with s, m, h or d)", low,
			high);
		break;
	case SETTING_CHOICE:
		expect_choice(setting, out, size);
		break;
	case SETTING_PORTS:
		snprintf(out, size, "a port in 1..65535");
		break;
	case SETTING_NETWORKS:
		snprintf(out, size, "an address or network such as 10.0.0.0/8 or 2001:db8::/32");
		break;
	case SETTING_STRING:
	case SETTING_STRINGS:
		snprintf(out, size, "a text");
		break;
	}
}

void conf_format_number(double value, char out[static CONF_VALUE_SIZE])
{
	double back;

	for (int decimals = 0; decimals <= EXACT_DIGITS; decimals++) {
		snprintf(out, CONF_VALUE_SIZE, "%.*f", decimals, value);
		if (conf_parse_number(out, &back) == 0 && !(back < value || back > value))
			return;
	}
}

void conf_format_duration(long seconds, char out[static CONF_VALUE_SIZE])
{
	size_t i = 1; /* days at most: they are read everywhere */

	if (seconds == 0) {
		snprintf(out, CONF_VALUE_SIZE, "0");
		return;
	}
	while (seconds % units[i].seconds != 0)
		i++;
	snprintf(out, CONF_VALUE_SIZE, "%ld%c", seconds / units[i].seconds, units[i].letter);
}

void conf_format_network(const struct network *network, char out[static CONF_VALUE_SIZE])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	char address[INET6_ADDRSTRLEN];

	if (network->prefix >= 96 && memcmp(network->address, mapped, sizeof(mapped)) == 0) {
		inet_ntop(AF_INET, network->address + 12, address, sizeof(address));
		snprintf(out, CONF_VALUE_SIZE, "%s/%u", address, network->prefix - 96);
		return;
	}
	inet_ntop(AF_INET6, network->address, address, sizeof(address));
	snprintf(out, CONF_VALUE_SIZE, "%s/%u", address, network->prefix);
}
