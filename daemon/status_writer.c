/* SPDX-License-Identifier: MIT */
#include "daemon/status_writer.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/alerts_page.h"
#include "daemon/log.h"
#include "daemon/status.h"
#include "daemon/store_child.h"
#include "daemon/util.h"

/* What the last texts get at the end. */
#define LAST_MS 80

struct status_writer {
	sd_event *event;
	char *directory;
	bool in_memory;
	char *status, *alerts; /* they wait to be written */
	pid_t pid;             /* of the child; 0: none */
	sd_event_source *child;
	int error; /* of the last time */
};

int status_writer_new(sd_event *event, const char *state_directory, struct status_writer **out)
{
	const char *runtime =
		getenv("RUNTIME_DIRECTORY"); /* systemd.exec(5): several are separated by colons */
	struct status_writer *w = calloc(1, sizeof(*w));
	struct statfs fs;

	if (w)
		w->directory = strdup(runtime && *runtime ? runtime : state_directory);
	if (!w || !w->directory) {
		free(w);
		return -ENOMEM;
	}
	if (runtime && *runtime)
		w->directory[strcspn(w->directory, ":")] = '\0';
	w->in_memory = statfs(w->directory, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
	w->event = sd_event_ref(event);
	*out = w;
	return 0;
}

const char *status_writer_directory(const struct status_writer *writer)
{
	return writer->directory;
}

static void drop(struct status_writer *w)
{
	free(take_ptr(w->status));
	free(take_ptr(w->alerts));
}

static int write_both(const struct status_writer *w)
{
	int r = status_write(w->directory, STATUS_FILE, w->status);

	/* What stops it is said once, of the file that matters more. */
	if (r == 0 && w->alerts)
		status_write(w->directory, ALERTS_FILE, w->alerts);
	return r;
}

static void report(struct status_writer *w, int r)
{
	if (r != w->error && r < 0)
		log_error_errno(r, "cannot write %s/status.json", w->directory);
	else if (r != w->error)
		log_notice("%s/status.json is written again", w->directory);
	w->error = r;
}

static int on_written(sd_event_source *source, const siginfo_t *si, void *arg);

/* Returns 0 or -errno. The child keeps nothing of ours open: it may outlive us. */
static int start_child(struct status_writer *w)
{
	w->pid = fork();
	if (w->pid == 0) {
		close_range(STDERR_FILENO + 1, ~0U, 0);
		_exit(-write_both(w));
	}
	if (w->pid < 0) {
		w->pid = 0;
		return -errno;
	}
	drop(w);
	return sd_event_add_child(w->event, &w->child, w->pid, WEXITED, on_written, w);
}

static int on_written(sd_event_source *source, const siginfo_t *si, void *arg)
{
	struct status_writer *w = arg;
	int r = si->si_code == CLD_EXITED ? -si->si_status : -EIO;

	(void)source;
	w->child = sd_event_source_disable_unref(w->child);
	w->pid = 0;
	report(w, r);
	if (w->status)
		start_child(w);
	return 0;
}

void status_writer_put(struct status_writer *w, char *status, char *alerts)
{
	int r;

	drop(w);
	w->status = status;
	w->alerts = alerts;
	if (w->in_memory) {
		report(w, write_both(w));
		drop(w);
	} else if (!w->pid) {
		r = start_child(w);
		if (r < 0)
			report(w, r);
	}
}

void status_writer_free(struct status_writer *w)
{
	if (!w)
		return;
	w->child = sd_event_source_disable_unref(w->child);
	if (w->pid && child_wait(w->pid, LAST_MS) && w->status) {
		start_child(w);
		child_wait(w->pid, LAST_MS);
	}
	sd_event_source_disable_unref(w->child);
	sd_event_unref(w->event);
	drop(w);
	free(w->directory);
	free(w);
}
