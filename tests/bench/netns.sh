#!/bin/sh
# SPDX-License-Identifier: MIT
# Two small network namespaces with different tables beside a neighbour of a million sockets: whether they are told apart,
# and what one reading of the daemon's own and both costs, by netlink and by one walk of the BPF program (5 runs of each in
# turn, medians), against ss in the same namespaces.
#   [NEIGHBOUR=1000000] [RUNS=5] netns.sh BINDIR [BUILDDIR]
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
# shellcheck source=../lib/bench.sh
. "$top/tests/lib/bench.sh"
need jq ss
[ -x /usr/bin/time ] || skip "needs /usr/bin/time"
load_bpf --netns
mkdir -p /run/netns
make_netns
own=$netns
trap 'for name in gw lan other; do ip netns del "$own-$name" 2>/dev/null; done; cleanup' EXIT
sockgen=$(tool sockgen) || fail "there is no sockgen"
neighbour=${NEIGHBOUR:-1000000}

# held NAME PAIRS - a namespace of so many established pairs.
held() {
	ip netns add "$own-$1"
	ip -n "$own-$1" link set lo up
	netns=$own-$1
	spawn_held "$sockgen" -e "$2" >"$work/$1.made" 2>&1
	wait_made "$work/$1.made"
	netns=$own
}
held gw 111
held lan 2222
held other $((neighbour / 2))

by_ss() {
	for name in "$own" "$own-gw" "$own-lan"; do
		ip netns exec "$name" ss -Htan state established | wc -l
	done | xargs
}

# run NAME COMMAND... - appends what it took in CPU seconds to NAME.
run() {
	name=$1
	shift
	in_netns /usr/bin/time -a -o "$work/$name" -f '%U %S' "$@" >"$work/$name.out" 2>"$work/$name.err" || fail "$name: $(cat "$work/$name.err")"
}

cpu() {
	awk '{ print ($1 + $2) * 1000 }' "$work/$1" >"$work/cpu"
	median "$work/cpu"
}

for source in netlink bpf; do
	write_conf "sockets { source = $source cpu_share = 100 }" "netns \"gw\" { path = \"/run/netns/$own-gw\" }" \
		"netns \"lan\" { path = \"/run/netns/$own-lan\" }"
	cp "$conf" "$work/$source.conf"
done
for _ in $(seq "${RUNS:-5}"); do
	for source in netlink bpf; do
		run $source "$bin/connwatchd" --config="$work/$source.conf" --once --json
		equal "sockets by $source, own, gw and lan" "$(by_ss)" \
			"$(jq -r '[.readings | .sockets, .["gw.sockets"], .["lan.sockets"] | .established] | join(" ")' "$work/$source.out")"
		equal "the source" $source "$(jq -r .sockets.source "$work/$source.out")"
	done
	# shellcheck disable=SC2016 # of that shell
	run ss sh -c 'for name; do ip netns exec "$name" ss -Htan state established; done | wc -l' sh "$own" "$own-gw" "$own-lan"
done

echo "| neighbour's sockets | established: own, gw, lan | netlink, CPU ms | BPF, one walk, CPU ms | ss, CPU ms |"
echo "|---:|---:|---:|---:|---:|"
echo "| $neighbour | $(by_ss) | $(cpu netlink) | $(cpu bpf) | $(cpu ss) |"
verdicts
verdict "CPU of one walk against listing three namespaces by netlink" "$(ratio "$(cpu bpf)" "$(cpu netlink)")" 1
exit "$missed"
