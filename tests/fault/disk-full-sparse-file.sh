#!/bin/sh
# SPDX-License-Identifier: MIT
# A file with holes on a full disk: librrd's write through its mapping is SIGBUS. At the start the holes are found, and
# one that comes while the file is in use ends the store process, which is replaced; both are said once.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need_root
need jq rrdtool mountpoint fallocate
use_recorded_proc
mount_memory 8m

# Of this one a page ends where the rows begin: the hole is reached within seconds.
file=$rrd/tcp.rrd

punch_hole() {
	fallocate --punch-hole --offset 4096 --length "$(stat -c %s "$file")" "$file"
	fill_disk
}

twice() {
	equal "messages that were said twice" "" "$(said_since | grep -E '^<[0-4]>' | sort | uniq -d)"
}

start_daemon
wait_for "rows" test -s "$file"
old=$(store_pid) || fail "there is no store process"
mark_log
punch_hole
wait_for "the death of the store is said" has_said '<3>.*store: ended by signal 7'
[ "$(store_pid)" != "$old" ] || fail "the store process is the same"
watches "with a hole on a full disk"
said_since_once 'ended by signal 7'
twice
mark_log
make_room
rows_again "there is room for the hole" tcp
equal "files moved aside" 0 "$(find "$rrd" -name '*.bad-*' | wc -l)"
stop_daemon

punch_hole
mark_log
start_daemon
next_rows 4
alive
[ "$(complaints 'No space|full')" -ge 1 ] || fail "the full disk was not said"
equal "deaths" 0 "$(said_since | grep -c 'ended by signal')"
twice
make_room
rows_again "there is room for the hole" tcp
stop_daemon
looks_in_time
