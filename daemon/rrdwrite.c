/* SPDX-License-Identifier: MIT */
#include "daemon/rrdwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/rrdhistory.h"
#include "daemon/util.h"

/* Handed to the disk at a time, so that the last sync is short. */
#define CHUNK (1 << 20)

struct writer {
	FILE *out;
	int error; /* the first errno of writing */
	const struct rrdplan *plan;
	const struct rrdmap *old;
	const struct rrdwrite_busy *busy;
	size_t since; /* bytes since the last chunk */
};

/*
 * ".conntrack.rrd.new" beside "conntrack.rrd"; a name of its own, so that one is never left over
 * twice.
 */
static char *new_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	char *name;

	return asprintf(&name, "%.*s.%s.new", folder, path, path + folder) < 0 ? NULL : name;
}

void rrdwrite_sweep(const char *path)
{
	CLEANUP_FREE char *real = realpath(path, NULL);
	CLEANUP_FREE char *name = new_name(real ? real : path);

	if (name)
		unlink(name);
}

static void put(struct writer *w, const void *data, size_t size)
{
	if (fwrite(data, size, 1, w->out) != 1 && !w->error)
		w->error = errno;
	w->since += size;
	if (w->since < CHUNK)
		return;
	w->since = 0;
	if (fflush(w->out) != 0 && !w->error)
		w->error = errno;
	sync_file_range(fileno(w->out), 0, 0,
		SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
	w->busy->call(w->busy->arg);
}

/* Of a column of the plan in the old file. */
static bool was_there(const struct writer *w, size_t column)
{
	return w->old && column < w->old->head->ds_cnt;
}

static struct history_sum read_history(const struct writer *w, size_t column,
	const struct history_target *target, struct history_span span)
{
	int archive = history_choose(w->old, target, span.from);

	if (archive < 0 || span.from >= span.to)
		return (struct history_sum){0};
	return history_read(w->old, (size_t)archive, column, span);
}

/* The unfinished step, which the next row will finish. */
static void put_step(struct writer *w, size_t column)
{
	const struct rrdplan *plan = w->plan;
	const int64_t elapsed = plan->last % plan->step;
	const struct history_target target = {CF_AVERAGE, plan->step, true};
	const struct history_span span = {plan->last - elapsed, plan->last};
	pdp_prep_t pdp = {.last_ds = "U"};
	struct history_sum sum = {0};

	if (was_there(w, column)) {
		pdp = w->old->pdps[column];
		sum = read_history(w, column, &target, span);
	}
	if (!was_there(w, column) || plan->step != rrdmap_step(w->old)) {
		pdp.scratch[PDP_val].u_val = sum.integral;
		pdp.scratch[PDP_unkn_sec_cnt].u_cnt =
			(unsigned long)lround((double)elapsed - sum.seconds);
	}
	put(w, &pdp, sizeof(pdp));
}

/* The old file's unfinished row of the same archive; NULL if it has none. */
static const cdp_prep_t *same_row(const struct writer *w, const rra_def_t *archive, size_t column)
{
	if (!was_there(w, column) || w->plan->step != rrdmap_step(w->old))
		return NULL;
	for (size_t i = 0; i < w->old->head->rra_cnt; i++)
		if (rrdmap_function(&w->old->archives[i]) == rrdmap_function(archive) &&
			w->old->archives[i].pdp_cnt == archive->pdp_cnt)
			return &w->old->cdps[i * w->old->head->ds_cnt + column];
	return NULL;
}

/* The unfinished row, from the whole steps since the last finished one. */
static void put_unfinished(struct writer *w, const rra_def_t *archive, size_t column)
{
	const struct rrdplan *plan = w->plan;
	const enum cf_en function = (enum cf_en)rrdmap_function(archive);
	const int64_t seconds = (int64_t)archive->pdp_cnt * plan->step;
	/* Exactly the sum: what is alike holds the time after the last whole step as well. */
	const struct history_target target = {function, seconds, function == CF_AVERAGE};
	const struct history_span span = {
		plan->last - plan->last % seconds, plan->last - plan->last % plan->step};
	const cdp_prep_t *same = same_row(w, archive, column);
	struct history_sum sum = {0};
	cdp_prep_t cdp;

	if (same) {
		put(w, same, sizeof(*same));
		return;
	}
	for (size_t i = 0; i < MAX_CDP_PAR_EN; i++)
		cdp.scratch[i].u_val = UNKNOWN;
	if (was_there(w, column))
		sum = read_history(w, column, &target, span);
	if (sum.rows)
		cdp.scratch[CDP_val].u_val = function == CF_AVERAGE
						     ? sum.integral / (double)plan->step
						     : history_value(&sum, function);
	cdp.scratch[CDP_unkn_pdp_cnt].u_cnt = (unsigned long)lround(
		((double)(span.to - span.from) - sum.seconds) / (double)plan->step);
	put(w, &cdp, sizeof(cdp));
}

static void put_head(struct writer *w)
{
	const struct rrdplan *plan = w->plan;
	const live_head_t live = {.last_up = plan->last};
	stat_head_t head = {
		.cookie = RRD_COOKIE, .version = RRD_VERSION3, .float_cookie = FLOAT_COOKIE};

	if (w->old)
		head = *w->old->head;
	head.ds_cnt = plan->n_columns;
	head.rra_cnt = plan->n_archives;
	head.pdp_step = (unsigned long)plan->step;
	put(w, &head, sizeof(head));
	put(w, plan->columns, plan->n_columns * sizeof(plan->columns[0]));
	put(w, plan->archives, plan->n_archives * sizeof(plan->archives[0]));
	put(w, &live, sizeof(live));
	for (size_t i = 0; i < plan->n_columns; i++)
		put_step(w, i);
	for (size_t i = 0; i < plan->n_archives; i++)
		for (size_t k = 0; k < plan->n_columns; k++)
			put_unfinished(w, &plan->archives[i], k);
	for (size_t i = 0; i < plan->n_archives; i++) {
		rra_ptr_t newest = {plan->archives[i].row_cnt - 1};

		put(w, &newest, sizeof(newest));
	}
}

static double make_value(const struct writer *w, const rra_def_t *archive, int source,
	size_t column, struct history_span span)
{
	struct history_sum sum;

	if (source < 0 || !was_there(w, column))
		return UNKNOWN;
	sum = history_read(w->old, (size_t)source, column, span);
	if ((double)(span.to - span.from) - sum.seconds >
		archive->par[RRA_cdp_xff_val].u_val * (double)(span.to - span.from))
		return UNKNOWN;
	return history_value(&sum, (enum cf_en)rrdmap_function(archive));
}

/* Oldest first; the pointer says so. */
static void put_rows(struct writer *w, const rra_def_t *archive)
{
	const struct rrdplan *plan = w->plan;
	const struct history_target target = {.function = (enum cf_en)rrdmap_function(archive),
		.seconds = (int64_t)archive->pdp_cnt * plan->step};
	const int64_t end = plan->last - plan->last % target.seconds;
	double row[RRDPLAN_COLUMNS];

	for (int64_t i = (int64_t)archive->row_cnt - 1; i >= 0; i--) {
		struct history_span span = {
			end - (i + 1) * target.seconds, end - i * target.seconds};
		int source = w->old ? history_choose(w->old, &target, span.from) : -1;

		for (size_t k = 0; k < plan->n_columns; k++)
			row[k] = make_value(w, archive, source, k, span);
		put(w, row, plan->n_columns * sizeof(row[0]));
	}
}

static off_t file_size(const struct rrdplan *plan)
{
	size_t size = sizeof(stat_head_t) + sizeof(live_head_t), rows = 0;

	for (size_t i = 0; i < plan->n_archives; i++)
		rows += plan->archives[i].row_cnt;
	size += plan->n_columns * (sizeof(ds_def_t) + sizeof(pdp_prep_t));
	size += plan->n_archives * (sizeof(rra_def_t) + sizeof(rra_ptr_t));
	size += plan->n_columns * plan->n_archives * sizeof(cdp_prep_t);
	return (off_t)(size + plan->n_columns * rows * sizeof(double));
}

/* As the file that it takes the place of. */
static int set_owner(int fd, const char *path, const struct rrdmap *old)
{
	struct stat st = {.st_mode = 0644, .st_uid = geteuid(), .st_gid = getegid()};

	if (old && stat(path, &st) < 0)
		return -errno;
	/* Who may not give it away is the owner of both. */
	if ((st.st_uid != geteuid() || st.st_gid != getegid()) &&
		fchown(fd, st.st_uid, st.st_gid) < 0 && errno != EPERM)
		return -errno;
	return fchmod(fd, st.st_mode & 0777) < 0 ? -errno : 0;
}

static int write_all(struct writer *w, const char *path)
{
	int fd = fileno(w->out);
	int r = posix_fallocate(fd, 0, file_size(w->plan));

	if (r > 0)
		return -r;
	put_head(w);
	for (size_t i = 0; i < w->plan->n_archives; i++)
		put_rows(w, &w->plan->archives[i]);
	if (fflush(w->out) != 0 && !w->error)
		w->error = errno;
	if (w->error)
		return -w->error;
	r = set_owner(fd, path, w->old);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	return r;
}

static int make_file(struct writer *w, const char *name, const char *path)
{
	CLEANUP_FCLOSE FILE *out = NULL;
	int fd, r;

	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	w->out = out;
	w->busy->call(w->busy->arg);
	r = write_all(w, path);
	if (r < 0)
		return r;
	rrd_clear_error();
	return rrd_last_r(name) == w->plan->last ? 0 : -EBADMSG;
}

int rrdwrite_file(const char *path, const struct rrdplan *plan, const struct rrdmap *old,
	const struct rrdwrite_busy *busy)
{
	CLEANUP_FREE char *real = realpath(path, NULL); /* NULL: a new file */
	CLEANUP_FREE char *name = new_name(real ? real : path);
	struct writer w = {.plan = plan, .old = old, .busy = busy};
	int r;

	if (!name)
		return -ENOMEM;
	if (real)
		path = real;
	unlink(name);
	r = make_file(&w, name, path);
	if (r == 0 && renameat2(AT_FDCWD, name, AT_FDCWD, path, old ? 0 : RENAME_NOREPLACE) < 0)
		r = -errno;
	if (r < 0)
		unlink(name);
	return r;
}
