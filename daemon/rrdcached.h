/* SPDX-License-Identifier: MIT */
/*
 * The connection to an rrdcached(1), by librrd's client, which knows no timeout: a call that takes too long is ended by a
 * signal. While rrdcached is away a call waits and is made again, so that rows keep their order and none is lost here; the
 * loop keeps what is made meanwhile. One that was killed comes back without some of what it had answered: it is told again.
 */
#ifndef CONNWATCH_RRDCACHED_H
#define CONNWATCH_RRDCACHED_H

#include <stdbool.h>

struct rrdcached;

/* Whom it talks to. */
struct rrdcached_caller {
	void (*say)(
		void *arg, int priority, const char *text); /* a change: it is away, it is back */
	/* A sign of life, also from within a signal handler; false: nobody waits for a result any more. */
	bool (*busy)(void *arg);
	void *arg;
};

/* Make one, unconnected. Returns 0 or -errno. address: as rrdcached's clients take it, copied. */
int rrdcached_new(
	const char *address, const struct rrdcached_caller *caller, struct rrdcached **out);
void rrdcached_free(struct rrdcached *cached);
const char *rrdcached_address(const struct rrdcached *cached);

/* A call of librrd's client; returns 0 or librrd's error. */
typedef int rrdcached_call(void *arg);

/*
 * Make call, and again until rrdcached has answered it, connecting where that is needed. Returns 0, or -1 for what it
 * refuses: rrdcached_reason() says why. Ends the process where nobody waits for it.
 */
int rrdcached_ask(struct rrdcached *cached, rrdcached_call *call, void *arg);
/* It took an update of a file: told again on a connection that is a new one, as behind that may be another process. */
void rrdcached_took(struct rrdcached *cached, const char *path, const char *update);
/* librrd's last error without the address and path that it begins with. */
const char *rrdcached_reason(const char *path);

#endif
