#!/bin/sh
# SPDX-License-Identifier: MIT
# Case 25: a damaged file is moved aside, named in one line, and a new one made; the others go on.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq rrdtool
recorded_proc
write_conf 'interval = 1' "proc = \"$proc\""

# Good ones first; then three of them are spoilt.
start_daemon
wait_for "rows" rrdtool last "$rrd/limits.rrd"
stop_daemon
history=$(last_update limits.rrd)
damaged='tcp:empty tcpext:text conntrack:zeros'
for pair in $damaged; do
	cp "$fixtures/cases/25-rrd-damaged/${pair#*:}.rrd" "$rrd/${pair%%:*}.rrd"
done

: >"$log"
start_daemon
next_rows 3
for pair in $damaged; do
	name=${pair%%:*}
	set -- "$rrd/$name".rrd.bad-*
	[ $# = 1 ] || fail "$name.rrd was moved aside $# times"
	cmp -s "$1" "$fixtures/cases/25-rrd-damaged/${pair#*:}.rrd" ||
		fail "$name.rrd was not moved aside as it was"
	said_once "$name\\.rrd"
	rrdtool info "$rrd/$name.rrd" >/dev/null || fail "no good $name.rrd in its place"
	wait_for "rows in the new $name.rrd" updated_after "$name.rrd" "$history"
done
equal "files moved aside" 3 "$(find "$rrd" -name '*.bad-*' | wc -l)"
wait_for "rows in the file that was good" updated_after limits.rrd "$history"
stop_daemon
