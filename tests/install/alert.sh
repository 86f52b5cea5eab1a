#!/bin/bash
# SPDX-License-Identifier: MIT
# A table that is filled: the warning stands once in the journal, with its fields, and once in rsyslog's
# file; so does the all-clear. It survives a restart of the daemon without being said again.
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
equal "the maximum the unit is shown" 100 "$(jq .readings.conntrack.max "$status")"

entries 20001 20085
warnings() {
	said CONNWATCH_ALERT=conntrack-full | jq -c 'select(.PRIORITY == "4")'
}
warned() {
	[ -n "$(warnings)" ]
}
wait_for "the warning is in the journal" warned
new_rows "rows meanwhile"
new_rows "more rows"
new_rows "and more"
equal "times it was said" 1 "$(warnings | wc -l)"
warnings >/tmp/warning
jq . /tmp/warning

# field NAME PATTERN
field() {
	local value

	value=$(jq -r ".$1 // empty" /tmp/warning)
	[[ $value =~ ^$2$ ]] || fail "field $1 is '$value', not $2"
	ok "$1=$value"
}
field MESSAGE 'conntrack: (8[5-9])% full \((8[5-9]) of 100 entries\).*'
field PRIORITY 4
field SYSLOG_IDENTIFIER connwatchd
field _SYSTEMD_UNIT connwatchd.service
field MESSAGE_ID '[0-9a-f]{32}'
field CONNWATCH_ALERT conntrack-full
field CONNWATCH_LEVEL warning
field CONNWATCH_VALUE '8[5-9]'
field CONNWATCH_LIMIT 100
field CONNWATCH_PERCENT '8[5-9](\.[0-9]+)?'

in_syslog() {
	grep -E 'connwatchd(\[[0-9]+\])?: conntrack: 8[5-9]% full' /var/log/syslog
}
wait_for "rsyslog's file has it" in_syslog
equal "times it is there" 1 "$(in_syslog | wc -l)"

# Case 49: no message of the daemon stands in the journal twice.
doubled() {
	said _COMM=connwatchd | jq -r '"\(.__REALTIME_TIMESTAMP | tonumber / 1000000 | floor) \(.MESSAGE)"' |
		sort | uniq -d
}
equal "messages that stand there twice" "" "$(doubled)"

# The episode is the same after a restart.
since=$(jq '.alerts[] | select(.name == "conntrack-full") | .since' "$status")
systemctl restart "$unit"
new_rows "rows after the restart"
new_rows "more rows after it"
new_rows "and more after it"
equal "times the warning was said, after a restart" 1 "$(warnings | wc -l)"
equal "the episode goes on" "$since" \
	"$(jq '.alerts[] | select(.name == "conntrack-full") | .since' "$status")"

conntrack -F >/dev/null 2>&1
recoveries() {
	said CONNWATCH_ALERT=conntrack-full | jq -c 'select(.PRIORITY == "5")'
}
recovered() {
	[ -n "$(recoveries)" ]
}
wait_for "the all-clear" recovered
recoveries >/tmp/warning
equal "times it was said" 1 "$(wc -l </tmp/warning)"
field MESSAGE 'conntrack: back to normal: .*was warning for .*'
field CONNWATCH_LEVEL ok
field MESSAGE_ID '[0-9a-f]{32}'
equal "alerts left" '[]' "$(jq -c .alerts "$status")"
