#!/bin/sh
# SPDX-License-Identifier: MIT
# CPU time of a round against a bare sock_diag pass, at 1,000 and 1,000,000 sockets with two groups; system calls
# of a look; memory of the loop process. By hand: rounds.sh BINDIR [BUILDDIR]
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need strace
make_netns
rounds=$(tool rounds) || fail "there is no rounds: build preset asan"
sockgen=$(tool sockgen) || fail "there is no sockgen"
write_conf 'interval = 1' 'socket_group "http" { local_ports = { 80, 443 } }' \
	'socket_group "clients" { remote_ports = { 80 }  networks = { "127.0.0.0/8" } }'

for pairs in 475 475000; do
	spawn_held "$sockgen" -e "$pairs" -6 $((pairs / 19)) >"$work/made"
	wait_for "$pairs pairs of sockets" grep -q '^ready' "$work/made"
	in_netns "$rounds" "$conf" 11
	release_held
done

start_daemon
next_rows 2
echo "loop process: $(awk '/^Pss:/ { print $2 " KiB PSS" } /^Private_Dirty:/ { print $2 " KiB private" }' \
	"/proc/$daemon/smaps_rollup" | paste -sd, -)"
stop_daemon
rm -r "$rrd"
write_conf 'interval = 3600'
spawn "$bin/connwatchd" --config="$conf" 3</dev/null 2>>"$log"
sleep 2
timeout 20.5 strace -qq -p "$spawned" -o "$work/calls" || true
looks=$(grep -c '^epoll_wait' "$work/calls")
echo "system calls a look: $(($(wc -l <"$work/calls") / looks)) (over $looks looks)"
sed 's/(.*//' "$work/calls" | sort | uniq -c | sort -rn | sed 's/^/  /'
