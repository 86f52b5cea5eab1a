#!/bin/sh
# SPDX-License-Identifier: MIT
# Every state and every group is what ss counts at the same moment, by each source; the fullest accept
# queue and the fullest outbound tuple too.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
# shellcheck source=../lib/equal-ss.sh
. "$top/tests/lib/equal-ss.sh"
need ss jq
make_netns
spawn_population

for source in netlink proc auto; do
	write_conf "$groups" "sockets { source = $source }"
	compare "$source"
	all_states_seen "$source"
done

equal "the fullest accept queue" "11 22" \
	"$(jq -r '.readings.limits | "\(.listen_queue) \(.listen_backlog)"' "$work/once.json")"
