/* SPDX-License-Identifier: MIT */
/*
 * How often the kernel has said that the connection tracking table is full: from /dev/kmsg, else
 * from the journal. Asked at rows only. For kernels without net/stat/nf_conntrack it is the only
 * word of a dropped packet.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "collectors/kernel_journal.h"
#include "collectors/kmsg.h"
#include "collectors/procfile.h"
#include "collectors/registry.h"
#include "daemon/message_id.h"
#include "daemon/util.h"

enum { TABLE_FULL, N_METRICS };

static const struct metric metrics[] = {
	[TABLE_FULL] = {.name = "table_full",
		.unit = "lines",
		.kind = METRIC_COUNTER,
		.help = "lines of the kernel that the conntrack table is full; it limits their "
			"rate, so "
			"there were more packets"},
};
_Static_assert(ARRAY_LEN(metrics) == N_METRICS, "a metric for each column");

static const struct rule rules[] = {
	/* The kernel's word for the same as conntrack-dropping, which some kernels do not count. */
	{RULE_AT_ONCE, .name = "conntrack-log", .value = "kernlog.table_full",
		.subject = "conntrack",
		.doing = "\"table full, dropping packet\" in the kernel's log", .done = "logged",
		.advice = "raise net.netfilter.nf_conntrack_max", .above = "conntrack.max",
		.message_id = MESSAGE_ID_CONNTRACK_DROPPING},
};

static const struct graph graphs[] = {
	{"table_full", "Kernel log: table full, dropping packet", "lines per second",
		{{TABLE_FULL, "lines", GRAPH_AREA, COLOUR_BLUE}}},
};

#define MAX_RECORDS 16384 /* of /dev/kmsg in one row, 7 ms; the usual buffer holds less */
#define MAX_LINES 4096    /* of the journal in one row, 3 ms */

/* Beside net/ and sys/ of a recorded tree: what reading /dev/kmsg gave, a record a line. */
#define RECORDED "kmsg"

struct kernlog {
	struct proc *proc;
	struct procfile recorded;
	int kmsg;       /* -1: it may not be read, the journal is asked */
	int kmsg_error; /* why */
	struct kernel_journal journal;
	uint64_t lines; /* since the oldest that was there at start */
	bool caught_up; /* all that was there at start has been read */
};

/* A container has something else of that name, or nothing. */
static int open_kmsg(void)
{
	CLEANUP_CLOSE int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 11))
		return -ENODEV;
	return take_fd(&fd);
}

/* The source is chosen once: another would have other lines from the past. */
static int init(void *state, const struct collector_env *env)
{
	struct kernlog *k = state;

	k->proc = env->proc;
	k->recorded = PROCFILE(RECORDED);
	k->kmsg = -1;
	if (proc_is_recorded(env->proc))
		return 0;
	k->kmsg = open_kmsg();
	if (k->kmsg < 0) {
		k->kmsg_error = k->kmsg;
		k->kmsg = -1;
	}
	return 0;
}

/* A tree without the file has no kernel's log recorded; that is no failure. */
static int read_recorded(struct kernlog *k, struct reading *r)
{
	struct span text, line;
	uint64_t lines = 0;
	int error = procfile_read(k->proc, &k->recorded, &text);

	if (error == -ENOENT)
		return 0;
	if (error < 0)
		return reading_fail(r, error, k->recorded.path);
	while (span_line(
		&text, &line)) /* a line of dictionary begins with a blank and counts for nothing */
		lines += kmsg_counts(line);
	r->values[TABLE_FULL] = (double)lines;
	return 0;
}

static bool is_denied(int error)
{
	return error == -EACCES || error == -EPERM;
}

static int fail(const struct kernlog *k, int error, struct reading *r)
{
	const char *why = strerror(-k->kmsg_error);

	if (k->kmsg >= 0)
		snprintf(r->error, sizeof(r->error), "cannot read /dev/kmsg: %s", strerror(-error));
	else if (is_denied(error))
		snprintf(r->error, sizeof(r->error),
			"cannot open /dev/kmsg: %s; nor may the journal be read (group "
			"systemd-journal)",
			why);
	else if (error == -ENOENT)
		snprintf(r->error, sizeof(r->error),
			"cannot open /dev/kmsg: %s; and no journal has lines of the kernel", why);
	else
		snprintf(r->error, sizeof(r->error), "cannot read the journal: %s",
			strerror(-error));
	/* With a log that is there, but not for this process, nothing is absent. */
	return error == -ENOENT && is_denied(k->kmsg_error) ? -EACCES : error;
}

static int read_row(void *state, struct reading *r)
{
	struct kernlog *k = state;
	size_t max = k->kmsg >= 0 ? MAX_RECORDS : MAX_LINES;
	ssize_t n;

	r->values[TABLE_FULL] = UNKNOWN;
	if (proc_is_recorded(k->proc))
		return read_recorded(k, r);
	if (k->kmsg >= 0)
		n = kmsg_drain(k->kmsg, max, &k->lines);
	else
		n = kernel_journal_drain(&k->journal, max, &k->lines);
	if (n < 0)
		return fail(k, (int)n, r);
	/* The journal begins with its last lines, as many as one row reads. */
	if (k->kmsg < 0 || (size_t)n < max)
		k->caught_up = true;
	if (k->caught_up)
		r->values[TABLE_FULL] = (double)k->lines;
	return 0;
}

static void close_state(void *state)
{
	struct kernlog *k = state;

	if (k->kmsg >= 0)
		close(k->kmsg);
	procfile_close(&k->recorded);
	kernel_journal_close(&k->journal);
}

const struct collector collector_kernlog = {
	.name = "kernlog",
	.help = "What the kernel's log says about the connection tracking table",
	.metrics = metrics,
	.n_metrics = N_METRICS,
	.section = "kernlog",
	.rules = rules,
	.n_rules = ARRAY_LEN(rules),
	.graphs = graphs,
	.n_graphs = ARRAY_LEN(graphs),
	.state_size = sizeof(struct kernlog),
	.init = init,
	.read = read_row,
	.close = close_state,
};
