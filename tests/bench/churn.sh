#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts by bpf and by netlink while 5,000 connections a second come and go, of which each leaves a TIME-WAIT: the sockets
# that are established all the time, by both of their ends, are to be counted within 1 in 10,000, each time.
#   [SIZES="100000 1000000"] [COUNTS=20] churn.sh BINDIR [BUILDDIR]
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
# shellcheck source=../lib/bench.sh
. "$top/tests/lib/bench.sh"
need jq
load_bpf
make_netns
counts=${COUNTS:-20}
sockgen=$(tool sockgen) || fail "there is no sockgen"
read -ra sizes <<<"${SIZES:-100000 1000000}"

# Connections so far.
passive_opens() {
	in_netns grep '^Tcp: [0-9]' /proc/net/snmp | cut -d' ' -f7
}

# off_by SOURCE - the most that a count of the sockets of port 80 is off; in $off.
off_by() {
	local once=$work/once.json

	off=0
	for ((i = 0; i < counts; i++)); do
		in_netns "$bin/connwatchd" --config="$work/$1.conf" --once --json >"$once" 2>"$log" || fail "--once by $1"
		equal "the source in use" "$1" "$(jq -r .sockets.source "$once")"
		off=$(jq --argjson pairs "$pairs" --argjson off "$off" '[$off, (.readings |
			."sockets-servers".established, ."sockets-clients".established | . - $pairs | fabs)] | max' "$once")
	done
}

for source in bpf netlink; do
	echo "sockets { source = $source } socket_group \"servers\" { local_ports = { 80 } }
		socket_group \"clients\" { remote_ports = { 80 } }" >"$work/$source.conf"
done
: >"$work/verdicts"
echo "| sockets | source | counts | connections a second | most off, of the sockets of an end |"
echo "|---:|---|---:|---:|---:|"
for size in "${sizes[@]}"; do
	populate "$size"
	spawn_held "$sockgen" -c 5000 -p 90 >"$work/churn"
	churn=$spawned
	wait_for "churn" grep -q '^ready' "$work/churn"
	for source in bpf netlink; do
		opened=$(passive_opens)
		begin=$(date +%s%N)
		off_by $source
		rate=$((($(passive_opens) - opened) * 1000000000 / ($(date +%s%N) - begin)))
		[ $rate -gt 0 ] || fail "nothing comes and goes"
		echo "| $size | $source | $counts | $rate | $off of $pairs |"
		verdict "part of $size sockets that a count by $source is off under churn" "$(ratio "$off" "$pairs")" \
			0.0001 >"$work/verdict" # not in a subshell: it counts
		cat "$work/verdict" >>"$work/verdicts"
	done
	depopulate
	wait "$churn"
done
verdicts
cat "$work/verdicts"
exit $missed
