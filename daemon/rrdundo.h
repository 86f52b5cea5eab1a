/* SPDX-License-Identifier: MIT */
/*
 * librrd changes the head of a file in many steps. A death in between (SIGKILL, for memory say) would leave one whose rows
 * have all moved by one, or one that counts a row twice. So the head is kept in a file of its own while a row is
 * written, and put back by the next store process: the row is lost then, and nothing else.
 */
#ifndef CONNWATCH_RRDUNDO_H
#define CONNWATCH_RRDUNDO_H

#include <stddef.h>
#include <stdint.h>

/* What stands before the rows of an RRD. last_at: where in it the time of the newest row stands. */
struct rrdundo_head {
	size_t size, last_at;
};

/*
 * Opens the file, in $RUNTIME_DIRECTORY or else in directory, and puts back what a death has left half done. Returns a
 * descriptor, or -errno: there is nothing to keep a head in then, and rows are written without.
 */
int rrdundo_open(const char *directory);
/* Before the row of this time goes into the RRD at path. Does nothing with undo < 0 or where it cannot. */
void rrdundo_keep(int undo, const char *path, const struct rrdundo_head *head, int64_t row);
/* The row is written, or refused. */
void rrdundo_forget(int undo);

#endif
