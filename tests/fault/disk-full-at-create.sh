#!/bin/sh
# SPDX-License-Identifier: MIT
# The disk is full from the start: no file can be made. That is said once of each; looks, warnings and status.json go on,
# and with room again rows do, without a restart.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need_root
need jq rrdtool mountpoint
use_recorded_proc
mount_memory 8m
fill_disk
start_daemon
next_rows 3
alive
watches "on a full disk"
grep -qE '^<[34]>.*(No space|full)' "$log" || fail "the full disk was not said"
for instance in conntrack limits sockets tcp tcpext; do
	[ "$(complaints "$instance.*(rrd|No space)")" -le 1 ] || fail "the full disk was said more than once of $instance"
done
equal "files on the full disk" "crumb filler" "$(cd "$rrd" && echo *)"
make_room
wait_for "files, with room again" test -s "$rrd/conntrack.rrd"
rows_again "there is room"
stop_daemon
looks_in_time
