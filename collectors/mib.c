/* SPDX-License-Identifier: MIT */
#include "collectors/mib.h"

#include <errno.h>

static void take(
	struct span name, struct span value, const char *const names[], size_t n, double values[])
{
	uint64_t number;

	for (size_t i = 0; i < n; i++)
		if (span_equal(name, names[i])) {
			values[i] = span_decimal(value, &number) ? (double)number : UNKNOWN;
			return;
		}
}

/* Both lines without their prefix. */
static int pair(
	struct span header, struct span line, const char *const names[], size_t n, double values[])
{
	struct span name, value;
	bool more_names, more_values;

	for (;;) {
		more_names = span_word(&header, &name);
		more_values = span_word(&line, &value);
		if (more_names != more_values)
			return -EBADMSG;
		if (!more_names)
			return 0;
		take(name, value, names, n, values);
	}
}

static void forget(double values[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = UNKNOWN;
}

static bool starts_with(struct span *line, const char *prefix)
{
	struct span word;

	return span_word(line, &word) && span_equal(word, prefix);
}

int mib_parse(
	struct span text, const char *prefix, const char *const names[], size_t n, double values[])
{
	struct span header, line;
	bool found = false;

	forget(values, n);
	if (!span_is_whole(text))
		return -EBADMSG;
	while (span_line(&text, &header)) {
		if (!starts_with(&header, prefix))
			continue;
		found = span_line(&text, &line) && starts_with(&line, prefix) &&
			pair(header, line, names, n, values) == 0;
		if (!found)
			break;
	}
	if (found)
		return 0;
	forget(values, n);
	return -EBADMSG;
}

int mib_read(struct mib *mib, double values[], struct reading *r)
{
	struct span text;
	int error = procfile_read(mib->proc, &mib->file, &text);

	if (error < 0)
		forget(values, mib->n);
	else
		error = mib_parse(text, mib->prefix, mib->names, mib->n, values);
	return error < 0 ? reading_fail(r, error, mib->file.path) : 0;
}

int mib_look(void *state, struct reading *r)
{
	return mib_read(state, r->values, r);
}

void mib_close(void *state)
{
	struct mib *mib = state;

	procfile_close(&mib->file);
}
