/* SPDX-License-Identifier: MIT */
#include "daemon/once.h"

#include <stdio.h>
#include <time.h>

#include "daemon/readings.h"
#include "daemon/status.h"
#include "daemon/text.h"
#include "daemon/util.h"

static void print_instance(const struct instance *in)
{
	const struct outcome *failure = instance_failure(in);
	char number[TEXT_SIZE];

	printf("%s\n", in->conf->name);
	if (failure)
		printf("  (%s)\n", failure->error);
	for (size_t m = 0; m < in->conf->collector->n_metrics; m++) {
		const struct metric *metric = &in->conf->collector->metrics[m];
		bool known = !isnan(in->values[m]);

		printf("  %-20s %15s%s%s\n", metric->name,
			known ? text_number(number, in->values[m]) : "-", known ? " " : "",
			known ? metric->unit : "");
	}
}

static bool print_json(const struct readings *readings)
{
	struct status_source source = {.readings = readings, .time = time(NULL)};
	CLEANUP_FREE char *text = status_render(&source);

	return text && fputs(text, stdout) >= 0;
}

int once_run(const struct conf *conf, bool json)
{
	struct readings *readings;
	int code = EXIT_SUCCESS;

	if (readings_new(conf, &readings) < 0)
		return EXIT_FAILURE;
	readings_row(readings);
	for (size_t i = 0; i < readings->n; i++) {
		const struct outcome *failure = instance_failure(&readings->instances[i]);

		if (!json)
			print_instance(&readings->instances[i]);
		if (failure && outcome_is_fault(failure))
			code = EXIT_FAILURE;
	}
	if (json && !print_json(readings))
		code = EXIT_FAILURE;
	readings_free(readings);
	return code;
}
