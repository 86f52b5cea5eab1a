#!/bin/sh
# SPDX-License-Identifier: MIT
# A disk that fills up while rows are written costs none: a file has all of its room from the beginning. Of status.json,
# which is made anew each time, it is said once.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need_root
need jq rrdtool mountpoint
mount_memory 8m
mkdir "$rrd/run"
export RUNTIME_DIRECTORY="$rrd/run"
status=$rrd/run/status.json
use_recorded_proc
start_daemon
wait_for "rows" test -s "$rrd/conntrack.rrd"
rows_again "the start"
fill_disk
mark_log
for _ in 1 2 3; do
	rows_again "the disk was full"
done
watches "on a full disk"
said_since_once '^<3>.*status\.json.*No space'
equal "other complaints" 0 "$(said_since | grep -E '^<[0-3]>' | grep -cv status.json)"
make_room
wait_for "status.json is written again" has_said '<5>.*status\.json is written again'
next_rows 2
equal "what was left behind" "" "$(find "$rrd" -name '.*' ! -name .lock -type f)"
stop_daemon
looks_in_time
