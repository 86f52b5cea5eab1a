#!/bin/sh
# SPDX-License-Identifier: MIT
# Where a count of the sockets takes more than its share of a CPU, it is made less often: that is said once and shown, the
# rows in between are left out of these files alone, and what was counted stays known.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq rrdtool
make_netns
sockgen=$(tool sockgen) || fail "cannot build sockgen"
# By the slowest source: some milliseconds, where the share of a second is one.
spawn_held "$sockgen" -e 4000 >"$work/sockgen" 2>&1
wait_for "the sockets" grep -q ^ready "$work/sockgen"
write_conf 'interval = 1' 'sockets { source = proc  cpu_share = 0.1 }' 'socket_group "http" { local_ports = 80 }'
start_daemon
at_most_every_six() {
	[ "$(value .sockets.every)" = 6 ]
}
wait_for "counts 6 s apart" at_most_every_six
next_rows 14
equal "their source" proc "$(value .sockets.source)"
equal "what is known between counts" "8000 4000" \
	"$(value '[.readings.sockets.established, .readings["sockets-http"].established] | join(" ")')"
"$bin/connwatch" --config="$conf" status --status="$status" >"$work/shown" || fail "connwatch status"
grep -qE '^sockets are counted every 6 s: by proc that takes [0-9.]+ s of CPU time$' "$work/shown" ||
	fail "status does not show it: $(cat "$work/shown")"
stop_daemon
said_once 'sockets: a count takes [0-9.]+ s of CPU time; it is made every [2-6] s, because of cpu_share = 0.1'

for name in sockets sockets-http; do
	equal "heartbeat of $name" 12 "$(rrdtool info "$rrd/$name.rrd" | sed -n 's/.*established.*minimal_heartbeat = //p')"
done
equal "heartbeat of tcp" 3 "$(rrdtool info "$rrd/tcp.rrd" | sed -n 's/.*curr_estab.*minimal_heartbeat = //p')"
# Since the first count no second is unknown, and the rows of others are all there.
unknown() {
	rrdtool fetch "$rrd/$1.rrd" AVERAGE -s "$(($(last_update "$1.rrd") - 10))" -e "$(($(last_update "$1.rrd") - 2))" |
		awk '/^[0-9]+:/ { print $2 }' | grep -c nan
}
equal "unknown rows of sockets" 0 "$(unknown sockets)"
equal "unknown rows of tcp" 0 "$(unknown tcp)"
behind=$(($(last_update tcp.rrd) - $(last_update sockets.rrd)))
[ $behind -le 6 ] || fail "the last count is $behind s behind the last row"
