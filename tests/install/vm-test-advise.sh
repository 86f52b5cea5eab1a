#!/bin/bash
# SPDX-License-Identifier: MIT
# connwatch advise in a machine with a kernel of its own: what it says a table of 500,000 entries takes is what the
# kernel says, and every line that it advises reads back as it was set.
if [ ! -e /systest/guest.sh ]; then
	set -eu
	top=$(cd "$(dirname "$0")/../.." && pwd)
	work=$(mktemp -d "${TMPDIR:-/tmp}/connwatchd-advise.XXXXXX")
	trap 'rm -r "$work"' EXIT
	cc -std=gnu17 -D_GNU_SOURCE -O2 -I"$top" -o "$work/ctgen" "$top/tests/bench/ctgen.c"
	rc=0
	"$top/tests/lib/boot-installed.sh" bootvm.sh "$0" -m 600 -M 3072 -t "$work/ctgen:/systest/ctgen" || rc=$?
	exit $rc
fi
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

# advise [COMMAND...] - into /tmp/fragment; COMMAND runs it.
advise() {
	"$@" connwatch advise >/tmp/fragment || fail "advise ended with $?"
	cat /tmp/fragment
}

# now_takes - what the fragment says the entries take, in bytes.
now_takes() {
	sed -n 's/^# .* of [0-9]* entries .*, now \([0-9.]*\) \([KMG]\)iB (.*/\1 \2/p' /tmp/fragment |
		awk '{ printf "%.0f\n", $1 * 1024 ^ index("KMG", $2) }'
}

slab_bytes() {
	awk -v page="$(getconf PAGESIZE)" '$1 == "nf_conntrack" { printf "%.0f\n", $15 * $6 * page }' /proc/slabinfo
}

unreclaimable() {
	awk '$1 == "SUnreclaim:" { printf "%.0f\n", $2 * 1024 }' /proc/meminfo
}

# close WHAT ADVISED KERNEL - within a tenth.
close() {
	echo "$1: connwatch advise says $2 bytes, the kernel $3"
	[ $(($2 * 10)) -ge $(($3 * 9)) ] || fail "$1: more than a tenth too low"
	[ $(($2 * 10)) -le $(($3 * 11)) ] || fail "$1: more than a tenth too high"
	ok "$1"
}

set_conf
advise
check "without the module it says so" grep -q '^# net.netfilter.nf_conntrack_max: not there: the module' /tmp/fragment
check "nothing is to be changed" sh -c '! grep ^net /tmp/fragment'

modprobe nf_conntrack
# The tools stay out of the initial namespace. The maximum, the hash and the memory are common to all.
filled=(ip netns exec filled)
ip netns add filled
"${filled[@]}" ip link set lo up
check "tracking is switched on" "${filled[@]}" /systest/ctgen -r -n 1
sysctl -qw net.netfilter.nf_conntrack_max=524288 net.netfilter.nf_conntrack_buckets=131072
before=$(unreclaimable)
check "500000 entries" "${filled[@]}" /systest/ctgen -n 500000
count=$("${filled[@]}" cat /proc/sys/net/netfilter/nf_conntrack_count)
[ "$count" -ge 499000 ] || fail "there are $count entries"

advise "${filled[@]}"
said=$(now_takes)
close "slabinfo for $count entries, as root" "$said" "$(slab_bytes)"
close "the growth of SUnreclaim" "$said" $(($(unreclaimable) - before))
advise "${filled[@]}" setpriv --reuid=65534 --regid=65534 --clear-groups
check "which is assumed for others" grep -q '256 bytes an entry, assumed' /tmp/fragment
close "slabinfo for $count entries, as nobody" "$(now_takes)" "$(slab_bytes)"

# In the initial namespace: peaks that crowd every limit.
mkdir -p "$rrd"
now=$(date +%s)
rrdtool create "$rrd/limits.rrd" -s 1 -b $((now - 60)) DS:orphans:GAUGE:100:0:U DS:tw:GAUGE:100:0:U \
	DS:listen_queue:GAUGE:100:0:U DS:port_tuple:GAUGE:100:0:U RRA:AVERAGE:0.5:1:3600
rrdtool update "$rrd/limits.rrd" $((now - 50)):500:990:129:28000
rrdtool create "$rrd/conntrack.rrd" -s 1 -b $((now - 60)) DS:peak:GAUGE:100:0:U RRA:AVERAGE:0.5:1:3600
rrdtool update "$rrd/conntrack.rrd" $((now - 50)):500000
sysctl -qw net.ipv4.tcp_max_orphans=1000 net.ipv4.tcp_max_tw_buckets=1000 net.core.somaxconn=128
advise
expected='net.netfilter.nf_conntrack_max = 1048576
net.netfilter.nf_conntrack_buckets = 1048576
net.netfilter.nf_conntrack_tcp_timeout_established = 86400
net.ipv4.tcp_max_orphans = 4096
net.ipv4.tcp_max_tw_buckets = 2048
net.core.somaxconn = 512
net.ipv4.ip_local_port_range = 10000 65535'
equal "what is advised" "$expected" "$(grep ^net /tmp/fragment)"
check "sysctl -p takes it" sysctl -p /tmp/fragment
while IFS='=' read -r key value; do
	equal "$key reads back" "${value# }" "$(sysctl -n "${key% }" | tr '\t' ' ')"
done <<<"$expected"
check "the entries are still there" test "$("${filled[@]}" cat /proc/sys/net/netfilter/nf_conntrack_count)" -ge 499000
advise
equal "what is advised then" "" "$(grep ^net /tmp/fragment)"
