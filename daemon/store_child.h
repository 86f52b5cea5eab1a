/* SPDX-License-Identifier: MIT */
/* Starting and ending the store process. */
#ifndef CONNWATCH_STORE_CHILD_H
#define CONNWATCH_STORE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Start connwatchd-store from the folder of the running program, else from CONNWATCH_LIBEXECDIR, as
 * `connwatchd: store` with its end of a new SOCK_SEQPACKET. *fd is ours, non-blocking. Returns 0 or
 * -errno. Does not wait for exec: where that fails a STORE_ANSWER with STORE_NO_EXEC comes over the
 * socket.
 */
int child_start(pid_t *pid, int *fd);
/* Reap pid, for at most timeout_ms; returns true once it is reaped (or was never ours). */
bool child_wait(pid_t pid, int timeout_ms);

#endif
