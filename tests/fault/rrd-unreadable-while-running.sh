#!/bin/sh
# SPDX-License-Identifier: MIT
# A file whose mode or owner is changed under the daemon: said once, left alone, gone on with when it can be written
# again. The daemon is nobody here, as root may write everything.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need_root
need jq rrdtool setpriv
use_recorded_proc
chmod 755 "$work"
chown -R nobody "$work"

setpriv --reuid=nobody --clear-groups test -x "$bin/connwatchd" || skip "nobody cannot run $bin/connwatchd"
start_daemon setpriv --reuid=nobody --clear-groups
wait_for "rows" test -s "$rrd/conntrack.rrd"
rows_again "the start"
mark_log
chmod 000 "$rrd/conntrack.rrd"
wait_for "a word about it" has_said '^<[34]>.*conntrack\.rrd.*Permission denied'
next_rows 3
watches "with a file that is unreadable"
said_since_once 'Permission denied'
rows_again "another was made unreadable" tcp
chmod 644 "$rrd/conntrack.rrd"
rows_again "it may be written again"
equal "files moved aside" 0 "$(find "$rrd" -name '*.bad-*' | wc -l)"
stop_daemon
looks_in_time
