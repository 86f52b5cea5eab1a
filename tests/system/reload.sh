#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGHUP: a bad file or a changed path keeps the whole running configuration and says so at err; a good
# one is in force at the next look.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq
recorded_proc
echo 10000 >"$proc/sys/net/netfilter/nf_conntrack_max"
echo 8500 >"$proc/sys/net/netfilter/nf_conntrack_count"
quiet='alert "conntrack-full" { warning = 90  critical = 95 }'
write_conf 'interval = 1' "proc = \"$proc\"" "$quiet"
start_daemon
next_rows 3
has_said 'conntrack: 85% full' && fail "warned below the threshold of the file"

# reload - and wait until something about it was said.
reload() {
	said_before=$(wc -l <"$log")
	kill -HUP "$daemon"
	wait_for "a word about the reload" more_said "$said_before"
}

more_said() {
	[ "$(wc -l <"$log")" -gt "$1" ]
}

# A bad file: every problem is said, and the change that stands in it is not taken.
write_conf 'interval = 1' "proc = \"$proc\"" 'alert "conntrack-full" { warning = 80 }' \
	'nonsense = 1' 'interval = 0'
reload
next_rows 4
has_said '<3>.*:12: .*nonsense' || fail "the first problem was not said at err"
has_said '<3>.*:13: .*interval' || fail "the second problem was not said at err"
has_said 'conntrack: 85% full' && fail "half a configuration was taken"
alive

# A path that changes needs a restart.
write_conf 'interval = 1' "proc = \"$proc\"" 'alert "conntrack-full" { warning = 80 }'
sed -i 's,/state",/elsewhere",' "$conf"
reload
next_rows 4
has_said '<3>.*state_directory' || fail "the changed path was not refused at err"
has_said 'conntrack: 85% full' && fail "a configuration with a changed path was taken"
[ ! -e "$work/elsewhere" ] || fail "the changed path was created"

# A good one.
write_conf 'interval = 1' "proc = \"$proc\"" 'alert "conntrack-full" { warning = 80 }' \
	'socket_group "web" { local_ports = { 80 } }'
reload
wait_for "the warning by the new threshold" has_said '<4>connwatchd: conntrack: 85% full'
wait_for "the RRD of the new group" test -s "$rrd/sockets-web.rrd"
next_rows 2
equal "the new group in status.json" object "$(value '.readings["sockets-web"] | type')"
said_once 'conntrack: 85% full'
stop_daemon
