#!/bin/sh
# SPDX-License-Identifier: MIT
# A real table, really filled: one warning with the kernel's numbers, one all-clear when it is emptied.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq conntrack nft
make_netns
ctgen=$(tool ctgen) || fail "cannot build ctgen"
max=$(cat /proc/sys/net/netfilter/nf_conntrack_max) || skip "no connection tracking here"
# The maximum is the machine's and stays as it is: 82 % of it has to be affordable.
{ [ "$max" -gt 1000 ] && [ "$max" -le 1048576 ]; } || skip "nf_conntrack_max is $max"
flows=$((max * 82 / 100))
write_conf 'interval = 1'
in_netns "$ctgen" -r -n 100 >/dev/null || skip "connection tracking cannot be switched on here"
start_daemon
next_rows 3
has_said 'conntrack: [0-9]+% full' && fail "a warning for an empty table"

in_netns "$ctgen" -n "$flows" >"$work/ctgen"
grep -q 'failed=0 ' "$work/ctgen" || fail "the table was not filled: $(cat "$work/ctgen")"
wait_for "the warning" has_said '<4>connwatchd: conntrack: 8[0-9]% full'
next_rows 5
said_once '<4>connwatchd: conntrack: 8[0-9]% full'
line=$(grep -E '<4>connwatchd: conntrack: 8[0-9]% full' "$log")
entries=$(echo "$line" | sed -n "s/.*(\([0-9]*\) of $max entries).*/\1/p")
[ -n "$entries" ] || fail "no numbers of the kernel in: $line"
# As said, the percentage is that of the numbers beside it.
echo "$line" | grep -qE "$((entries * 100 / max))% full|$(((entries * 1000 / max + 5) / 10))% full" ||
	fail "the percentage is not that of the numbers: $line"
equal "the alert in status.json" "conntrack-full warning $max" \
	"$(value '.alerts[] | select(.name == "conntrack-full") | "\(.name) \(.level) \(.limit)"')"

in_netns conntrack -F >/dev/null 2>&1
wait_for "the all-clear" has_said '<5>connwatchd: conntrack: back to normal'
next_rows 4
said_once '<4>connwatchd: conntrack: [0-9]+% full'
said_once '<5>connwatchd: conntrack: back to normal: [0-9]+% full \([0-9]+ of '"$max"' entries\), was warning for'
equal "alerts left" '[]' "$(value '.alerts | tojson')"
stop_daemon
