#!/bin/sh
# SPDX-License-Identifier: MIT
# A kernel without /proc/net/stat/nf_conntrack: the counters come from connwatch-ct, and are those of conntrack(8).
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need conntrack jq nft unshare
make_netns
ctgen=$(tool ctgen) || fail "cannot build ctgen"
sockgen=$(tool sockgen) || fail "cannot build sockgen"
in_netns "$ctgen" -r -n 3000 >/dev/null || skip "connection tracking cannot be switched on here"
write_conf 'interval = 1'

# The shell's own /proc/PID stays the daemon's, which takes its place.
mkdir "$work/empty"
cat >"$work/start" <<START
mount --bind "$work/empty" /proc/\$\$/net/stat && exec "$bin/connwatchd" --config="$conf"
START
ip netns exec "$netns" unshare --mount sh "$work/start" 2>"$log" &
started="$started $!"
known() {
	[ "$(value .readings.conntrack.found)" != null ]
}
wait_for "the counters are known" known
sum() {
	in_netns conntrack -S | grep -oE "[[:space:]]$1=[0-9]+" | awk -F= '{ n += $2 } END { print n + 0 }'
}
equal_at_last() {
	[ "$(value ".readings.conntrack.$1")" = "$(sum "$1")" ]
}
for counter in found invalid insert_failed drop early_drop; do
	wait_for "$counter is conntrack's" equal_at_last $counter
done
# Connections whose entries are gone end by RST: packets that are counted as invalid.
before=$(sum invalid)
spawn_held "$sockgen" -e 50 >"$work/sockgen" 2>&1
wait_for "the sockets" grep -q ^ready "$work/sockgen"
in_netns conntrack -F >/dev/null 2>&1
release_held
[ "$(sum invalid)" -gt "$before" ] || fail "nothing was counted as invalid"
wait_for "invalid follows" equal_at_last invalid
grep -q '<[0-4]>' "$log" && fail "something was said at warning"
exit 0
