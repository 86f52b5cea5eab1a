/* SPDX-License-Identifier: MIT */
/* What the code under test logs, info and above, heard instead of printed. */
#ifndef CONNWATCH_EAR_H
#define CONNWATCH_EAR_H

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/log.h"
#include "tests/unit/test.h"

#define EAR_SIZE 65536

struct ear {
	int log, terminal; /* terminal: stderr as it was */
};

static inline void ear_open(struct ear *ear)
{
	ear->log = memfd_create("log", MFD_CLOEXEC);
	ear->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
	assert_true(ear->log >= 0 && ear->terminal >= 0);
	assert_int_equal(dup2(ear->log, STDERR_FILENO), STDERR_FILENO);
	log_open(LOG_TARGET_STDERR, LOG_INFO);
}

static inline void ear_close(const struct ear *ear)
{
	dup2(ear->terminal, STDERR_FILENO);
	close(ear->terminal);
	close(ear->log);
}

static inline void ear_read(const struct ear *ear, char log[static EAR_SIZE])
{
	ssize_t len = pread(ear->log, log, EAR_SIZE - 1, 0);

	assert_true(len >= 0);
	log[len] = 0;
}

/* How often a text stands in the log. */
static inline int ear_count(const struct ear *ear, const char *text)
{
	char log[EAR_SIZE];
	int n = 0;

	ear_read(ear, log);
	for (const char *at = log; (at = strstr(at, text)); at++)
		n++;
	return n;
}

#endif
