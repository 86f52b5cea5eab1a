/* SPDX-License-Identifier: MIT */
#include "daemon/conf_problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_SIZE 512
#define SHOWN_MAX 100 /* nobody reads further before the first ones are mended */

static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

static int grow(struct conf_problems *p)
{
	size_t allocated = p->allocated ? 2 * p->allocated : 16;
	struct conf_problem *grown;

	if (p->n < p->allocated)
		return 0;
	grown = reallocarray(p->problem, allocated, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->problem = grown;
	p->allocated = allocated;
	return 0;
}

void conf_problem_add(
	struct conf_problems *problems, const struct conf_place *place, const char *format, ...)
{
	char message[MESSAGE_SIZE];
	va_list args;
	char *copy;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	make_printable(message);
	copy = strdup(message);
	if (!copy || grow(problems) < 0) {
		free(copy);
		problems->error = -ENOMEM;
		return;
	}
	problems->problem[problems->n] =
		(struct conf_problem){.place = *place, .sequence = problems->n, .message = copy};
	problems->n++;
}

static int compare(const void *a, const void *b)
{
	const struct conf_problem *x = a, *y = b;

	if (x->place.file_no != y->place.file_no)
		return x->place.file_no < y->place.file_no ? -1 : 1;
	if (x->place.line != y->place.line)
		return x->place.line < y->place.line ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

int conf_problems_report(struct conf_problems *problems, conf_problem_fn *report, void *arg)
{
	char line[MESSAGE_SIZE + 4096 + 16];

	if (problems->n)
		qsort(problems->problem, problems->n, sizeof(*problems->problem), compare);
	for (size_t i = 0; i < problems->n; i++) {
		const struct conf_problem *p = &problems->problem[i];

		if (i == SHOWN_MAX)
			snprintf(line, sizeof(line), "%s:%u: and %zu further problems",
				p->place.file, p->place.line, problems->n - i);
		else if (p->place.line)
			snprintf(line, sizeof(line), "%s:%u: %s", p->place.file, p->place.line,
				p->message);
		else
			snprintf(line, sizeof(line), "%s: %s", p->place.file, p->message);
		report(arg, line);
		if (i == SHOWN_MAX)
			break;
	}
	if (problems->error)
		return problems->error;
	return problems->n ? -EINVAL : 0;
}

void conf_problems_free(struct conf_problems *problems)
{
	for (size_t i = 0; i < problems->n; i++)
		free(problems->problem[i].message);
	free(problems->problem);
	*problems = (struct conf_problems){0};
}
