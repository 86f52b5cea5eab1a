#!/bin/sh
# SPDX-License-Identifier: MIT
# The clock goes forward a year and comes back: rows go on at once with the new time, and when it is back, after three
# rows, in files of their own; what was written stays, moved aside, and is said once of each.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq rrdtool
use_recorded_proc
sed -i 's/"1s:10m"/"1s:10m", "1d:3y"/' "$conf" # by a file of ten minutes it would be the clock that is wrong
year=31536000

start_daemon
rows_again "the start"
before=$(last_update conntrack.rrd)
fault clock $year
wait_for "rows with the new time" updated_after conntrack.rrd $((before + year - 10))
watches "a year ahead"
equal "complaints about the year ahead" 0 "$(complaints 'store|rrd')"
mark_log
no_fault clock
for name in conntrack limits sockets tcp tcpext; do
	wait_for "$name.rrd is moved aside" has_said "^<4>.*moved aside as $name\\.rrd"
done
rows_again "the clock is right again"
for name in conntrack limits sockets tcp tcpext; do
	said_since_once "moved aside as $name\\.rrd"
	[ "$(last_update $name.rrd)" -lt $((before + 3600)) ] || fail "$name.rrd is ahead still"
	rrdtool fetch "$rrd/$name.rrd.bad-"* AVERAGE -s $((before - 2)) -e $((before + 2)) >/dev/null ||
		fail "what was moved aside of $name.rrd cannot be read"
done
equal "said more than once" "" "$(said_since | grep -E '^<[0-4]>.*store' | sort | uniq -d)"
watches "after that"
stop_daemon
looks_in_time
