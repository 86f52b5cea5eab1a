/* SPDX-License-Identifier: MIT */
#ifndef CONNWATCH_CONF_PAGES_H
#define CONNWATCH_CONF_PAGES_H

#include <stdbool.h>

#include "daemon/conf.h"

/* Whether the pages (connwatch pages) of two configurations differ: other instances, archives or
 * thresholds. */
bool conf_pages_differ(const struct conf *a, const struct conf *b);

#endif
