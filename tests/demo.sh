#!/bin/sh
# SPDX-License-Identifier: MIT
# ./dev demo: in a network namespace of its own, fill a real connection table over 80 % while the daemon
# runs, until it warns; empty it again; draw what was recorded into BUILDDIR/demo/*.png.
# shellcheck source=lib/system.sh
. "$(dirname "$0")/lib/system.sh"
need rrdtool jq conntrack nft
out=${2:?usage: demo.sh BINDIR BUILDDIR}/demo
mkdir -p "$out"
make_netns
ctgen=$(tool ctgen) || fail "cannot build ctgen"
sockgen=$(tool sockgen) || fail "cannot build sockgen"
max=$(cat /proc/sys/net/netfilter/nf_conntrack_max) || skip "no connection tracking here"
flows=$((max * 83 / 100))
in_netns "$ctgen" -r -n 1 >/dev/null || skip "connection tracking cannot be switched on here"

write_conf 'interval = 1' 'socket_group "http" { local_ports = { 80 } }'
start=$(date +%s)
start_daemon
echo "connwatchd runs, a row each second; the table takes $max entries, $flows are made in half a minute"
spawn_held "$sockgen" -e 50 -c 200 -x >/dev/null
in_netns "$ctgen" -n "$flows" -p $((flows / 25 + 1))
wait_for "the warning" has_said '<4>connwatchd: conntrack: [0-9]+% full'
next_rows 8
in_netns conntrack -F >/dev/null 2>&1
wait_for "the all-clear" has_said '<5>connwatchd: conntrack: back to normal'
next_rows 8
release_held
end=$(value .time)
stop_daemon

echo
echo "what it said:"
sed 's/^/    /' "$log"

draw() {
	file=$1 title=$2 unit=$3
	shift 3
	rrdtool graph "$out/$file" --start "$start" --end "$end" --width 800 --height 240 --lower-limit 0 \
		--title "$title" --vertical-label "$unit" "$@" >/dev/null ||
		fail "rrdtool cannot draw $file"
}
draw conntrack.png 'connection tracking' entries \
	"DEF:entries=$rrd/conntrack.rrd:entries:AVERAGE" "DEF:max=$rrd/conntrack.rrd:max:AVERAGE" \
	'CDEF:warning=max,0.8,*' 'AREA:entries#56b4e9:entries' 'LINE2:max#000000:maximum' \
	'LINE1:warning#d55e00:warning at 80 %:dashes'
draw tcp.png 'TCP' 'per second' \
	"DEF:passive=$rrd/tcp.rrd:passive_opens:AVERAGE" \
	"DEF:resets=$rrd/tcp.rrd:estab_resets:AVERAGE" \
	"DEF:estab=$rrd/tcp.rrd:curr_estab:AVERAGE" \
	'AREA:passive#009e73:connections accepted' 'LINE2:resets#d55e00:connections reset' \
	'LINE2:estab#0072b2:established (number)'
echo
echo "drawn: $out/conntrack.png $out/tcp.png"
