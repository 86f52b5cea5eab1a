#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGTERM ends it with 0 within a second, also when the store process does not answer; the rows that were
# made are in the RRD.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq pgrep rrdtool
recorded_proc
write_conf 'interval = 1' "proc = \"$proc\""

# ended_in_time - the daemon's own deadline is a second; the rest is for a busy machine.
ended_in_time() {
	timeout 10 tail --pid="$daemon" -s 0.05 -f /dev/null || fail "still there long after $1"
	wait "$daemon"
	equal "exit code after $1" 0 $?
}

start_daemon
next_rows 3
made=$(value .time)
kill -TERM "$daemon"
ended_in_time SIGTERM
[ "$(last_update tcp.rrd)" -ge "$made" ] || fail "the row of $made is not in the RRD"
pgrep -f "$conf" >/dev/null && fail "a process was left behind"

start_daemon
next_rows 2
kill -INT "$daemon"
ended_in_time SIGINT

start_daemon
next_rows 2
store=$(store_pid) || fail "there is no store process"
kill -STOP "$store"
kill -TERM "$daemon"
ended_in_time "SIGTERM with a stopped store"
kill -0 "$store" 2>/dev/null && fail "the stopped store was left behind"
exit 0
