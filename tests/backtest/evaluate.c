/* SPDX-License-Identifier: MIT */
/*
 * evaluate [-v] [-l LOOK_SECONDS] [-k KIND] SEED...: runs the detector and its rivals over every
 * kind of generated trace with each seed and prints one table. trace files: evaluate -c KIND SEED
 * prints one as CSV.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/backtest/backtest.h"
#include "tests/backtest/run.h"

#define MAX_NOTICES 4096

/* The sums behind one column of the table. */
struct score {
	int incidents, warning_due, warned, critical_due, critical;
	double leak_notice[MAX_NOTICES], flood_notice[MAX_NOTICES];
	int leaks, floods, full;
	double share, weeks;
	int false_alarms, false_late; /* in all; after the first day of a trace */
	int messages, reminders, most, ok_while_full;
};

struct options {
	bool verbose;
	long look;
	const char *kind;
};

static long first_at(const struct trace *t, const struct incident *in, double level)
{
	for (long i = in->onset; i < in->end; i++)
		if (t->used[i] >= level)
			return i;
	return -1;
}

static void add_notice(
	struct score *s, const struct trace *t, const struct incident *in, long said, long full)
{
	double notice = said >= 0 && said < full ? (double)(full - said) : 0;
	long half = first_at(t, in, 50);
	double possible = fmin(1800, (double)(full - half));

	if (in->kind == INCIDENT_LEAK)
		s->leak_notice[s->leaks++] = notice;
	else
		s->flood_notice[s->floods++] = notice;
	s->share += possible > 0 ? fmin(1, notice / possible) : 1;
	s->full++;
}

static long deadline_of(const struct trace *t, const struct incident *in)
{
	long half = first_at(t, in, 50), full = first_at(t, in, 99.999);

	if (in->kind == INCIDENT_PLATEAU || full < 0)
		return first_at(t, in, 80.5) < 0 ? -1 : first_at(t, in, 80) + 60;
	if (in->kind == INCIDENT_FLOOD)
		return first_at(t, in, 90) + 3;
	return full - (long)fmin(1200, 0.4 * (double)(full - half));
}

static void judge_incident(struct score *s, const struct trace *t, const struct incident *in,
	const struct messages *m, const struct options *o)
{
	long deadline = deadline_of(t, in), full = first_at(t, in, 99.999), said = -1,
	     critical = -1, slack = o->look * 2;
	double top = 0;
	int n = 0, forecasts = 0, false_critical = 0;

	for (long i = in->onset; i < in->end; i++)
		top = fmax(top, t->used[i]);
	for (size_t i = 0; i < m->n; i++) {
		const struct message *a = &m->of[i];

		if (a->at < in->onset || a->at >= in->end)
			continue;
		n++;
		s->reminders += a->reminder;
		if (said < 0 && a->to > LEVEL_OK)
			said = a->at;
		if (critical < 0 && a->to == LEVEL_CRITICAL)
			critical = a->at;
		false_critical += a->to == LEVEL_CRITICAL && a->from < LEVEL_CRITICAL && top < 89;
		forecasts += a->forecast && a->from == LEVEL_OK && a->to > LEVEL_OK;
		s->ok_while_full += a->to == LEVEL_OK && !a->reminder && t->used[a->at] >= 80;
	}
	s->false_alarms += false_critical + (forecasts > 1 ? forecasts - 1 : 0);
	s->false_late +=
		in->onset > 86400 ? false_critical + (forecasts > 1 ? forecasts - 1 : 0) : 0;
	s->messages += n;
	s->most = n > s->most ? n : s->most;
	s->incidents++;
	if (deadline >= 0) {
		s->warning_due++;
		s->warned += said >= 0 && said <= deadline + slack - 2;
	}
	if (top >= 90.5) {
		long due = first_at(t, in, 90) + (in->kind == INCIDENT_FLOOD ? 3 : 60);

		s->critical_due++;
		s->critical += critical >= 0 && critical <= due + slack - 2;
		if (o->verbose && (critical < 0 || critical > due + slack - 2))
			puts("   LATE critical");
	}
	if (full >= 0)
		add_notice(s, t, in, said, full);
	if (o->verbose) {
		long half = first_at(t, in, 50);

		printf("   incident %ld half %ld 80%% %ld full %ld: said %ld (%.0f%%) critical %ld "
		       "(%.0f%%) notice %ld of %ld, messages %d%s%s%s\n",
			in->onset, half, first_at(t, in, 80), full, said,
			said >= 0 ? t->used[said] : 0, critical,
			critical >= 0 ? t->used[critical] : 0,
			full >= 0 && said >= 0 ? full - said : 0,
			full >= 0 ? (long)fmin(1800, (double)(full - half)) : 0, n,
			deadline >= 0 && (said < 0 || said > deadline + slack - 2) ? " LATE" : "",
			false_critical ? " FALSE-CRITICAL" : "", forecasts > 1 ? " TWICE" : "");
	}
}

static void judge(
	struct score *s, const struct trace *t, const struct messages *m, const struct options *o)
{
	s->weeks += (double)t->n / (7 * 86400);
	for (size_t i = 0; i < t->n_incidents; i++)
		judge_incident(s, t, &t->incidents[i], m, o);
	for (size_t i = 0; i < m->n; i++) {
		const struct message *a = &m->of[i];
		bool inside = false;

		for (size_t j = 0; j < t->n_incidents; j++)
			inside |= a->at >= t->incidents[j].onset && a->at < t->incidents[j].end;
		if (inside)
			continue;
		s->ok_while_full += a->to == LEVEL_OK && t->used[a->at] >= 80;
		if (a->to > a->from || a->reminder) {
			s->false_alarms++;
			s->false_late += a->at > 86400;
		}
		if (o->verbose)
			printf("   %s at %ld (%.2f d, %.0f%%): %d -> %d%s full in %.0f\n",
				a->to > a->from || a->reminder ? "FALSE" : "  and", a->at,
				(double)a->at / 86400, t->used[a->at], a->from, a->to,
				a->forecast ? " forecast" : "", a->to_full);
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	if (n == 0)
		return 0;
	qsort(v, (size_t)n, sizeof(*v), by_size);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void print_score(const char *name, struct score *s)
{
	printf("%-22s | %3d/%-3d | %3d/%-3d | %6.1f min | %5.0f s | %3.0f%% | %5.2f / %5.2f | "
	       "%5.2f / %2d (%4.2f) | %d\n",
		name, s->warned, s->warning_due, s->critical, s->critical_due,
		median(s->leak_notice, s->leaks) / 60, median(s->flood_notice, s->floods),
		s->share * 100 / s->full, s->false_alarms / s->weeks, s->false_late / s->weeks,
		(double)s->messages / s->incidents, s->most,
		(double)(s->messages - s->reminders) / s->incidents, s->ok_while_full);
}

static void print_trace(const struct trace *t)
{
	puts("time,entries,max");
	for (long i = 0; i < t->n; i++) {
		printf("%.0f,", t->start + (double)i);
		if (!isnan(t->entries[i]))
			printf("%.0f", t->entries[i]);
		putchar(',');
		if (!isnan(t->max[i]))
			printf("%.0f", t->max[i]);
		putchar('\n');
	}
}

/* One of (a) to (k), or a kind by its name. */
static void print_csv(const char *kind, uint64_t seed)
{
	struct trace t;

	if (!kind[1] && kind[0] >= 'a' && kind[0] <= 'k') {
		backtest_make(kind[0], seed, &t);
		print_trace(&t);
		trace_free(&t);
	}
	for (size_t k = 0; k < trace_kinds(); k++) {
		if (strcmp(trace_kind_name(k), kind) != 0)
			continue;
		trace_make(k, seed, &t);
		print_trace(&t);
		trace_free(&t);
	}
}

static void evaluate(struct score *scores, size_t kind, uint64_t seed, const struct options *o)
{
	static struct messages m;
	struct options quiet = *o;
	struct trace t;

	trace_make(kind, seed, &t);
	if (o->verbose)
		printf("%s seed %llu\n", t.name, (unsigned long long)seed);
	m.n = 0;
	run_ours(&t, true, o->look, &m);
	judge(&scores[0], &t, &m, o);
	quiet.verbose = false;
	m.n = 0;
	run_ours(&t, false, o->look, &m);
	judge(&scores[1], &t, &m, &quiet);
	for (size_t r = 0; !o->verbose && r < n_rivals; r++) {
		m.n = 0;
		run_rival(&t, &rivals[r], &m);
		judge(&scores[2 + r], &t, &m, &quiet);
	}
	trace_free(&t);
}

int main(int argc, char *argv[])
{
	static struct score scores[8];
	struct options o = {.look = 1};
	int opt;

	while ((opt = getopt(argc, argv, "vl:k:c:")) != -1) {
		switch (opt) {
		case 'v':
			o.verbose = true;
			break;
		case 'l':
			o.look = strtol(optarg, NULL, 10);
			break;
		case 'k':
			o.kind = optarg;
			break;
		case 'c':
			print_csv(optarg, argv[optind] ? strtoull(argv[optind], NULL, 10) : 1);
			return 0;
		default:
			return 2;
		}
	}
	for (int i = optind; i < argc; i++)
		for (size_t k = 0; k < trace_kinds(); k++)
			if (!o.kind || strstr(trace_kind_name(k), o.kind))
				evaluate(scores, k, strtoull(argv[i], NULL, 10), &o);
	printf("%.1f weeks              | warned  | critical | notice leak | flood | share| "
	       "false/week all/later | messages mean/most (no reminders) | ok>80\n",
		scores[0].weeks);
	print_score("ours", &scores[0]);
	print_score("thresholds alone", &scores[1]);
	for (size_t r = 0; !o.verbose && r < n_rivals; r++)
		print_score(rivals[r].name, &scores[2 + r]);
	return 0;
}
