#!/bin/bash
# SPDX-License-Identifier: MIT
# connwatch-metrics in its sandbox: off until it is enabled, started by its socket, and the daemon listens to nobody.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh
metrics=connwatch-metrics

# get [OPTION...] - by curl.
get() {
	curl -fsS -m 30 "$@" http://127.0.0.1:9817/metrics
}

set_conf
start_installed
wait_for "rows" has_row tcp
equal "the socket is off" disabled "$(systemctl is-enabled $metrics.socket)"
equal "nobody listens" "" "$(ss -Hltn 'sport = 9817')"
systemctl enable --quiet --now $metrics.socket
equal "on loopback alone" 127.0.0.1:9817 "$(ss -Hltn 'sport = 9817' | awk '{ print $4 }')"
equal "the service waits for somebody" inactive "$(systemctl is-active $metrics.service)"
check "metrics come" get -o /tmp/metrics -H 'Accept: application/openmetrics-text'
check "of the daemon that runs" grep -qx 'connwatch_up 1' /tmp/metrics
check "with all readings" grep -qE '^connwatch_tcp_in_segs_total [0-9]+' /tmp/metrics
check "whole" grep -qx '# EOF' /tmp/metrics

pid=$(systemctl show -P MainPID $metrics.service)
equal "capabilities" 0000000000000000 "$(sed -n 's/^CapEff:\t//p' "/proc/$pid/status")"
uid=$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status")
check "its user is a dynamic one" sh -c "[ $uid -ge 61184 ] && [ $uid -le 65519 ]"
equal "network interfaces it has" lo "$(nsenter -t "$pid" -n ip -br link | awk '{ print $1 }')"
check "exposure" systemd-analyze security --no-pager --threshold=10 $metrics.service
equal "listeners of the daemon" "" "$(ss -Hltunp | grep connwatchd)"

systemctl stop "$unit"
told() {
	get | grep -qx "$1"
}
wait_for "a daemon that is stopped is told" told 'connwatch_up 0'
systemctl start "$unit"
wait_for "and one that runs again" told 'connwatch_up 1'
kill -KILL "$pid"
wait_for "one that is killed comes again" told 'connwatch_up 1'
