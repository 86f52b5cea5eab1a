/* SPDX-License-Identifier: MIT */
/*
 * Read the answer of connwatch-ct to "who fills the table", and say it in a sentence. The answer,
 * one JSON document:
 *
 * { "entries": 250000, "sample": true,     entries counted; sample: the table holds more
 *   "assured": 1200, "unreplied": 248000,  of those counted
 *   "sources": { "undercount": 0,          entries by which a count of this list may be too low, at
 * most "different": 4096,        different sources; null if there were too many to count "top": [ {
 * "name": "192.0.2.7", "entries": 152500, "percent": 61.0 }, ... ] },   at most 100, descending
 *   "destinations": ..., "ports": "443/tcp", "protocols": "tcp", "states": "syn_sent" in the same
 * way }
 *
 * Shares are of all entries counted. Sources, destinations and ports are those of the connection's
 * first packet.
 */
#ifndef CONNWATCH_SUMMARY_H
#define CONNWATCH_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

struct summary_item {
	char name[48];
	double entries, percent;
};

enum { SUMMARY_TOP = 100 };

enum summary_list_name {
	SUMMARY_SOURCES,
	SUMMARY_DESTINATIONS,
	SUMMARY_PORTS,
	SUMMARY_PROTOCOLS,
	SUMMARY_STATES,
	SUMMARY_LISTS
};

struct summary_list {
	double undercount, different; /* different: NaN if unknown */
	size_t n;
	struct summary_item top[SUMMARY_TOP];
};

/* About 33 KB. */
struct summary {
	double entries, assured, unreplied;
	bool sample;
	struct summary_list list[SUMMARY_LISTS];
};

/* Returns 0, or -EBADMSG for anything that is not such an answer. */
int summary_parse(const char *text, struct summary *out);

/*
 * What follows "conntrack: 82% full: " in the message to the administrator, without that:
 * "top sources 192.0.2.7 (61%), 192.0.2.9 (12%); top ports 443/tcp (88%); 71% syn_sent", and after
 * a sample
 * "; shares of a sample of 250000 entries". Names what holds at least 5%, three of a kind at most.
 */
void summary_sentence(const struct summary *s, char *out, size_t size);

#endif
