#!/bin/sh
# SPDX-License-Identifier: MIT
# The clock goes back an hour, and forth again: rows are refused and counted, said once; looks and warnings go on by the
# new time; no file is moved aside. (`./dev test vm` sets a machine's own clock.)
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq rrdtool
use_recorded_proc

status_is_back() {
	[ "$(value .time)" -lt $((newest - 3000)) ]
}

start_daemon
rows_again "the start"
mark_log
fault clock -3600
newest=$(last_update conntrack.rrd)
wait_for "status.json goes on by the new time" status_is_back
newest=$(last_update conntrack.rrd)
next_rows 3
watches "with an earlier clock"
equal "newest row" "$newest" "$(last_update conntrack.rrd)"
equal "messages about the clock" 1 "$(complaints store)"
no_fault clock
rows_again "the clock is right again"
wait_for "the count of the refused" has_said '<5>.*[0-9]+ rows'
equal "files moved aside" 0 "$(find "$rrd" -name '*.bad-*' | wc -l)"
stop_daemon
looks_in_time
