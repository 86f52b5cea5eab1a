/* SPDX-License-Identifier: MIT */
#include "daemon/cachedfile.h"

#include <errno.h>
#include <inttypes.h>
#include <rrd.h>
#include <rrd_client.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "daemon/rrdanswer.h"
#include "daemon/rrdpast.h"
#include "daemon/rrdrow.h"
#include "daemon/util.h"

#define ARGUMENT_SIZE 64
#define MAX_ARGUMENTS (STORE_MAX_COLUMNS + 2 * STORE_MAX_ARCHIVES)
/* A file may have columns of a newer version, or of the administrator. */
#define MAX_FILE_COLUMNS (2 * STORE_MAX_COLUMNS)

struct cachedfile {
	uint8_t *packet; /* what spec's strings point into */
	struct store_open spec;
	char *path;
	bool checked, there;          /* there: it is, and the rest is valid */
	size_t n_columns;             /* of the file */
	int column[MAX_FILE_COLUMNS]; /* of spec, by the file's; -1: not one of ours */
	int64_t last;                 /* time of its newest row, as far as is known */
};

int cachedfile_new(const uint8_t *packet, size_t len, struct cachedfile **out)
{
	struct cachedfile *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return -ENOMEM;
	r = store_copy_open(packet, len, &f->packet, &f->spec, &f->path);
	if (r < 0) {
		cachedfile_free(f);
		return r;
	}
	*out = f;
	return 0;
}

void cachedfile_free(struct cachedfile *f)
{
	if (!f)
		return;
	free(f->path);
	free(f->packet);
	free(f);
}

/* What rrdcached refuses. */
static bool refused(
	const struct cachedfile *f, const struct rrdcached *cached, struct store_answer *a)
{
	const char *reason = rrdcached_reason(f->path);

	if (strstr(reason, "Permission denied"))
		return answer_fail(a,
			"rrdcached at %s: %s: %s; its base directory (-b) has to hold it, and "
			"its user to write there",
			rrdcached_address(cached), f->spec.directory, reason);
	return answer_fail(a, "rrdcached at %s: %s", rrdcached_address(cached), reason);
}

/* What a call of the client is about. */
struct call {
	const struct cachedfile *file;
	rrd_info_t *info;
	time_t last;
	const char *update;
	int64_t first;
	const char **arguments;
	int n_arguments;
	struct rrdpast_range *range;
};

static int call_info(void *arg)
{
	struct call *call = arg;

	call->info = rrdc_info(call->file->path);
	return call->info ? 0 : -1;
}

static int call_last(void *arg)
{
	struct call *call = arg;

	call->last = rrdc_last(call->file->path);
	return call->last >= 0 ? 0 : -1;
}

static int call_update(void *arg)
{
	const struct call *call = arg;

	return rrdc_update(call->file->path, 1, &call->update);
}

static int call_create(void *arg)
{
	const struct call *call = arg;

	return rrdc_create(call->file->path, (unsigned long)call->file->spec.step,
		(time_t)(call->first - call->file->spec.step), 1, call->n_arguments,
		call->arguments);
}

static int call_fetch(void *arg)
{
	const struct call *call = arg;
	struct rrdpast_range *r = call->range;

	return rrdc_fetch(call->file->path, r->function, &r->start, &r->end, &r->step,
		&r->n_columns, &r->names, &r->values);
}

static unsigned long info_number(const rrd_info_t *info)
{
	return info->type == RD_I_CNT                            ? info->value.u_cnt
	       : info->type == RD_I_INT && info->value.u_int > 0 ? (unsigned long)info->value.u_int
								 : 0;
}

/* "ds[NAME].index": the file's column of this number is one of ours, or not. */
static void take_column(struct cachedfile *f, const rrd_info_t *info)
{
	unsigned long at = info_number(info);
	const char *name = info->key + 3;
	size_t len = strcspn(name, "]");

	if (at >= MAX_FILE_COLUMNS)
		return;
	if (at >= f->n_columns)
		f->n_columns = at + 1;
	for (size_t i = 0; i < f->spec.n_columns; i++)
		if (strlen(f->spec.columns[i].name) == len &&
			strncmp(f->spec.columns[i].name, name, len) == 0)
			f->column[at] = (int)i;
}

static unsigned long take_info(struct cachedfile *f, const rrd_info_t *info)
{
	unsigned long step = 0;

	f->n_columns = 0;
	for (size_t i = 0; i < MAX_FILE_COLUMNS; i++)
		f->column[i] = -1;
	for (; info; info = info->next) {
		const char *bracket = strchr(info->key, ']');

		if (strcmp(info->key, "step") == 0)
			step = info_number(info);
		else if (strncmp(info->key, "ds[", 3) == 0 && bracket &&
			 strcmp(bracket, "].index") == 0)
			take_column(f, info);
	}
	return step;
}

static void note_missing(const struct cachedfile *f, struct store_answer *a)
{
	bool has[STORE_MAX_COLUMNS] = {false};

	for (size_t i = 0; i < f->n_columns; i++)
		if (f->column[i] >= 0)
			has[f->column[i]] = true;
	answer_missing(a, &f->spec, has, "; they are added by a start without rrd { daemon }");
}

static bool check(struct cachedfile *f, struct rrdcached *cached, struct store_answer *a)
{
	struct call call = {.file = f};
	unsigned long step;

	if (f->checked)
		return true;
	f->there = false;
	if (rrdcached_ask(cached, call_info, &call) < 0) {
		f->checked = strstr(rrdcached_reason(f->path), "No such file") != NULL;
		return f->checked || refused(f, cached, a);
	}
	step = take_info(f, call.info);
	rrd_info_free(call.info);
	if (step != (unsigned long)f->spec.step)
		return answer_fail(a,
			"the file has a row every %lu s, and interval is %" PRId64
			" s: it is converted by "
			"a start without rrd { daemon }",
			step, f->spec.step);
	if (rrdcached_ask(cached, call_last, &call) < 0)
		return refused(f, cached, a);
	f->last = call.last;
	note_missing(f, a);
	f->checked = f->there = true;
	return true;
}

void cachedfile_open(struct cachedfile *f, struct rrdcached *cached, struct store_answer *a)
{
	answer_begin(a);
	f->checked = false;
	if (check(f, cached, a) && f->there)
		a->last = f->last;
}

/* Returns how many arguments: the columns, and AVERAGE of each archive, and MAX of those coarser than the step. */
static int make_arguments(const struct store_open *spec, char out[MAX_ARGUMENTS][ARGUMENT_SIZE])
{
	int n = 0;

	for (size_t i = 0; i < spec->n_columns; i++)
		snprintf(out[n++], ARGUMENT_SIZE, "DS:%s:%s:%" PRId64 ":0:U", spec->columns[i].name,
			spec->columns[i].kind == METRIC_COUNTER ? "DERIVE" : "GAUGE",
			spec->heartbeat);
	for (size_t i = 0; i < spec->n_archives; i++) {
		const struct store_archive *archive = &spec->archives[i];

		snprintf(out[n++], ARGUMENT_SIZE, "RRA:AVERAGE:0.5:%" PRId64 ":%" PRId64,
			archive->step / spec->step, archive->rows);
		if (archive->step > spec->step)
			snprintf(out[n++], ARGUMENT_SIZE, "RRA:MAX:0.5:%" PRId64 ":%" PRId64,
				archive->step / spec->step, archive->rows);
	}
	return n;
}

/* Made by somebody else meanwhile is as good. */
static bool create(
	struct cachedfile *f, struct rrdcached *cached, int64_t first, struct store_answer *a)
{
	char text[MAX_ARGUMENTS][ARGUMENT_SIZE];
	const char *arguments[MAX_ARGUMENTS];
	struct call call = {.file = f, .first = first, .arguments = arguments};

	call.n_arguments = make_arguments(&f->spec, text);
	for (int i = 0; i < call.n_arguments; i++)
		arguments[i] = text[i];
	if (rrdcached_ask(cached, call_create, &call) < 0 &&
		!strstr(rrdcached_reason(f->path), "File exists"))
		return refused(f, cached, a);
	f->checked = false;
	if (!check(f, cached, a))
		return false;
	return f->there || answer_fail(a, "vanishes when made");
}

/* In the file's order: the protocol has no template. */
static void format_row(const struct cachedfile *f, const struct store_row *row, FILE *out)
{
	fprintf(out, "%" PRId64, row->time);
	for (size_t i = 0; i < f->n_columns; i++) {
		int column = f->column[i];
		char value[RRDROW_VALUE_SIZE] = ":U";

		if (column >= 0)
			rrdrow_value(value, sizeof(value), f->spec.columns[column].kind,
				row->values[column]);
		fputs(value, out);
	}
}

/* A row that was sent before the connection broke may be there: then it is refused for its time. */
static void refuse_row(struct cachedfile *f, struct rrdcached *cached, const struct store_row *row,
	struct store_answer *a)
{
	struct call call = {.file = f};

	f->checked = false; /* whatever it is, the next row begins with a look at the file */
	if (!strstr(rrdcached_reason(f->path), "illegal attempt to update")) {
		refused(f, cached, a);
		return;
	}
	if (rrdcached_ask(cached, call_last, &call) < 0) {
		refused(f, cached, a);
		return;
	}
	f->last = call.last;
	a->code = row->time == f->last ? STORE_SAME : STORE_OLDER;
}

static void write_row(struct cachedfile *f, struct rrdcached *cached, const struct store_row *row,
	struct store_answer *a)
{
	CLEANUP_FREE char *text = NULL;
	struct call call = {.file = f};
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out)
		format_row(f, row, out);
	if (!out || fclose(out) != 0) {
		answer_fail(a, "out of memory");
		return;
	}
	call.update = text;
	if (rrdcached_ask(cached, call_update, &call) < 0)
		refuse_row(f, cached, row, a);
	else
		f->last = row->time;
	if (a->code == STORE_DONE || a->code == STORE_SAME)
		rrdcached_took(cached, f->path, text);
}

void cachedfile_update(struct cachedfile *f, struct rrdcached *cached, const struct store_row *row,
	struct store_answer *a)
{
	answer_begin(a);
	if (row->n != f->spec.n_columns)
		answer_fail(a, "a row of %zu values for %zu columns", row->n, f->spec.n_columns);
	else if (check(f, cached, a) && (f->there || create(f, cached, row->time, a)))
		write_row(f, cached, row, a);
	a->last = f->there ? f->last : 0;
}

/* What fetch() of rrdpast_read() needs. */
struct source {
	const struct cachedfile *file;
	struct rrdcached *cached;
};

static int fetch(void *arg, struct rrdpast_range *range)
{
	const struct source *source = arg;
	struct call call = {.file = source->file, .range = range};

	return rrdcached_ask(source->cached, call_fetch, &call);
}

void cachedfile_past(
	const struct cachedfile *f, struct rrdcached *cached, rrdfile_past_fn *past, void *arg)
{
	struct source source = {f, cached};

	if (f->there && f->spec.past)
		rrdpast_read(&f->spec, f->last, &(struct rrdpast_source){fetch, &source},
			&(struct rrdpast_sink){past, arg});
}
