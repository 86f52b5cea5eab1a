#!/bin/sh
# SPDX-License-Identifier: MIT
# Sockets by BPF: every state, every group and the fullest tuple are what ss counts, while another namespace has as many
# of its own; root or not, with no capability. Established ones are right while 5,000 others a second come and go.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
# shellcheck source=../lib/equal-ss.sh
. "$top/tests/lib/equal-ss.sh"
need ss jq setpriv
load_bpf
make_netns

# They share the kernel's table.
ip netns add "$netns-other"
trap 'ip netns del "$netns-other"; cleanup' EXIT
ip netns exec "$netns-other" ip link set lo up
mine=$netns
netns=$netns-other
spawn_held "$(tool sockgen)" -e 500 -6 100 -f 20 >"$work/other" 2>&1
wait_for "the other namespace's sockets" grep -q ^ready "$work/other"
netns=$mine
spawn_population

for source in bpf auto; do
	write_conf "$groups" "sockets { source = $source }"
	compare "$source"
	all_states_seen "$source"
	equal "the source in use" bpf "$(jq -r .sockets.source "$work/once.json")"
done

# What was pinned is all it takes.
chgrp -R nogroup /run/bpf/connwatchd
chmod 755 "$work"
in_netns setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all --bounding-set=-all \
	"$bin/connwatchd" --config="$conf" --once --json >"$work/once.json" || fail "--once as nobody"
equal "the source of nobody" bpf "$(jq -r .sockets.source "$work/once.json")"
equal "the sockets of nobody" "$(in_netns ss -Htan state established | wc -l)" \
	"$(jq .readings.sockets.established "$work/once.json")"
release_held

# Sockets move under the walk; those of ::1 stay. One in 10,000 may be missed.
spawn_held "$sockgen" -6 10000 -c 5000 >"$work/sockgen" 2>&1
wait_for "the sockets" grep -q ^ready "$work/sockgen"
write_conf 'socket_group "six" { networks = "::1/128" }' 'sockets { source = bpf }'
passive_opens() {
	in_netns grep '^Tcp: [0-9]' /proc/net/snmp | cut -d' ' -f7
}
opened=$(passive_opens)
for _ in $(seq 20); do
	in_netns "$bin/connwatchd" --config="$conf" --once --json >"$work/once.json" || fail "--once"
	count=$(jq '.readings["sockets-six"].established' "$work/once.json")
	case $count in
	19998 | 19999 | 20000 | 20001 | 20002) ;;
	*) fail "counted $count of 20000 sockets" ;;
	esac
done
[ "$(passive_opens)" -gt "$opened" ] || fail "nothing came and went"
