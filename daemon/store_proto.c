/* SPDX-License-Identifier: MIT */
#include "daemon/store_proto.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

/* librrd: a data source name has at most 19 characters. */
#define COLUMN_NAME_MAX 19
/* 2^31 seconds and 2^28 rows keep every product below within 64 bits. */
#define MAX_SECONDS INT64_C(0x7fffffff)
#define MAX_ROWS (INT64_C(1) << 28)

struct open_head {
	int64_t step, heartbeat;
	uint32_t n_columns, n_archives, suspect, past;
};

struct answer_head {
	int64_t last;
	int32_t code, priority;
};

/* The part of a packet not yet read, or of a buffer not yet written. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

struct writer {
	uint8_t *at;
	size_t left;
	bool full;
};

static void put(struct writer *w, const void *data, size_t len)
{
	if (w->full || len > w->left) {
		w->full = true;
		return;
	}
	memcpy(w->at, data, len);
	w->at += len;
	w->left -= len;
}

static ssize_t put_end(const struct writer *w)
{
	return w->full ? -EMSGSIZE : (ssize_t)(STORE_PACKET_SIZE - w->left);
}

static bool get(struct cursor *c, void *out, size_t len)
{
	if (len > c->left)
		return false;
	memcpy(out, c->at, len);
	c->at += len;
	c->left -= len;
	return true;
}

/* A NUL-terminated string of at most size - 1 characters, left where it is. */
static const char *get_string(struct cursor *c, size_t size)
{
	const char *s = (const char *)c->at;
	size_t len = strnlen(s, c->left < size ? c->left : size);

	if (len == c->left || len == size)
		return NULL;
	c->at += len + 1;
	c->left -= len + 1;
	return s;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyz0123456789_"

static bool is_name(const char *s, const char *allowed, size_t max)
{
	size_t len = strlen(s);

	return len > 0 && len <= max && strspn(s, allowed) == len && s[0] != '-' && s[0] != '_' &&
	       s[0] != '.';
}

ssize_t store_put_open(
	uint8_t buf[static STORE_PACKET_SIZE], uint32_t slot, const struct store_open *open)
{
	struct writer w = {.at = buf, .left = STORE_PACKET_SIZE};
	struct store_packet head = {.type = STORE_OPEN, .slot = slot};
	struct open_head fixed = {.step = open->step,
		.heartbeat = open->heartbeat,
		.n_columns = (uint32_t)open->n_columns,
		.n_archives = (uint32_t)open->n_archives,
		.suspect = open->suspect,
		.past = open->past};

	put(&w, &head, sizeof(head));
	put(&w, &fixed, sizeof(fixed));
	put(&w, open->archives, open->n_archives * sizeof(open->archives[0]));
	put(&w, open->name, strlen(open->name) + 1);
	put(&w, open->directory, strlen(open->directory) + 1);
	put(&w, open->daemon, strlen(open->daemon) + 1);
	for (size_t i = 0; i < open->n_columns; i++) {
		uint8_t kind = (uint8_t)open->columns[i].kind;

		put(&w, &kind, 1);
		put(&w, open->columns[i].name, strlen(open->columns[i].name) + 1);
	}
	return put_end(&w);
}

ssize_t store_put_row(uint8_t buf[static STORE_PACKET_SIZE], const struct store_packet *head,
	int64_t time, const double values[], size_t n)
{
	struct writer w = {.at = buf, .left = STORE_PACKET_SIZE};

	put(&w, head, sizeof(*head));
	put(&w, &time, sizeof(time));
	put(&w, values, n * sizeof(values[0]));
	return put_end(&w);
}

ssize_t store_put_answer(uint8_t buf[static STORE_PACKET_SIZE], const struct store_packet *head,
	const struct store_answer *answer)
{
	struct writer w = {.at = buf, .left = STORE_PACKET_SIZE};
	struct answer_head fixed = {
		.last = answer->last, .code = (int32_t)answer->code, .priority = answer->priority};

	put(&w, head, sizeof(*head));
	put(&w, &fixed, sizeof(fixed));
	put(&w, answer->cause, strlen(answer->cause) + 1);
	put(&w, answer->note, strlen(answer->note) + 1);
	return put_end(&w);
}

ssize_t store_put_past(
	uint8_t buf[static STORE_PACKET_SIZE], uint32_t slot, const struct store_past *past)
{
	struct writer w = {.at = buf, .left = STORE_PACKET_SIZE};
	struct store_packet head = {.type = STORE_PAST, .slot = slot};
	uint32_t column[2] = {past->column, 0};

	put(&w, &head, sizeof(head));
	put(&w, column, sizeof(column));
	put(&w, &past->time, sizeof(past->time));
	put(&w, &past->step, sizeof(past->step));
	put(&w, past->values, past->n * sizeof(past->values[0]));
	return put_end(&w);
}

ssize_t store_put_busy(uint8_t buf[static STORE_PACKET_SIZE])
{
	const struct store_packet head = {.type = STORE_BUSY};

	memcpy(buf, &head, sizeof(head));
	return sizeof(head);
}

ssize_t store_put_say(uint8_t buf[static STORE_PACKET_SIZE], int priority, const char *text)
{
	struct writer w = {.at = buf, .left = STORE_PACKET_SIZE};
	struct store_packet head = {.type = STORE_SAY};
	int32_t fixed = priority;

	put(&w, &head, sizeof(head));
	put(&w, &fixed, sizeof(fixed));
	put(&w, text, strlen(text) + 1);
	return put_end(&w);
}

void store_mark_suspect(uint8_t *packet, bool suspect)
{
	uint32_t value = suspect;

	memcpy(packet + sizeof(struct store_packet) + offsetof(struct open_head, suspect), &value,
		sizeof(value));
}

int store_parse_packet(const uint8_t *buf, size_t len, struct store_packet *out)
{
	struct cursor c = {buf, len};

	if (len > STORE_PACKET_SIZE || !get(&c, out, sizeof(*out)))
		return -EBADMSG;
	return out->type >= STORE_OPEN && out->type <= STORE_SAY && out->slot < STORE_MAX_SLOTS
		       ? 0
		       : -EBADMSG;
}

/* The packet's head, which must be of this type, is taken off. */
static bool get_head(struct cursor *c, enum store_type type)
{
	struct store_packet head;

	return store_parse_packet(c->at, c->left, &head) == 0 && head.type == (uint32_t)type &&
	       get(c, &head, sizeof(head));
}

static bool get_archives(struct cursor *c, struct store_open *out)
{
	if (!get(c, out->archives, out->n_archives * sizeof(out->archives[0])))
		return false;
	for (size_t i = 0; i < out->n_archives; i++) {
		const struct store_archive *a = &out->archives[i];

		if (a->step < out->step || a->step > MAX_SECONDS || a->step % out->step)
			return false;
		if (a->rows < 1 || a->rows > MAX_ROWS)
			return false;
		if (i > 0 && a->step <= out->archives[i - 1].step)
			return false;
	}
	return true;
}

static bool get_columns(struct cursor *c, struct store_open *out)
{
	for (size_t i = 0; i < out->n_columns; i++) {
		struct store_column *column = &out->columns[i];
		uint8_t kind;

		if (!get(c, &kind, 1) || kind > METRIC_COUNTER)
			return false;
		column->kind = kind;
		column->name = get_string(c, COLUMN_NAME_MAX + 1);
		if (!column->name || !is_name(column->name, LETTERS, COLUMN_NAME_MAX))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(out->columns[k].name, column->name))
				return false;
	}
	return true;
}

int store_parse_open(const uint8_t *buf, size_t len, struct store_open *out)
{
	struct cursor c = {buf, len};
	struct open_head fixed;

	if (!get_head(&c, STORE_OPEN) || !get(&c, &fixed, sizeof(fixed)))
		return -EBADMSG;
	if (fixed.step < 1 || fixed.step > MAX_SECONDS || fixed.heartbeat < fixed.step ||
		fixed.heartbeat > 4 * MAX_SECONDS || fixed.suspect > 1)
		return -EBADMSG;
	if (fixed.n_columns < 1 || fixed.n_columns > STORE_MAX_COLUMNS || fixed.n_archives < 1 ||
		fixed.n_archives > STORE_MAX_ARCHIVES)
		return -EBADMSG;
	out->step = fixed.step;
	out->heartbeat = fixed.heartbeat;
	out->suspect = fixed.suspect;
	out->past = fixed.past;
	out->n_columns = fixed.n_columns;
	out->n_archives = fixed.n_archives;
	if (!get_archives(&c, out))
		return -EBADMSG;
	out->name = get_string(&c, STORE_NAME_SIZE);
	if (!out->name || !is_name(out->name, LETTERS "-.", STORE_NAME_SIZE - 1))
		return -EBADMSG;
	out->directory = get_string(&c, 4096);
	if (!out->directory || !out->directory[0])
		return -EBADMSG;
	out->daemon = get_string(&c, 1024);
	if (!out->daemon)
		return -EBADMSG;
	return get_columns(&c, out) && c.left == 0 ? 0 : -EBADMSG;
}

int store_copy_open(
	const uint8_t *buf, size_t len, uint8_t **copy, struct store_open *out, char **path)
{
	int r;

	*path = NULL;
	*copy = malloc(len ? len : 1);
	if (!*copy)
		return -ENOMEM;
	memcpy(*copy, buf, len);
	r = store_parse_open(*copy, len, out);
	if (r == 0 && asprintf(path, "%s/%s.rrd", out->directory, out->name) < 0) {
		*path = NULL;
		r = -ENOMEM;
	}
	return r;
}

int store_parse_row(const uint8_t *buf, size_t len, struct store_row *out)
{
	struct cursor c = {buf, len};

	if (!get_head(&c, STORE_ROW) || !get(&c, &out->time, sizeof(out->time)))
		return -EBADMSG;
	out->n = c.left / sizeof(out->values[0]);
	if (c.left % sizeof(out->values[0]) || out->n < 1 || out->n > STORE_MAX_COLUMNS)
		return -EBADMSG;
	/* 2^40 is the year 36812. */
	if (out->time < 1 || out->time > INT64_C(1) << 40)
		return -EBADMSG;
	memcpy(out->values, c.at, c.left);
	return 0;
}

int store_parse_past(const uint8_t *buf, size_t len, struct store_past *out)
{
	struct cursor c = {buf, len};
	uint32_t column[2];

	if (!get_head(&c, STORE_PAST) || !get(&c, column, sizeof(column)) ||
		!get(&c, &out->time, sizeof(out->time)) || !get(&c, &out->step, sizeof(out->step)))
		return -EBADMSG;
	out->column = column[0];
	out->n = c.left / sizeof(out->values[0]);
	if (c.left % sizeof(out->values[0]) || out->n < 1 || out->n > STORE_PAST_ROWS ||
		column[1] || out->column >= STORE_MAX_COLUMNS || out->step < 1 ||
		out->step > MAX_SECONDS || out->time < 1 || out->time > INT64_C(1) << 40)
		return -EBADMSG;
	memcpy(out->values, c.at, c.left);
	return 0;
}

/* Copies, with every control character made a space: it goes to a log. */
static bool get_text(struct cursor *c, char out[static STORE_TEXT_SIZE])
{
	const char *s = get_string(c, STORE_TEXT_SIZE);

	if (!s)
		return false;
	for (; *s; s++)
		*out++ = (char)((unsigned char)*s < ' ' || *s == 0x7f ? ' ' : *s);
	*out = 0;
	return true;
}

int store_parse_say(
	const uint8_t *buf, size_t len, int *priority, char text[static STORE_TEXT_SIZE])
{
	struct cursor c = {buf, len};
	int32_t fixed;

	if (!get_head(&c, STORE_SAY) || !get(&c, &fixed, sizeof(fixed)) || fixed < LOG_ERR ||
		fixed > LOG_DEBUG || !get_text(&c, text) || c.left)
		return -EBADMSG;
	*priority = fixed;
	return 0;
}

int store_parse_answer(const uint8_t *buf, size_t len, struct store_answer *out)
{
	struct cursor c = {buf, len};
	struct answer_head fixed;
	bool failed;

	if (!get_head(&c, STORE_ANSWER) || !get(&c, &fixed, sizeof(fixed)))
		return -EBADMSG;
	if (fixed.code < STORE_DONE || fixed.code > STORE_NO_EXEC || fixed.priority < LOG_ERR ||
		fixed.priority > LOG_DEBUG)
		return -EBADMSG;
	out->code = (enum store_code)fixed.code;
	out->last = fixed.last;
	out->priority = fixed.priority;
	if (!get_text(&c, out->cause) || !get_text(&c, out->note) || c.left)
		return -EBADMSG;
	failed = out->code == STORE_FAILED || out->code == STORE_NO_EXEC;
	return failed == (out->cause[0] != 0) ? 0 : -EBADMSG;
}
