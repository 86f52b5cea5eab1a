#!/bin/sh
# SPDX-License-Identifier: MIT
# A store process that is killed, stopped or runs into a full disk is replaced and said once; looks,
# warnings and status.json go on meanwhile, and rows go on afterwards without a restart.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need_root
need jq pgrep rrdtool mountpoint fallocate
recorded_proc
count=sys/net/netfilter/nf_conntrack_count
echo 10000 >"$proc/sys/net/netfilter/nf_conntrack_max"
echo 4000 >"$proc/$count"
write_conf 'interval = 1' "proc = \"$proc\""
sed -i 's/"1s:1h", "10s:1d"/"1s:10m"/' "$conf" # small files, for a small disk

# Lines about the store at warning or above since line $mark of the log.
complaints() {
	tail -n "+$((mark + 1))" "$log" | grep -cE '^<[0-4]>.*(store|disk|space|SIGBUS|[Bb]us error)'
}

mark_log() {
	mark=$(wc -l <"$log")
}

other_store() {
	now=$(store_pid) && [ "$now" != "$1" ]
}

rows_again() {
	newest=$(last_update conntrack.rrd)
	wait_for "rows after $1" updated_after conntrack.rrd "$newest"
}

start_daemon
mark_log
old=$(store_pid) || fail "there is no store process"
wait_for "rows" test -s "$rrd/conntrack.rrd"
kill -KILL "$old"
wait_for "another store process after SIGKILL" other_store "$old"
rows_again SIGKILL
next_rows 3
equal "messages about the store that was killed" 1 "$(complaints)"

# Stopped: a warning is said while nothing answers.
mark_log
old=$(store_pid)
kill -STOP "$old"
started="$started $old"
set_number "$count" 8500
wait_for "the warning while the store is stopped" has_said '<4>connwatchd: conntrack: 85% full'
wait_for "another store process after SIGSTOP" other_store "$old"
rows_again SIGSTOP
next_rows 3
equal "messages about the store that was stopped" 1 "$(complaints)"
set_number "$count" 4000
wait_for "the all-clear" has_said '<5>connwatchd: conntrack: back to normal'
stop_daemon

# The disk is full from the start: no file can be made.
rm -r "$rrd"
mkdir "$rrd"
mount -t tmpfs -o size=8m,mode=755 tmpfs "$rrd" || skip "cannot mount a tmpfs"
dd if=/dev/zero of="$rrd/filler" bs=4k >/dev/null 2>&1
mark_log
start_daemon
next_rows 5
alive
set_number "$count" 8600
wait_for "the warning on a full disk" has_said '<4>connwatchd: conntrack: 86% full'
next_rows 3
tail -n "+$((mark + 1))" "$log" >"$work/said"
grep -qE '^<[34]>.*(No space|full)' "$work/said" || fail "the full disk was not said"
for instance in conntrack limits sockets tcp tcpext; do
	lines=$(grep -cE "^<[0-4]>.*$instance.*(rrd|No space)" "$work/said")
	[ "$lines" -le 1 ] || fail "the full disk was said $lines times of $instance"
done
rm "$rrd/filler"
wait_for "files, with room again" test -s "$rrd/conntrack.rrd"
rows_again "there is room"
set_number "$count" 4000
stop_daemon

# A file with holes on a full disk: librrd's write through its mapping is a SIGBUS.
for file in "$rrd"/*.rrd; do
	[ "$(stat -c %s "$file")" -gt 16384 ] || continue # kernlog's has no page to spare
	fallocate --punch-hole --offset 8192 --length "$(stat -c %s "$file")" "$file"
	[ $(($(stat -c "%b * 512" "$file"))) -lt "$(stat -c %s "$file")" ] || fail "no holes in $file: $(stat -c "%b blocks, %s bytes" "$file")"
done
dd if=/dev/zero of="$rrd/filler" bs=4k >/dev/null 2>&1
mark_log
start_daemon
next_rows 8
alive
tail -n "+$((mark + 1))" "$log" | grep -E '^<[0-4]>' >"$work/said"
[ -s "$work/said" ] || fail "the full disk was not said"
equal "messages that were said twice" "" "$(sort "$work/said" | uniq -d)"
rm "$rrd/filler"
rows_again "there is room for holes"
stop_daemon
