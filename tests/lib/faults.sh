# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/fault/*.sh after system.sh's arguments: the daemon of system.sh, with faults.c preloaded and all of the
# test's files in memory, so that no disk but the test's own can hold up a look. $faults is its folder.
[ ! -d /dev/shm ] || TMPDIR=/dev/shm
export TMPDIR
# shellcheck source=system.sh
. "$(dirname "$0")/../lib/system.sh"
FAULTS=$work/faults
export FAULTS
mkdir "$FAULTS"
device=
frozen=

preload=$bin/libfaults.so
[ -e "$preload" ] || preload=$top/build/asan/bin/libfaults.so
[ -e "$preload" ] || {
	preload=$work/libfaults.so
	cc -std=gnu17 -D_GNU_SOURCE -shared -fPIC -o "$preload" "$top/tests/fault/faults.c" || exit
}

# launch_daemon [COMMAND...] - by COMMAND, as setpriv. A SIGBUS is for the kernel to deal with, not for a sanitizer.
launch_daemon() {
	spawn "$@" env LD_PRELOAD="$preload" ASAN_OPTIONS=verify_asan_link_order=0:handle_sigbus=0 \
		"$bin/connwatchd" --config="$conf" 3</dev/null >>"$log" 2>&1
	daemon=$spawned
}

# fault NAME TEXT - see faults.c; at once, and never half of it.
fault() {
	printf '%s\n' "$2" >"$FAULTS/$1.new"
	mv "$FAULTS/$1.new" "$FAULTS/$1"
}

no_fault() {
	rm -f "$FAULTS/$1"
}

# Lines of the log since the last call of mark_log.
mark=0
mark_log() {
	mark=$(wc -l <"$log")
}

said_since() {
	tail -n "+$((mark + 1))" "$log"
}

# complaints [PATTERN] - lines at warning and above since mark_log.
complaints() {
	said_since | grep -E '^<[0-4]>' | grep -cE -- "${1:-.}"
}

# said_since_once PATTERN
said_since_once() {
	equal "times that was said: $1" 1 "$(said_since | grep -cE -- "$1")"
}

# other_store PID - there is one, and it is not that.
other_store() {
	now=$(store_pid) && [ "$now" != "$1" ]
}

rows_again() {
	newest=$(last_update "${2:-conntrack}.rrd")
	wait_for "rows after $1" updated_after "${2:-conntrack}.rrd" "$newest"
}

# A warning comes and goes: the daemon sees and speaks. watches WHAT
watches() {
	warnings=$(said '<4>connwatchd: conntrack: 8[0-9]% full')
	set_number sys/net/netfilter/nf_conntrack_count 8500
	wait_for "the warning $1" said_more "$warnings" '<4>connwatchd: conntrack: 8[0-9]% full'
	clears=$(said '<5>connwatchd: conntrack: back to normal')
	set_number sys/net/netfilter/nf_conntrack_count 4000
	wait_for "the all-clear $1" said_more "$clears" '<5>connwatchd: conntrack: back to normal'
}

said_more() {
	[ "$(said "$2")" -gt "$1" ]
}

# A recorded tree with 4000 of 10000 entries, a row a second of it, and what is given. Small files, for a small disk.
use_recorded_proc() {
	recorded_proc
	echo 10000 >"$proc/sys/net/netfilter/nf_conntrack_max"
	echo 4000 >"$proc/sys/net/netfilter/nf_conntrack_count"
	write_conf 'interval = 1' "proc = \"$proc\"" "$@"
	sed -i 's/"1s:1h", "10s:1d"/"1s:10m"/' "$conf"
}

# $rrd on a disk of its own, in memory.
mount_memory() {
	mkdir -p "$rrd"
	mount -t tmpfs -o "size=$1,mode=755" tmpfs "$rrd" || skip "cannot mount a tmpfs"
}

# $rrd on a file system that can be frozen.
mount_loop() {
	need losetup mkfs.ext4 fsfreeze
	mkdir -p "$rrd"
	truncate -s 32M "$work/disk"
	mkfs.ext4 -q "$work/disk"
	device=$(losetup -f --show "$work/disk") || skip "there are no loop devices"
	mount "$device" "$rrd" || fail "cannot mount $device"
	rmdir "$rrd/lost+found"
}

freeze() {
	fsfreeze -f "$rrd" || fail "cannot freeze $rrd"
	frozen=yes
}

thaw() {
	fsfreeze -u "$rrd"
	frozen=
}

fill_disk() {
	dd if=/dev/zero of="$rrd/filler" bs=4k >/dev/null 2>&1
	dd if=/dev/zero of="$rrd/crumb" bs=1 >/dev/null 2>&1
	! echo more >"$rrd/none" 2>/dev/null || fail "$rrd is not full"
	rm -f "$rrd/none"
}

make_room() {
	rm -f "$rrd/filler" "$rrd/crumb"
}

# How late the looks were, as a table; none may have made itself late by 100 ms.
looks_in_time() {
	awk '
	function class(usec) { return usec < 1000 ? 0 : usec < 10000 ? 1 : usec < 100000 ? 2 : 3 }
	{ late[class($1)]++; own[class($2)]++; if ($2 > worst) worst = $2 }
	END {
		split("1 10 100", below, " ")
		print NR " looks; by how much they were late, and without the time that others had the CPU:"
		for (i = 0; i < 3; i++)
			printf "  below %3d ms %6d %6d\n", below[i + 1], late[i], own[i]
		printf "  more         %6d %6d\n", late[3], own[3]
		printf "  worst of the latter: %.1f ms\n", worst / 1000
		exit NR == 0 || own[3] > 0
	}' "$FAULTS/looks" || fail "a look was late"
}

cleanup_faults() {
	[ -z "$frozen" ] || thaw
	cleanup
	[ -z "$device" ] || losetup -d "$device"
}
trap cleanup_faults EXIT

# Of each collector a column, and the file that it is read from.
sources='conntrack.entries:sys/net/netfilter/nf_conntrack_count sockets.established:net/tcp tcp.curr_estab:net/snmp
	tcpext.listen_drops:net/netstat limits.orphans:net/sockstat'

# source_is known|unknown COLUMN
source_is() {
	unknown=false
	[ "$1" = known ] || unknown=true
	value "[.readings.$2 == null, (.errors | has(\"${2%%.*}\"))] | all(. == $unknown)" | grep -q true
}

# files_fail SPOIL MEND - commands that are called with each of the files: its collector says so once, its column is
# unknown and not 0, the daemon goes on; and so does the collector when the file is whole again.
files_fail() {
	start_daemon
	next_rows 2
	jq -S .readings "$status" >"$work/whole.json"
	mark_log
	for source in $sources; do
		"$1" "${source#*:}"
	done
	for source in $sources; do
		wait_for "${source%%:*} is unknown" source_is unknown "${source%%:*}"
		wait_for "a word about ${source#*:}" has_said "^<[345]>.*${source%%.*}: .*${source#*:}"
	done
	next_rows 2
	for source in $sources; do
		said_since_once "^<[345]>.*${source%%.*}: .*${source#*:}"
		"$2" "${source#*:}"
	done
	for source in $sources; do
		wait_for "${source%%:*} is known" source_is known "${source%%:*}"
		wait_for "a word about the end of it" has_said "^<5>.*${source%%.*}: .*(again|there now|back)"
	done
	equal "readings after all that" "$(cat "$work/whole.json")" "$(jq -S .readings "$status")"
	watches "after all that"
	stop_daemon
	looks_in_time
}

# Some real sockets, and the daemon that counts them by netlink; $made is what it counts.
watch_sockets() {
	make_netns
	sockgen=$(tool sockgen) || fail "cannot build sockgen"
	spawn_held "$sockgen" -e 20 -l 5 >"$work/made"
	wait_for "sockets" grep -q '^ready' "$work/made"
	write_conf 'interval = 1' 'sockets { source = netlink }' 'conntrack { who = false }'
	start_daemon
	next_rows 1
	made=$(count_sockets)
	[ "$(value .readings.sockets.established)" -ge 40 ] || fail "the sockets are not seen"
	mark_log
}

count_sockets() {
	value '.readings.sockets | tojson'
}

netlink_fails() {
	watch_sockets
	fault netlink "$1 7"
	for _ in 1 2 3 4 5; do
		next_rows 1
		equal "sockets, with every seventh message failing" "$made" "$(count_sockets)"
	done
	equal "complaints about a few" 0 "$(complaints sockets)"
	fault netlink "$1 1"
	wait_for "an error" source_is unknown sockets.established
	wait_for "a word about it" has_said '^<[34]>.*sockets: '
	next_rows 2
	equal "messages about it" 1 "$(complaints sockets:)"
	no_fault netlink
	wait_for "the end of it" source_is known sockets.established
	equal "sockets after it" "$made" "$(count_sockets)"
	stop_daemon
	looks_in_time
}
