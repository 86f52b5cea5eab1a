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

#include "daemon/rrdfile.h"
#include "daemon/store_proto.h"
#include "daemon/util.h"

struct files {
	struct rrdfile *slot[STORE_MAX_SLOTS]; /* NULL: not opened */
	uint32_t number[STORE_MAX_SLOTS];      /* for send_busy() */
	int undo;                              /* see rrdundo.h; negative: not yet */
};

/* A rrdfile_busy_fn. */
static void send_busy(void *arg)
{
	const uint32_t *slot = arg;
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_busy(packet, *slot);

	send(STORE_FD, packet, (size_t)len, MSG_NOSIGNAL);
}

static int open_packet(struct files *files, uint32_t slot, const uint8_t *packet, size_t len,
	struct store_answer *a)
{
	struct rrdfile *file;
	int r = rrdfile_new(packet, len, &file);

	if (r < 0)
		return r;
	rrdfile_free(files->slot[slot]);
	files->slot[slot] = file;
	files->number[slot] = slot;
	rrdfile_on_busy(file, send_busy, &files->number[slot]);
	rrdfile_use_undo(file, &files->undo);
	rrdfile_open(file, time(NULL), a);
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
	if (!files->slot[head->slot])
		return -EBADMSG;
	rrdfile_update(files->slot[head->slot], &row, a);
	return 0;
}

/* A rrdfile_past_fn. */
static void send_past(void *arg, const struct store_past *past)
{
	const uint32_t *slot = arg;
	uint8_t packet[STORE_PACKET_SIZE];
	ssize_t len = store_put_past(packet, *slot, past);

	if (len > 0)
		send(STORE_FD, packet, (size_t)len, MSG_NOSIGNAL);
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
		if (opened && files->slot[head.slot])
			rrdfile_past(files->slot[head.slot], send_past, &head.slot);
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
		rrdfile_free(files->slot[i]);
	cleanup_close(&files->undo);
	free(files);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
