#!/bin/sh
# SPDX-License-Identifier: MIT
# A store process that does not answer is replaced after three intervals and said once; looks and warnings go on
# meanwhile, and no row is lost.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq pgrep rrdtool
use_recorded_proc

start_daemon
wait_for "rows" test -s "$rrd/conntrack.rrd"
mark_log
old=$(store_pid) || fail "there is no store process"
kill -STOP "$old"
started="$started $old"
watches "while the store is stopped"
wait_for "another store process" other_store "$old"
rows_again SIGSTOP
wait_for "the end of it" has_said '<5>.*store: works again after 1 restart, 0 rows were lost'
equal "messages about it" 1 "$(complaints store)"
stop_daemon
looks_in_time
