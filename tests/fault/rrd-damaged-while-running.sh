#!/bin/sh
# SPDX-License-Identifier: MIT
# Files that are spoilt under the daemon, in place: each is moved aside as it was, named in one line, and a new one
# begins; the others go on. One of them is such that librrd crashes on it.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq rrdtool
use_recorded_proc
start_daemon
wait_for "rows" test -s "$rrd/limits.rrd"
rows_again "the start"
mark_log

overwrite() {
	dd of="$rrd/$1" conv=notrunc bs=1 seek="$2" 2>/dev/null
}
head -c 16384 /dev/zero | overwrite conntrack.rrd 0
: >"$rrd/tcp.rrd"
truncate -s 3000 "$rrd/tcpext.rrd"
# The version: another program's file.
printf '9999' | overwrite sockets.rrd 4

for name in conntrack tcp tcpext sockets; do
	wait_for "$name.rrd is moved aside" has_said "^<4>.*$name\\.rrd .*moved aside"
	wait_for "a new $name.rrd" rrdtool info "$rrd/$name.rrd"
done
for name in conntrack tcp tcpext sockets; do
	rows_again "the damage of $name.rrd" "$name"
	equal "files moved aside of $name.rrd" 1 "$(find "$rrd" -name "$name.rrd.bad-*" | wc -l)"
	said_since_once "moved aside as $name\\.rrd"
done
rows_again "others were damaged" limits
equal "size of what was cut" 3000 "$(stat -c %s "$rrd"/tcpext.rrd.bad-*)"
watches "after all that"
stop_daemon
looks_in_time
