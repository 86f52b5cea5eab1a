#!/bin/sh
# SPDX-License-Identifier: MIT
# 1,000 reloads, each with other groups of sockets, while rows of a second are written and the table changes: memory and
# descriptors do not grow, no row is lost. Memory is the release build's; with sanitizers 50 more, for their leak check.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq pgrep rrdtool
use_recorded_proc
cp "$conf" "$work/base"
for i in 0 1 2 3; do
	{
		cat "$work/base"
		for group in $(seq $((i + 1)) $((i * 3 + 2))); do
			echo "socket_group \"g$group\" { local_ports = { $group } }"
		done
		echo "alert \"conntrack-full\" { warning = $((81 + i)) }"
	} >"$work/conf.$i"
done

# reloads FROM TO
reloads() {
	for i in $(seq "$1" "$2"); do
		cp "$work/conf.$((i % 4))" "$conf.new"
		mv "$conf.new" "$conf"
		set_number sys/net/netfilter/nf_conntrack_count $((4000 + i % 10)) # no trend
		kill -HUP "$daemon"
		until [ "$(grep -c 'configuration reloaded' "$log")" -ge "$i" ]; do
			alive
			sleep 0.002
		done
	done
}

resident() {
	awk '/^VmRSS/ { print $2 }' "/proc/$1/status"
}

descriptors() {
	find "/proc/$daemon/fd" "/proc/$(store_pid)/fd" -type l | wc -l
}

sanitized=$bin
[ ! -x "$top/build/bin/connwatchd" ] || bin=$top/build/bin
start_daemon
reloads 1 200
next_rows 2
fds=$(descriptors)
memory=$(resident "$daemon")
stored=$(resident "$(store_pid)")
reloads 201 1000
next_rows 2
equal "descriptors after 1,000 reloads" "$fds" "$(descriptors)"
grown=$(($(resident "$daemon") - memory))
grown_store=$(($(resident "$(store_pid)") - stored))
echo "800 reloads: loop $memory KiB $grown more, store $stored KiB $grown_store more, $fds descriptors"
[ $grown -le 256 ] || fail "the loop has grown by $grown KiB"
[ $grown_store -le 256 ] || fail "the store has grown by $grown_store KiB"
equal "complaints" 0 "$(said_since | grep -cE '^<[0-4]>')"
lost=$(rrdtool fetch "$rrd/conntrack.rrd" AVERAGE -r 1 -s "$(rrdtool first "$rrd/conntrack.rrd")" |
	awk -F'[: ]+' '$1 ~ /^[0-9]+$/ { known[++n] = $2 !~ /nan/ } END {
		for (first = 1; !known[first]; first++);
		for (last = n; !known[last]; last--);
		for (i = first; i <= last; i++) lost += !known[i]
		print lost + 0 }')
equal "rows lost" 0 "$lost"
stop_daemon

bin=$sanitized
: >"$log"
start_daemon
reloads 1 50
stop_daemon
looks_in_time
