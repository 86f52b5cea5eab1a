/* SPDX-License-Identifier: MIT */
/* Every MESSAGE_ID has its entry in the journal's catalog, and every entry what a reader needs. */
#include "tests/unit/test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/registry.h"
#include "daemon/message_id.h"

#define CATALOG SRCDIR "/systemd/connwatchd.catalog"
#define ID_LEN 32
#define IDS_MAX 64

struct ids {
	char id[IDS_MAX][ID_LEN + 1];
	size_t n;
};

static char *read_file(const char *path)
{
	static char text[64 * 1024];
	FILE *f = fopen(path, "r");

	if (!f)
		fail_msg("cannot open %s", path);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

/* What stands behind each occurrence of a text, and perhaps more. */
static void collect(char *text, const char *before, const char *quote, struct ids *ids)
{
	ids->n = 0;
	while ((text = strstr(text, before))) {
		text = strstr(text + strlen(before), quote);
		assert_non_null(text);
		text += strlen(quote);
		assert_true(ids->n < IDS_MAX);
		memcpy(ids->id[ids->n], text, ID_LEN);
		ids->id[ids->n][ID_LEN] = '\0';
		assert_int_equal(strspn(ids->id[ids->n], "0123456789abcdef"), ID_LEN);
		assert_false(isalnum((unsigned char)text[ID_LEN]));
		ids->n++;
	}
	assert_int_not_equal(ids->n, 0);
}

static bool has(const struct ids *ids, const char *id)
{
	for (size_t i = 0; i < ids->n; i++)
		if (strcmp(ids->id[i], id) == 0)
			return true;
	return false;
}

static void assert_unique(const struct ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(ids->id[i], ids->id[k]);
}

static void every_id_has_one_entry(void **state)
{
	struct ids header, catalog;

	(void)state;
	collect(read_file(SRCDIR "/daemon/message_id.h"), "#define MESSAGE_ID_", "\"", &header);
	collect(read_file(CATALOG), "\n-- ", "", &catalog);
	assert_unique(&header);
	assert_unique(&catalog);
	for (size_t i = 0; i < header.n; i++)
		if (!has(&catalog, header.id[i]))
			fail_msg("no catalog entry for %s", header.id[i]);
	assert_int_equal(header.n, catalog.n);
}

static void every_shipped_rule_has_an_id_of_its_kind(void **state)
{
	struct ids catalog;

	(void)state;
	collect(read_file(CATALOG), "\n-- ", "", &catalog);
	for (size_t i = 0; i < registry_len; i++)
		for (size_t k = 0; k < registry[i]->n_rules; k++) {
			const struct rule *rule = &registry[i]->rules[k];

			if (!rule->message_id || !has(&catalog, rule->message_id))
				fail_msg("rule %s has no kind", rule->name);
		}
}

/* Only these are in every message that an entry is shown for; another would stay as it is written.
 */
static void entries_name_only_fields_that_are_there(void **state)
{
	static const char *const known[] = {
		"@CONNWATCH_ALERT@", "@CONNWATCH_VALUE@", "@CONNWATCH_LIMIT@"};
	char *at = read_file(CATALOG);

	(void)state;
	while ((at = strchr(at, '@'))) {
		size_t i = 0;

		while (i < 3 && strncmp(at, known[i], strlen(known[i])) != 0)
			i++;
		if (i == 3)
			fail_msg("unknown field at: %.30s", at);
		at += strlen(known[i]);
	}
}

static void lines_fit_a_terminal(void **state)
{
	char *line = read_file(CATALOG), *end;

	(void)state;
	for (; (end = strchr(line, '\n')); line = end + 1)
		if (end - line > 100 || (end > line && isspace((unsigned char)end[-1])))
			fail_msg("too long, or blank at its end: %.*s", (int)(end - line), line);
	assert_string_equal(line, "");
}

/* Compiled by systemd itself, in a root of its own. */
static void systemd_takes_the_catalog(void **state)
{
	char root[] = "/tmp/connwatch-catalog-XXXXXX", command[1024];
	struct ids source, compiled;
	static char listed[64 * 1024];
	FILE *list;

	(void)state;
	if (system("command -v journalctl >/dev/null") != 0)
		skip();
	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command),
		"cd %s && mkdir -p usr/lib/systemd/catalog var/lib/systemd/catalog && "
		"cp " CATALOG
		" usr/lib/systemd/catalog && journalctl --update-catalog --root=%s 2>&1",
		root, root);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command),
		"(echo; journalctl --list-catalog --root=%s) | sed 's/^/-- /'; rm -r %s", root,
		root);
	list = popen(command, "re");
	assert_non_null(list);
	listed[0] = '\n';
	listed[fread(listed, 1, sizeof(listed) - 1, list)] = '\0';
	assert_int_equal(pclose(list), 0);
	collect(strchr(listed, '\n'), "\n-- ", "", &compiled);
	collect(read_file(CATALOG), "\n-- ", "", &source);
	assert_int_equal(compiled.n, source.n);
	for (size_t i = 0; i < source.n; i++)
		assert_true(has(&compiled, source.id[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_id_has_one_entry),
		cmocka_unit_test(every_shipped_rule_has_an_id_of_its_kind),
		cmocka_unit_test(entries_name_only_fields_that_are_there),
		cmocka_unit_test(lines_fit_a_terminal),
		cmocka_unit_test(systemd_takes_the_catalog),
	};

	return cmocka_run_group_tests_name("catalog", tests, NULL, NULL);
}
