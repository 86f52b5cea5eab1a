#!/bin/bash
# SPDX-License-Identifier: MIT
# The service in its sandbox sees what root sees from a shell: every reading of status.json stands between two of
# `connwatchd --once`, before and after. A sandbox that hides or changes what is read is said in words.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

set_conf 'socket_group "web" { local_ports = { 80 } }' 'listener "web" { port = 80 }'
track
entries 20001 20050
systemctl start lighttpd || fail "lighttpd does not start"
wait_for "lighttpd answers" curl -s http://127.0.0.1/
exec 3<>/dev/tcp/127.0.0.1/80 || fail "lighttpd does not answer"
start_installed
wait_for "rows" has_row sockets-web

is_newer() {
	[ "$(jq .time "$status")" -gt "$1" ]
}

# What differs, as INSTANCE.COLUMN: BEFORE, SERVICE, AFTER. The count of kernel lines begins with the process.
differences() {
	local now

	connwatchd --once --json >/tmp/before
	now=$(date +%s)
	until is_newer "$now"; do sleep 0.05; done
	cp "$status" /tmp/service
	connwatchd --once --json >/tmp/after
	jq -nr --slurpfile b /tmp/before --slurpfile s /tmp/service --slurpfile a /tmp/after '
		[$b, $s, $a | .[0].readings | del(.kernlog)] as [$b, $s, $a]
		| ([$b, $s, $a | [paths]] | add | unique)[] | select(length == 2) as $p
		| [$b, $s, $a | getpath($p)] as [$x, $y, $z]
		| select(([$x, $y, $z] | sort) != [([$x, $z] | min), $y, ([$x, $z] | max)])
		| "\($p | join(".")): \($x), \($y), \($z)"'
}

# A gauge may have been elsewhere in between; not each time.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	found=$(differences)
	[ -n "$found" ] || break
	echo "$found"
done
equal "readings that differ" "" "$found"
count=$(jq '[.readings[] | .[]] | length' /tmp/service)
[ "$count" -ge 80 ] || fail "only $count readings were compared"
ok "$count readings were compared"
unknown='[.readings | del(.kernlog) | paths(. == null) | join(".")] | sort'
equal "unknown to both" "$(jq -c "$unknown" /tmp/before)" "$(jq -c "$unknown" /tmp/service)"
equal "errors of both" "$(jq -cS '.errors | del(.kernlog)' /tmp/before)" \
	"$(jq -cS '.errors | del(.kernlog)' /tmp/service)"
check "there was something to see" jq -e '.readings.conntrack.entries >= 50 and
	.readings["sockets-web"].established > 0 and .readings["listener-web"].backlog > 0' /tmp/service

for pair in connwatchd.service:10 connwatch-ct.service:15; do
	check "exposure of $pair" systemd-analyze security --no-pager --threshold="${pair#*:}" "${pair%:*}"
done

# words WHAT PATTERN LINE - with LINE in the unit the log has PATTERN.
words() {
	local mark

	mark=$(date +%s%6N)
	drop_in wrong "$3"
	systemctl restart "$unit" || fail "it does not start with $3"
	new_rows "rows with $3"
	said | jq -r --argjson mark "$mark" 'select((.__REALTIME_TIMESTAMP | tonumber) >= $mark) | .MESSAGE' >/tmp/words
	cat /tmp/words
	check "$1 is said" grep -qE "$2" /tmp/words
	drop_in wrong
}
words "another namespace" 'not the initial network namespace' PrivateNetwork=yes
words "a hidden /proc" '(conntrack|limits).*(cannot open|is not there|missing)' ProcSubset=pid
exec 3>&-
