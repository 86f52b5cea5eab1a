#!/bin/sh
# SPDX-License-Identifier: MIT
# The accept queue, backlog and drops of a port are what ss says of it; a queue that overflows is a warning and
# a critical that name the listener; the sum of drops survives the server.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need ss jq
make_netns
queuegen=$(tool queuegen) || fail "cannot build queuegen"

# start_server ARGUMENT... - its process is $server.
start_server() {
	: >"$work/server"
	ip netns exec "$netns" "$queuegen" "$@" >"$work/server" 2>&1 </dev/null &
	server=$!
	started="$started $server"
	wait_for "the server" grep -q ^ready "$work/server"
}

# The kernel closes its sockets while it ends.
stop_server() {
	kill "$1"
	wait "$1"
}

# of_ss PORT - "QUEUE BACKLOG DROPS": of the fullest socket (of equal ones the shorter), the drops of all.
of_ss() {
	in_netns ss -Hlntm "sport = :$1" | awk '
		/^LISTEN/ {
			more = $2 * limit - queue * $3
			if (!n++ || more > 0 || (more == 0 && $3 < limit)) {
				queue = $2
				limit = $3
			}
		}
		match($0, /,d[0-9]+\)/) { drops += substr($0, RSTART + 2, RLENGTH - 3) }
		END { print n ? queue " " limit " " drops : "null null null" }'
}

of_once() {
	in_netns "$bin/connwatchd" --config="$conf" --once --json |
		jq -r --arg i "listener-$1" '.readings[$i] | "\(.accept_queue) \(.backlog) \(.drops)"'
}

# compare TITLE PORT - at rest; drops go on as clients try again.
compare() {
	for _ in $(seq 50); do
		before=$(of_ss "$2")
		got=$(of_once "$1")
		if [ "$before" = "$(of_ss "$2")" ]; then
			equal "listener $1 differs from ss" "$before" "$got"
			return
		fi
	done
	fail "port $2 was never at rest"
}

write_conf 'interval = 1' 'listener "v4" { port = 7001 }' 'listener "both" { port = 7002 }' \
	'listener "none" { port = 7003 }' 'limits { enabled = false }' 'sockets { enabled = false }' \
	'conntrack { enabled = false }' 'kernlog { enabled = false }' \
	'alert "listen-drops" { enabled = false }' \
	'alert "listener-drops" { over = "2s" hold = 1 warning = 0.01 critical = 0 }'

# A queue of 16 that has 10, one without anybody, two sockets on one port of which one is full.
start_server 7002 8 0
start_server -6 7002 4 0
start_server 7001 16 10
compare v4 7001
compare both 7002
compare none 7003
equal "a port without a listener" "null null null" "$(of_once none)"
equal "the queue of ten" "10 16 0" "$(of_once v4)"

start_daemon
next_rows 3
[ "$(said 'accept queue')" = 0 ] || fail "said something of a queue that is not full"
[ "$(said 'is not there|cannot')" = 0 ] || fail "said something of a port without a listener"

# Overflow: 40 more, of which 17 wait and 33 do not.
stop_server "$server"
start_server 7001 16 50
wait_for "the critical" has_said '<2>.*accept queue of 0\.0\.0\.0:7001: 106% full \(17 of 16 connections\)'
wait_for "drops" has_said '<4>.*listener drops of 0\.0\.0\.0:7001: .* packets/s over the last'
compare v4 7001
next_rows 1
[ "$(value '.readings["listener-v4"].drops')" -gt 0 ] || fail "no drops in status.json"
equal "the alert of one listener" "listener-v4 critical" \
	"$(value '[.alerts[] | select(.name == "listener-queue") | "\(.instance) \(.level)"] | join(",")')"

# The server goes, another comes: its counter begins at 0, the sum does not.
next_rows 1
sum=$(value '.readings["listener-v4"].drops')
stop_server "$server"
next_rows 2
equal "drops without a listener" null "$(value '.readings["listener-v4"].drops')"
start_server 7001 16 1
next_rows 2
[ "$(value '.readings["listener-v4"].drops')" -ge "$sum" ] || fail "the sum of drops went back below $sum"
equal "what ss counts of the new one" 0 "$(of_ss 7001 | cut -d' ' -f3)"
wait_for "the recovery" has_said '<5>.*accept queue of 0\.0\.0\.0:7001: back to normal: 6% full \(1 of 16'
stop_daemon
