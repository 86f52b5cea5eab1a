# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/bench/*.sh, after system.sh but for the first functions: medians, what processes took, daemons and disks of their own, and the table
# of what is to be reached, of which results.sh makes one.
# shellcheck disable=SC2034,SC2154 # for the benchmarks; of system.sh
missed=0

# median FILE [COLUMN] - of numbers, a line each.
median() {
	awk -v column="${2:-1}" '{ print $column }' "$1" | sort -g |
		awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2 }'
}

verdicts() {
	printf '\n| to be reached | got | at most | |\n|---|---:|---:|---|\n'
}

# verdict WHAT GOT LIMIT - a row of that table; the last line of a benchmark is `exit $missed`.
verdict() {
	if awk -v got="$2" -v limit="$3" 'BEGIN { exit !(got + 0 <= limit + 0) }'; then
		echo "| $1 | $2 | $3 | reached |"
	else
		echo "| $1 | $2 | $3 | not reached |"
		missed=1
	fi
}

# ratio A B
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.3g\n", a / b; else print "none" }'
}

# Milliseconds of CPU time of processes so far, of the threads that they have.
cpu_ms() {
	for pid; do
		cat "/proc/$pid/task/"*/schedstat 2>/dev/null
	done | awk '{ sum += $1 } END { printf "%.3f\n", sum / 1e6 }'
}

# with_children PID
with_children() {
	echo "$1"
	pgrep -P "$1"
}

# memory_kib FIELD PID... - of smaps_rollup, of all of them together.
memory_kib() {
	field=$1
	shift
	for pid; do
		cat "/proc/$pid/smaps_rollup"
	done | awk -v field="$field:" '$1 == field { sum += $2 } END { print sum }'
}

# wait_made FILE - until the sockgen that was spawned last says there that its sockets are made: half a minute for a million.
wait_made() {
	until grep -q '^ready' "$1"; do
		kill -0 "$spawned" 2>/dev/null || fail "sockgen ended"
		sleep 0.1
	done
}

# A population of so many sockets as a busy server's; $pairs of port 80 are established.
populate() {
	six=$(($1 / 40))
	half=$(($1 / 400))
	pairs=$((($1 - 2 * half - 12) / 2))
	spawn_held "$sockgen" -e $((pairs - six)) -6 $six -f $half -l 10 >"$work/made"
	population=$spawned
	wait_made "$work/made"
}

depopulate() {
	spawned=$population
	release_held
}

# disk NAME - an ext4 of its own at $work/NAME/disk.
disk() {
	need mkfs.ext4 losetup
	mkdir -p "$work/$1/disk"
	trap cleanup_disks EXIT
	image=$(mktemp "$top/build/disk.XXXXXX")
	truncate -s 1G "$image"
	mkfs.ext4 -q -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 "$image"
	mount -o loop "$image" "$work/$1/disk"
	failed=$?
	rm "$image" # which is there as long as it is mounted
	[ $failed = 0 ] || skip "cannot mount a loop device"
}

cleanup_disks() {
	for pid in $started; do
		kill -CONT "$pid" 2>/dev/null
		kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	for mounted in "$work"/*/disk; do
		! mountpoint -q "$mounted" || umount "$mounted" 2>/dev/null || umount -l "$mounted"
	done
	cleanup
}

# Bytes that its device was given so far, with all that is due.
disk_bytes() {
	sync -f "$work/$1/disk"
	device=$(findmnt -no SOURCE "$work/$1/disk")
	awk '{ printf "%d\n", $7 * 512 }' "/sys/block/${device#/dev/}/stat"
}

# own_daemon NAME [LINE...] - one in the default configuration but for LINEs, and for where it keeps its state: on the
# disk of that name. $environment is for it. Returns at once; its pid is in $daemon.
own_daemon() {
	name=$1
	shift
	mkdir -p "$work/$name/run"
	status=$work/$name/run/status.json
	printf '%s\n' "state_directory = \"$work/$name/disk/state\"" 'log { target = stderr }' "$@" >"$work/$name/conf"
	# shellcheck disable=SC2086 # words
	spawn env RUNTIME_DIRECTORY="$work/$name/run" ${environment:-} "$bin/connwatchd" --config="$work/$name/conf" \
		3</dev/null >>"$log" 2>&1
	daemon=$spawned
}
