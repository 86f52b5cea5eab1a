#!/bin/sh
# SPDX-License-Identifier: MIT
# A control group of 16 MiB for both processes, and many sockets: rows go on, nobody is killed. 20,000 sockets here; with
# 1,000,000, which take a machine of 8 GiB and some minutes, by `./dev bench memory`: what the daemon takes does not grow.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq pgrep rrdtool
make_netns
sockets=${SOCKETS:-20000}
sockgen=$(tool sockgen) || fail "cannot build sockgen"
[ ! -x "$top/build/bin/connwatchd" ] || bin=$top/build/bin # a sanitizer needs more by itself

group=/sys/fs/cgroup/memory/connwatchd-$$
limit=memory.limit_in_bytes
if [ ! -d /sys/fs/cgroup/memory ]; then
	group=/sys/fs/cgroup/connwatchd-$$
	limit=memory.max
fi
mkdir "$group" 2>/dev/null || skip "no control group can be made"
[ -e "$group/$limit" ] || {
	rmdir "$group"
	skip "no memory of a control group can be limited"
}
echo 16777216 >"$group/$limit"
# On a disk: files in memory would count as the daemon's.
rrd=$(mktemp -d /var/tmp/connwatchd-test.XXXXXX)

cleanup_group() {
	cleanup_faults
	wait
	rmdir "$group"
	rm -r "$rrd"
}
trap cleanup_group EXIT

spawn_held "$sockgen" -e $((sockets / 2)) >"$work/made"
wait_for "$sockets sockets" grep -q '^ready' "$work/made"
write_conf 'interval = 1' 'socket_group "http" { local_ports = { 80, 443 } }' 'listener "http" { port = 80 }'
# What is started by a member is one; the test itself goes out again.
echo $$ >"$group/cgroup.procs"
launch_daemon
echo $$ >"$(dirname "$group")/cgroup.procs"
wait_for "the first row" running_with_status
next_rows 3
rows_again "the start" sockets-http
seen=$(value .readings.sockets.established)
[ "$seen" -ge "$sockets" ] || fail "only $seen of $sockets sockets are seen"
equal "processes of the group" 2 "$(wc -l <"$group/cgroup.procs")"
has_said 'ended by' && fail "the store was killed"
killed=$(awk '/^oom_kill / { print $2 }' "$group/memory.oom_control" "$group/memory.events" 2>/dev/null)
equal "processes killed for memory" 0 "$killed"
most=$(cat "$group/memory.max_usage_in_bytes" "$group/memory.peak" 2>/dev/null)
echo "$seen sockets; the loop has $(awk '/^VmRSS/ { print $2 }' "/proc/$daemon/status") KiB, the store" \
	"$(awk '/^VmRSS/ { print $2 }' "/proc/$(store_pid)/status") KiB, the group at most $((${most:-0} / 1024)) KiB"
stop_daemon
looks_in_time
