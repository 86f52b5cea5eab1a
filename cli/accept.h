/* SPDX-License-Identifier: MIT */
/* Which format a client asks for. */
#ifndef CONNWATCH_ACCEPT_H
#define CONNWATCH_ACCEPT_H

#include "cli/expo.h"

/*
 * By the value of HTTP's Accept (RFC 9110), NULL: there is none. OpenMetrics for who names it and does not prefer
 * text/plain, the text format for everybody else, also for who accepts neither.
 */
enum expo_format accept_format(const char *accept);

#endif
