/* SPDX-License-Identifier: MIT */
/*
 * The packets between the loop (store.c) and the store process (store_main.c), one per message of a
 * SOCK_SEQPACKET, in the machine's own byte order. Each OPEN and each ROW gets exactly one ANSWER,
 * in order; before it there may be BUSY packets, a struct store_packet alone, while a file is written whole. Neither side believes the other: the parsers are pure and refuse all that is not exact.
 *
 *   OPEN   struct store_packet, then i64 step, i64 heartbeat, u32 columns, u32 archives, u32
 * suspect, u32 0, {i64 step, i64 rows} per archive, "name\0" "directory\0" "daemon\0", {u8 kind, "name\0"} per
 * column ROW    struct store_packet, then i64 time, one double per column ANSWER struct
 * store_packet, then i64 last, i32 code, i32 priority, "cause\0" "note\0"
 *   SAY    struct store_packet, then i32 priority, "text\0": something about all files, to be said now
 */
#ifndef CONNWATCH_STORE_PROTO_H
#define CONNWATCH_STORE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/collector.h"

#define STORE_FD 3 /* where the store process finds its end of the socket */

#define STORE_PACKET_SIZE 8192 /* no packet is longer */
#define STORE_MAX_SLOTS 4096
#define STORE_MAX_COLUMNS 64
#define STORE_MAX_ARCHIVES 64
#define STORE_NAME_SIZE 64   /* with NUL: "listener-" and a title of 32 */
#define STORE_PAST_ROWS 1000 /* of one packet */
#define STORE_TEXT_SIZE 512  /* of a cause or a note, with NUL */

enum store_type { STORE_OPEN = 1, STORE_ROW, STORE_ANSWER, STORE_PAST, STORE_BUSY, STORE_SAY };

/* What every packet begins with. slot: number of the file, chosen by the loop; seq: given back in
 * the answer. */
struct store_packet {
	uint32_t type, slot;
	uint64_t seq;
};

struct store_column {
	const char *name; /* [a-z][a-z0-9_]*, at most 19 characters */
	enum metric_kind kind;
};

struct store_archive {
	int64_t step, rows; /* seconds, a multiple of the file's step; rows */
};

/* Strings point into the packet after parsing. */
struct store_open {
	const char *name, *directory;
	const char *daemon;      /* address of an rrdcached that keeps the file; "" for none */
	int64_t step, heartbeat; /* seconds */
	bool suspect; /* librrd crashed on this file several times: move it aside unread */
	uint32_t
		past; /* columns (1 << number) of which the last days are wanted, in PAST packets after the answer */
	size_t n_columns, n_archives;
	struct store_column columns[STORE_MAX_COLUMNS];
	struct store_archive archives[STORE_MAX_ARCHIVES]; /* ascending steps */
};

struct store_row {
	int64_t time;
	size_t n;
	double values[STORE_MAX_COLUMNS];
};

/* Maxima of a column in the file, oldest first, every step seconds; UNKNOWN where there is none. */
struct store_past {
	uint32_t column;
	int64_t time, step; /* time: UNIX seconds of values[0] */
	size_t n;
	double values[STORE_PAST_ROWS];
};

enum store_code {
	STORE_DONE,    /* OPEN: rows may come; ROW: written */
	STORE_SAME,    /* the file's last row is of this very second */
	STORE_OLDER,   /* the file holds rows up to `last` */
	STORE_FAILED,  /* for `cause`, which names no file, so that one sentence serves several */
	STORE_NO_EXEC, /* not from the store: its program cannot be run */
};

struct store_answer {
	int64_t last; /* time of the newest row in the file, 0 if not known */
	enum store_code code;
	int priority;                /* of the note: LOG_ERR..LOG_DEBUG */
	char cause[STORE_TEXT_SIZE]; /* "" unless code is STORE_FAILED or STORE_NO_EXEC */
	char note[STORE_TEXT_SIZE];  /* a sentence to be said once, names the file; "" if there is
					none */
};

/* Put a packet into buf; returns its length, or -EMSGSIZE where it does not fit in
 * STORE_PACKET_SIZE. */
ssize_t store_put_open(
	uint8_t buf[static STORE_PACKET_SIZE], uint32_t slot, const struct store_open *open);
ssize_t store_put_row(uint8_t buf[static STORE_PACKET_SIZE], const struct store_packet *head,
	int64_t time, const double values[], size_t n);
ssize_t store_put_answer(uint8_t buf[static STORE_PACKET_SIZE], const struct store_packet *head,
	const struct store_answer *answer);

ssize_t store_put_past(
	uint8_t buf[static STORE_PACKET_SIZE], uint32_t slot, const struct store_past *past);
/* A sign of life, for whatever is the oldest packet. */
ssize_t store_put_busy(uint8_t buf[static STORE_PACKET_SIZE]);
ssize_t store_put_say(uint8_t buf[static STORE_PACKET_SIZE], int priority, const char *text);

/* Set `suspect` in an OPEN packet that was put. */
void store_mark_suspect(uint8_t *packet, bool suspect);

/* Take a packet apart. Return 0, or -EBADMSG with *out undefined. */
int store_parse_packet(const uint8_t *buf, size_t len, struct store_packet *out);
int store_parse_open(const uint8_t *buf, size_t len, struct store_open *out);
/*
 * The same of a copy, which out's strings point into, and the path of the file it is about. Both are for free(), also after an
 * error. Returns 0, -EBADMSG or -ENOMEM.
 */
int store_copy_open(
	const uint8_t *buf, size_t len, uint8_t **copy, struct store_open *out, char **path);
int store_parse_row(const uint8_t *buf, size_t len, struct store_row *out);
int store_parse_past(const uint8_t *buf, size_t len, struct store_past *out);
int store_parse_say(
	const uint8_t *buf, size_t len, int *priority, char text[static STORE_TEXT_SIZE]);
int store_parse_answer(const uint8_t *buf, size_t len, struct store_answer *out);

#endif
