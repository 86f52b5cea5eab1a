#!/bin/bash
# SPDX-License-Identifier: MIT
# The installed unit: starts, stores rows that a web server can read and nobody else write, is restarted by
# its watchdog, is not restarted for a bad configuration, and stops within a second.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

set_conf
start_installed
wait_for "a row stands in an RRD" has_row tcp
wait_for "and of conntrack's" has_row conntrack
equal "the user" connwatchd "$(ps -o user= -p "$(property MainPID)")"
equal "no capability" 0000000000000000 "$(awk '/^CapBnd/ { print $2 }' "/proc/$(property MainPID)/status")"
[ -n "$(property StatusText)" ] || fail "STATUS= is empty"
ok "STATUS= says: $(property StatusText)"
check "status.json is JSON and has readings" jq -e '.readings.tcp.in_segs' "$status"
# A container has no log of the kernel's.
equal "collectors that failed" '{}' "$(jq -c '.errors | del(.kernlog)' "$status")"
equal "sockets are seen" true "$(jq '.readings.sockets.established != null' "$status")"
equal "messages at warning or above" 0 "$(said -p warning | wc -l)"

# Case 31.
modes() {
	equal "mode of the RRDs $1" 644 "$(stat -c %a "$rrd"/*.rrd | sort -u)"
	equal "mode of status.json $1" 644 "$(stat -c %a "$status")"
	equal "owner of the RRDs $1" connwatchd "$(stat -c %U "$rrd"/*.rrd | sort -u)"
	check "www-data reads an RRD $1" runuser -u www-data -- rrdtool info "$rrd/tcp.rrd"
	check "www-data reads status.json $1" runuser -u www-data -- cat "$status"
	check "www-data cannot write $1" runuser -u www-data -- sh -c "! echo >>$rrd/tcp.rrd && ! touch $rrd/x"
}
modes "as shipped"
systemctl stop "$unit"
rm -r "$rrd"
drop_in umask UMask=0077
systemctl start "$unit"
wait_for "rows under UMask=0077" has_row tcp
modes "under UMask=0077"
drop_in umask

# The runtime folder outlives a stop.
systemctl restart "$unit"
wait_for "rows after a restart" has_row tcp
before=$(rrdtool last "$rrd/tcp.rrd")
check "it stops" systemctl stop "$unit"
equal "result of the stop" success "$(property Result)"
equal "exit code of the stop" 0 "$(property ExecMainStatus)"
[ "$(property ActiveExitTimestampMonotonic)" -gt 0 ] || fail "systemd has forgotten the stop"
took=$(($(property InactiveEnterTimestampMonotonic) - $(property ActiveExitTimestampMonotonic)))
# A second is what it gives itself; the rest is for a busy machine. One that hangs takes TimeoutStopSec.
[ $took -le 3000000 ] || fail "the stop took $took µs"
ok "the stop took $took µs"
check "status.json stays" test -s "$status"
check "nothing was left running" sh -c '! pgrep -u connwatchd'

# The watchdog.
drop_in watchdog WatchdogSec=2
systemctl start "$unit"
pid=$(property MainPID)
kill -STOP "$pid"
another_pid() {
	[ "$(property MainPID)" != "$1" ] && [ "$(property MainPID)" != 0 ] &&
		[ "$(systemctl is-active "$unit")" = active ]
}
wait_for "a stopped daemon is restarted by the watchdog" another_pid "$pid"
check "the watchdog was the reason" sh -c "journalctl --sync; journalctl -u $unit | grep -qi 'watchdog timeout'"
new_rows "rows after the watchdog"
[ "$(rrdtool last "$rrd/tcp.rrd")" -gt "$before" ] || fail "the RRD was made anew"

# Case 47: rows once an hour, a watchdog of two seconds.
systemctl stop "$unit"
cp /systest/cases/47-interval-over-watchdog/hourly.conf "$etc/connwatchd.conf"
rm -r "$rrd"
check "it starts with interval = 3600" systemctl start "$unit"
pid=$(property MainPID)
sleep 7
equal "it is the same process after three times WatchdogSec" "$pid" "$(property MainPID)"
equal "restarts meanwhile" 0 "$(property NRestarts)"
drop_in watchdog

# 78 is final.
systemctl stop "$unit"
set_conf 'nonsense = 1'
check "a bad configuration fails the start" sh -c "! systemctl start $unit"
equal "its exit code" 78 "$(property ExecMainStatus)"
sleep 3
equal "it is not restarted" failed "$(systemctl is-active "$unit")"
check "the journal has file and line" sh -c "journalctl --sync; journalctl -u $unit | grep -q 'connwatchd.conf:6: .*nonsense'"

# A store process that is killed, for memory say, does not end the service.
set_conf
check "it starts again" systemctl start "$unit"
wait_for "rows" has_row tcp
pid=$(property MainPID)
pkill -KILL -P "$pid"
new_rows "rows after the store process was killed"
equal "the daemon is the same" "$pid" "$(property MainPID)"
