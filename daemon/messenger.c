/* SPDX-License-Identifier: MIT */
#include "daemon/messenger.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "daemon/log.h"
#include "daemon/util.h"

#define MAX_MESSAGES 32 /* under way or waiting: a script that hangs must not cost memory */

struct message {
	struct messenger *messenger;
	struct message *next; /* the one sent after it */
	sd_event_source *io;  /* NULL: it waits for its turn */
	int fd;
	char rule[64];
	char text[NOTIFY_TEXT_SIZE + NOTIFY_MAX_FIELDS * 96];
};

struct messenger {
	sd_event *event;
	const char *path;
	struct message *first;
	size_t n;
	bool full; /* said */
};

static void message_free(struct message *message)
{
	sd_event_source_disable_unref(message->io);
	cleanup_close(&message->fd);
	free(message);
}

int messenger_new(sd_event *event, const char *path, struct messenger **out)
{
	struct messenger *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->event = event;
	m->path = path;
	*out = m;
	return 0;
}

void messenger_free(struct messenger *m)
{
	struct message *next;

	if (!m)
		return;
	for (struct message *message = m->first; message; message = next) {
		next = message->next;
		message_free(message);
	}
	free(m);
}

/* The service sees the end of the text, and we see the end of the service. */
static int connect_and_send(struct message *message, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t size = strlen(message->text), length = strlen(path);

	if (length >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, length);
	message->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (message->fd < 0 ||
		connect(message->fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		send(message->fd, message->text, size, MSG_NOSIGNAL) != (ssize_t)size ||
		shutdown(message->fd, SHUT_WR) < 0)
		return -errno;
	return 0;
}

static int on_closed(sd_event_source *source, int fd, uint32_t events, void *arg);

/* Without a unit that listens, or for somebody whose socket it is not, there is nobody to tell. */
static bool nobody_listens(int r)
{
	return r == -ENOENT || r == -ECONNREFUSED || r == -EACCES;
}

static int start(struct message *message)
{
	struct messenger *m = message->messenger;
	int r = connect_and_send(message, m->path);

	if (r == 0) /* no event of its own: the end is always told */
		r = sd_event_add_io(m->event, &message->io, message->fd, 0, on_closed, message);
	if (r < 0 && !nobody_listens(r))
		log_error_errno(r, "%s: the notification of %s is lost", m->path, message->rule);
	return r < 0 ? r : 0;
}

static bool is_first_of_rule(const struct messenger *m, const struct message *message)
{
	const struct message *before = m->first;

	while (before != message && strcmp(before->rule, message->rule) != 0)
		before = before->next;
	return before == message;
}

/* Start what nothing stands before any more. */
static void start_those_due(struct messenger *m)
{
	struct message **link = &m->first;

	while (*link) {
		struct message *message = *link;

		if (message->io || !is_first_of_rule(m, message) || start(message) == 0) {
			link = &message->next;
			continue;
		}
		*link = message->next;
		m->n--;
		message_free(message);
	}
}

static int on_closed(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct message *message = arg;
	struct messenger *m = message->messenger;
	struct message **link = &m->first;

	(void)source;
	(void)fd;
	(void)events;
	while (*link != message)
		link = &(*link)->next;
	*link = message->next;
	m->n--;
	message_free(message);
	start_those_due(m);
	return 0;
}

static struct message *message_new(
	const struct notify_subject *subject, const struct alert_event *event)
{
	struct message *message = calloc(1, sizeof(*message));
	struct log_field fields[NOTIFY_MAX_FIELDS];
	char sentence[NOTIFY_TEXT_SIZE];
	FILE *out;
	size_t n;

	if (!message)
		return NULL;
	message->fd = -1;
	snprintf(message->rule, sizeof(message->rule), "%s", subject->rule->name);
	out = fmemopen(message->text, sizeof(message->text), "w");
	if (!out) {
		free(message);
		return NULL;
	}
	n = notify_fields(subject, event, fields);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s=%s\n", fields[i].name, fields[i].value);
	notify_sentence(subject, event, sentence);
	fprintf(out, "CONNWATCH_MESSAGE=%s\n", sentence);
	fclose(out);
	return message;
}

void messenger_send(
	struct messenger *m, const struct notify_subject *subject, const struct alert_event *event)
{
	struct message **last = &m->first, *message;
	bool full = m->n >= MAX_MESSAGES;

	if (event->kind != ALERT_CHANGE && event->kind != ALERT_RECOVERY)
		return;
	if (full && !m->full)
		log_error("%s: %d notifications wait, more are lost", m->path, MAX_MESSAGES);
	m->full = full;
	message = full ? NULL : message_new(subject, event);
	if (!message)
		return;
	message->messenger = m;
	while (*last)
		last = &(*last)->next;
	*last = message;
	m->n++;
	start_those_due(m);
}
