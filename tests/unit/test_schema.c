/* SPDX-License-Identifier: MIT */
/* The tables of all collectors: what librrd, the configuration and the alerts rely on. */
#include "tests/unit/test.h"

#include <string.h>

#include "collectors/registry.h"
#include "daemon/util.h"

#define NAME_MAX_LEN 19 /* librrd's limit for a data source */

static const char lower[] = "abcdefghijklmnopqrstuvwxyz",
		  digits_etc[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

static void assert_name(const char *name)
{
	assert_non_null(name);
	assert_in_range(strlen(name), 1, NAME_MAX_LEN);
	assert_int_equal(strspn(name, lower) > 0, 1);
	assert_int_equal(strspn(name, digits_etc), strlen(name));
}

static void assert_text(const char *text)
{
	assert_non_null(text);
	assert_int_not_equal(strlen(text), 0);
	assert_int_not_equal(text[strlen(text) - 1], '.');
}

static void collectors_are_in_order_and_complete(void **state)
{
	(void)state;
	assert_int_not_equal(registry_len, 0);
	for (size_t i = 0; i < registry_len; i++) {
		const struct collector *c = registry[i];

		assert_name(c->name);
		assert_text(c->help);
		assert_true(i == 0 || strcmp(registry[i - 1]->name, c->name) < 0);
		assert_true(c->n_metrics > 0 && c->state_size > 0);
		assert_non_null(c->init);
		assert_true(c->look || c->read);
		assert_true(c->section || c->titled_section);
		assert_true(!c->round || c->shared_size);
	}
}

static void metrics_have_names_help_and_units(void **state)
{
	(void)state;
	for (size_t i = 0; i < registry_len; i++)
		for (size_t m = 0; m < registry[i]->n_metrics; m++) {
			const struct metric *metric = &registry[i]->metrics[m];

			assert_name(metric->name);
			assert_text(metric->help);
			assert_text(metric->unit);
			assert_int_equal(metric->unit[strlen(metric->unit) - 1], 's');
			assert_true(!metric->look || registry[i]->look);
			assert_true(metric->look || registry[i]->read);
			assert_true(!metric->announce || metric->kind == METRIC_GAUGE);
			for (size_t k = 0; k < m; k++)
				assert_string_not_equal(registry[i]->metrics[k].name, metric->name);
		}
}

/* The columns of the contract, in order: each RRD has them so. */
static void columns_are_those_of_the_contract(void **state)
{
	static const struct {
		const char *collector, *columns;
	} contract[] = {
		{"conntrack", "entries max peak buckets found invalid insert_failed drop "
			      "early_drop error search_restart "
			      "clash_resolve chain_toolong"},
		{"kernlog", "table_full"},
		{"limits", "listen_queue listen_backlog orphans orphans_max tw tw_max tcp_mem "
			   "tcp_mem_pressure tcp_mem_max "
			   "softnet_dropped softnet_squeezed neigh4_entries neigh4_max "
			   "neigh6_entries neigh6_max "
			   "neigh_table_fulls udp_rcvbuf_errors "
			   "port_tuple port_tuple_max"},
		{"listener", "accept_queue backlog drops"},
		{"sockets", "established syn_sent syn_recv fin_wait1 fin_wait2 time_wait "
			    "close_wait last_ack listen closing"},
		{"tcp", "active_opens passive_opens curr_estab attempt_fails estab_resets in_segs "
			"out_segs retrans_segs "
			"in_errs out_rsts in_csum_errors"},
		{"tcpext", "listen_overflows listen_drops reqq_full_drop reqq_full_cookies "
			   "syncookies_sent syncookies_recv "
			   "syncookies_failed syn_retrans timeouts backlog_drop rcvq_drop "
			   "tw_overflow abort_on_memory "
			   "abort_on_timeout memory_pressures prune_called rp_filter"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(contract); i++) {
		const struct collector *c = NULL;
		char columns[1024] = "";

		for (size_t k = 0; k < registry_len; k++)
			if (strcmp(registry[k]->name, contract[i].collector) == 0)
				c = registry[k];
		assert_non_null(c);
		for (size_t m = 0; m < c->n_metrics; m++) {
			strcat(columns, m ? " " : "");
			strcat(columns, c->metrics[m].name);
		}
		/* Later columns may follow. */
		assert_int_equal(
			strncmp(columns, contract[i].columns, strlen(contract[i].columns)), 0);
	}
}

/* "INSTANCE.COLUMN", or "COLLECTOR-*.COLUMN" for a titled section. */
static const struct metric *operand(const char *text)
{
	const char *pattern = strstr(text, "-*."), *dot = pattern ? pattern : strchr(text, '.');

	assert_non_null(dot);
	for (size_t i = 0; i < registry_len; i++) {
		const struct collector *c = registry[i];

		if (strlen(c->name) != (size_t)(dot - text) ||
			strncmp(c->name, text, strlen(c->name)) != 0 ||
			!(pattern ? c->titled_section : c->section))
			continue;
		for (size_t m = 0; m < c->n_metrics; m++)
			if (strcmp(c->metrics[m].name, strchr(dot, '.') + 1) == 0)
				return &c->metrics[m];
	}
	return NULL;
}

static void assert_rule(const struct rule *rule)
{
	const struct metric *value = operand(rule->value),
			    *limit = rule->limit ? operand(rule->limit) : NULL;

	assert_non_null(rule->name);
	if (rule->advice)
		assert_text(rule->advice);
	else
		assert_non_null(rule->message_id); /* its catalog entry is the advice */
	assert_true(!rule->above || (rule->advice && operand(rule->above)));
	assert_text(rule->subject);
	assert_non_null(value);
	assert_true(rule->warning > 0 || rule->critical > 0);
	assert_true(rule->warning <= 0 || rule->critical <= 0 || rule->warning < rule->critical ||
		    (rule->warning <= rule->critical && rule->escalate > 0));
	assert_true(rule->clear >= 0 && rule->clear < fmax(rule->warning, rule->critical));
	assert_true(rule->hold >= 1 && rule->release >= 1 && rule->remind >= 0 && rule->enabled);
	assert_true(rule->forecast_critical <= rule->forecast_warning);
	if (rule->limit) {
		assert_non_null(limit);
		assert_int_equal(value->kind, METRIC_GAUGE);
		assert_int_equal(limit->kind, METRIC_GAUGE);
		assert_true(rule->ratio || strcmp(value->unit, limit->unit) == 0);
		assert_true(rule->ratio || fmax(rule->critical, rule->warning) <= RULE_OVERFULL);
		assert_true(rule->over == 0 && !rule->done);
	} else {
		assert_int_equal(rule->forecast_warning, 0);
		/* Of a second alone no increase can be told, of a row it can. */
		assert_true(value->kind == METRIC_GAUGE || rule->over > 0 || !value->look);
		assert_true(!rule->doing == !rule->done);
		assert_true(!rule->done || value->kind == METRIC_COUNTER);
	}
}

static void rules_name_columns_that_exist(void **state)
{
	const char *names[64];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < registry_len; i++)
		for (size_t k = 0; k < registry[i]->n_rules; k++) {
			const struct rule *rule = &registry[i]->rules[k];

			assert_rule(rule);
			for (size_t other = 0; other < n; other++)
				assert_string_not_equal(names[other], rule->name);
			assert_true(n < ARRAY_LEN(names));
			names[n++] = rule->name;
		}
	assert_int_not_equal(n, 0);
}

/* What each text is in a picture, a page and rrdtool's arguments. */
static void assert_label(const char *text)
{
	assert_text(text);
	assert_null(strpbrk(text, "\\<>&\"'%"));
}

static bool has_thresholds(const struct collector *c, const struct graph_series *series)
{
	for (size_t i = 0; i < c->n_rules; i++)
		if (operand(c->rules[i].value) == &c->metrics[series->metric])
			return true;
	return false;
}

static void assert_series(const struct collector *c, const struct graph *graph, size_t i)
{
	const struct graph_series *s = &graph->series[i];

	assert_label(s->legend);
	assert_true(strlen(s->legend) <= 24); /* its column in a picture */
	assert_true(s->metric < c->n_metrics);
	assert_true(s->colour < N_COLOURS);
	assert_int_equal(c->metrics[s->metric].kind, c->metrics[graph->series[0].metric].kind);
	assert_true(s->style != GRAPH_PEAK || i > 0);
	assert_true(s->style != GRAPH_LIMIT || c->metrics[s->metric].kind == METRIC_GAUGE);
	/* Thresholds have these. */
	if (has_thresholds(c, s))
		for (size_t k = 0; k < GRAPH_SERIES_MAX && graph->series[k].legend; k++)
			assert_true(graph->series[k].colour != COLOUR_ORANGE &&
				    graph->series[k].colour != COLOUR_VERMILION);
	for (size_t k = 0; k < i; k++) {
		assert_string_not_equal(graph->series[k].legend, s->legend);
		assert_true(graph->series[k].colour != s->colour);
		assert_true(graph->series[k].metric != s->metric);
	}
}

static void graphs_draw_metrics_that_exist(void **state)
{
	(void)state;
	for (size_t i = 0; i < registry_len; i++) {
		const struct collector *c = registry[i];

		assert_int_not_equal(c->n_graphs, 0);
		for (size_t g = 0; g < c->n_graphs; g++) {
			const struct graph *graph = &c->graphs[g];
			const char *tail = strstr(graph->unit, " per second");

			assert_name(
				graph->name); /* without a hyphen: INSTANCE-NAME is then unique */
			assert_label(graph->title);
			assert_label(graph->unit);
			assert_non_null(graph->series[0].legend);
			assert_true(graph->series[0].style != GRAPH_LIMIT);
			assert_int_equal(c->metrics[graph->series[0].metric].kind == METRIC_COUNTER,
				tail && !tail[strlen(" per second")]);
			for (size_t s = 0; s < GRAPH_SERIES_MAX && graph->series[s].legend; s++)
				assert_series(c, graph, s);
			for (size_t k = 0; k < g; k++)
				assert_string_not_equal(c->graphs[k].name, graph->name);
		}
	}
}

static void assert_settings(const struct setting *settings, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		const struct setting *s = &settings[i];

		assert_name(s->name);
		assert_string_not_equal(s->name, "enabled"); /* every section has it */
		assert_text(s->help);
		assert_true(s->offset < size);
		if (s->type == SETTING_INT || s->type == SETTING_NUMBER ||
			s->type == SETTING_DURATION)
			assert_true(s->min < s->max);
		assert_int_equal(s->type == SETTING_CHOICE, s->choices != NULL);
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(settings[k].name, s->name);
			assert_true(settings[k].offset != s->offset);
		}
	}
}

static void settings_have_ranges(void **state)
{
	(void)state;
	for (size_t i = 0; i < registry_len; i++) {
		const struct collector *c = registry[i];

		assert_settings(c->settings, c->n_settings, c->config_size);
		assert_settings(c->titled_settings, c->n_titled_settings, c->titled_config_size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collectors_are_in_order_and_complete),
		cmocka_unit_test(metrics_have_names_help_and_units),
		cmocka_unit_test(columns_are_those_of_the_contract),
		cmocka_unit_test(rules_name_columns_that_exist),
		cmocka_unit_test(graphs_draw_metrics_that_exist),
		cmocka_unit_test(settings_have_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
