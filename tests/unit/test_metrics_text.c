/* SPDX-License-Identifier: MIT */
#include "cli/metrics_text.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/registry.h"
#include "daemon/util.h"
#include "tests/unit/test.h"

#define TIME "1796068800"
#define NOW 1796068802.5

/* write TEXT's metrics at now; the answer is for free(). */
static char *written(const char *json, double now, enum expo_format format)
{
	char error[STATUS_ERROR_SIZE], *copy = json ? strdup(json) : NULL, *text;
	struct status_file file;
	size_t len;
	struct expo e = {open_memstream(&text, &len), format};

	if (json)
		assert_int_equal(status_file_parse(copy, strlen(json), &file, error), 0);
	metrics_write(&e, json ? &file : NULL, now);
	fclose(e.out);
	if (json)
		status_file_free(&file);
	return text;
}

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && at[len] == '\n')
			return true;
	return false;
}

/* lines: each has to be one of the text's. */
static void expect(const char *json, double now, enum expo_format format, const char *lines)
{
	CLEANUP_FREE char *text = written(json, now, format), *copy = strdup(lines);
	char *rest = copy;

	for (const char *line; (line = strsep(&rest, "\n"));)
		if (*line && !has_line(text, line))
			fail_msg("no line \"%s\" in:\n%s", line, text);
}

static void expect_without(const char *json, double now, const char *part)
{
	CLEANUP_FREE char *text = written(json, now, EXPO_OPENMETRICS);

	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

#define STATUS(readings, more)                                                                     \
	"{\"version\":\"1.2\",\"time\":" TIME ",\"interval\":10,\"readings\":{" readings           \
	"},\"errors\":{\"tcp\":\"gone\"}" more "}"
#define QUIET ",\"alerts\":[]"
#define TABLE                                                                                      \
	"\"conntrack\":{\"entries\":214958,\"max\":null,\"drop\":7,\"found\":4503599627370496}"

static void of_openmetrics_are_as_its_specification_has_it(void **state)
{
	(void)state;
	expect(STATUS(TABLE, QUIET), NOW, EXPO_OPENMETRICS,
		"# TYPE connwatch_conntrack_entries gauge\n"
		"# HELP connwatch_conntrack_entries entries in the table\n"
		"# UNIT connwatch_conntrack_entries entries\n"
		"connwatch_conntrack_entries 214958\n"
		"# TYPE connwatch_conntrack_drop counter\n"
		"connwatch_conntrack_drop_total 7\n"
		"connwatch_conntrack_found_total 4503599627370496\n"
		"# TYPE connwatch_build info\n"
		"connwatch_build_info{version=\"1.2\"} 1\n"
		"# UNIT connwatch_status_age_seconds seconds\n"
		"connwatch_status_age_seconds 2.5\n"
		"connwatch_up 1\n"
		"# EOF\n");
}

static void of_text_differ_in_counters_and_end(void **state)
{
	CLEANUP_FREE char *text = written(STATUS(TABLE, QUIET), NOW, EXPO_TEXT);

	(void)state;
	assert_null(strstr(text, "# EOF"));
	assert_null(strstr(text, "# UNIT"));
	expect(STATUS(TABLE, QUIET), NOW, EXPO_TEXT,
		"# TYPE connwatch_conntrack_entries gauge\n"
		"connwatch_conntrack_entries 214958\n"
		"# TYPE connwatch_conntrack_drop_total counter\n"
		"# HELP connwatch_conntrack_drop_total packets dropped because no entry could be "
		"made\n"
		"connwatch_conntrack_drop_total 7\n"
		"# TYPE connwatch_build_info gauge\n");
}

static void unknown_is_left_out(void **state)
{
	(void)state;
	expect_without(STATUS(TABLE, QUIET), NOW, "\nconnwatch_conntrack_max ");
	expect_without(STATUS(TABLE, QUIET), NOW, "\nconnwatch_conntrack_early_drop_total ");
}

static void network_namespaces_are_labels(void **state)
{
	static const char json[] =
		STATUS("\"conntrack\":{\"entries\":1},\"gw.conntrack\":{\"entries\":2},"
		       "\"sockets\":{\"time_wait\":9},\"gw.sockets\":{\"time_wait\":4},"
		       "\"gw.limits\":{\"tw\":7}",
			",\"durations\":{\"gw.conntrack\":0.25},\"rules\":{\"gw.conntrack-full\":"
			"\"gw.conntrack.entries\",\"conntrack-full\":\"conntrack.entries\"},"
			"\"alerts\":[{\"name\":\"gw.conntrack-full\",\"level\":\"warning\"}],"
			"\"trends\":{\"gw.conntrack-full\":{\"seconds_to_full\":60}}");

	(void)state;
	expect(json, NOW, EXPO_OPENMETRICS,
		"connwatch_conntrack_entries 1\n"
		"connwatch_conntrack_entries{netns=\"gw\"} 2\n"
		"connwatch_sockets{instance=\"all\",state=\"time_wait\"} 9\n"
		"connwatch_sockets{netns=\"gw\",instance=\"all\",state=\"time_wait\"} 4\n"
		"connwatch_collector_up{collector=\"conntrack\"} 1\n"
		"connwatch_collector_up{collector=\"conntrack\",netns=\"gw\"} 1\n"
		"connwatch_collector_duration_seconds{collector=\"conntrack\",netns=\"gw\"} 0.25\n"
		"connwatch_alert_level{alert=\"conntrack-full\"} 0\n"
		"connwatch_alert_level{alert=\"conntrack-full\",netns=\"gw\"} 1\n"
		"connwatch_time_to_full_seconds{alert=\"conntrack-full\",netns=\"gw\"} 60\n");
	expect_without(json, NOW, "connwatch_limits_tw");
}

static void instances_and_states_are_labels(void **state)
{
	static const char json[] =
		STATUS("\"listener-https\":{\"drops\":3},\"sockets\":{\"time_wait\":9},"
		       "\"sockets-http\":{\"time_wait\":4},\"other\":{\"x\":1}",
			QUIET);

	(void)state;
	expect(json, NOW, EXPO_OPENMETRICS,
		"connwatch_listener_drops_total{instance=\"https\"} 3\n"
		"# TYPE connwatch_sockets gauge\n"
		"# UNIT connwatch_sockets sockets\n"
		"connwatch_sockets{instance=\"all\",state=\"time_wait\"} 9\n"
		"connwatch_sockets{instance=\"http\",state=\"time_wait\"} 4\n");
	expect_without(json, NOW, "connwatch_other");
	expect_without(json, NOW, "\"other\"");
}

static void collectors_are_up_or_not_and_took_their_time(void **state)
{
	static const char json[] = STATUS("\"tcp\":{},\"tcpext\":{}",
		QUIET ",\"durations\":{\"tcp\":0.00025,\"tcpext\":null}");

	(void)state;
	expect(json, NOW, EXPO_OPENMETRICS,
		"connwatch_collector_up{collector=\"tcp\"} 0\n"
		"connwatch_collector_up{collector=\"tcpext\"} 1\n"
		"connwatch_collector_duration_seconds{collector=\"tcp\"} 0.00025\n");
	expect_without(json, NOW, "duration_seconds{collector=\"tcpext\"}");
}

static void every_alert_has_a_level(void **state)
{
	(void)state;
	expect(STATUS("\"listener-a\":{},\"listener-b\":{},\"listener\":{}",
		       ",\"alerts\":[{\"name\":\"full\",\"level\":\"critical\"},"
		       "{\"name\":\"tcp-unreadable\",\"level\":\"warning\"},"
		       "{\"name\":\"drops\",\"instance\":\"listener-b\",\"level\":\"warning\"}],"
		       "\"rules\":{\"full\":\"conntrack.entries\",\"drops\":\"listener-*.drops\","
		       "\"calm\":\"tcp.in_errs\"},"
		       "\"trends\":{\"full\":{\"growth\":3,\"seconds_to_full\":152}}"),
		NOW, EXPO_OPENMETRICS,
		"connwatch_alert_level{alert=\"full\"} 2\n"
		"connwatch_alert_level{alert=\"calm\"} 0\n"
		"connwatch_alert_level{alert=\"tcp-unreadable\"} 1\n"
		"connwatch_alert_level{alert=\"drops\",instance=\"a\"} 0\n"
		"connwatch_alert_level{alert=\"drops\",instance=\"b\"} 1\n"
		"connwatch_time_to_full_seconds{alert=\"full\"} 152\n");
}

static void a_stale_file_tells_nothing_but_its_age(void **state)
{
	static const char json[] =
		STATUS(TABLE ",\"tcpext\":{}", QUIET ",\"rules\":{\"full\":\"tcp.x\"}");

	(void)state;
	expect(json, NOW + 100, EXPO_OPENMETRICS,
		"connwatch_up 0\n"
		"connwatch_status_age_seconds 102.5\n"
		"connwatch_collector_up{collector=\"conntrack\"} 0\n"
		"connwatch_collector_up{collector=\"tcpext\"} 0\n"
		"# EOF\n");
	expect_without(json, NOW + 100, "entries");
	expect_without(json, NOW + 100, "connwatch_alert_level{");
	expect(json, NOW - 100, EXPO_OPENMETRICS, "connwatch_up 0\n");
}

static void no_file_is_endlessly_old(void **state)
{
	(void)state;
	expect(NULL, NOW, EXPO_OPENMETRICS,
		"connwatch_up 0\n"
		"connwatch_status_age_seconds +Inf\n"
		"# EOF\n");
}

static void what_a_file_may_hold_is_escaped(void **state)
{
	(void)state;
	expect(STATUS("\"listener-a\\\"b\\\\c\\nd\":{\"drops\":1}", QUIET), NOW, EXPO_OPENMETRICS,
		"connwatch_listener_drops_total{instance=\"a\\\"b\\\\c\\nd\"} 1\n");
	expect(STATUS("\"tcp\":7,\"tcpext\":{\"timeouts\":\"x\"}",
		       ",\"alerts\":[],\"rules\":{\"a\":3},\"durations\":[],\"trends\":{\"b\":[]}"),
		NOW, EXPO_TEXT, "connwatch_up 1\n");
	expect(STATUS("", ",\"alerts\":[],\"rules\":7,\"trends\":[]"), NOW, EXPO_TEXT,
		"connwatch_up 1\n");
}

/* So that a format's own names (x_total, x_info, x_count) and other families' cannot be meant. */
static void families_of_all_collectors_are_told_apart(void **state)
{
	static const char *const reserved[] = {
		"_total", "_created", "_info", "_count", "_sum", "_bucket"};
	struct expo_family families[256];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < registry_len; i++)
		for (size_t m = 0; m < (registry[i]->label ? 1 : registry[i]->n_metrics); m++) {
			assert_true(n < ARRAY_LEN(families));
			metrics_family(registry[i], m, &families[n]);
			assert_true(strlen(families[n].name) < EXPO_NAME_SIZE - 1);
			assert_null(strpbrk(families[n].help, "\\\"\n"));
			for (size_t k = 0; k < ARRAY_LEN(reserved); k++)
				assert_false(strlen(families[n].name) > strlen(reserved[k]) &&
					     strcmp(families[n].name + strlen(families[n].name) -
							     strlen(reserved[k]),
						     reserved[k]) == 0);
			for (size_t k = 0; k < n; k++)
				assert_string_not_equal(families[k].name, families[n].name);
			n++;
		}
}

static void columns_under_a_label_are_gauges_of_one_unit(void **state)
{
	(void)state;
	for (size_t i = 0; i < registry_len; i++)
		for (size_t m = 0; registry[i]->label && m < registry[i]->n_metrics; m++) {
			assert_int_equal(registry[i]->metrics[m].kind, METRIC_GAUGE);
			assert_string_equal(
				registry[i]->metrics[m].unit, registry[i]->metrics[0].unit);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_openmetrics_are_as_its_specification_has_it),
		cmocka_unit_test(of_text_differ_in_counters_and_end),
		cmocka_unit_test(unknown_is_left_out),
		cmocka_unit_test(network_namespaces_are_labels),
		cmocka_unit_test(instances_and_states_are_labels),
		cmocka_unit_test(collectors_are_up_or_not_and_took_their_time),
		cmocka_unit_test(every_alert_has_a_level),
		cmocka_unit_test(a_stale_file_tells_nothing_but_its_age),
		cmocka_unit_test(no_file_is_endlessly_old),
		cmocka_unit_test(what_a_file_may_hold_is_escaped),
		cmocka_unit_test(families_of_all_collectors_are_told_apart),
		cmocka_unit_test(columns_under_a_label_are_gauges_of_one_unit),
	};

	return cmocka_run_group_tests_name("metrics_text", tests, NULL, NULL);
}
