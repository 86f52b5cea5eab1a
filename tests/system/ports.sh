#!/bin/sh
# SPDX-License-Identifier: MIT
# The local ports to one remote end near their limit: the range less the reserved ports counts, the warning names both ends,
# `connwatch check` judges the same when it is asked by name.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need ss jq
make_netns
sockgen=$(tool sockgen) || fail "cannot build sockgen"
spawn_held "$sockgen" -e 20 -6 40 >"$work/sockgen" 2>&1
wait_for "the sockets" grep -q ^ready "$work/sockgen"

# All ports but those 40 and 8 more are reserved.
in_netns ss -6 -Htn dport = :80 | awk '{ print $4 }' | sed 's/.*://' >"$work/used"
equal "clients" 40 "$(wc -l <"$work/used")"
awk '
	{ used[$1] = 1 }
	END {
		for (port = 1024; more < 8; port++)
			if (!used[port]) {
				used[port] = 1
				more++
			}
		for (port = 1024; port <= 65536; port++) {
			if (port < 65536 && !used[port]) {
				if (!first)
					first = port
			} else if (first) {
				printf "%s%d-%d", separator, first, port - 1
				separator = ","
				first = 0
			}
		}
	}' "$work/used" >"$work/reserved"
echo 1024 65535 | in_netns tee /proc/sys/net/ipv4/ip_local_port_range >/dev/null || fail "cannot set the range"
in_netns tee /proc/sys/net/ipv4/ip_local_reserved_ports <"$work/reserved" >/dev/null ||
	fail "cannot reserve ports"

write_conf 'interval = 1'
start_daemon
wait_for "the warning" has_said '^<4>.*local ports of ::1 to \[::1\]:80: 83% full \(40 of 48 ports\)'
next_rows 2
equal "alert in status.json" "warning ::1 to [::1]:80" \
	"$(value '.alerts[] | select(.name == "ports") | "\(.level) \(.object)"')"
in_netns "$bin/connwatch" --config="$conf" check ports >"$work/check"
equal "exit code of check ports" 1 $?
grep -q "^PORTS WARNING - 83% full (40 of 48 ports.*'ports'=40;" "$work/check" || fail "check: $(cat "$work/check")"
in_netns "$bin/connwatch" --config="$conf" check >"$work/check"
grep -q "'ports'" "$work/check" && fail "check counts sockets without being asked to"
exec 9>&- # the sockets go
wait_for "the all-clear" has_said '^<5>.*local ports.* back to normal'
stop_daemon
