/* SPDX-License-Identifier: MIT */
/*
 * connwatchd-store, the process `connwatchd: store`: reads OPEN and ROW packets from its parent
 * (store.c), answers each, and is alone in calling librrd. It ends when the parent closes the
 * socket, after all that was sent before; signals that are meant for the whole service do not end
 * it sooner.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "daemon/cachedfile.h"
#include "daemon/rrdcached.h"
#include "daemon/rrdfile.h"
#include "daemon/store_proto.h"
#include "daemon/util.h"

/* What a slot holds: a file of ours, or one that an rrdcached keeps; none before it is opened. */
struct slot {
	struct rrdfile *file;
	struct cachedfile *cached;
};

struct files {
	struct slot slot[STORE_MAX_SLOTS];
	struct rrdcached *cached; /* NULL: none is used; the loop never changes its address */
	int undo;                 /* see rrdundo.h; negative: not yet */
};

/* False where there is no loop any more. */
static bool send_packet(const uint8_t *packet, ssize_t len)
{
	return send(STORE_FD, packet, (size_t)len, MSG_NOSIGNAL) >= 0 ||
	       (errno != EPIPE && errno != ECONNRESET);
}

/* Of struct rrdcached_caller. */
static bool tell_busy(void *arg)
{
	uint8_t packet[STORE_PACKET_SIZE];

	(void)arg;
	return send_packet(packet, store_put_busy(packet));
}

/* A rrdfile_busy_fn: whether anybody listens, the loop over packets finds out. */
static void send_busy(void *arg)
{
	tell_busy(arg);
}

static void tell(void *arg, int priority, const char *text)
{
	uint8_t packet[STORE_PACKET_SIZE];

	(void)arg;
	send_packet(packet, store_put_say(packet, priority, text));
}

static void slot_close(struct slot *slot)
{
	rrdfile_free(slot->file);
	cachedfile_free(slot->cached);
	*slot = (struct slot){0};
}

static int open_cached(struct files *files, struct slot *slot, const char *address,
	const uint8_t *packet, size_t len)
{
	static const struct rrdcached_caller caller = {.say = tell, .busy = tell_busy};
	int r = files->cached ? 0 : rrdcached_new(address, &caller, &files->cached);

	return r < 0 ? r : cachedfile_new(packet, len, &slot->cached);
}

static int open_packet(struct files *files, uint32_t number, const uint8_t *packet, size_t len,
	struct store_answer *a)
{
	struct slot *slot = &files->slot[number];
	struct store_open open;
	int r = store_parse_open(packet, len, &open);

	if (r < 0)
		return r;
	slot_close(slot);
	if (open.daemon[0]) {
		r = open_cached(files, slot, open.daemon, packet, len);
		if (r == 0)
			cachedfile_open(slot->cached, files->cached, a);
		return r;
	}
	r = rrdfile_new(packet, len, &slot->file);
	if (r < 0)
		return r;
	rrdfile_on_busy(slot->file, send_busy, NULL);
	rrdfile_use_undo(slot->file, &files->undo);
	rrdfile_open(slot->file, time(NULL), a);
	return 0;
}

/* Returns 0 with *a filled in, or a negative errno for what the loop would never send. */
static int serve(struct files *files, const struct store_packet *head, const uint8_t *packet,
	size_t len, struct store_answer *a)
{
	struct store_row row;
	int r;

	if (head->type == STORE_OPEN)
		return open_packet(files, head->slot, packet, len, a);
	r = store_parse_row(packet, len, &row);
	if (r < 0)
		return r;
	if (files->slot[head->slot].cached)
		cachedfile_update(files->slot[head->slot].cached, files->cached, &row, a);
	else if (files->slot[head->slot].file)
		rrdfile_update(files->slot[head->slot].file, &row, a);
	else
		r = -EBADMSG;
	return r;
}

/* A rrdfile_past_fn. */
static void send_past(void *arg, const struct store_past *past)
{
	const uint32_t *slot = arg;
	uint8_t packet[STORE_PACKET_SIZE];

	send_packet(packet, store_put_past(packet, *slot, past));
}

/* Of a slot that was opened. */
static void tell_past(const struct files *files, uint32_t *number)
{
	const struct slot *slot = &files->slot[*number];

	if (slot->cached)
		cachedfile_past(slot->cached, files->cached, send_past, number);
	else
		rrdfile_past(slot->file, send_past, number);
}

static int run(struct files *files)
{
	uint8_t packet[STORE_PACKET_SIZE];

	for (;;) {
		struct store_packet head;
		struct store_answer answer;
		bool opened;
		ssize_t len = recv(STORE_FD, packet, sizeof(packet), MSG_TRUNC);
		int r;

		/* ECONNRESET: the loop has gone without reading all answers; what it sent before is
		 * still there. */
		if (len < 0 && (errno == EINTR || errno == ECONNRESET))
			continue;
		if (len <= 0)
			return len < 0 ? -errno : 0;
		r = store_parse_packet(packet, (size_t)len, &head);
		if (r == 0)
			r = serve(files, &head, packet, (size_t)len, &answer);
		if (r < 0)
			return r;
		opened = head.type == STORE_OPEN;
		head.type = STORE_ANSWER;
		len = store_put_answer(packet, &head, &answer);
		if (send(STORE_FD, packet, (size_t)len, MSG_NOSIGNAL) < 0 && errno != EPIPE &&
			errno != ECONNRESET)
			return -errno;
		if (opened)
			tell_past(files, &head.slot);
	}
}

int main(void)
{
	static const int ignored[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
	struct files *files;
	int type = 0, r;
	socklen_t size = sizeof(type);

	if (getsockopt(STORE_FD, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_SEQPACKET) {
		fputs("connwatchd-store: connwatchd starts this program, nobody else can\n",
			stderr);
		return 2;
	}
	prctl(PR_SET_NAME, "connwatchd-store");
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	umask(022);
	files = calloc(1, sizeof(*files));
	if (!files)
		return EXIT_FAILURE;
	files->undo = -1;
	r = run(files);
	for (size_t i = 0; i < STORE_MAX_SLOTS; i++)
		slot_close(&files->slot[i]);
	rrdcached_free(files->cached);
	cleanup_close(&files->undo);
	free(files);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
