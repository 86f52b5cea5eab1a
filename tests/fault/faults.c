/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the daemon and its store by tests/lib/faults.sh: faults that nothing outside can make, and how late
 * the looks were. Everything is in the folder $FAULTS; files that are not there change nothing:
 *
 *   clock    SECONDS            CLOCK_REALTIME is ahead by them
 *   netlink  ENOBUFS|EINTR N    each Nth recvmsg() of a netlink socket fails so
 *            INTERRUPTED N      each Nth message of it says that the dump was interrupted
 *   read     PATH               reading a file with this in its path fails with EIO
 *   fadvise  ANYTHING           posix_fadvise() does nothing
 *   looks    is written, a line per look: microseconds by which it was late, and the same less the time that the
 *            process could run and had no CPU: by which it made itself late
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

/* The next look: its timer (0: none is set), when that fires by CLOCK_BOOTTIME, and run_delay() when it was set. */
static struct {
	int timer;
	long long due, delay; /* nanoseconds */
} look;

/* The function of libc that one of ours stands before. */
#define NEXT(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

/* The contents of a file of the folder; false where there is none. By system calls, as this is within read(). */
static bool fault(const char *name, char text[static 256])
{
	const char *folder = getenv("FAULTS");
	char path[4096];
	long fd, n;

	if (!folder)
		return false;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = syscall(SYS_read, fd, text, 255L);
	syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return n > 0;
}

static long long clock_nsec(clockid_t id)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, id, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	char text[256];
	long r = syscall(SYS_clock_gettime, id, ts);

	if (r == 0 && id == CLOCK_REALTIME && fault("clock", text))
		ts->tv_sec += strtoll(text, NULL, 10);
	return (int)r;
}

time_t time(time_t *out)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (out)
		*out = ts.tv_sec;
	return ts.tv_sec;
}

/* True for each Nth time that a fault of this kind is asked for. */
static bool is_turn(const char *text, const char *kind, unsigned *count)
{
	size_t len = strlen(kind);

	if (strncmp(text, kind, len) != 0)
		return false;
	return ++*count % (unsigned)strtoul(text + len, NULL, 10) == 0;
}

static bool is_netlink(int fd)
{
	int domain = 0;
	socklen_t size = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_NETLINK;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	static unsigned count;
	__typeof__(&recvmsg) real = NEXT(recvmsg);
	char text[256];
	ssize_t n;

	if (!is_netlink(fd) || !fault("netlink", text))
		return real(fd, msg, flags);
	if (is_turn(text, "ENOBUFS ", &count)) {
		errno = ENOBUFS;
		return -1;
	}
	if (is_turn(text, "EINTR ", &count)) {
		errno = EINTR;
		return -1;
	}
	n = real(fd, msg, flags);
	if (n >= (ssize_t)sizeof(struct nlmsghdr) && is_turn(text, "INTERRUPTED ", &count)) {
		struct nlmsghdr *header = msg->msg_iov[0].iov_base;

		header->nlmsg_flags |= NLM_F_DUMP_INTR;
	}
	return n;
}

/* Whether reading this one is to fail. */
static bool is_unreadable(int fd)
{
	char text[256], link[64], path[4096];
	ssize_t len;

	if (!fault("read", text))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	return strstr(path, text);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
	__typeof__(&pread) real = NEXT(pread);

	if (!is_unreadable(fd))
		return real(fd, buffer, size, at);
	errno = EIO;
	return -1;
}

int posix_fadvise(int fd, off_t at, off_t size, int advice)
{
	__typeof__(&posix_fadvise) real = NEXT(posix_fadvise);
	char text[256];

	return fault("fadvise", text) ? 0 : real(fd, at, size, advice);
}

/* Nanoseconds that this process was runnable and had no CPU. */
static long long run_delay(void)
{
	char text[128] = "";
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	long long ran, delay = 0;

	syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	return sscanf(text, "%lld %lld", &ran, &delay) == 2 ? delay : 0;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old)
{
	__typeof__(&timerfd_settime) real = NEXT(timerfd_settime);

	if (!(flags & TFD_TIMER_ABSTIME)) { /* sd-event's own are absolute */
		look.timer = fd;
		look.due = clock_nsec(CLOCK_BOOTTIME) + at->it_value.tv_sec * SECOND +
			   at->it_value.tv_nsec;
		look.delay = run_delay();
	}
	return real(fd, flags, at, old);
}

static void note_look(void)
{
	const char *folder = getenv("FAULTS");
	long long late = clock_nsec(CLOCK_BOOTTIME) - look.due;
	char line[128], path[4096];
	long fd;
	int len;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/looks", folder);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	len = snprintf(line, sizeof(line), "%lld %lld\n", late / 1000,
		(late - (run_delay() - look.delay)) / 1000);
	syscall(SYS_write, fd, line, (long)len);
	syscall(SYS_close, fd);
}

/* A look begins with reading its timer. */
ssize_t read(int fd, void *buffer, size_t size)
{
	__typeof__(&read) real = NEXT(read);
	ssize_t n;

	if (is_unreadable(fd)) {
		errno = EIO;
		return -1;
	}
	n = real(fd, buffer, size);
	if (fd == look.timer && n > 0)
		note_look();
	return n;
}
