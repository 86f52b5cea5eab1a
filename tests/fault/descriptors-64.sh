#!/bin/sh
# SPDX-License-Identifier: MIT
# 64 descriptors are enough, with 40 groups of sockets and 40 listeners, through reloads and deaths of the store.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq pgrep rrdtool prlimit
write_conf 'interval = 1' "$(for i in $(seq 40); do
	echo "socket_group \"g$i\" { local_ports = { $i } } listener \"l$i\" { port = $i }"
done)"
start_daemon prlimit --nofile=64:64
next_rows 2
for name in sockets-g40 listener-l40; do
	wait_for "$name.rrd" test -s "$rrd/$name.rrd"
	rows_again "the start" "$name"
done
kill -KILL "$(store_pid)"
rows_again "the death of the store" listener-l40
for _ in 1 2 3; do
	said_before=$(said 'configuration reloaded')
	kill -HUP "$daemon"
	wait_for "the reload" said_more "$said_before" 'configuration reloaded'
done
rows_again "the reloads" listener-l40
equal "limit" 64 "$(awk '/^Max open files/ { print $4 }' "/proc/$daemon/limits")"
echo "$(find "/proc/$daemon/fd" -type l | wc -l) descriptors of the loop," \
	"$(find "/proc/$(store_pid)/fd" -type l | wc -l) of the store"
has_said 'Too many open files' && fail "64 descriptors are not enough"
stop_daemon
looks_in_time
