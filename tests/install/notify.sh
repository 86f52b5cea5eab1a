#!/bin/bash
# SPDX-License-Identifier: MIT
# The administrator's script: run in a unit of its own on each change of level, one at a time and in order, with the
# facts and the network; one that hangs is ended, one that fails is one line; without one there is not a word.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0" -m 240
# shellcheck source=../lib/guest.sh
. /systest/guest.sh
script=$etc/notify
told=/var/lib/told

# notify_drop_in [LINE...] - the script may write to $told.
notify_drop_in() {
	local folder='/etc/systemd/system/connwatch-notify@.service.d'

	mkdir -p "$folder"
	printf '%s\n' '[Service]' "ReadWritePaths=$told" "$@" >"$folder/test.conf"
	systemctl daemon-reload
}

# write_script [LINE...] - it begins with what it is told.
write_script() {
	cat >"$script" <<-'SCRIPT'
		#!/bin/sh
		echo "$CONNWATCH_LEVEL" >>/var/lib/told/begun
	SCRIPT
	printf '%s\n' "$@" >>"$script"
	chmod 755 "$script"
}

# A daemon that knows nothing of the past, and an empty table.
start_over() {
	systemctl stop "$unit"
	rm -f "$status" "$told"/*
	conntrack -F >/dev/null 2>&1
	mark=$(date +%s%6N) # as the journal counts
	systemctl start "$unit" || fail "it does not start"
	wait_for "rows" has_row conntrack
}

# Lines in the log of the notifications, since the last start_over.
lines() {
	journalctl --sync
	journalctl -b --no-pager -o json |
		jq -r --argjson mark "$mark" 'select((.__REALTIME_TIMESTAMP | tonumber) >= $mark and
			((.UNIT // ._SYSTEMD_UNIT // "") | startswith("connwatch-notify"))) | .MESSAGE'
}

raised() {
	said CONNWATCH_ALERT=conntrack-full "CONNWATCH_LEVEL=$1" |
		jq --argjson mark "$mark" 'select((.__REALTIME_TIMESTAMP | tonumber) >= $mark)' | grep -q .
}

gone() {
	[ -z "$(systemctl list-units --no-legend --all 'connwatch-notify@*')" ]
}

echo 100 >/run/max
drop_in max BindReadOnlyPaths=/run/max:/proc/sys/net/netfilter/nf_conntrack_max
track
set_conf 'alert "conntrack-full" { hold = 1  release = 1  forecast_warning = "0"  forecast_critical = "0" }' \
	'conntrack { who = false }'
install -d -m 777 "$told"
notify_drop_in
systemctl start lighttpd || fail "lighttpd does not start"
start_installed
check "the socket starts" systemctl start connwatch-notify.socket
equal "its mode and owner" "600 connwatchd" "$(stat -c '%a %U' /run/connwatch-notify.sock)"
check "the exposure of the service" systemd-analyze security --no-pager --threshold=15 connwatch-notify@.service

# shellcheck disable=SC2016 # for the script
write_script '{
	env | grep ^CONNWATCH_ | sort
	echo "web $(curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1/)"
	echo "user $USER, $(id -u)"
	grep -E "^Cap(Eff|Bnd)" /proc/self/status
	cat /proc/self/cgroup
	connwatch check conntrack >/dev/null; echo "check $?"
} >/var/lib/told/facts.$CONNWATCH_LEVEL.new
mv /var/lib/told/facts.$CONNWATCH_LEVEL.new /var/lib/told/facts.$CONNWATCH_LEVEL'
start_over
entries 20001 20085
wait_for "the script is run" test -e $told/facts.warning
cat $told/facts.warning
fact() {
	check "it is told $1" grep -qxE "$1" $told/facts.warning
}
fact 'CONNWATCH_ALERT=conntrack-full'
fact 'CONNWATCH_LEVEL=warning'
fact 'CONNWATCH_VALUE=8[0-9]'
fact 'CONNWATCH_LIMIT=100'
fact 'CONNWATCH_PERCENT=8[0-9]\.[0-9]'
fact 'CONNWATCH_MESSAGE=conntrack: 8[0-9]% full \(8[0-9] of 100 entries\).*'
fact 'web [234][0-9][0-9]'
fact 'user connwatch-notify, [1-9][0-9]+'
fact 'CapEff:\s*0+'
fact 'CapBnd:\s*0+'
fact '.*/connwatch-notify@[^/]*\.service'
fact 'check [012]'
conntrack -F >/dev/null 2>&1
wait_for "and of the recovery" test -e $told/facts.ok
check "its level is ok" grep -qx CONNWATCH_LEVEL=ok $told/facts.ok
wait_for "no unit is left" gone
equal "lines in the log" "" "$(lines)"

# One that hangs: ended after the seconds of the unit, what it has started too, and the next one waits for that.
write_script 'setsid sleep 987 &' 'sleep 987'
notify_drop_in Environment=CONNWATCH_NOTIFY_SECONDS=4
start_over
entries 20001 20085
wait_for "the first begins" test -s $told/begun
began=$(uptime_seconds)
entries 20086 20097
wait_for "the next is due" raised critical
equal "only the first has begun" warning "$(cat $told/begun)"
second_began() {
	[ "$(tail -n 1 $told/begun)" = critical ]
}
wait_for "the next begins" second_began
took=$(($(uptime_seconds) - began))
{ [ $took -ge 3 ] && [ $took -le 20 ]; } || fail "the next began after $took s"
ok "the next began after $took s"
conntrack -F >/dev/null 2>&1
third_began() {
	[ "$(tail -n 1 $told/begun)" = ok ]
}
wait_for "the recovery begins" third_began
wait_for "and ends" gone
equal "they began in order" "warning critical ok" "$(paste -sd' ' $told/begun)"
equal "processes left" "" "$(pgrep -f 'sleep 987')"
equal "one line for each" "$script was ended after 4 s; not told: conntrack-full is warning
$script was ended after 4 s; not told: conntrack-full is critical
$script was ended after 4 s; not told: conntrack-full is ok" "$(lines)"
equal "the daemon is well" active "$(systemctl is-active "$unit")"

notify_drop_in Environment=CONNWATCH_NOTIFY_SECONDS=soon
start_over
entries 20001 20085
has_lines() {
	[ -n "$(lines)" ]
}
wait_for "no number of seconds" has_lines
wait_for "has ended" gone
equal "one line" "$script is not run, as CONNWATCH_NOTIFY_SECONDS=soon is no number of seconds; not told: conntrack-full is warning" "$(lines)"
notify_drop_in

write_script 'exit 3'
start_over
entries 20001 20085
wait_for "one that fails" test -s $told/begun
wait_for "has ended" gone
equal "one line" "$script failed with 3; not told: conntrack-full is warning" "$(lines)"

chmod 600 "$script"
start_over
entries 20001 20085
wait_for "one that cannot be run" has_lines
wait_for "has ended" gone
equal "one line" "$script cannot be run: let all, or the group connwatchd, read and execute it; not told: conntrack-full is warning" "$(lines)"

rm "$script"
start_over
entries 20001 20085
wait_for "without a script there is the warning" raised warning
new_rows "rows go on"
wait_for "nothing is left" gone
equal "and no other word" "" "$(lines)"

systemctl stop connwatch-notify.socket
check "the socket's file is gone" test ! -e /run/connwatch-notify.sock
start_over
entries 20001 20085
wait_for "without the socket there is the warning" raised warning
new_rows "rows go on"
equal "errors of the daemon" "" "$(said PRIORITY=3 | jq -r .MESSAGE)"
