/* SPDX-License-Identifier: MIT */
/* An rrdcached that answers as a test wants it to, and is asked nothing else. */
#ifndef CONNWATCH_FAKE_RRDCACHED_H
#define CONNWATCH_FAKE_RRDCACHED_H

#include <stddef.h>
#include <sys/types.h>

struct fake_line {
	const char *request; /* of fnmatch(3): what comes next */
	const char *reply;   /* whole lines; "": none; NULL: the connection is closed */
};

struct fake_rrdcached {
	pid_t pid;
	int control;
};

#define FAKE_ADDRESS_SIZE 32

/* A port of 127.0.0.1 that is its own and where nobody listens yet; returns the socket. */
int fake_bind(char address[static FAKE_ADDRESS_SIZE]);
/* Listens when it returns; the socket is its own then. The lines are borrowed. */
void fake_start(
	struct fake_rrdcached *fake, int listener, const struct fake_line lines[], size_t n);
/* When its client has gone: fails the test unless all that it knows was asked, in order, and nothing else. */
void fake_end(struct fake_rrdcached *fake);

/* What it says of a file with the columns of rrd_world.h, or one that is not there. */
#define FAKE_INFO                                                                                  \
	"5 Info follows\nfilename 2 x.rrd\nstep 1 10\nds[entries].index 1 0\nds[entries].type 2 "  \
	"GAUGE\n"                                                                                  \
	"ds[drop].index 1 1\n"
#define FAKE_NO_FILE "-1 RRD Error: opening 'x.rrd': No such file or directory\n"
#define FAKE_TAKEN "0 errors, enqueued 1 value(s).\n"

#endif
