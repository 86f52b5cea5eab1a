/* SPDX-License-Identifier: MIT */
/*
 * Puts status.json and alerts.html where they are read. Where that is no memory but a disk, a child does, as a disk may
 * make it wait for as long as it likes.
 */
#ifndef CONNWATCH_STATUS_WRITER_H
#define CONNWATCH_STATUS_WRITER_H

#include <systemd/sd-event.h>

struct status_writer;

/* In $RUNTIME_DIRECTORY, else in state_directory; both are borrowed for the call. Returns 0 or -errno. */
int status_writer_new(sd_event *event, const char *state_directory, struct status_writer **out);
const char *status_writer_directory(const struct status_writer *writer);
/* Takes both texts over, of which alerts may be NULL. They are written now, or when the texts before them have been; failure
 * and success are said on change. */
void status_writer_put(struct status_writer *writer, char *status, char *alerts);
/* Waits a little for what is being written, but for no disk that takes longer. */
void status_writer_free(struct status_writer *writer);

#endif
