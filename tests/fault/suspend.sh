#!/bin/sh
# SPDX-License-Identifier: MIT
# A suspend of eight hours: the processes stand still and the wall clock does not. The first look comes at once, the hours
# are unknown and not invented, and nothing is said of a late store, a counter's leap or an old file.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq pgrep rrdtool
use_recorded_proc
sed -i 's/"1s:10m"/"1s:10m", "1m:1d"/' "$conf"
start_daemon
rows_again "the start"
mark_log
store=$(store_pid)
before=$(last_update tcp.rrd)
kill -STOP "$daemon" "$store"
fault clock 28800
awk '/^Tcp:/ && ++n == 2 { $11 += 500000 } { print }' "$proc/net/snmp" >"$work/snmp"
cat "$work/snmp" >"$proc/net/snmp"
kill -CONT "$store" "$daemon"
wait_for "rows after it" updated_after tcp.rrd $((before + 28790))
rows_again "the resume" tcp
known=$(rrdtool fetch "$rrd/tcp.rrd" AVERAGE -r 60 -s $((before + 120)) -e $((before + 28620)) |
	awk -F'[: ]+' '$1 ~ /^[0-9]+$/ && $2 !~ /nan/' | wc -l)
equal "minutes of the suspend that are known" 0 "$known"
fastest=$(rrdtool fetch "$rrd/tcp.rrd" AVERAGE -r 1 -s $((before + 28790)) | awk -F'[: ]+' '
	$1 ~ /^[0-9]+$/ && $7 !~ /nan/ && $7 > fastest { fastest = $7 } END { print fastest + 0 }')
equal "segments a second after it" 0 "$fastest"
equal "complaints" 0 "$(complaints)"
watches "after the resume"
stop_daemon
