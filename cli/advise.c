/* SPDX-License-Identifier: MIT */
/* connwatch advise: which limits of the kernel to change, as a fragment for sysctl.d. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advise_facts.h"
#include "cli/cli.h"
#include "daemon/text.h"
#include "daemon/util.h"

static void usage(void)
{
	puts("usage: connwatch [--config=FILE] [--status=FILE] advise\n"
	     "Compares limits of the kernel with the recorded peaks, memory and timeouts, and "
	     "prints a fragment\n"
	     "for sysctl.d(5): above each line why, and what it costs in memory. What stays as it "
	     "is is a comment.\n"
	     "Works without the daemon and its history, then from this moment alone. Changes "
	     "nothing.\n"
	     "\n"
	     "  -h, --help  print this");
}

/* Returns -1 to go on, or the exit code. */
static int parse(int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	int option;

	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option != 'h')
			return cli_usage_error(argc, argv, option);
		usage();
		return EXIT_SUCCESS;
	}
	return optind < argc ? cli_usage_error(argc, argv, 0) : -1;
}

static void print_head(const struct advice_facts *facts, const char *note)
{
	char memory[TEXT_SIZE], available[TEXT_SIZE], copy[ADVISE_NOTE_SIZE];

	puts("# Advice of connwatch(1), which changes nothing. Read it, add it to "
	     "/etc/sysctl.d/90-connwatch.conf (lines of\n"
	     "# earlier advice there are needed still), and run: sysctl -p "
	     "/etc/sysctl.d/90-connwatch.conf");
	if (isnan(facts->memory))
		puts("# Memory: not known here.");
	else
		printf("# Memory: %s, %s of it available.\n", advice_bytes(memory, facts->memory),
			isnan(facts->memory_available)
				? "an unknown part"
				: advice_bytes(available, facts->memory_available));
	snprintf(copy, sizeof(copy), "%s", note);
	if (note[0])
		printf("# Not all peaks are known: %s.\n", cli_sanitize(copy));
	if (facts->other_namespace)
		puts("# This is not the initial network namespace: what is said is about this "
		     "one.");
}

static void print(const struct advice_facts *facts, const char *note)
{
	struct advice advice[ADVICE_KEYS];
	bool conntrack = false;

	print_head(facts, note);
	advice_give(facts, advice);
	for (size_t i = 0; i < ADVICE_KEYS; i++) {
		const struct advice *a = &advice[i];

		if (!a->value[0])
			printf("\n# %s: %s\n", a->key, a->reason);
		else
			printf("\n# %s\n%s%s = %s\n", a->reason, a->change ? "" : "# ", a->key,
				a->value);
		conntrack |= a->change && strstr(a->key, "conntrack");
	}
	if (conntrack)
		puts("\n# Settings of nf_conntrack exist only while it is loaded: for them to be "
		     "set at boot, put nf_conntrack\n"
		     "# into a file below /etc/modules-load.d. An entry with NAT, accounting or a "
		     "helper takes 128 bytes more.");
}

int cmd_advise(const struct cli_context *context, int argc, char **argv)
{
	char note[ADVISE_NOTE_SIZE], error[STATUS_ERROR_SIZE];
	struct status_file status;
	CLEANUP_FREE char *path = NULL;
	struct advice_facts facts;
	int code = parse(argc, argv), r;
	struct conf *conf;
	bool known;

	if (code >= 0)
		return code;
	if (cli_conf_load(context, &conf) < 0)
		return EXIT_FAILURE;
	path = status_file_path(context, conf);
	known = path && status_file_read(path, &status, error) == 0;
	r = advise_facts_gather(conf, known ? &status : NULL, &facts, note);
	if (known)
		status_file_free(&status);
	if (r < 0)
		cli_error("advise: cannot read %s: %s", conf->proc, strerror(-r));
	else
		print(&facts, note);
	conf_free(conf);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
