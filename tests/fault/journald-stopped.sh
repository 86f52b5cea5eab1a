#!/bin/bash
# SPDX-License-Identifier: MIT
# journald stands still, or is slow: looks and rows go on, and what was said meanwhile is in the journal when it runs
# again. (Its socket takes some hundred messages; a daemon that had more to say in that time would have to wait for it.)
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

# The maximum is the kernel's for all; the unit is shown a smaller one.
echo 100 >/run/max
drop_in max BindReadOnlyPaths=/run/max:/proc/sys/net/netfilter/nf_conntrack_max
track
set_conf
start_installed
wait_for "rows" has_row conntrack
journald=$(systemctl show --value -p MainPID systemd-journald)

level() {
	[ "$(jq -r '[.alerts[] | select(.name == "conntrack-full") | .level] | first // "ok"' "$status")" = "$1" ]
}

# known FROM TO - rows in that time that are known.
known() {
	rrdtool fetch "$rrd/conntrack.rrd" AVERAGE -r 1 -s "$1" -e "$(($2 - 1))" | awk '/^[0-9]+: [^-n]/' | wc -l
}

kill -STOP "$journald"
from=$(rrdtool last "$rrd/conntrack.rrd")
entries 20001 20085
wait_for "the warning is raised while journald stands still" level warning
new_rows "rows go on"
conntrack -F >/dev/null 2>&1
wait_for "the all-clear too" level ok
for _ in 1 2 3; do
	new_rows "rows go on"
done
to=$(rrdtool last "$rrd/conntrack.rrd")
equal "rows that are known of that time" $((to - from)) "$(known "$from" "$to")"
equal "it is in no restart" 0 "$(property NRestarts)"
kill -CONT "$journald"
wait_for "the warning is in the journal then" sh -c "journalctl --sync; journalctl -u $unit | grep -q 'conntrack: 8[0-9]% full'"
wait_for "and the all-clear" sh -c "journalctl --sync; journalctl -u $unit | grep -q 'conntrack: back to normal'"

# Slow: a tenth of the time.
from=$(rrdtool last "$rrd/conntrack.rrd")
for _ in 1 2 3 4 5 6; do
	kill -STOP "$journald"
	systemctl kill --signal=HUP "$unit" # which it speaks about
	sleep 0.9
	kill -CONT "$journald"
	sleep 0.1
done
to=$(rrdtool last "$rrd/conntrack.rrd")
equal "rows that are known of a slow time" $((to - from)) "$(known "$from" "$to")"
equal "reloads in the journal" 6 "$(said | jq -r .MESSAGE | grep -c '^configuration reloaded')"
check "it goes on" systemctl is-active "$unit"
