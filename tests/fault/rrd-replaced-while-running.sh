#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that is replaced under the daemon, as a restore does: the next row goes into the new one. What is no RRD is moved
# aside, what is no file at all is left alone and said once.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq rrdtool
use_recorded_proc
start_daemon
wait_for "rows" test -s "$rrd/limits.rrd"
rows_again "the start"
mark_log

cp "$rrd/conntrack.rrd" "$work/restored"
next_rows 2
inode=$(stat -c %i "$work/restored")
mv "$work/restored" "$rrd/conntrack.rrd"
rows_again "the restore"
equal "inode of the restored file" "$inode" "$(stat -c %i "$rrd/conntrack.rrd")"
equal "complaints about the restored file" 0 "$(complaints conntrack)"

echo "not at all" >"$work/text"
mv "$work/text" "$rrd/tcp.rrd"
wait_for "the text is moved aside" has_said '^<4>.*tcp\.rrd .*moved aside'
rows_again "the text" tcp
equal "what was moved aside" "not at all" "$(cat "$rrd"/tcp.rrd.bad-*)"

rm "$rrd/sockets.rrd"
mkfifo "$rrd/sockets.rrd"
wait_for "the pipe is said" has_said '^<[34]>.*sockets\.rrd.*not a regular file'
rows_again "the pipe" limits
[ -p "$rrd/sockets.rrd" ] || fail "the pipe is gone"
said_since_once 'not a regular file'
rm "$rrd/sockets.rrd"
wait_for "a file in its place" test -s "$rrd/sockets.rrd"
stop_daemon
looks_in_time
