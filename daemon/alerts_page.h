/* SPDX-License-Identifier: MIT */
/* alerts.html, beside status.json: the open alerts as a piece of HTML that the pages include. */
#ifndef CONNWATCH_ALERTS_PAGE_H
#define CONNWATCH_ALERTS_PAGE_H

#include "daemon/status.h"

#define ALERTS_FILE "alerts.html"

/*
 * Returns the text for free(), or NULL without memory. The page has "<p><!--" before it and
 * "-->No news.</p>" behind, so that this is also right where the file is empty; the text closes and opens
 * comment and paragraph accordingly. Nothing in it can be read as markup, and it names no client.
 */
char *alerts_page_render(const struct status_source *source);

#endif
