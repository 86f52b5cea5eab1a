/* SPDX-License-Identifier: MIT */
/*
 * The daemon's voice: journal (native fields), syslog(3) or stderr. Each message goes to exactly
 * one of them. Objects come first, no full stop: `conntrack: cannot open ...: Permission denied`.
 */
#ifndef CONNWATCH_LOG_H
#define CONNWATCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <syslog.h>

enum log_target { LOG_TARGET_AUTO, LOG_TARGET_JOURNAL, LOG_TARGET_SYSLOG, LOG_TARGET_STDERR };

/* The names of enum log_target and of the levels from LOG_ERR to LOG_DEBUG, NULL-terminated, for
 * settings tables. */
extern const char *const log_target_names[];
extern const char *const log_level_names[];

/* Choose where messages go and the lowest priority that is said (LOG_ERR..LOG_DEBUG). AUTO is the
 * journal where stderr is connected to it (systemd.exec(5), $JOURNAL_STREAM), else stderr. May be
 * called again. Before the first call messages of LOG_INFO and above go to stderr. */
void log_open(enum log_target target, int level);

/* Whether stderr leads to the journal, which reads "<3>" before a line as its priority. */
bool log_stderr_is_journal(void);

/* One structured journal field besides MESSAGE and PRIORITY; left out on the other targets. */
struct log_field {
	const char *name;
	char value[64];
};

/* Say it at this priority (LOG_ERR..LOG_DEBUG), with fields. */
void log_fields(int priority, const struct log_field *fields, size_t n, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As log_error(), with ": " and the text of the negative errno r; returns r. */
int log_error_errno(int r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
