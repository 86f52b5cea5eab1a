#!/bin/bash
# SPDX-License-Identifier: MIT
# In a machine with a kernel of its own (`./dev test vm`): conntrack comes and goes as a module, its table
# is really full, and the clock is set back and forth (case 21).
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" bootvm.sh "$0" -m 900
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

# matching PATTERN - the unit's messages of notice and above that match.
matching() {
	said -p notice | jq -r '"\(.PRIORITY) \(.MESSAGE)"' | grep -E -- "$1"
}

said_once() {
	equal "said once: $1" 1 "$(matching "$1" | wc -l)"
}

# reading FILTER VALUE
reading() {
	[ "$(jq -c ".readings.$1" "$status")" = "$2" ]
}

is_number() {
	jq -e ".readings.$1 | numbers" "$status"
}

check "the module is not loaded" sh -c '! grep -q ^nf_conntrack /proc/modules'
set_conf
start_installed
wait_for "rows" has_row tcp
for _ in 1 2 3 4 5; do
	new_rows "a row without conntrack"
done
check "no entries are known" reading conntrack.entries null
check "nothing is said of a failure" sh -c "! journalctl -b -u $unit -p warning -q | grep ."
said_once '^5 conntrack'
equal "alerts" '[]' "$(jq -c .alerts "$status")"

# Here the namespace is the initial one, so nothing is missing.
equal "the limit of orphans is seen" "$(cat /proc/sys/net/ipv4/tcp_max_orphans)" \
	"$(jq .readings.limits.orphans_max "$status")"

modprobe nf_conntrack
track
wait_for "the module is seen" is_number conntrack.entries
wait_for "its maximum too" reading conntrack.max "$(cat /proc/sys/net/netfilter/nf_conntrack_max)"
max=$(cat /proc/sys/net/netfilter/nf_conntrack_max)
sysctl -qw net.netfilter.nf_conntrack_max=200
wait_for "the change of the maximum is a notice" matching "^5 conntrack: maximum changed from $max to 200"

# More than the kernel takes.
entries 20001 20300 2>/dev/null
wait_for "the warning or worse" matching '^[24] conntrack: [0-9]+% full \([0-9]+ of 200 entries\)'
check "the kernel dropped packets" sh -c "conntrack -S | grep -qE 'drop=[1-9]'"
wait_for "the drops are recorded" sh -c "jq -e '.readings.conntrack.drop > 0' $status"
check "the kernel says so itself" sh -c 'dmesg | grep -q "table full, dropping packet"'
conntrack -F >/dev/null 2>&1
wait_for "the all-clear" matching '^5 conntrack: back to normal: .*of 200 entries'

# Case 21: the clock an hour back. Rows are refused and counted, looks go on; nothing is moved aside.
inodes=$(stat -c '%n %i' "$rrd"/*.rrd)
newest=$(rrdtool last "$rrd/tcp.rrd")
date -s '-1 hour' >/dev/null
status_is_back() {
	[ "$(jq .time "$status")" -lt $((newest - 3000)) ]
}
wait_for "status.json goes on by the new time" status_is_back
entries 20401 20585 2>/dev/null
wait_for "thresholds are watched meanwhile" matching '^[24] conntrack: [0-9]+% full'
later=$(($(jq .time "$status") + 8))
wait_for "some rounds by the new time" sh -c "[ \$(jq .time $status) -gt $later ]"
equal "the newest row is still that of before" "$newest" "$(rrdtool last "$rrd/tcp.rrd")"
equal "times the refusal was said" 1 "$(matching '[0-9]+.*(newer|ahead|clock|earlier|refused)' | wc -l)"
date -s '+1 hour' >/dev/null
new_rows "rows go on when the clock gets there"
wait_for "which is said with the count" matching '^5 .*[0-9]+ rows'
equal "the files are the same" "$inodes" "$(stat -c '%n %i' "$rrd"/*.rrd)"
equal "files moved aside" 0 "$(find "$rrd" -name '*.bad-*' | wc -l)"

# Unloaded: a notice, not an alert.
conntrack -F >/dev/null 2>&1
wait_for "no alert is open" sh -c "[ \"\$(jq -c .alerts $status)\" = '[]' ]"
nft flush ruleset
# What holds nf_conntrack goes first; it is autoloaded by nothing here.
modprobe -r nft_ct nf_conntrack_netlink nf_conntrack
check "the module is gone" sh -c '! grep -q "^nf_conntrack " /proc/modules'
wait_for "its entries are unknown again" reading conntrack.entries null
for _ in 1 2 3 4 5; do
	new_rows "a row without conntrack"
done
equal "alerts left" '[]' "$(jq -c .alerts "$status")"
check "the drops were said" matching '^[24] conntrack: dropping packets: [0-9]+ dropped in the last'
check "so did the kernel's log" matching '^[24] conntrack: "table full, dropping packet" in the kernel.s log: [0-9]+ logged in the last'
