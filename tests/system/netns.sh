#!/bin/sh
# SPDX-License-Identifier: MIT
# Two other network namespaces and the daemon's own, with different tables at the same time, beside one with as many
# sockets again as NEIGHBOUR says (100,000): each number is that of conntrack(8), the kernel's Tcp line and ss(8) in there,
# by netlink and, where it can be loaded, by one walk of the BPF program. A namespace that goes is unknown and comes back
# by itself, with nothing of the one before; a reload and alerts know of it.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need conntrack jq nft nsenter ss
need_root
bpf=
if [ -x "$bin/connwatch-bpf" ] && [ -e /sys/kernel/btf/vmlinux ]; then
	load_bpf --netns
	bpf=yes
	mkdir -p /run/netns
fi
make_netns
own=$netns
gw=$own-gw
lan=$own-lan
other=$own-other
trap 'for name in $gw $lan $other $own-table; do ip netns del "$name" 2>/dev/null; done; cleanup' EXIT
ctgen=$(tool ctgen) || fail "cannot build ctgen"
sockgen=$(tool sockgen) || fail "cannot build sockgen"

# populate NAMESPACE ENTRIES OPTION... - of its table, and of sockgen.
populate() {
	netns=$1
	[ "$2" = 0 ] || in_netns "$ctgen" -r -n "$2" >/dev/null || skip "connection tracking cannot be switched on here"
	shift 2
	spawn_held "$sockgen" "$@" >"$work/$netns" 2>&1
	wait_for "the sockets of $netns" grep -q ^ready "$work/$netns"
	netns=$own
}

for name in $gw $lan $other; do
	ip netns add "$name"
	ip -n "$name" link set lo up
	ip -n "$name" route add 10.99.0.0/16 dev lo
done
populate "$own" 500 -e 10
populate "$gw" 3000 -e 40 -6 7 -f 9 -w 4 -l 5
populate "$lan" 70 -e 300 -f 2 -l 1
populate "$other" 0 -e "$((${NEIGHBOUR:-100000} / 2))"

# by_tools NAMESPACE PREFIX - COLUMN NUMBER of each.
by_tools() {
	# shellcheck disable=SC2016 # of that shell
	ip netns exec "$1" sh -c 'echo "conntrack entries $(conntrack -C 2>/dev/null)"
		awk "/^Tcp: [0-9]/ { print \"tcp active_opens\", \$6; print \"tcp passive_opens\", \$7
			print \"tcp in_segs\", \$11; print \"tcp out_segs\", \$12 }" /proc/net/snmp
		ss -Htan | awk "{ n[\$1]++ } END {
			print \"sockets established\", n[\"ESTAB\"] + 0
			print \"sockets fin_wait2\", n[\"FIN-WAIT-2\"] + 0
			print \"sockets close_wait\", n[\"CLOSE-WAIT\"] + 0
			print \"sockets time_wait\", n[\"TIME-WAIT\"] + 0
			print \"sockets listen\", n[\"LISTEN\"] + 0 }"' | sed "s/^/$2/"
}

tools() {
	by_tools "$own" ''
	by_tools "$gw" gw.
	by_tools "$lan" lan.
}

# Sockets come and go by the kernel's timers, so the comparison is made where tools saw the same before and after.
# compare SOURCE - with what was said, in $work/words.
compare() {
	for _ in $(seq 50); do
		before=$(tools)
		in_netns "$bin/connwatchd" -v --config="$conf" --once --json >"$work/once.json" 2>"$work/words" ||
			fail "--once by $1: $(cat "$work/words")"
		after=$(tools)
		[ "$before" != "$after" ] || break
	done
	equal "the namespaces were at rest" "$before" "$after"
	got=$(echo "$before" | while read -r instance column _; do
		echo "$instance $column $(jq --arg i "$instance" --arg c "$column" '.readings[$i][$c]' "$work/once.json")"
	done)
	equal "numbers by $1 differ from those of the tools" "$before" "$got"
	equal "the source in use" "$1" "$(jq -r .sockets.source "$work/once.json")"
}

# calls_of NAME PATTERN - how many such calls the daemon makes in one reading; all that matter are in $work/calls.
calls_of() {
	ASAN_OPTIONS=detect_leaks=0 in_netns strace -xx -s 200 -e trace=bpf,sendto -o "$work/calls" \
		"$bin/connwatchd" --config="$conf" --once >/dev/null 2>&1
	grep -c "^$1.*$2" "$work/calls"
}

watched="netns \"gw\" { path = \"/run/netns/$gw\" }
netns \"lan\" { path = \"/run/netns/$lan\" }"
write_conf "$watched" 'sockets { source = netlink cpu_share = 100 }'
compare netlink
for name in gw lan; do
	[ "$(jq ".readings[\"$name.conntrack\"].entries" "$work/once.json")" -gt 0 ] || fail "$name has no entries"
	[ "$(jq ".readings[\"$name.sockets\"].established" "$work/once.json")" -gt 0 ] || fail "$name has no sockets"
done
equal "three tables, three numbers" 3 "$(jq '[.readings | .conntrack, .["gw.conntrack"], .["lan.conntrack"] | .entries] |
	unique | length' "$work/once.json")"
if [ -n "$bpf" ]; then
	write_conf "$watched" 'sockets { source = bpf cpu_share = 100 }'
	compare bpf
	equal "what was said by BPF" "" "$(grep '^<[0-5]>.*sockets:' "$work/words")"
	# One walk, of about as many runs as without the others, and nobody's connections by netlink.
	if command -v strace >/dev/null; then
		runs=$(calls_of bpf TEST_RUN)
		equal "dumps of connections by netlink" 0 "$(grep -c '^sendto.*xff.x0f.x00.x00' "$work/calls")"
		write_conf 'sockets { source = bpf cpu_share = 100 }'
		alone=$(calls_of bpf TEST_RUN)
		[ "$runs" -lt $((2 * alone)) ] || fail "$runs runs of the program, $alone without other namespaces"
		write_conf "$watched" 'sockets { source = bpf cpu_share = 100 }'
	fi
	# A namespace with a table of its own is none that the walk comes through.
	if in_netns sysctl -qw net.ipv4.tcp_child_ehash_entries=4096 2>/dev/null; then
		nsenter --net="/run/netns/$own" ip netns add "$own-table"
		ip -n "$own-table" link set lo up
		populate "$own-table" 0 -e 25
		write_conf "netns \"table\" { path = \"/run/netns/$own-table\" }" "$watched" \
			'sockets { source = bpf cpu_share = 100 }'
		compare bpf
		equal "sockets of another table" 50 "$(jq '.readings["table.sockets"].established' "$work/once.json")"
		write_conf "$watched" 'sockets { source = bpf cpu_share = 100 }'
	fi
	# Pinned for the daemon's own namespace alone: said once, and by netlink.
	"$bin/connwatch-bpf" || fail "the program is not taken"
	compare bpf
	grep -q 'sockets: .*--netns' "$work/words" || fail "it was not said: $(cat "$work/words")"
	equal "times it was said" 1 "$(grep -c -- --netns "$work/words")"
fi

# Who may not enter is told of the drop-in; what is its own it reads all the same.
chmod 755 "$work"
in_netns setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all --bounding-set=-all \
	"$bin/connwatchd" --config="$conf" --once --json >"$work/once.json" || fail "--once as nobody"
equal "the error of nobody" true "$(jq '.errors["gw.tcp"] | test("CAP_SYS_ADMIN.*netns.conf")' "$work/once.json")"
equal "what nobody reads of gw" null "$(jq '.readings["gw.tcp"].curr_estab' "$work/once.json")"
[ "$(jq .readings.tcp.curr_estab "$work/once.json")" -gt 0 ] || fail "nobody reads nothing"

# A daemon of some rows. An alert of the namespace, by its own name; the shipped rule is changed for all.
write_conf 'interval = 1' "$watched" 'sockets { cpu_share = 100 }' \
	'alert "conntrack-buckets" { enabled = false }' 'alert "gw.mine" { value = "gw.tcp.curr_estab" warning = 1 hold = 1 }' \
	'alert "lan.conntrack-full" { warning = 0.01 critical = 0 hold = 1 }'
start_daemon
next_rows 3
said_once '<4>connwatchd: gw.mine: [0-9]* connections'
said_once '<4>connwatchd: lan.conntrack: 0% full \([0-9]* of [0-9]* entries\)'
has_said 'gw.conntrack' && fail "an alert of another namespace was raised"
for name in conntrack tcp sockets gw.conntrack gw.tcp gw.sockets lan.conntrack lan.tcp lan.sockets; do
	[ -s "$rrd/$name.rrd" ] || fail "there is no $name.rrd"
done
in_netns "$bin/connwatch" --config="$conf" --status="$status" status >"$work/shown" || fail "status fails"
grep -q '^lan.conntrack ' "$work/shown" || fail "status does not show lan.conntrack: $(cat "$work/shown")"
in_netns "$bin/connwatch" --config="$conf" --status="$status" metrics >"$work/metrics" || fail "metrics fails"
grep -q '^connwatch_conntrack_entries{netns="gw"} 3' "$work/metrics" || fail "gw has no metric"
grep -q '^connwatch_conntrack_entries [1-9]' "$work/metrics" || fail "the own namespace has a label"
in_netns "$bin/connwatch" --config="$conf" check gw.conntrack | grep -q 'OK.*gw.conntrack' || fail "check fails"
if command -v rrdtool >/dev/null; then
	"$bin/connwatch" --config="$conf" graph gw.conntrack-table -o "$work/table.png" || fail "graph fails"
	[ -s "$work/table.png" ] || fail "there is no graph"
fi

# Away: unknown, said once for all of it, and the others go on.
absolute() {
	[ "$(value '.readings["gw.tcp"].curr_estab')" = null ]
}
ip netns del "$gw"
wait_for "gw is unknown" absolute
next_rows 2
said_once 'netns gw: cannot enter .*: No such file or directory'
equal "what is known of gw" 0 "$(value '[.readings["gw.conntrack", "gw.tcp", "gw.sockets"][] | select(. != null)] | length')"
[ "$(value '.readings["lan.conntrack"].entries')" -gt 0 ] || fail "lan is unknown too"
# Nobody holds it any more but its sockets' process: no descriptor of the daemon is of it.
for fd in /proc/"$daemon"/fd/*; do
	case $(readlink "$fd") in
	*net:\[*) [ "$(readlink "$fd")" = "$(readlink "/proc/$daemon/ns/net")" ] || fail "it holds another namespace" ;;
	esac
done

# Another one of that name: its numbers, and none of the one before.
ip netns add "$gw"
is_back() {
	[ "$(value '.readings["gw.tcp"].curr_estab')" = 0 ]
}
wait_for "gw is back" is_back
said_once 'netns gw: is there now'
next_rows 2
equal "entries of the new gw" 0 "$(value '.readings["gw.conntrack"].entries')"
equal "established sockets of the new gw" 0 "$(value '.readings["gw.sockets"].established')"

# A reload: one more, and what is watched goes on.
reloads=$(said 'configuration reloaded')
ip netns exec "$own" true
write_conf 'interval = 1' "$watched" "netns \"third\" { path = \"/run/netns/$other\" }" 'sockets { cpu_share = 100 }'
kill -HUP "$daemon"
more_reloads() {
	[ "$(said 'configuration reloaded')" -gt "$reloads" ]
}
wait_for "the reload" more_reloads
counts_third() {
	[ "$(value '.readings["third.sockets"].established')" = "$((2 * (${NEIGHBOUR:-100000} / 2)))" ]
}
wait_for "the third is counted" counts_third
equal "entries of lan after it" "$(ip netns exec "$lan" conntrack -C 2>/dev/null)" "$(value '.readings["lan.conntrack"].entries')"
said_once 'netns gw: is there now'
stop_daemon
