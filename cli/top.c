/* SPDX-License-Identifier: MIT */
/* connwatch top: who fills the conntrack table. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "cli/cli.h"
#include "daemon/ct/ct_client.h"
#include "daemon/ct/summary.h"
#include "daemon/util.h"

static const char usage[] = "usage: connwatch top [-n N] [--all] [--json]\n";

static const char help[] =
	"Who fills the conntrack table: sources, destinations and destination ports of the "
	"connections,\n"
	"protocols and TCP states, as shares of all entries. Up to 250,000 entries are read, a "
	"fair sample of\n"
	"a larger table. For root and members of the group connwatchd.\n"
	"  -n N     lines per list, 1 to 100 (10)\n"
	"  --all    read the whole table, a second or two for a million entries; for root\n"
	"  --json   print as JSON\n";

struct options {
	size_t lines;
	bool all, json, help;
};

struct top {
	const struct options *options;
	int status; /* exit status */
};

static void print_item(const char *name, double entries, double percent)
{
	printf("%10.0f  %5.1f%%  %s\n", entries, percent, name);
}

static void print_list(const struct summary_list *list, const char *title, size_t lines)
{
	bool bold = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");

	if (list->n == 0)
		return;
	printf("\n%s   ENTRIES   SHARE  %s%s", bold ? "\033[1m" : "", title, bold ? "\033[0m" : "");
	if (list->different > (double)lines)
		printf(" (%.0f different)", list->different);
	putchar('\n');
	for (size_t i = 0; i < list->n && i < lines; i++)
		print_item(list->top[i].name, list->top[i].entries, list->top[i].percent);
	if (list->undercount > 0)
		printf("more than can be counted apart: each of these may have %.0f entries more\n",
			list->undercount);
}

static void print_table(const struct summary *s, size_t lines)
{
	static const char *const titles[SUMMARY_LISTS] = {
		[SUMMARY_SOURCES] = "SOURCE",
		[SUMMARY_DESTINATIONS] = "DESTINATION",
		[SUMMARY_PORTS] = "DESTINATION PORT",
		[SUMMARY_PROTOCOLS] = "PROTOCOL",
		[SUMMARY_STATES] = "TCP STATE",
	};

	if (s->entries == 0) {
		puts("conntrack: the table is empty");
		return;
	}
	printf("conntrack: %s%.0f entries, %.1f%% assured, %.1f%% unreplied\n",
		s->sample ? "a sample of " : "", s->entries, 100 * s->assured / s->entries,
		100 * s->unreplied / s->entries);
	for (int i = 0; i < SUMMARY_LISTS; i++)
		print_list(&s->list[i], titles[i], lines);
}

/* The answer as it came, with shorter lists. */
static int print_json(const char *answer, size_t lines)
{
	json_t *json = json_loads(answer, 0, NULL), *value;
	const char *key;
	int r;

	if (!json)
		return -EBADMSG;
	json_object_foreach(json, key, value)
	{
		json_t *top = json_object_get(value, "top");

		while (json_array_size(top) > lines)
			json_array_remove(top, json_array_size(top) - 1);
	}
	r = json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(json);
	return r < 0 ? -EIO : 0;
}

static int print_summary(const char *answer, size_t lines)
{
	CLEANUP_FREE struct summary *summary = malloc(sizeof(*summary));
	int r = summary ? summary_parse(answer, summary) : -ENOMEM;

	if (r == 0)
		print_table(summary, lines);
	return r;
}

static void on_answer(void *arg, const char *answer, const char *error)
{
	const char *advice = "";
	struct top *top = arg;
	int r;

	if (error) {
		if (top->options->all && geteuid() != 0)
			advice = "; --all needs root";
		fprintf(stderr, "connwatch: %s%s\n", error, advice);
		return;
	}
	if (top->options->json)
		r = print_json(answer, top->options->lines);
	else
		r = print_summary(answer, top->options->lines);
	if (r < 0)
		fprintf(stderr, "connwatch: cannot use the answer of connwatch-ct: %s\n",
			strerror(-r));
	else
		top->status = 0;
}

/* Returns false, having said why, for a command line that cannot be. */
static bool parse_options(int argc, char **argv, struct options *out)
{
	static const struct option options[] = {
		{"all", no_argument, NULL, 'a'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	char *end = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "n:h", options, NULL)) != -1) {
		switch (option) {
		case 'n':
			out->lines = strtoul(optarg, &end, 10);
			break;
		case 'a':
			out->all = true;
			break;
		case 'j':
			out->json = true;
			break;
		case 'h':
			out->help = true;
			break;
		default:
			fputs(usage, stderr);
			return false;
		}
	}
	if (optind < argc) {
		fputs(usage, stderr);
		return false;
	}
	/* a number with a sign is either refused by end or far too large */
	if ((end && *end) || out->lines < 1 || out->lines > SUMMARY_TOP) {
		fprintf(stderr, "connwatch: -n wants a number from 1 to %d\n", SUMMARY_TOP);
		return false;
	}
	return true;
}

int cmd_top(const struct cli_context *context, int argc, char **argv)
{
	struct options options = {.lines = 10};
	struct top top = {.options = &options, .status = 1};
	struct ct_asking asking = {CT_SOCKET, CT_WHO, CT_TIMEOUT_USEC, on_answer, &top};
	int r;

	(void)context;
	if (!parse_options(argc, argv, &options))
		return 2;
	if (options.help) {
		printf("%s%s", usage, help);
		return 0;
	}
	if (options.all) {
		asking.question = CT_WHO_ALL;
		asking.timeout_usec = UINT64_MAX;
	}
	r = ct_ask_and_wait(&asking);
	if (r < 0)
		fprintf(stderr, "connwatch: cannot ask connwatch-ct: %s\n", strerror(-r));
	return r < 0 ? 1 : top.status;
}
