#!/bin/bash
# SPDX-License-Identifier: MIT
# Bytes a round that the daemon in its default configuration writes to the device of a file system of its own, and how many
# those would be without posix_fadvise(): with new files, and with those that something has read whole before the daemon is
# started, as a backup does.
#   [DURATION=600] disk.sh BINDIR [BUILDDIR]
TMPDIR=/dev/shm
export TMPDIR
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
# shellcheck source=../lib/bench.sh
. "$top/tests/lib/bench.sh"
need_root
need jq
duration=${DURATION:-600}
preload=$top/build/asan/bin/libfaults.so
[ -e "$preload" ] || skip "there is no libfaults.so: build the tests first"
mkdir "$work/faults"
echo nothing >"$work/faults/fadvise"

# mark - of all of them, when their rows are written: the time of those, and what the device was given up to then.
mark() {
	next_rows 1
	sleep 3
	for name in $names; do
		echo "$(jq .time "$work/$name/run/status.json") $(disk_bytes "$name")" >>"$work/$name/marks"
	done
}

# start NAME
start() {
	environment=
	[ "${1#*without}" = "$1" ] || environment="LD_PRELOAD=$preload FAULTS=$work/faults"
	own_daemon "$1"
	wait_for "the first row" running_with_status
	next_rows 1
}

# read_whole NAME - all files, which are not in memory before.
read_whole() {
	stop_daemon
	rm "$status"
	sync -f "$work/$1/disk"
	for file in "$work/$1"/disk/state/rrd/*.rrd; do
		dd if="$file" iflag=nocache count=0 status=none
		cat "$file" >/dev/null
	done
}

names='new new-without read read-without'
for name in $names; do
	disk "$name"
	start "$name"
	if [ "${name#read}" != "$name" ]; then
		read_whole "$name"
		start "$name"
	fi
done
mark
sleep $((duration - 5))
mark
echo "| default configuration, $duration s | rounds | bytes a round to the device |"
echo "|---|---:|---:|"
for name in $names; do
	awk -v name="${name%-*}" -v call="${name#*-}" '
		NR == 1 { time = $1; bytes = $2 }
		END {
			rounds = ($1 - time) / 10
			printf "| %s files%s | %d | %.0f |\n", name, call == "without" ? ", without posix_fadvise" : "",
				rounds, ($2 - bytes) / rounds
		}' "$work/$name/marks"
done | tee "$work/table"
verdicts
for name in new read; do
	verdict "bytes a round to the device, $name files" \
		"$(awk -F ' *[|] *' -v name="$name files" '$2 == name { print $4 }' "$work/table")" 70000
done
exit "$missed"
