#!/bin/bash
# SPDX-License-Identifier: MIT
# The installed drop-in for other network namespaces: the daemon's user watches one with CAP_SYS_ADMIN alone, which the store
# does not have; without the drop-in it is named, and everything else goes on.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0" -t "$1/sockgen:/systest/sockgen"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

make_gw() {
	ip netns add gw
	ip -n gw link set lo up
}
is_known() {
	[ "$(jq -r '.readings["gw.tcp"].curr_estab' "$status")" = "$1" ]
}
entries_are() {
	[ "$(jq -r '.readings["gw.conntrack"].entries' "$status")" = "$1" ]
}
sockets_are() {
	[ "$(jq -r '.readings["gw.sockets"].established' "$status")" = "$1" ]
}
says() {
	said | jq -r .MESSAGE | grep -q "$1"
}

# Without the drop-in.
make_gw
set_conf 'netns "gw" { path = "/run/netns/gw" }' 'sockets { cpu_share = 100 }'
start_installed
wait_for "rows" has_row tcp
wait_for "the drop-in is named" says '^netns gw: cannot enter /run/netns/gw: it takes CAP_SYS_ADMIN, see the drop-in netns.conf'
equal "what is known of gw" null "$(jq -c '.readings["gw.tcp"].curr_estab' "$status")"
check "what is its own is known" jq -e '.readings.tcp.curr_estab != null' "$status"
equal "its capabilities" 0000000000000000 "$(awk '/^CapEff/ { print $2 }' "/proc/$(property MainPID)/status")"

# With it.
mkdir -p "$dropins"
ln -s /usr/share/connwatchd/netns.conf "$dropins/"
systemctl daemon-reload
check "it starts with the drop-in" systemctl restart "$unit"
wait_for "gw is known" is_known 0
loop=$(property MainPID)
store=$(pgrep -P "$loop")
equal "user" connwatchd "$(stat -c %U "/proc/$loop")"
# 1 << 21
equal "capabilities of the loop" 0000000000200000 "$(awk '/^Cap(Prm|Eff|Bnd|Amb)/ { print $2 }' "/proc/$loop/status" | sort -u)"
# What is inheritable is of use only to a file that has capabilities.
equal "capabilities of the store" 0000000000000000 "$(awk '/^Cap(Prm|Eff|Amb)/ { print $2 }' "/proc/$store/status" | sort -u)"
equal "no new privileges, system calls filtered" "1 2" \
	"$(awk '/^(NoNewPrivs|Seccomp):/ { printf "%s%s", n++ ? " " : "", $2 }' "/proc/$loop/status")"
check "exposure with it" systemd-analyze security --no-pager --threshold=25 "$unit"
tail -f /dev/null | ip netns exec gw /systest/sockgen -e 30 >/tmp/sockgen &
wait_for "sockets in there" grep -q ^ready /tmp/sockgen
wait_for "they are counted" sockets_are 60
check "and they are not its own" jq -e '.readings.sockets.established < 60' "$status"
ip netns exec gw nft add table inet test
ip netns exec gw nft add chain inet test input '{ type filter hook input priority 0; }'
ip netns exec gw nft add rule inet test input ct state new counter
# shellcheck disable=SC2016 # of that shell
ip netns exec gw bash -c 'for ((port = 20001; port <= 20040; port++)); do echo x >"/dev/udp/127.0.0.1/$port"; done' 2>/dev/null
wait_for "its table is known" entries_are "$(ip netns exec gw cat /proc/sys/net/netfilter/nf_conntrack_count)"
check "with something in it" jq -e '.readings["gw.conntrack"].entries >= 40' "$status"
check "the history" test -s "$rrd/gw.conntrack.rrd"

# Made before or after the daemon: its mounts follow those of the machine.
ip netns del gw
wait_for "gw is gone" is_known null
make_gw
wait_for "another gw" is_known 0
wait_for "without the table of the one before" entries_are 0
check "a reload" systemctl reload "$unit"
new_rows "rows after it"
check "gw is known after it" is_known 0
