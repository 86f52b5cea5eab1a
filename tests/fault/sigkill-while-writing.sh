#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGKILL at 300 random moments of the store's writing, and at 10 of the loop's: the current row is lost at most, no file
# is damaged, nothing is left behind. The moments are those of a seed, as far as a machine can repeat them.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq pgrep rrdtool
storekill=$(tool storekill) || skip "there is no storekill: it is built with the tests"
seed=${SEED:-4242}
release=$top/build/bin
[ -x "$release/connwatchd-store" ] || release=$bin # with sanitizers it spends its life elsewhere

mkdir "$work/kill"
"$storekill" "$release/connwatchd-store" "$work/kill" 300 "$seed" || fail "with seed $seed"
equal "what was left behind" "one.rrd three.rrd two.rrd" "$(cd "$work/kill" && echo * .[!.]* | sed 's/ \.\[.*//')"

use_recorded_proc
for i in 0 1 2 3 4 5 6 7 8 9; do
	launch_daemon
	wait_for "a store" store_pid
	sleep "$(awk -v seed="$seed" -v i="$i" 'BEGIN { srand(seed + i); print rand() }')"
	store=$(store_pid)
	kill -KILL "$daemon"
	wait "$daemon" 2>/dev/null
	wait_for "the store ends with its loop" test ! -e "/proc/$store"
done
start_daemon
rows_again "10 times SIGKILL"
equal "complaints" 0 "$(complaints)"
equal "what was left behind" "conntrack.rrd kernlog.rrd limits.rrd sockets.rrd tcp.rrd tcpext.rrd" "$(cd "$rrd" && echo *)"
equal "hidden files" "" "$(find "$work/rrd" "$work/run" -name '.*' ! -name .lock -type f)"
stop_daemon
equal "files beside status.json" "alerts.html status.json store.undo" "$(cd "$work/run" && echo *)"
