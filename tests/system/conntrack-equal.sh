#!/bin/sh
# SPDX-License-Identifier: MIT
# The conntrack readings are what conntrack(8) and sysctl say, the counters summed over the CPUs.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need conntrack jq nft
make_netns
ctgen=$(tool ctgen) || fail "cannot build ctgen"
sockgen=$(tool sockgen) || fail "cannot build sockgen"
write_conf

in_netns "$ctgen" -r -n 5000 >/dev/null || skip "connection tracking cannot be switched on here"

# Connections whose entries are gone end by RST: packets that are counted as invalid.
spawn_held "$sockgen" -e 50 >"$work/sockgen" 2>&1
wait_for "the sockets" grep -q ^ready "$work/sockgen"
in_netns conntrack -F >/dev/null 2>&1
release_held
in_netns "$ctgen" -n 3000 >/dev/null

sum() {
	in_netns conntrack -S | grep -oE "[[:space:]]$1=[0-9]+" | awk -F= '{ n += $2 } END { print n + 0 }'
}

by_conntrack() {
	for pair in found:found invalid:invalid insert_failed:insert_failed drop:drop \
		early_drop:early_drop error:error search_restart:search_restart \
		clash_resolve:clash_resolve chain_toolong:chaintoolong; do
		echo "${pair%%:*} $(sum "${pair#*:}")"
	done
	echo "entries $(in_netns conntrack -C)"
	echo "max $(in_netns cat /proc/sys/net/netfilter/nf_conntrack_max)"
	echo "buckets $(in_netns cat /proc/sys/net/netfilter/nf_conntrack_buckets)"
}

before=$(by_conntrack | sort)
in_netns "$bin/connwatchd" --config="$conf" --once --json >"$work/once.json" ||
	fail "--once ended with an error"
got=$(jq -r '.readings.conntrack | del(.peak) | to_entries[] | "\(.key) \(.value)"' \
	"$work/once.json" | sort)
equal "readings differ from conntrack's" "$before" "$got"
[ "$(jq .readings.conntrack.entries "$work/once.json")" -ge 3000 ] || fail "too few entries to compare"
[ "$(jq .readings.conntrack.invalid "$work/once.json")" -ge 1 ] || fail "no counter to compare"
[ "$(jq '.readings.conntrack | .peak == .entries' "$work/once.json")" = true ] ||
	fail "the peak of a single look is not its number of entries"
