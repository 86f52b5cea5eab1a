#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that is deleted under the daemon is made anew with the next row, and so is the whole folder.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq rrdtool
use_recorded_proc
start_daemon
wait_for "rows" test -s "$rrd/conntrack.rrd"
rm "$rrd/conntrack.rrd"
wait_for "the file again" test -s "$rrd/conntrack.rrd"
rows_again "it was deleted"
rm -r "$rrd"
wait_for "the folder again" test -s "$rrd/conntrack.rrd"
rows_again "the folder was deleted"
equal "what was left behind" "" "$(find "$rrd" -name '.*' -type f)"
watches "after that"
stop_daemon
looks_in_time
