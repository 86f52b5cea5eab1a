#!/bin/sh
# SPDX-License-Identifier: MIT
# fsfreeze(8) under the RRDs, as a snapshot does: the store hangs in the kernel, looks and warnings go on, a stop takes no
# longer than without; thawed, the rows are there.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need_root
need jq pgrep rrdtool mountpoint
use_recorded_proc
mount_loop

is_hung() {
	grep -q '^State:.D' "/proc/$1/status"
}

start_daemon
wait_for "rows" test -s "$rrd/conntrack.rrd"
rows_again "the start"
mark_log
freeze
hung=$(store_pid) || fail "there is no store process"
wait_for "the store hangs in the kernel" is_hung "$hung"
frozen_at=$(value .time)
watches "on a frozen file system"
next_rows 5
wait_for "a word about it" has_said '^<3>.*store: no answer for'
equal "complaints about it" 1 "$(complaints store)"
thaw
wait_for "rows of after the thaw" updated_after conntrack.rrd "$(value .time)"
# The queue has given none up: all that were due since are known, but for the one that was under way.
rows=$(rrdtool fetch "$rrd/conntrack.rrd" AVERAGE -r 1 -s "$frozen_at" -e $((frozen_at + 5)) |
	awk -F'[: ]+' '$1 ~ /^[0-9]+$/ && $2 ~ /nan/' | wc -l)
[ "$rows" -le 1 ] || fail "$rows rows of the freeze are unknown"

# Now with status.json on it too, and stopped while the store hangs.
stop_daemon
mkdir "$rrd/run"
export RUNTIME_DIRECTORY="$rrd/run"
status=$rrd/run/status.json
start_daemon
next_rows 2
freeze
hung=$(store_pid)
wait_for "the store hangs in the kernel" is_hung "$hung"
watches "with status.json frozen too"
before=$(date +%s%N)
stop_daemon
took=$((($(date +%s%N) - before) / 1000000))
# A second is what it gives itself; the rest is for a busy machine. One that waits for the disk takes until the thaw.
[ $took -lt 3000 ] || fail "the stop took $took ms"
echo "the stop took $took ms, with a store that hangs"
is_hung "$hung" || fail "the store did not hang all the time"
thaw
wait_for "the store ends after the thaw" test ! -e "/proc/$hung"
looks_in_time
