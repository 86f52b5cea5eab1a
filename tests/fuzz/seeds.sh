#!/bin/bash
# SPDX-License-Identifier: MIT
# seeds.sh FOLDER - make FOLDER/TARGET/* of what was captured, of what the daemon and rrdtool write, and of the findings of
# before (tests/fuzz/findings/TARGET/*).
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fixtures=$here/../fixtures
out=$1
number=0

# seed TARGET [PREFIX] - standard input, behind a prefix of printf(1).
seed() {
	mkdir -p "$out/$1"
	number=$((number + 1))
	{
		# shellcheck disable=SC2059 # it is a format
		printf "${2:-}"
		cat
	} >"$out/$1/$number"
}

copy_all() {
	local target=$1 file

	shift
	for file; do
		seed "$target" <"$file"
	done
}

# words NUMBER... - each as 64 bits.
words() {
	local word i

	for word; do
		for ((i = 0; i < 8; i++)); do
			# shellcheck disable=SC2059
			printf "\\x$(printf %02x $((word >> 8 * i & 255)))"
		done
	done
}

rm -rf "$out"
copy_all kmsg "$here"/seeds/kmsg/*
mapfile -t files < <(find "$fixtures" "$here/../../conf" -name '*.conf' -size -8k)
copy_all conf "${files[@]}"

for tree in linux-6.1-debian linux-6.18; do
	proc=$fixtures/$tree/proc
	seed proc '\0' <"$proc/net/netstat"
	seed proc '\1' <"$proc/net/stat/nf_conntrack"
	seed proc '\1' <"$proc/net/stat/arp_cache"
	seed proc '\2' < <(sed -n 2p "$proc/net/tcp")
	seed proc '\2' < <(sed -n 2p "$proc/net/tcp6")
	place=0
	while read -r file; do
		place=$((place + 1))
		[ ! -e "$fixtures/$tree/$file" ] || seed tree "\\$(printf %o $place)" <"$fixtures/$tree/$file"
	done < <(sed -n 's,^\t"\(proc/.*\)"\,$,\1,p' "$here/fuzz_tree.c")
done

status='{"version":"1","time":1796068800,"interval":10,"pid":42,"readings":{"conntrack":{"entries":214958,"max":262144},
"tcp":{"in_segs":null}},"errors":{"tcpext":"cannot open net/netstat"},"alerts":[{"name":"conntrack-full","instance":
"conntrack","level":"warning","worst":"critical","since":1796068700,"value":214958,"limit":262144,"percent":82.0,
"seconds_to_full":152}]}'
seed tree '\0' <<<"$status"
seed cli '\0' <<<"$status"
seed metrics 'text/plain;version=0.0.4;q=0.5,application/openmetrics-text\0' <<<"$status"
seed cli '\1' < <(printf 'time,entries,max\n1796068800,10,100\n2026-11-30T12:00:05Z,,100\n1796068811,9e1,\r\n')

# An answer of connwatch-ct.
empty='{"undercount":0,"different":0,"top":[]}'
seed summary <<<'{"entries":250000,"sample":true,"assured":1200,"unreplied":248000,"sources":{"undercount":3,
"different":null,"top":[{"name":"192.0.2.7","entries":152500,"percent":61.0}]},"destinations":'"$empty"',
"ports":{"undercount":0,"different":1,"top":[{"name":"443/tcp","entries":220000,"percent":88.0}]},
"protocols":'"$empty"',"states":'"$empty}"

# A socket of sock_diag, and the end of a dump: struct nlmsghdr, struct inet_diag_msg.
seed inet_diag < <(
	words $((88 | 20 << 32 | 2 << 48)) 0 $((2 | 10 << 8 | 0x5000 << 32))
	head -c 64 /dev/zero
	words $((20 | 3 << 32 | 2 << 48)) 0
	printf '\0\0\0\0'
)
# Of ctnetlink: CTA_TUPLE_ORIG with addresses and ports, CTA_STATUS; struct nlattr.
seed ctnetlink < <(
	printf '\64\0\1\200\24\0\1\200\10\0\1\0\177\0\0\1\10\0\2\0\177\0\0\2\34\0\2\200\5\0\1\0\6\0\0\0'
	printf '\6\0\2\0\22\64\0\0\6\0\3\0\0\120\0\0\10\0\3\0\0\0\0\10'
)

# Packets of the store: struct store_packet, and what follows it by its type.
seed store_proto < <(
	words 1 0 1 4 $((1 | 1 << 32)) 0 1 10
	printf 'a\0/r\0\0\0b\0'
)
seed store_proto < <(words 2 1 1796068800 0x4059000000000000)
seed store_proto < <(
	words 3 1 1796068800 $((0 | 6 << 32))
	printf '\0made\0'
)
seed store_proto < <(words 4 1 0 1796068800 10 0x4059000000000000)

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for step in 1 10 60; do
	rrdtool create "$work/$step.rrd" --start 1796060000 --step $step DS:entries:GAUGE:$((step * 3)):0:U \
		DS:max:GAUGE:$((step * 3)):0:U RRA:AVERAGE:0.5:1:20 RRA:MAX:0.5:6:5 RRA:AVERAGE:0.5:6:5
	for i in 1 2 3 7 8; do
		rrdtool update "$work/$step.rrd" $((1796060000 + i * step)):$i:100
	done
	for to in 0 1 2; do
		seed rrd "\\$to" <"$work/$step.rrd"
	done
done

for target in "$here"/findings/*/; do
	[ ! -d "$target" ] || copy_all "$(basename "$target")" "$target"*
done
