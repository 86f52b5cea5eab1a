#!/bin/sh
# SPDX-License-Identifier: MIT
# One daemon, and what may befall its disk, its store process and its sources, one after the other: no look makes itself
# late by 100 ms. What the machine takes, by giving the CPU to others, is told beside it and not counted. (journald is
# excepted: a daemon that has more to say than its socket takes waits for it.)
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need_root
need jq pgrep rrdtool mountpoint
use_recorded_proc
mount_loop
mkdir "$rrd/run"
export RUNTIME_DIRECTORY="$rrd/run" # nothing of it is in memory
status=$rrd/run/status.json

befalls() {
	echo "  $*"
	sleep "${seconds:-3}"
}

start_daemon
rows_again "the start"
store=$(store_pid)

fill_disk
befalls "the disk is full"
rm "$rrd/tcp.rrd"
befalls "and a file is missing"
make_room
rows_again "there is room" tcp

kill -STOP "$store"
befalls "the store stands still"
kill -KILL "$store"
befalls "the store is killed"

freeze
seconds=6 befalls "the file system is frozen"
thaw
rows_again "the thaw"

echo nonsense >"$rrd/limits.rrd"
: >"$rrd/tcpext.rrd"
befalls "files are damaged"
rm "$rrd"/*.rrd
befalls "files are deleted"

fault read /net/
befalls "files of /proc cannot be read"
no_fault read
for _ in 1 2 3 4 5 6 7 8 9 10; do
	kill -HUP "$daemon"
	sleep 0.1
done
befalls "the configuration is reloaded ten times"

# A disk that is busy: everything that is written has to be there at once.
dd if=/dev/zero of="$rrd/filler" bs=64k oflag=dsync count=200 2>/dev/null &
started="$started $!"
befalls "the disk is busy"
wait $!
make_room
rows_again "all that"
freeze
stop_daemon
thaw
looks_in_time
