/* SPDX-License-Identifier: MIT */
/* Small helpers every module may use: array length, clocks, cleanup attributes, ownership transfer. */
#ifndef CONNWATCH_UTIL_H
#define CONNWATCH_UTIL_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* What a clock of clock_gettime(2) shows, in seconds. */
static inline double clock_seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define CLEANUP_FREE __attribute__((cleanup(cleanup_free)))
#define CLEANUP_CLOSE __attribute__((cleanup(cleanup_close)))
#define CLEANUP_FCLOSE __attribute__((cleanup(cleanup_fclose)))

/* Hands a pointer or descriptor on and leaves the variable empty, so that its cleanup does nothing.
 */
#define take_ptr(p)                                                                                \
	__extension__({                                                                            \
		__auto_type taken_ = (p);                                                          \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
