#!/bin/sh
# SPDX-License-Identifier: MIT
# What the examples for Icinga and for containers say of our programs is so.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
recorded_proc
printf 'proc = "%s"\n' "$proc" >"$conf"

# The options of the CheckCommand, in its order.
options=$(sed -n 's/^ *"\(-[a-z]\)" = {$/\1/p' "$top/conf/icinga2/connwatch.conf")
equal "options of the CheckCommand" "-w -c" "$(echo "$options" | xargs)"
"$bin/connwatch" --config="$conf" check -w 70 -c 85 conntrack >"$work/out"
[ $? -le 2 ] || fail "check: $(cat "$work/out")"
grep -q '^CONNTRACK .*;0;' "$work/out" || fail "check printed $(cat "$work/out")"

# The configuration within the manifest.
sed -n '/connwatchd.conf: |/,/^---/{s/^    //p}' "$top/conf/container/daemonset.yml" >"$work/map.conf"
grep -q kernlog "$work/map.conf" || fail "no configuration in the manifest"
"$bin/connwatchd" --test --config="$work/map.conf" >"$work/out" 2>&1 || fail "the manifest's configuration: $(cat "$work/out")"

# Without a capability, as nobody, with a folder for status.json and one for the history alone.
[ "$(id -u)" = 0 ] || exit 0
chmod 755 "$work"
install -d -o nobody "$work/history" "$work/run"
{
	cat "$work/map.conf"
	printf 'interval = 1\nstate_directory = "%s"\n' "$work/history"
} >"$conf"
start_daemon() {
	spawn setpriv --reuid nobody --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
		"$bin/connwatchd" --config="$conf" 3</dev/null >>"$log" 2>&1
	daemon=$spawned
	wait_for "the first row of the daemon" running_with_status
}
need jq setpriv
start_daemon
equal "errors" 0 "$(value '.errors | length')"
wait_for "history" test -s "$work/history/rrd/tcp.rrd"
stop_daemon
