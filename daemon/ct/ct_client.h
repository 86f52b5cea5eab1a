/* SPDX-License-Identifier: MIT */
/*
 * Ask connwatch-ct: through its socket, or, run as root where nobody listens there, by running it
 * as a child. Nothing here waits, except ct_ask_and_wait(); connecting to a local socket and
 * starting a child are done at once.
 */
#ifndef CONNWATCH_CT_CLIENT_H
#define CONNWATCH_CT_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#define CT_SOCKET "/run/connwatch-ct.sock"

/* See the head of connwatch_ct.c for the answers. */
enum ct_question {
	CT_COUNTERS = 'c',
	CT_WHO = 'w',
	CT_WHO_ALL = 'a', /* always by a child, as the socket refuses it: the caller needs
			     CAP_NET_ADMIN */
};

/* An answer is due by then. CT_WHO_ALL takes seconds for a million entries: UINT64_MAX is no limit.
 */
#define CT_TIMEOUT_USEC (5 * UINT64_C(1000000))

struct ct_request;

/*
 * The end of a request, called once from the event loop: answer is the text without its empty line,
 * and error is NULL; or the other way round, error being a sentence for people. Both only for the
 * call. The request must be freed, here or later.
 */
typedef void ct_answer_fn(void *arg, const char *answer, const char *error);

struct ct_asking {
	const char *path; /* CT_SOCKET, or another one in tests */
	enum ct_question question;
	uint64_t timeout_usec;
	ct_answer_fn *on_answer;
	void *arg;
};

/*
 * Ask. Returns 0 and a request to be freed by ct_request_free(), whose end on_answer() hears, for
 * whatever reason; or -errno if there is no memory or no event loop for one.
 */
int ct_ask(sd_event *event, const struct ct_asking *asking, struct ct_request **out);

/* Also gives a request up that has no answer yet. */
void ct_request_free(struct ct_request *request);

/* The same for a program without an event loop. on_answer() has been called if this returns 0. */
int ct_ask_and_wait(const struct ct_asking *asking);

#endif
