/* SPDX-License-Identifier: MIT */
/*
 * Hands each change of level to connwatch-notify.socket, whose service runs the administrator's script. A
 * connection for each; of one alert the next is opened when the service has closed the one before, so that
 * its scripts run one at a time and in order.
 */
#ifndef CONNWATCH_MESSENGER_H
#define CONNWATCH_MESSENGER_H

#include <systemd/sd-event.h>

#include "daemon/alert.h"
#include "daemon/notify.h"

#define MESSENGER_SOCKET "/run/connwatch-notify.sock"

struct messenger;

/* event and path, that of the socket, are borrowed. Returns 0 or -ENOMEM. */
int messenger_new(sd_event *event, const char *path, struct messenger **out);
void messenger_free(struct messenger *messenger);

/* Send the facts of a change of level, or of a recovery, as lines NAME=VALUE. Never waits; silent where
 * nobody listens. What waits for its turn when the messenger is freed is lost. */
void messenger_send(struct messenger *messenger, const struct notify_subject *subject,
	const struct alert_event *event);

#endif
