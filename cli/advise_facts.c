/* SPDX-License-Identifier: MIT */
#include "cli/advise_facts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/rrdtool.h"
#include "collectors/procfile.h"
#include "daemon/readings.h"
#include "daemon/util.h"

#define SYSCTL_MAX 2
#define COLUMNS 64

/* The columns that tell how much of a limit is used. */
static const struct column {
	const char *instance, *now, *peak; /* peak: recorded; now is the fallback for it */
	size_t offset;                     /* in struct advice_facts */
} columns[] = {
	{"conntrack", "entries", "peak", offsetof(struct advice_facts, entries)},
	{"limits", "orphans", "orphans", offsetof(struct advice_facts, orphans)},
	{"limits", "tw", "tw", offsetof(struct advice_facts, tw)},
	{"limits", "listen_queue", "listen_queue", offsetof(struct advice_facts, listen_queue)},
	{"limits", "port_tuple", "port_tuple", offsetof(struct advice_facts, ports)},
};

/* Of one RRD, while it is read. */
struct history {
	const char *instance;
	struct advice_facts *facts;
	const struct column *at[COLUMNS]; /* what each of its columns is to us, or NULL */
	size_t n;
	double last; /* UNIX seconds */
};

static struct advice_usage *usage_of(struct advice_facts *facts, const struct column *column)
{
	return (struct advice_usage *)(void *)((char *)facts + column->offset);
}

double advise_meminfo(const char *text, size_t len, const char *name)
{
	struct span rest = {text, len}, line, word;
	uint64_t kilobytes;

	while (span_line(&rest, &line))
		if (span_word(&line, &word) && span_equal(word, name) && span_word(&line, &word) &&
			span_decimal(word, &kilobytes))
			return (double)kilobytes * 1024;
	return UNKNOWN;
}

/* name active total size objects-per-slab pages-per-slab : ... */
double advise_slab(const char *text, size_t len, const char *cache)
{
	struct span rest = {text, len}, line, word;
	uint64_t number[5];
	size_t n;

	while (span_line(&rest, &line)) {
		if (!span_word(&line, &word) || !span_equal(word, cache))
			continue;
		for (n = 0; n < ARRAY_LEN(number); n++)
			if (!span_word(&line, &word) || !span_decimal(word, &number[n]))
				break;
		if (n == ARRAY_LEN(number) && number[3] > 0 && number[4] > 0)
			return (double)number[4] * (double)sysconf(_SC_PAGESIZE) /
			       (double)number[3];
	}
	return UNKNOWN;
}

static void read_memory(struct proc *proc, struct advice_facts *facts)
{
	struct procfile meminfo = PROCFILE("meminfo"), slabs = PROCFILE_RECORDS("slabinfo");
	struct span text;

	facts->memory = facts->memory_available = facts->entry_size = facts->tw_size = UNKNOWN;
	if (procfile_read(proc, &meminfo, &text) == 0) {
		facts->memory = advise_meminfo(text.at, text.len, "MemTotal:");
		facts->memory_available = advise_meminfo(text.at, text.len, "MemAvailable:");
	}
	if (procfile_read(proc, &slabs, &text) == 0) {
		facts->entry_size = advise_slab(text.at, text.len, "nf_conntrack");
		facts->tw_size = advise_slab(text.at, text.len, "tw_sock_TCP");
	}
	procfile_close(&meminfo);
	procfile_close(&slabs);
}

static void read_sysctls(struct proc *proc, struct advice_facts *f)
{
	const struct {
		const char *path;
		double *out[SYSCTL_MAX];
	} sysctls[] = {
		{"sys/net/netfilter/nf_conntrack_max", {&f->conntrack_max}},
		{"sys/net/netfilter/nf_conntrack_buckets", {&f->conntrack_buckets}},
		{"sys/net/netfilter/nf_conntrack_tcp_timeout_established",
			{&f->timeout_established}},
		{"sys/net/netfilter/nf_conntrack_tcp_loose", {&f->tcp_loose}},
		{"sys/net/ipv4/tcp_max_orphans", {&f->max_orphans}},
		{"sys/net/ipv4/tcp_max_tw_buckets", {&f->max_tw_buckets}},
		{"sys/net/core/somaxconn", {&f->somaxconn}},
		{"sys/net/ipv4/ip_local_port_range", {&f->port_low, &f->port_high}},
	};

	for (size_t i = 0; i < ARRAY_LEN(sysctls); i++) {
		struct procfile file = PROCFILE(sysctls[i].path);
		double numbers[SYSCTL_MAX];
		size_t n = sysctls[i].out[1] ? 2 : 1;
		int r = procfile_numbers(proc, &file, n, numbers);

		for (size_t k = 0; k < n; k++)
			*sysctls[i].out[k] = r == 0 ? numbers[k] : UNKNOWN;
		procfile_close(&file);
	}
	/* The kernel has it there alone, see collectors/limits.c. */
	f->other_namespace =
		isnan(f->max_orphans) && !isnan(f->somaxconn) && !proc_is_recorded(proc);
}

static double reading(const struct readings *readings, const char *instance, const char *column)
{
	char operand[64];
	size_t at, metric;

	snprintf(operand, sizeof(operand), "%s.%s", instance, column);
	if (conf_operand(readings->conf, operand, &at, &metric) < 0)
		return UNKNOWN;
	return readings->instances[at].values[metric];
}

/* Of a row's instances the three that are needed: to list a million sockets takes its time. */
static int read_now(const struct conf *conf, struct advice_facts *facts)
{
	static const char *const needed[] = {"conntrack", "limits", "tcpext"};
	CLEANUP_FREE struct conf_instance *instances =
		calloc(conf->n_instances + 1, sizeof(*instances));
	struct conf some = *conf;
	struct readings *readings;
	int r;

	if (!instances)
		return -ENOMEM;
	some.instances = instances;
	some.n_instances = 0;
	for (size_t i = 0; i < conf->n_instances; i++)
		for (size_t k = 0; k < ARRAY_LEN(needed); k++)
			if (strcmp(conf->instances[i].name, needed[k]) == 0)
				instances[some.n_instances++] = conf->instances[i];
	r = readings_new(&some, &readings);
	if (r < 0)
		return r;
	readings_row(readings);
	read_sysctls(readings->proc, facts);
	read_memory(readings->proc, facts);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		double now = reading(readings, columns[i].instance, columns[i].now);

		*usage_of(facts, &columns[i]) = (struct advice_usage){.now = now, .peak = now};
	}
	facts->listen_overflows = reading(readings, "tcpext", "listen_overflows");
	readings_free(readings);
	return 0;
}

static void add_status(const struct status_file *status, struct advice_facts *facts)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		struct advice_usage *usage = usage_of(facts, &columns[i]);
		double peak;

		if (status_reading(status, columns[i].instance, columns[i].peak, &peak))
			usage->peak = fmax(usage->peak, peak); /* NaN only if both are */
	}
}

static void take_names(struct history *h, char *line)
{
	char *name;

	while ((name = strsep(&line, " "))) {
		if (!*name || h->n == COLUMNS)
			continue;
		h->at[h->n] = NULL;
		for (size_t i = 0; i < ARRAY_LEN(columns); i++)
			if (strcmp(columns[i].instance, h->instance) == 0 &&
				strcmp(columns[i].peak, name) == 0)
				h->at[h->n] = &columns[i];
		h->n++;
	}
}

/* A line of `rrdtool fetch`. */
static void take_row(void *arg, char *line)
{
	struct history *h = arg;
	char *at;
	double time;

	if (h->n == 0) {
		take_names(h, line);
		return;
	}
	time = strtod(line, &at);
	if (at == line || *at++ != ':' || time > h->last)
		return;
	for (size_t i = 0; i < h->n; i++) {
		double value = strtod(at, &at);
		struct advice_usage *usage = h->at[i] ? usage_of(h->facts, h->at[i]) : NULL;

		if (!usage || isnan(value))
			continue;
		usage->peak = fmax(usage->peak, round(value));
		usage->span = fmax(usage->span, h->last - time);
	}
}

/* Averages of the finest archive are what was written; all others have to be maxima. */
static int read_history(const char *path, struct history *h)
{
	const struct rrdtool_archive *finest;
	struct rrdtool_info info;
	int r = rrdtool_info(path, &info);

	h->last = info.last;
	for (size_t i = 0; r == 0 && i < info.n; i++) {
		h->n = 0;
		if (info.archives[i].max)
			r = rrdtool_fetch(path, &info, &info.archives[i], take_row, h);
	}
	h->n = 0;
	finest = rrdtool_finest(&info);
	return r == 0 && finest ? rrdtool_fetch(path, &info, finest, take_row, h) : r;
}

static void add_history(const struct conf *conf, const char *instance, struct advice_facts *facts,
	char note[static ADVISE_NOTE_SIZE])
{
	struct history history = {.instance = instance, .facts = facts};
	size_t len = strlen(note);
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof(path), "%s/%s.rrd", conf->rrd_directory, instance);
	r = access(path, R_OK) < 0 ? -errno : read_history(path, &history);
	if (r < 0)
		snprintf(note + len, ADVISE_NOTE_SIZE - len, "%scannot read %s: %s",
			len > 0 ? "; " : "", path,
			r == -EIO                                 ? "rrdtool failed"
			: r == -ENOENT && access(path, F_OK) == 0 ? "install the package rrdtool"
								  : strerror(-r));
}

int advise_facts_gather(const struct conf *conf, const struct status_file *status,
	struct advice_facts *out, char note[static ADVISE_NOTE_SIZE])
{
	int r = read_now(conf, out);

	note[0] = '\0';
	if (r < 0)
		return r;
	if (status)
		add_status(status, out);
	add_history(conf, "conntrack", out, note);
	add_history(conf, "limits", out, note);
	return 0;
}
