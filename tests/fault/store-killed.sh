#!/bin/sh
# SPDX-License-Identifier: MIT
# A store process that is killed is replaced and said once; the current row is lost at most.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq pgrep rrdtool
use_recorded_proc

start_daemon
wait_for "rows" test -s "$rrd/conntrack.rrd"
mark_log
old=$(store_pid) || fail "there is no store process"
kill -KILL "$old"
wait_for "another store process" other_store "$old"
rows_again SIGKILL
watches "after SIGKILL"
wait_for "the end of it" has_said '<5>.*store: works again after 1 restart'
equal "messages about it" 1 "$(complaints store)"
lost=$(sed -n 's/.*store: works again after 1 restart, \([0-9]*\) row.*/\1/p' "$log")
[ "$lost" -le 1 ] || fail "$lost rows were lost"
stop_daemon
looks_in_time
