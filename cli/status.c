/* SPDX-License-Identifier: MIT */
/* connwatch status: what the daemon sees now, from its status.json. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/bar.h"
#include "cli/cli.h"
#include "cli/limits.h"
#include "cli/status_file.h"
#include "daemon/notify.h"
#include "daemon/text.h"
#include "daemon/util.h"

#define EXIT_UNKNOWN 3
#define DEFAULT_WIDTH 80
#define MIN_CELLS 8
#define AMOUNT_SIZE 128
#define WORD_SIZE 200 /* the longest text taken over from the file, with NUL */

/* What is shown, and how. */
struct view {
	const struct conf *conf;
	const struct status_file *file;
	const struct limit *limits;
	size_t n;
	double now; /* CLOCK_REALTIME seconds */
	bool colour, utf8;
	int width; /* of the line */
	int label; /* columns of the longest label */
	int cells; /* of a bar */
};

/* One limit as the file has it. */
struct amount {
	double value, limit, percent;
	char text[AMOUNT_SIZE];
};

/* A rule's trend; UNKNOWN where none is told. */
struct trend {
	double growth, seconds_to_full;
};

static void usage(void)
{
	puts("usage: connwatch [--config=FILE] status [--json] [--status=FILE]\n"
	     "Shows what connwatchd sees now: each limit with how full it is, its trend and the "
	     "time until\n"
	     "it is full; each open alert; what cannot be read. Exits 3 if that is not known.\n"
	     "\n"
	     "      --json         print status.json itself\n"
	     "      --status=FILE  read it from there\n"
	     "  -h, --help         print this\n"
	     "\n"
	     "Colour is for terminals, unless NO_COLOR is set.");
}

static const char *paint(const struct view *v, enum level level)
{
	static const char *const codes[] = {"\x1b[32m", "\x1b[33m", "\x1b[1;31m"};

	return v->colour ? codes[level] : "";
}

static const char *unpaint(const struct view *v)
{
	return v->colour ? "\x1b[0m" : "";
}

/* A text of the file, cut and harmless. */
static const char *word(char out[static WORD_SIZE], const json_t *string)
{
	snprintf(out, WORD_SIZE, "%s", json_is_string(string) ? json_string_value(string) : "?");
	return cli_sanitize(out);
}

static const struct metric *metric_of(const struct view *v, const struct limit *limit)
{
	return &v->conf->instances[limit->instance].collector->metrics[limit->metric];
}

/* False if the daemon does not read it: its configuration may be another one by now. */
static bool read_amount(const struct view *v, const struct limit *limit, struct amount *out)
{
	const struct conf_instance *in = &v->conf->instances[limit->instance];
	const struct conf_instance *limit_in = &v->conf->instances[limit->limit_instance];
	const struct metric *metric = metric_of(v, limit);
	char value[TEXT_SIZE], max[TEXT_SIZE];

	if (!status_reading(v->file, in->name, metric->name, &out->value) ||
		!status_reading(v->file, limit_in->name,
			limit_in->collector->metrics[limit->limit_metric].name, &out->limit))
		return false;
	out->percent = limit_percent(out->value, out->limit);
	text_number(value, out->value);
	if (out->limit == 0)
		snprintf(out->text, sizeof(out->text), "%s %s, no limit", value, metric->unit);
	else if (isnan(out->value) && isnan(out->limit))
		snprintf(out->text, sizeof(out->text), "unknown");
	else
		snprintf(out->text, sizeof(out->text), "%s of %s %s", value,
			text_number(max, out->limit), metric->unit);
	return true;
}

static const json_t *find_alert(const struct view *v, const char *name)
{
	const json_t *alert;
	size_t i;

	json_array_foreach(v->file->alerts, i,
		alert) if (strcmp(json_string_value(json_object_get(alert, "name")), name) ==
			   0) return alert;
	return NULL;
}

/* From "trends", which has the quiet ones too; else the time that an open alert was told with. */
static struct trend read_trend(const struct view *v, const char *rule)
{
	const json_t *trend = json_object_get(json_object_get(v->file->json, "trends"), rule);

	if (!trend)
		trend = find_alert(v, rule);
	return (struct trend){status_number(json_object_get(trend, "growth")),
		status_number(json_object_get(trend, "seconds_to_full"))};
}

static void print_trend(const struct view *v, const struct limit *limit)
{
	struct trend trend = read_trend(v, limit->rule->name);
	char growth[TEXT_SIZE], full[TEXT_SIZE];
	bool is_growing = trend.growth > 0, is_filling = !isnan(trend.seconds_to_full);

	if (!is_growing && !is_filling)
		return;
	printf("%*s", v->label + 2, "");
	if (is_growing)
		printf("growing %s/s%s", text_number(growth, trend.growth), is_filling ? ", " : "");
	if (is_filling)
		printf("full in about %s", text_duration(full, trend.seconds_to_full));
	putchar('\n');
}

static void print_limit(
	const struct view *v, const struct limit *limit, const struct amount *amount)
{
	enum level level =
		limit_level(amount->percent, limit->rule->warning, limit->rule->critical);
	bool is_known = !isnan(amount->percent);
	const char *on = is_known ? paint(v, level) : "", *off = is_known ? unpaint(v) : "";
	char bar[BAR_SIZE], percent[TEXT_SIZE] = "-";

	if (is_known)
		snprintf(percent, sizeof(percent), "%.0f%%", limit_whole_percent(amount->percent));
	printf("%-*s  [%s%s%s] %s%5s%s  %s\n", v->label, limit->label, on,
		bar_render(bar, amount->percent, v->cells, v->utf8), off, on, percent, off,
		amount->text);
	print_trend(v, limit);
}

/* The bars get what labels and amounts leave of a line. */
static void lay_out(struct view *v)
{
	struct amount amount;
	size_t longest = 0, label = 0, len;

	for (size_t i = 0; i < v->n; i++) {
		if (!read_amount(v, &v->limits[i], &amount))
			continue;
		len = strlen(v->limits[i].label);
		label = len > label ? len : label;
		len = strlen(amount.text);
		longest = len > longest ? len : longest;
	}
	v->label = (int)label;
	v->cells = v->width - v->label - (int)longest - (int)strlen("  [] 100%    ");
	v->cells = v->cells < MIN_CELLS       ? MIN_CELLS
		   : v->cells > BAR_MAX_CELLS ? BAR_MAX_CELLS
					      : v->cells;
}

static void print_limits(struct view *v)
{
	struct amount amount;

	lay_out(v);
	for (size_t i = 0; i < v->n; i++)
		if (read_amount(v, &v->limits[i], &amount))
			print_limit(v, &v->limits[i], &amount);
}

static const struct rule *find_rule(const struct conf *conf, const char *name)
{
	for (size_t i = 0; i < conf->n_rules; i++)
		if (strcmp(conf->rules[i].name, name) == 0)
			return &conf->rules[i];
	return NULL;
}

/* The metric a rule is about: the first for a rule about several instances, which is as good as
 * any. */
static const struct metric *rule_metric(const struct view *v, const struct rule *rule)
{
	size_t instance, metric;

	for (size_t i = 0; i < v->n; i++)
		if (v->limits[i].rule == rule)
			return metric_of(v, &v->limits[i]);
	if (conf_operand(v->conf, rule->value, &instance, &metric) < 0)
		return NULL;
	return &v->conf->instances[instance].collector->metrics[metric];
}

/* The sentence of a rule in force, and what it advises. */
static void print_sentence(const struct view *v, const struct rule *rule, const json_t *alert,
	const struct alert_event *event)
{
	const json_t *named = json_object_get(alert, "object");
	char object[WORD_SIZE];
	struct rule plain = *rule;
	double seconds = rule->over ? (double)rule->over : v->file->interval;
	const struct notify_subject subject = {
		.rule = &plain,
		.metric = rule_metric(v, rule),
		.object = named ? word(object, named) : "",
		.increase = event->value * seconds,
		.seconds = seconds,
	};
	char text[NOTIFY_TEXT_SIZE];

	plain.advice = NULL; /* has a line of its own */
	notify_sentence(&subject, event, text);
	printf("  %s\n", text);
	if (rule->advice)
		printf("  %s\n", rule->advice);
}

/* An alert of no rule in force: of a source that cannot be read, or of a configuration that has
 * changed since. */
static void print_other(const struct view *v, const json_t *alert, const char *name)
{
	static const char unreadable[] = "-unreadable";
	double value = status_number(json_object_get(alert, "value"));
	char number[TEXT_SIZE], instance[WORD_SIZE], reason[WORD_SIZE];
	size_t len = strlen(name), tail = strlen(unreadable);
	const json_t *error;

	snprintf(instance, sizeof(instance), "%.*s", (int)(len > tail ? len - tail : 0), name);
	error = json_object_get(v->file->errors, instance);
	if (len > tail && strcmp(name + len - tail, unreadable) == 0)
		printf("  %s: cannot be read%s%s\n", instance, error ? ": " : "",
			error ? word(reason, error) : "");
	else
		printf("  %s: %s\n", name,
			isnan(value) ? "not known now" : text_number(number, value));
}

static void print_alert(const struct view *v, const json_t *alert)
{
	enum level level = status_alert_level(alert);
	double since = status_number(json_object_get(alert, "since"));
	char name[WORD_SIZE], when[TEXT_SIZE], duration[TEXT_SIZE];
	const struct rule *rule = find_rule(v->conf, word(name, json_object_get(alert, "name")));
	struct trend trend = read_trend(v, name);
	const struct alert_event event = {
		.kind = ALERT_CHANGE,
		.from = level,
		.to = level,
		.value = status_number(json_object_get(alert, "value")),
		.limit = status_number(json_object_get(alert, "limit")),
		.percent = status_number(json_object_get(alert, "percent")),
		.growth = trend.growth,
		.seconds_to_full = trend.seconds_to_full,
	};
	bool is_known = !isnan(event.value) && !(rule && rule->limit && isnan(event.percent));

	printf("%s%s%s", paint(v, level), level_names[level], unpaint(v));
	if (since <= v->now)
		printf(" since %s, for %s", text_time(when, (time_t)since),
			text_duration(duration, v->now - since));
	putchar('\n');
	if (rule && is_known && rule_metric(v, rule))
		print_sentence(v, rule, alert, &event);
	else
		print_other(v, alert, name);
}

static void print_alerts(const struct view *v)
{
	size_t n = json_array_size(v->file->alerts);

	if (n == 0)
		puts("\nno open alert");
	else
		printf("\n%zu open alert%s\n", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++)
		print_alert(v, json_array_get(v->file->alerts, i));
}

static void print_errors(const struct view *v)
{
	json_t *errors = json_object_get(v->file->json, "errors"), *error;
	char instance[WORD_SIZE], reason[WORD_SIZE];
	const char *name;

	if (json_object_size(errors) > 0)
		puts("\nnot read");
	json_object_foreach(errors, name, error)
	{
		snprintf(instance, sizeof(instance), "%s", name);
		printf("  %s: %s\n", cli_sanitize(instance), word(reason, error));
	}
}

/* Of sockets that are counted less often than rows are made. */
static void print_census(const struct view *v)
{
	const json_t *census = json_object_get(v->file->json, "sockets");
	double every = status_number(json_object_get(census, "every"));
	double cost = status_number(json_object_get(census, "cost"));
	char source[WORD_SIZE], duration[TEXT_SIZE];

	if (every > v->file->interval && !isnan(cost))
		printf("\nsockets are counted every %s: by %s that takes %.2f s of CPU time\n",
			text_duration(duration, every),
			word(source, json_object_get(census, "source")), cost);
}

static void print_status(struct view *v)
{
	char version[WORD_SIZE], age[TEXT_SIZE], interval[TEXT_SIZE];

	printf("connwatchd %.32s, read %s ago, every %s\n\n",
		word(version, json_object_get(v->file->json, "version")),
		text_duration(age, v->now - v->file->time),
		text_duration(interval, v->file->interval));
	print_limits(v);
	print_census(v);
	print_alerts(v);
	print_errors(v);
}

static int line_width(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
		size.ws_col > 0)
		return size.ws_col;
	return DEFAULT_WIDTH;
}

/* Returns the exit code. */
static int show(const struct conf *conf, const struct status_file *file, double now)
{
	struct limit *limits;
	struct view view = {
		.conf = conf,
		.file = file,
		.now = now,
		.colour = cli_colour(),
		.utf8 = cli_utf8(),
		.width = line_width(),
	};

	if (limits_find(conf, &limits, &view.n) < 0) {
		cli_error("out of memory");
		return EXIT_UNKNOWN;
	}
	view.limits = limits;
	print_status(&view);
	free(limits);
	return EXIT_SUCCESS;
}

static int status(const struct cli_context *context, const struct conf *conf, bool json)
{
	CLEANUP_FREE char *path = status_file_path(context, conf);
	char error[STATUS_ERROR_SIZE];
	double now = (double)time(NULL);
	struct status_file file;
	int code = EXIT_SUCCESS;

	if (!path) {
		cli_error("out of memory");
		return EXIT_UNKNOWN;
	}
	if (status_file_read(path, &file, error) < 0) {
		cli_error("%s %s", path, error);
		return EXIT_UNKNOWN;
	}
	if (json)
		fwrite(file.text, 1, file.len, stdout);
	else
		code = show(conf, &file, now);
	if (status_file_is_stale(&file, now, error)) {
		fflush(stdout);
		cli_error("%s %s", path, error);
		code = EXIT_UNKNOWN;
	}
	status_file_free(&file);
	return code;
}

static void ignore_problem(void *arg, const char *problem)
{
	(void)arg;
	(void)problem;
}

/* An error in the system's configuration must not hide what the daemon, which goes on with an older
 * one, sees. */
static bool fall_back(const struct cli_context *context, struct conf **out)
{
	if (context->config || conf_load(NULL, ignore_problem, NULL, out) < 0)
		return false;
	cli_error("the limits shown are those of the shipped rules");
	return true;
}

int cmd_status(const struct cli_context *context, int argc, char **argv)
{
	struct cli_context own = *context;
	struct cli_flag json = {.name = "json"};
	int code = cli_parse_flag(argc, argv, &json, &own, usage);
	struct conf *conf;

	if (code >= 0)
		return code;
	if (cli_conf_load(context, &conf) < 0 && !fall_back(context, &conf))
		return EXIT_UNKNOWN;
	code = status(&own, conf, json.on);
	conf_free(conf);
	return code;
}
