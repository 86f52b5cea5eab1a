/* SPDX-License-Identifier: MIT */
#include "cli/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/collector.h"
#include "daemon/text.h"
#include "daemon/util.h"

#define TW_SIZE 273 /* bytes of a TIME-WAIT socket where the kernel does not show it; Linux 6.1 */
#define ORPHAN_SIZE 65536 /* bytes at most, ip-sysctl.rst */
#define WAITING_SIZE 2368 /* bytes of a connection that waits for accept(): a socket */

#define CROWDED (2.0 / 3)     /* a peak beyond this part of the limit wants a higher one */
#define HEADROOM 2            /* which has room for so many peaks */
#define BUSY 0.25             /* a table that is used: idle entries in it matter */
#define FULL_LOAD 4           /* entries for each bucket from which on lookups are slow */
#define BUCKETS_MULTIPLE 8192 /* the kernel rounds to whole pages, of 64 KiB at most */
#define ENTRIES_MULTIPLE 1024
#define HIGHEST 1073741824 /* 2^30: the kernel takes an int */

#define ORPHANS_PART 4         /* the kernel counts a socket that misbehaves up to fourfold */
#define SOMAXCONN_DEFAULT 4096 /* since Linux 5.4; 128 before */
#define SOMAXCONN_MAX 65535
#define DAY 86400
#define PORT_LOW 10000
#define PORT_HIGH 65535

/* A limit that costs memory with each unit that is used. */
struct cost {
	double size;  /* bytes of one */
	double share; /* of all memory, that a full one may take at most */
};

/* A limit that is too low for what was seen. */
struct wish {
	double wanted, used;
	double multiple; /* where memory allows less, it is a whole multiple of this */
};

static void set_value(struct advice *a, double value)
{
	snprintf(a->value, sizeof(a->value), "%.0f", value);
}

__attribute__((format(printf, 2, 3))) static void say(struct advice *a, const char *format, ...)
{
	size_t len = strlen(a->reason);
	va_list args;

	va_start(args, format);
	vsnprintf(a->reason + len, sizeof(a->reason) - len, format, args);
	va_end(args);
}

const char *advice_bytes(char *out, double bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	while (bytes >= 1024 && i + 1 < ARRAY_LEN(units)) {
		bytes /= 1024;
		i++;
	}
	snprintf(out, TEXT_SIZE, i > 0 && bytes < 9.95 ? "%.1f %s" : "%.0f %s", bytes, units[i]);
	return out;
}

/* Begins a reason with how much is used: "peak 800 of 1000 sockets (80%) in 3 d, now 20". */
static void say_usage(
	struct advice *a, const struct advice_usage *usage, double limit, const char *units)
{
	char span[TEXT_SIZE], now[TEXT_SIZE];

	if (isnan(usage->peak)) {
		say(a, "the number of %s is not known here", units);
		return;
	}
	say(a, "%s %.0f of %.0f %s",
		usage->span > 0 || !(usage->peak <= usage->now) ? "peak" : "now", usage->peak,
		limit, units);
	if (limit > 0)
		say(a, " (%.0f%%)", usage->peak * 100 / limit);
	if (usage->span > 0)
		say(a, " in %s, now %s", text_duration(span, usage->span),
			text_number(now, usage->now));
	else
		say(a, ", nothing is recorded");
}

static void say_room(struct advice *a, const struct advice_usage *usage)
{
	if (!isnan(usage->peak))
		say(a, usage->span > 0 ? "; room enough" : "; room enough for now");
}

static double power_of_two(double at_least)
{
	return fmin(exp2(ceil(log2(fmax(at_least, 1)))), HIGHEST);
}

/* The highest limit that memory allows: half of what is free is left to others. */
static double memory_allows(const struct advice_facts *f, double used, struct cost cost)
{
	double all = f->memory * cost.share / cost.size;
	double more = fmax(used, 0) + f->memory_available / 2 / cost.size;

	return isnan(all) || isnan(more) ? UNKNOWN : floor(fmin(all, more));
}

/*
 * Raise the limit that stands in *limit to wanted, or as near to it as memory allows (in whole
 * multiples). used: of the old limit, and paid for already.
 */
static void raise_limit(const struct advice_facts *f, struct advice *a, double *limit,
	const struct wish *wish, struct cost cost)
{
	double allowed = memory_allows(f, wish->used, cost);
	char need[TEXT_SIZE];

	advice_bytes(need, wish->wanted * cost.size);
	if (isnan(allowed)) {
		say(a,
			"; %.0f may take %s and is not advised: how much memory there is is not "
			"known",
			wish->wanted, need);
		return;
	}
	if (allowed < wish->wanted) {
		allowed = floor(allowed / wish->multiple) * wish->multiple;
		say(a, "; memory allows no %.0f, which may take %s", wish->wanted, need);
	}
	if (allowed <= *limit)
		return;
	*limit = fmin(allowed, wish->wanted);
	a->change = true;
}

/* "; full it takes 128 MiB instead of 64 MiB". */
static void say_full(struct advice *a, double before, double after, double size)
{
	char bytes[TEXT_SIZE], old[TEXT_SIZE];

	say(a, "; full it takes %s", advice_bytes(bytes, after * size));
	if (after > before)
		say(a, " instead of %s", advice_bytes(old, before * size));
}

/* What belongs to the initial network namespace cannot be set in another. */
static void hold_back(const struct advice_facts *f, struct advice *a)
{
	if (!a->change || !f->other_namespace)
		return;
	a->change = false;
	say(a, "; to be set in the initial network namespace, which this is not");
}

static void say_no_table(struct advice *a)
{
	say(a, "not there: the module nf_conntrack is not loaded, or hidden from here");
}

static double entry_size(const struct advice_facts *f)
{
	return isnan(f->entry_size) ? ADVICE_ENTRY_SIZE : f->entry_size;
}

/* Returns the maximum that is advised. */
static double advise_max(const struct advice_facts *f, struct advice *a)
{
	struct cost cost = {entry_size(f) + ADVICE_BUCKET_SIZE, 1.0 / 8};
	double max = f->conntrack_max, peak = f->entries.peak;
	char bytes[TEXT_SIZE];

	if (isnan(max)) {
		say_no_table(a);
		return max;
	}
	say_usage(a, &f->entries, max, "entries");
	if (max > 0 && peak > CROWDED * max)
		raise_limit(f, a, &max,
			&(struct wish){
				power_of_two(HEADROOM * peak), f->entries.now, ENTRIES_MULTIPLE},
			cost);
	else if (max > 0)
		say_room(a, &f->entries);
	if (max > 0)
		say_full(a, f->conntrack_max, max, entry_size(f));
	else
		say(a, "; 0 is no limit, the table grows until memory is short");
	if (!isnan(f->entries.now))
		say(a, ", now %s", advice_bytes(bytes, f->entries.now * entry_size(f)));
	say(a, " (%.0f bytes an entry%s)", entry_size(f),
		isnan(f->entry_size) ? ", assumed: /proc/slabinfo cannot be read" : "");
	set_value(a, max);
	hold_back(f, a);
	return max;
}

static void advise_buckets(const struct advice_facts *f, struct advice *a, double max)
{
	double buckets = f->conntrack_buckets, full = max > 0 ? max : f->entries.peak;
	char bytes[TEXT_SIZE], old[TEXT_SIZE], load[TEXT_SIZE];

	if (isnan(buckets) || buckets == 0) {
		say_no_table(a);
		return;
	}
	if (isnan(full))
		say(a, "how many entries there may be is not known");
	else
		say(a, "%s entries to search in a bucket when the table is %s",
			text_number(load, full / buckets), max > 0 ? "full" : "as full as it was");
	if (full > FULL_LOAD * buckets)
		raise_limit(f, a, &buckets,
			&(struct wish){ceil(full / BUCKETS_MULTIPLE) * BUCKETS_MULTIPLE,
				f->conntrack_buckets, BUCKETS_MULTIPLE},
			(struct cost){ADVICE_BUCKET_SIZE, 1.0 / 8});
	say(a, "; takes %s", advice_bytes(bytes, buckets * ADVICE_BUCKET_SIZE));
	if (a->change)
		say(a, " instead of %s",
			advice_bytes(old, f->conntrack_buckets * ADVICE_BUCKET_SIZE));
	say(a, ", full or empty (%d bytes each)", ADVICE_BUCKET_SIZE);
	set_value(a, buckets);
	hold_back(f, a);
}

static void advise_timeout(const struct advice_facts *f, struct advice *a)
{
	double timeout = f->timeout_established;
	char text[TEXT_SIZE];

	if (isnan(timeout)) {
		say_no_table(a);
		return;
	}
	say(a, "a connection whose end was not seen keeps its entry for %s",
		text_duration(text, timeout));
	if (timeout <= DAY) {
		say(a, ", short enough");
	} else if (f->conntrack_max == 0) {
		say(a, ", in a table without a limit");
	} else if (f->entries.peak >= BUSY * f->conntrack_max) {
		timeout = DAY;
		a->change = true;
		say(a, "; 1 d serves all but those that are silent for longer, of which NAT would "
		       "lose track");
	} else if (isnan(f->entries.peak) || f->entries.span <= 0) {
		say(a, ", and how full the table gets is not recorded");
	} else {
		say(a, ", which does no harm in a table of which %.0f%% were used",
			f->entries.peak * 100 / f->conntrack_max);
	}
	say(a, "; costs no memory%s", a->change ? ", gives some back" : "");
	set_value(a, timeout);
}

static void advise_loose(const struct advice_facts *f, struct advice *a)
{
	if (isnan(f->tcp_loose)) {
		say_no_table(a);
		return;
	}
	if (f->tcp_loose > 0)
		say(a, "connections that are older than the table, or were silent beyond the "
		       "timeout, "
		       "are taken up again; 0 is for SYN proxies alone");
	else
		say(a, "connections that are older than the table, or were silent beyond the "
		       "timeout, "
		       "are not taken up again, as a SYN proxy needs it; without one 1 is better");
	say(a, "; costs no memory");
	set_value(a, f->tcp_loose);
}

static void advise_orphans(const struct advice_facts *f, struct advice *a)
{
	double max = f->max_orphans, peak = f->orphans.peak;

	if (isnan(max)) {
		say(a, f->other_namespace
				? "belongs to the initial network namespace, which this is "
				  "not"
				: "not there");
		return;
	}
	say_usage(a, &f->orphans, max, "orphans");
	/* HEADROOM beyond the fourfold would be more memory than sense. */
	if (peak * ORPHANS_PART > max)
		raise_limit(f, a, &max,
			&(struct wish){power_of_two(peak * (ORPHANS_PART + 1)), f->orphans.now, 1},
			(struct cost){ORPHAN_SIZE, 1.0 / 4});
	else
		say_room(a, &f->orphans);
	say(a, "; the kernel may refuse some from a quarter of it on");
	say_full(a, f->max_orphans, max, ORPHAN_SIZE);
	say(a, " at most (64 KiB each)");
	set_value(a, max);
}

static void advise_tw(const struct advice_facts *f, struct advice *a)
{
	double max = f->max_tw_buckets, peak = f->tw.peak;
	double size = isnan(f->tw_size) ? TW_SIZE : f->tw_size;

	if (isnan(max)) {
		say(a, "not there");
		return;
	}
	say_usage(a, &f->tw, max, "TIME-WAIT sockets");
	if (peak > CROWDED * max)
		raise_limit(f, a, &max,
			&(struct wish){power_of_two(HEADROOM * peak), f->tw.now, ENTRIES_MULTIPLE},
			(struct cost){size, 1.0 / 16});
	else
		say_room(a, &f->tw);
	say_full(a, f->max_tw_buckets, max, size);
	say(a, " (%.0f bytes each)", size);
	set_value(a, max);
}

static void advise_somaxconn(const struct advice_facts *f, struct advice *a)
{
	double max = f->somaxconn, peak = f->listen_queue.peak, wanted = max;

	if (isnan(max)) {
		say(a, "not there");
		return;
	}
	say_usage(a, &f->listen_queue, max, "connections waiting in the fullest accept queue");
	if (f->listen_overflows > 0)
		say(a, "; %.0f were lost to full queues since the boot", f->listen_overflows);
	if (peak > CROWDED * max)
		wanted = power_of_two(HEADROOM * peak);
	else if (f->listen_overflows > 0 && max < SOMAXCONN_DEFAULT)
		wanted = SOMAXCONN_DEFAULT;
	wanted = fmin(wanted, SOMAXCONN_MAX);
	if (wanted > max)
		raise_limit(f, a, &max, &(struct wish){wanted, f->listen_queue.now, 1},
			(struct cost){WAITING_SIZE, 1.0 / 16});
	else
		say_room(a, &f->listen_queue);
	if (a->change)
		say(a, "; programs have to be restarted, with a backlog as high");
	else if (f->listen_overflows > 0)
		say(a, "; the backlog that a program asks for is the smaller limit, or it accepts "
		       "too "
		       "slowly");
	say_full(a, f->somaxconn, max, WAITING_SIZE);
	say(a, " (%d bytes a connection)", WAITING_SIZE);
	set_value(a, max);
}

static void advise_ports(const struct advice_facts *f, struct advice *a)
{
	double low = f->port_low, high = f->port_high, n = high - low + 1;

	if (isnan(low) || isnan(high)) {
		say(a, "not there");
		return;
	}
	say_usage(a, &f->ports, n, "local ports to one destination");
	if (f->ports.peak > CROWDED * n) {
		low = fmin(low, PORT_LOW);
		high = fmax(high, PORT_HIGH);
		a->change = low < f->port_low || high > f->port_high;
		say(a, a->change ? "; ports of services among the new ones belong into "
				   "net.ipv4.ip_local_reserved_ports"
				 : "; there are no more ports, only more addresses");
	} else {
		say_room(a, &f->ports);
	}
	say(a, "; costs no memory before it is used");
	snprintf(a->value, sizeof(a->value), "%.0f %.0f", low, high);
}

void advice_give(const struct advice_facts *f, struct advice out[static ADVICE_KEYS])
{
	static const char *const keys[ADVICE_KEYS] = {
		"net.netfilter.nf_conntrack_max",
		"net.netfilter.nf_conntrack_buckets",
		"net.netfilter.nf_conntrack_tcp_timeout_established",
		"net.netfilter.nf_conntrack_tcp_loose",
		"net.ipv4.tcp_max_orphans",
		"net.ipv4.tcp_max_tw_buckets",
		"net.core.somaxconn",
		"net.ipv4.ip_local_port_range",
	};

	for (size_t i = 0; i < ADVICE_KEYS; i++)
		out[i] = (struct advice){.key = keys[i]};
	advise_buckets(f, &out[1], advise_max(f, &out[0]));
	advise_timeout(f, &out[2]);
	advise_loose(f, &out[3]);
	advise_orphans(f, &out[4]);
	advise_tw(f, &out[5]);
	advise_somaxconn(f, &out[6]);
	advise_ports(f, &out[7]);
}
