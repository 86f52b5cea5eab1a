/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the daemon and its store: time passes only while the loop has nothing to do. When it would sleep, and no row
 * is on its way, the clocks go at once to when the next timer is due; so a month of rows takes as long as they take to be
 * made. $FASTCLOCK is a file that both share, of numbers of 8 bytes: nanoseconds since the start, and what CLOCK_REALTIME and
 * CLOCK_MONOTONIC were then. A file of that name and .until says up to which second since the start time may pass.
 */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store_proto.h"

#define SECOND INT64_C(1000000000)
#define TIMERS 64
#define NEVER INT64_MAX
/* Real milliseconds that a row may take before time goes on without it, as it does for a store that hangs. */
#define PATIENCE_MS 2000

/* How often it is asked whether time may pass again. */
#define HELD_MS 2

#define NEXT(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static struct {
	volatile int64_t *now; /* shared; NULL: not in use */
	int64_t start[2];      /* of CLOCK_REALTIME and of the others */
	struct {
		int fd, clock;
		int64_t due;
	} timer[TIMERS];  /* fd 0: free */
	int64_t until;    /* nanoseconds since the start */
	int on_their_way; /* packets without an answer */
} fast;

/* Nanoseconds by a clock of the kernel's; also those of the start, which a child takes over from its parent. */
static int64_t real_clock(clockid_t id)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, id, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FASTCLOCK");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	int64_t *shared;

	if (fd < 0)
		return;
	shared = mmap(NULL, 3 * sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (shared == MAP_FAILED)
		err(2, "%s", path);
	if (shared[1] == 0) {
		shared[1] = real_clock(CLOCK_REALTIME);
		shared[2] = real_clock(CLOCK_MONOTONIC);
	}
	fast.start[0] = shared[1];
	fast.start[1] = shared[2];
	fast.now = shared;
}

static int64_t start_of(clockid_t id)
{
	return fast.start[id != CLOCK_REALTIME];
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int64_t t;

	if (!fast.now || (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC && id != CLOCK_BOOTTIME))
		return (int)syscall(SYS_clock_gettime, id, ts);
	t = start_of(id) + *fast.now;
	*ts = (struct timespec){t / SECOND, t % SECOND};
	return 0;
}

time_t time(time_t *out)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (out)
		*out = ts.tv_sec;
	return ts.tv_sec;
}

/* A timer is a descriptor that we make readable ourselves. */
int timerfd_create(int clock, int flags)
{
	int fd = eventfd(0, (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0) | EFD_NONBLOCK);

	for (size_t i = 0; fd >= 0 && i < TIMERS; i++)
		if (fast.timer[i].fd == 0 || fast.timer[i].fd == fd) {
			fast.timer[i].fd = fd;
			fast.timer[i].clock = clock;
			fast.timer[i].due = NEVER;
			return fd;
		}
	errno = EMFILE;
	return -1;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old)
{
	const struct timespec *value = &at->it_value;
	eventfd_t expired;
	size_t i = 0;

	(void)old;
	while (fast.timer[i].fd != fd)
		i++;
	eventfd_read(fd, &expired);
	fast.timer[i].due = NEVER;
	if ((value->tv_sec == 0 && value->tv_nsec == 0) || value->tv_sec > NEVER / SECOND / 2)
		return 0;
	fast.timer[i].due = value->tv_sec * SECOND + value->tv_nsec;
	fast.timer[i].due += flags & TFD_TIMER_ABSTIME ? -start_of(fast.timer[i].clock) : *fast.now;
	return 0;
}

static int64_t next_due(void)
{
	int64_t due = NEVER;

	for (size_t i = 0; i < TIMERS; i++)
		if (fast.timer[i].fd && fast.timer[i].due < due)
			due = fast.timer[i].due;
	return due;
}

static bool may_pass(int64_t due)
{
	char path[4096], text[32] = "";
	int fd;

	if (due <= fast.until)
		return true;
	snprintf(path, sizeof(path), "%s.until", getenv("FASTCLOCK"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		fast.until = strtoll(text, NULL, 10) * SECOND;
	close(fd);
	return due <= fast.until;
}

static void advance(int64_t due)
{
	if (due > *fast.now)
		*fast.now = due;
	for (size_t i = 0; i < TIMERS; i++)
		if (fast.timer[i].fd && fast.timer[i].due <= due) {
			eventfd_write(fast.timer[i].fd, 1);
			fast.timer[i].due = NEVER;
		}
}

int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	__typeof__(&epoll_wait) real = NEXT(epoll_wait);
	int r = real(fd, events, n, 0);

	if (r == 0 && timeout != 0 && fast.on_their_way > 0)
		r = real(fd, events, n, PATIENCE_MS);
	while (r == 0 && timeout != 0) {
		int64_t due = fast.now ? next_due() : NEVER;

		if (due == NEVER)
			return real(fd, events, n, timeout);
		if (may_pass(due))
			advance(due);
		r = real(fd, events, n, may_pass(due) ? 0 : HELD_MS);
	}
	return r;
}

int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *timeout,
	const sigset_t *mask)
{
	(void)mask;
	return epoll_wait(fd, events, n,
		timeout ? (int)(timeout->tv_sec * 1000) + (timeout->tv_nsec > 0) : -1);
}

int socketpair(int domain, int type, int protocol, int pair[2])
{
	fast.on_their_way = 0; /* another store */
	return NEXT(socketpair)(domain, type, protocol, pair);
}

static bool is_packet(const void *buffer, ssize_t len, uint32_t type)
{
	uint32_t head;

	if (len < (ssize_t)sizeof(struct store_packet))
		return false;
	memcpy(&head, buffer, sizeof(head));
	return head == type;
}

ssize_t send(int fd, const void *buffer, size_t size, int flags)
{
	ssize_t n = NEXT(send)(fd, buffer, size, flags);

	fast.on_their_way += is_packet(buffer, n, STORE_ROW) || is_packet(buffer, n, STORE_OPEN);
	return n;
}

ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
	ssize_t n = NEXT(recv)(fd, buffer, size, flags);

	fast.on_their_way -= is_packet(buffer, n, STORE_ANSWER) && fast.on_their_way > 0;
	return n;
}
