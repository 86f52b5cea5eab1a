/* SPDX-License-Identifier: MIT */
/* Carries an alert's event out: the sentence for people, the fields for the journal. */
#ifndef CONNWATCH_NOTIFY_H
#define CONNWATCH_NOTIFY_H

#include <stddef.h>

#include "daemon/alert.h"
#include "daemon/collector.h"
#include "daemon/log.h"
#include "daemon/rule.h"

#define NOTIFY_TEXT_SIZE 512
#define NOTIFY_MAX_FIELDS 8

/* The names of enum level: "ok", "warning", "critical". */
extern const char *const level_names[];

/* What a sentence is about. */
struct notify_subject {
	const struct rule *rule;
	const struct metric *metric; /* of rule->value */
	const char *object; /* "192.0.2.1:443", the one meant by the value; "" if there is none */
	double increase, seconds; /* of a counter, and the time it was taken over */
	bool gone;                /* it is no longer there */
	double above; /* what rule->above is now; UNKNOWN or 0 if that is not to be told */
};

/* A percentage as a sentence tells it: whole, and only what is full is called 100% full. */
double notify_percent(double percent);

/* The sentence for an event, without a full stop, into out. */
void notify_sentence(const struct notify_subject *subject, const struct alert_event *event,
	char out[static NOTIFY_TEXT_SIZE]);

/* The facts CONNWATCH_ALERT, _LEVEL, _VALUE, _LIMIT, _PERCENT and _SECONDS_TO_FULL, less those that are not known,
 * into out. Returns how many. */
size_t notify_fields(const struct notify_subject *subject, const struct alert_event *event,
	struct log_field out[static NOTIFY_MAX_FIELDS]);

/* Say it once, with its priority (warning, crit, notice) and the journal fields of product's
 * contract. */
void notify_alert(const struct notify_subject *subject, const struct alert_event *event);

#endif
