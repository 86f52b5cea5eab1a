/* SPDX-License-Identifier: MIT */
#include "daemon/rrdconvert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "daemon/rrdanswer.h"
#include "daemon/rrdplan.h"
#include "daemon/util.h"

#define WHY_SIZE (STORE_TEXT_SIZE / 2)

const char *rrdconvert_reason(const char *path)
{
	const char *error = rrd_get_error();
	const char *opening = strstr(error, "': ");
	size_t len = strlen(path);

	if (!strncmp(error, path, len) && !strncmp(error + len, ": ", 2))
		error += len + 2;
	else if (!strncmp(error, "opening '", 9) && opening)
		error = opening + 3; /* without the name, one sentence serves several files */
	return error;
}

bool rrdconvert_create(const struct rrdconvert *to, int64_t first, struct store_answer *a)
{
	CLEANUP_FREE struct rrdplan *plan = malloc(sizeof(*plan));
	int r = -ENOMEM;

	if (plan) {
		rrdplan_new(plan, &to->spec, first - to->spec.step);
		r = rrdwrite_file(to->path, plan, NULL, &to->busy);
	}
	if (r < 0)
		return answer_fail(a, "cannot be made in %s: %s", to->spec.directory,
			r == -EBADMSG ? rrd_get_error() : strerror(-r));
	answer_note(a, LOG_DEBUG, "%s.rrd made in %s", to->spec.name, to->spec.directory);
	return true;
}

/* Why a file cannot be converted, and what to do. */
static void explain(const struct rrdconvert *to, int r, char why[static WHY_SIZE])
{
	const char *directory = to->spec.directory, *error = strerror(-r);

	if (r == -ENOSPC || r == -EDQUOT)
		snprintf(why, WHY_SIZE, "%s in %.100s; make room", error, directory);
	else if (r == -EACCES || r == -EPERM || r == -EROFS)
		snprintf(why, WHY_SIZE, "cannot write to directory %.100s: %s; %s", directory,
			error, answer_remedy(-r));
	else if (r == -EXDEV)
		snprintf(why, WHY_SIZE,
			"it has archives of predictions; remove them (rrdtool tune)");
	else if (r == -E2BIG)
		snprintf(why, WHY_SIZE,
			"it has too many columns or archives, or too large ones; move it out of "
			"%.100s",
			directory);
	else
		snprintf(why, WHY_SIZE, "%.120s; look at %.100s",
			r == -EBADMSG ? rrd_get_error() : error, directory);
}

enum converted rrdconvert_file(
	const struct rrdconvert *to, const struct rrdmap *map, struct store_answer *a)
{
	CLEANUP_FREE struct rrdplan *plan = malloc(sizeof(*plan));
	char what[STORE_TEXT_SIZE / 2 - 64] = "not looked into", why[WHY_SIZE];
	int r = plan ? rrdplan_change(plan, &to->spec, map) : -ENOMEM;

	if (r == 0)
		return CONVERT_NONE;
	if (r > 0) {
		rrdplan_describe(plan, map, what, sizeof(what));
		r = rrdwrite_file(to->path, plan, map, &to->busy);
	}
	if (r == 0) {
		answer_note(a, LOG_NOTICE, "%s.rrd converted, its history kept: %s", to->spec.name,
			what);
		return CONVERT_DONE;
	}
	explain(to, r, why);
	if (to->spec.step != rrdmap_step(map)) {
		answer_fail(a,
			"holds a row every %" PRId64 " s, cannot be converted to %" PRId64 " s: %s",
			rrdmap_step(map), to->spec.step, why);
		return CONVERT_FAILED;
	}
	answer_note(a, LOG_WARNING, "%s.rrd stays as it is and is tried again every hour (%s): %s",
		to->spec.name, what, why);
	return CONVERT_LATER;
}
