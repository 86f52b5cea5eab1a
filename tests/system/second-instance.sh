#!/bin/sh
# SPDX-License-Identifier: MIT
# A second daemon on the same RRDs refuses with 1 and says why; the first is not disturbed.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq
recorded_proc
write_conf 'interval = 1' "proc = \"$proc\""
start_daemon
mkdir "$work/run2"
RUNTIME_DIRECTORY=$work/run2 timeout 30 "$bin/connwatchd" --config="$conf" >"$work/second" 2>&1
equal "exit code of the second daemon" 1 $?
grep -q "$rrd" "$work/second" || fail "the second one did not name the folder: $(cat "$work/second")"
next_rows 3
newest=$(last_update tcp.rrd)
wait_for "rows of the first one" updated_after tcp.rrd "$newest"
stop_daemon

# Its end gives the folder free.
start_daemon
stop_daemon

# Nor can a reader of the folder keep a daemon from starting.
(
	exec 9<"$rrd"
	flock 9
	exec sleep 60
) &
reader=$!
start_daemon
stop_daemon
kill "$reader"
equal "others may open the lock" 600 "$(stat -c %a "$rrd/.lock")"
