/* SPDX-License-Identifier: MIT */
#include "daemon/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "daemon/util.h"

#define IDENT "connwatchd"
#define MESSAGE_SIZE 1024
#define MAX_FIELDS 12 /* of one message: ours and the four every message has */

const char *const log_target_names[] = {"auto", "journal", "syslog", "stderr", NULL};
const char *const log_level_names[] = {"err", "warning", "notice", "info", "debug", NULL};

/* The one mutable file-scope state of the program: a voice has no owner to be passed along with. */
static struct {
	enum log_target target;
	int level;
} voice = {LOG_TARGET_STDERR, LOG_INFO};

/* systemd.exec(5): $JOURNAL_STREAM is "DEVICE:INODE" of the stream that stdout or stderr was
 * connected to. */
bool log_stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char here[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return false;
	snprintf(here, sizeof(here), "%llu:%llu", (unsigned long long)st.st_dev,
		(unsigned long long)st.st_ino);
	return strcmp(stream, here) == 0;
}

void log_open(enum log_target target, int level)
{
	if (target == LOG_TARGET_AUTO)
		target = log_stderr_is_journal() ? LOG_TARGET_JOURNAL : LOG_TARGET_STDERR;
	if (target == LOG_TARGET_JOURNAL && access("/run/systemd/journal/socket", F_OK) < 0)
		target = LOG_TARGET_STDERR; /* sd_journal_sendv() would be silent and call it
					       success */
	if (target == LOG_TARGET_SYSLOG)
		openlog(IDENT, LOG_PID | LOG_NDELAY, LOG_DAEMON);
	voice.target = target;
	voice.level = level;
}

static int to_journal(int priority, const char *message, const struct log_field *fields, size_t n)
{
	char text[MAX_FIELDS][MESSAGE_SIZE + 16];
	struct iovec iov[MAX_FIELDS];
	int used = 0;

	snprintf(text[used++], sizeof text[0], "MESSAGE=%s", message);
	snprintf(text[used++], sizeof text[0], "PRIORITY=%d", priority);
	snprintf(text[used++], sizeof text[0], "SYSLOG_IDENTIFIER=" IDENT);
	snprintf(text[used++], sizeof text[0], "SYSLOG_FACILITY=%d", LOG_DAEMON >> 3);
	for (size_t i = 0; i < n && used < MAX_FIELDS; i++)
		snprintf(text[used++], sizeof text[0], "%s=%s", fields[i].name, fields[i].value);
	for (int i = 0; i < used; i++)
		iov[i] = (struct iovec){text[i], strlen(text[i])};
	return sd_journal_sendv(iov, used);
}

/* "<4>" is how a line on stderr tells its priority (sd-daemon(3)); a person at a terminal does not
 * want it, and systemd knows the name already. */
static void to_stderr(int priority, const char *message)
{
	char prefix[8] = "";

	if (!isatty(STDERR_FILENO))
		snprintf(prefix, sizeof prefix, "<%d>", priority);
	fprintf(stderr, "%s%s%s\n", prefix, log_stderr_is_journal() ? "" : IDENT ": ", message);
}

static void say(int priority, const struct log_field *fields, size_t n, const char *message)
{
	switch (voice.target) {
	case LOG_TARGET_SYSLOG:
		syslog(priority, "%s", message);
		break;
	case LOG_TARGET_JOURNAL:
		if (to_journal(priority, message, fields, n) < 0)
			to_stderr(priority, message);
		break;
	case LOG_TARGET_AUTO:
	case LOG_TARGET_STDERR:
		to_stderr(priority, message);
		break;
	}
}

__attribute__((format(printf, 4, 0))) static void vsay(
	int priority, const struct log_field *fields, size_t n, const char *format, va_list args)
{
	int saved = errno;
	char message[MESSAGE_SIZE];

	if (priority <= voice.level) {
		vsnprintf(message, sizeof message, format, args);
		say(priority, fields, n, message);
	}
	errno = saved;
}

void log_fields(int priority, const struct log_field *fields, size_t n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(priority, fields, n, format, args);
	va_end(args);
}

#define DEFINE_LEVEL(name, priority)                                                               \
	void name(const char *format, ...)                                                         \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, format);                                                            \
		vsay(priority, NULL, 0, format, args);                                             \
		va_end(args);                                                                      \
	}

DEFINE_LEVEL(log_error, LOG_ERR)
DEFINE_LEVEL(log_warning, LOG_WARNING)
DEFINE_LEVEL(log_notice, LOG_NOTICE)
DEFINE_LEVEL(log_info, LOG_INFO)
DEFINE_LEVEL(log_debug, LOG_DEBUG)

int log_error_errno(int r, const char *format, ...)
{
	char message[MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	log_error("%s: %s", message, strerror(-r));
	return r;
}
