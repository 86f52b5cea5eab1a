/* SPDX-License-Identifier: MIT */
/* The loop's end of the socket: packets out, answers in, and what an answer means for the counts
 * and the log. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "daemon/log.h"
#include "daemon/store_internal.h"
#include "daemon/store_proto.h"

const struct flight *link_oldest(const struct store *s)
{
	return s->n_flight ? &s->flight[s->first] : NULL;
}

static void add_flight(struct store *s, const struct flight *f)
{
	if (!s->n_flight) {
		s->since = store_clock();
		s->busy = false;
	}
	s->flight[(s->first + s->n_flight++) % MAX_FLIGHT] = *f;
}

static int send_packet(struct store *s, const uint8_t *packet, size_t len)
{
	return send(s->fd, packet, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int send_open(struct store *s, uint32_t slot)
{
	struct store_file *file = &s->files.file[slot];
	int r;

	store_mark_suspect(file->packet, file->crashes >= MAX_CRASHES);
	r = send_packet(s, file->packet, file->packet_len);
	if (r < 0)
		return r;
	file->opened = true;
	file->pending++;
	add_flight(s, &(struct flight){.open = true, .slot = slot});
	return 0;
}

static int send_row(struct store *s)
{
	uint64_t seq = s->ring.next;
	const struct ring_row *row = ring_get(&s->ring, seq);
	struct store_packet head = {.type = STORE_ROW, .slot = row->slot, .seq = seq};
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_row(
		packet, &head, row->time, row->values, s->files.file[row->slot].n_values);
	int r = len < 0 ? (int)len : send_packet(s, packet, (size_t)len);

	if (r < 0)
		return r;
	s->ring.next++;
	add_flight(s, &(struct flight){
			      .last = row->last, .slot = row->slot, .seq = seq, .time = row->time});
	return 0;
}

/* Returns 0 after sending one packet, -ENOENT when there is none to send, or -errno. */
static int send_next(struct store *s)
{
	if (s->ring.next < s->ring.head) {
		uint32_t slot = ring_get(&s->ring, s->ring.next)->slot;

		return s->files.file[slot].opened ? send_row(s) : send_open(s, slot);
	}
	for (uint32_t i = 0; i < s->files.n; i++)
		if (s->files.file[i].current && !s->files.file[i].opened)
			return send_open(s, i);
	return -ENOENT;
}

void link_send(struct store *s)
{
	int r = 0;

	if (s->fd < 0 || s->killed)
		return;
	while (r == 0 && s->n_flight < MAX_FLIGHT)
		r = send_next(s);
	if (s->io)
		sd_event_source_set_io_events(s->io, r == -EAGAIN ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void link_drop_oldest(struct store *s)
{
	uint32_t slot = ring_get(&s->ring, s->ring.tail)->slot;
	bool sent = s->ring.tail < s->ring.next;

	ring_pop(&s->ring);
	s->counts.dropped++;
	if (!sent) /* else with its answer, or with the process */
		files_done(&s->files, slot);
}

/* The packet that answers or a death is about leaves the flight. */
static void pop_flight(struct store *s)
{
	s->first = (s->first + 1) % MAX_FLIGHT;
	s->n_flight--;
}

void link_reset(struct store *s)
{
	for (; s->n_flight; pop_flight(s)) {
		const struct flight *f = &s->flight[s->first];

		if (f->open || f->seq < s->ring.tail)
			files_done(&s->files, f->slot);
	}
	s->ring.next = s->ring.tail;
	for (size_t i = 0; i < s->files.n; i++)
		s->files.file[i].opened = false;
}

static void take_note(struct store *s, uint32_t slot, const struct store_answer *a)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	if (!a->note[0])
		return;
	for (const char *c = a->note; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	if (hash != s->files.file[slot].note)
		log_fields(a->priority, NULL, 0, "store: %s", a->note);
	s->files.file[slot].note = hash;
}

/*
 * Whether the row is in the file. One of the very second that is in it already was written before a
 * restart or a reload; but while the clock is behind the file it is another row.
 */
static bool is_stored(const struct trouble *t, const struct store_answer *a)
{
	return a->code == STORE_DONE || (a->code == STORE_SAME && t->kind != TROUBLE_CLOCK);
}

static void take_row_answer(struct store *s, const struct flight *f, const struct store_answer *a)
{
	struct trouble *t = &s->files.trouble[f->slot];
	bool was_dropped = f->seq < s->ring.tail;

	if (is_stored(t, a)) {
		t->over = t->kind != TROUBLE_NONE;
		s->counts.written++;
		if (was_dropped) { /* the queue had given it up too soon */
			s->counts.dropped--;
			s->overflow_rows -= s->overflowing;
		}
		s->files.file[f->slot].crashes = 0;
	} else {
		if (a->code == STORE_OLDER)
			trouble_clock(t, f->time, a->last);
		else if (a->code == STORE_FAILED)
			trouble_cause(t, a->cause);
		t->rows++;
		s->counts.dropped += !was_dropped;
	}
	if (!was_dropped)
		ring_pop(&s->ring);
	if (f->last)
		trouble_report(s->files.trouble, s->files.name, s->files.n);
	files_done(&s->files, f->slot);
}

static bool is_opening(const struct store *s)
{
	for (size_t i = 0; i < s->n_flight; i++)
		if (s->flight[(s->first + i) % MAX_FLIGHT].open)
			return true;
	return false;
}

static void take_open_answer(struct store *s, const struct flight *f, const struct store_answer *a)
{
	struct store_file *file = &s->files.file[f->slot];

	if (file->crashes >= MAX_CRASHES)
		file->crashes = 0; /* the file was moved aside */
	if (a->code == STORE_FAILED)
		trouble_cause(&s->files.trouble[f->slot], a->cause);
	if (!is_opening(s))
		trouble_report(s->files.trouble, s->files.name, s->files.n);
	files_done(&s->files, f->slot);
}

/* A slot whose instance is no longer there has no listener either. */
static int take_past(struct store *s, uint32_t slot, const uint8_t *packet, size_t len)
{
	struct store_past past;
	size_t instance = 0;

	if (store_parse_past(packet, len, &past) < 0 || slot >= s->files.n)
		return -EBADMSG;
	while (instance < s->files.n_instances && s->files.slot[instance] != slot)
		instance++;
	for (size_t i = 0; s->past && instance < s->files.n_instances && i < past.n; i++)
		s->past(s->past_arg, instance, past.column,
			(double)(past.time + (int64_t)i * past.step), past.values[i]);
	return 0;
}

static int take_say(const uint8_t *packet, size_t len)
{
	char text[STORE_TEXT_SIZE];
	int priority, r = store_parse_say(packet, len, &priority, text);

	if (r == 0)
		log_fields(priority, NULL, 0, "store: %s", text);
	return r;
}

/* Returns 0; -EBADMSG for what no store of ours sends; -ECANCELED where there is no store. */
static int take_answer(struct store *s, const uint8_t *packet, size_t len)
{
	struct store_packet head;
	struct store_answer answer;
	struct flight f;

	if (store_parse_packet(packet, len, &head) < 0)
		return -EBADMSG;
	if (head.type == STORE_PAST)
		return take_past(s, head.slot, packet, len);
	if (head.type == STORE_BUSY && len == sizeof(head)) {
		s->since = store_clock();
		s->busy = true;
		return 0;
	}
	if (head.type == STORE_SAY)
		return take_say(packet, len);
	if (store_parse_answer(packet, len, &answer) < 0)
		return -EBADMSG;
	if (answer.code == STORE_NO_EXEC) {
		store_say_failing(s,
			"cannot run %s; install it there, until then no history is written",
			answer.cause);
		link_reset(s); /* no row is to blame */
		return -ECANCELED;
	}
	if (!s->n_flight)
		return -EBADMSG;
	f = s->flight[s->first];
	if (head.slot != f.slot || head.seq != f.seq)
		return -EBADMSG;
	pop_flight(s);
	s->since = store_clock();
	s->busy = false;
	s->answered = true;
	take_note(s, f.slot, &answer);
	if (f.open)
		take_open_answer(s, &f, &answer);
	else
		take_row_answer(s, &f, &answer);
	return 0;
}

bool link_receive(struct store *s)
{
	uint8_t packet[STORE_PACKET_SIZE];

	for (;;) {
		ssize_t len = recv(s->fd, packet, sizeof(packet), MSG_DONTWAIT | MSG_TRUNC);
		int r;

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0 && errno == EAGAIN)
			return true;
		if (len <= 0)
			return false;
		r = take_answer(s, packet, (size_t)len);
		if (r == -EBADMSG)
			store_say_failing(s, "its process answers out of turn; starting it anew");
		if (r < 0)
			return false;
	}
}
