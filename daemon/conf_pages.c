/* SPDX-License-Identifier: MIT */
#include "daemon/conf_pages.h"

#include <math.h>
#include <string.h>

static bool instances_differ(const struct conf *a, const struct conf *b)
{
	for (size_t i = 0; i < a->n_instances && i < b->n_instances; i++)
		if (strcmp(a->instances[i].name, b->instances[i].name) != 0)
			return true;
	return a->n_instances != b->n_instances;
}

static bool archives_differ(const struct conf *a, const struct conf *b)
{
	for (size_t i = 0; i < a->n_archives && i < b->n_archives; i++)
		if (a->archives[i].step != b->archives[i].step ||
			a->archives[i].rows != b->archives[i].rows)
			return true;
	return a->n_archives != b->n_archives || a->interval != b->interval;
}

static bool texts_differ(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) != 0 : a != b;
}

static bool numbers_differ(double a, double b)
{
	return fabs(a - b) > 0;
}

static bool rules_differ(const struct conf *a, const struct conf *b)
{
	for (size_t i = 0; i < a->n_rules && i < b->n_rules; i++) {
		const struct rule *x = &a->rules[i], *y = &b->rules[i];

		if (x->enabled != y->enabled || texts_differ(x->name, y->name) ||
			texts_differ(x->value, y->value) || texts_differ(x->limit, y->limit) ||
			numbers_differ(x->warning, y->warning) ||
			numbers_differ(x->critical, y->critical))
			return true;
	}
	return a->n_rules != b->n_rules;
}

bool conf_pages_differ(const struct conf *a, const struct conf *b)
{
	return instances_differ(a, b) || archives_differ(a, b) || rules_differ(a, b);
}
