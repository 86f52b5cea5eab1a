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
	for file in meminfo slabinfo; do
		[ ! -e "$proc/$file" ] || seed proc '\3' <"$proc/$file"
	done
	seed ct_client '\2' < <(
		cat "$proc/net/stat/nf_conntrack"
		echo
	)
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
who='{"entries":250000,"sample":true,"assured":1200,"unreplied":248000,"sources":{"undercount":3,
"different":null,"top":[{"name":"192.0.2.7","entries":152500,"percent":61.0}]},"destinations":'"$empty"',
"ports":{"undercount":0,"different":1,"top":[{"name":"443/tcp","entries":220000,"percent":88.0}]},
"protocols":'"$empty"',"states":'"$empty}"
seed summary <<<"$who"
for asker in 0 1; do
	seed ct_client "\\$asker" <<<"$who"$'\n'
done
seed ct_client '\0' <<<$'error: cannot read conntrack by netlink: Operation not permitted\n'

# A socket of sock_diag, and the end of a dump: struct nlmsghdr, struct inet_diag_msg.
seed inet_diag < <(
	words $((88 | 20 << 32 | 2 << 48)) 0 $((2 | 10 << 8 | 0x5000 << 32))
	head -c 64 /dev/zero
	words $((20 | 3 << 32 | 2 << 48)) 0
	printf '\0\0\0\0'
)
# Of ctnetlink: CTA_TUPLE_ORIG with addresses and ports, CTA_STATUS; struct nlattr.
entry() {
	printf '\64\0\1\200\24\0\1\200\10\0\1\0\177\0\0\1\10\0\2\0\177\0\0\2\34\0\2\200\5\0\1\0\6\0\0\0'
	printf '\6\0\2\0\22\64\0\0\6\0\3\0\0\120\0\0\10\0\3\0\0\0\0\10'
}
seed ctnetlink < <(entry)
# The end of a dump, behind its length.
end_of_dump() {
	printf '\24\0'
	words $((20 | 3 << 32 | 2 << 48)) 0
	printf '\0\0\0\0'
}
seed ct_server 'w' < <(
	printf '\120\0'
	words $((80 | 256 << 32 | 2 << 48)) 0
	printf '\0\0\0\0'
	entry
	end_of_dump
)
# CTA_STATS_FOUND and CTA_STATS_DROP of two processors.
seed ct_server 'c' < <(
	for _ in 1 2; do
		printf '\44\0'
		words $((36 | 260 << 32 | 2 << 48)) 0
		printf '\0\0\0\0\10\0\2\0\0\0\0\7\10\0\12\0\0\0\0\1'
	done
	end_of_dump
)

# What the BPF program leaves: a struct tcp_walk with two sockets in its first lane, of the daemon's network namespace and of
# another.
seed bpf_walk '\0' < <(
	words $((64 | 64 << 32)) 0 $((7 | 1 << 32)) 2 0 0 0 0 0 0 0
	words $((1 | 2 << 8 | 443 << 16 | 0x5000 << 32)) $((7 | 1 << 32)) 0 $((2 << 32)) 0
	printf '\0\0\0\0'
	words $((1 | 10 << 8 | 443 << 16 | 0x5000 << 32)) $((1 | 1 << 32)) 0 $((2 << 32)) 0
	printf '\0\0\0\0'
)

# Requests to connwatch-metrics.
seed http < <(printf 'GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\n\r\n')
seed http < <(printf 'HEAD /metrics HTTP/1.0\r\n\r\n')
seed http < <(printf 'POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc')
seed http < <(printf 'GET /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n')

# Answers of an rrdcached: of a file that is there, of one that is not, of one that goes away meanwhile.
info='4 Info follows\nstep 1 10\nds[entries].index 1 0\nds[drop].index 1 1\nlast_update 1 1796068790\n'
last='0 1796068790\n' taken='0 errors, enqueued 1 value(s).\n'
past='8 Success\nFlushVersion: 1\nStart: 1796068770\nEnd: 1796068790\nStep: 10\nDSCount: 2\nDSName: entries drop\n'
past+='1796068780: 1.0000000000e+02 nan\n1796068790: 1.0100000000e+02 5.0000000000e-01\n'
illegal='-1 illegal attempt to update using time 1796068800.000000 when last update time is 1796068800.000000 (minimum one second step)\n'
missing="-1 RRD Error: opening '/r/a.rrd': No such file or directory\n"
printf -v text '%b' "$info$last$past$taken$illegal$last"
seed rrdcached <<<"$text"
printf -v text '%b' "${missing}0 RRD created OK\n$info$last$taken$taken"
seed rrdcached <<<"$text"
seed rrdcached < <(printf '%b' "$info$last\0$past\0$info$last$taken\0$taken$illegal")

# The record of a row: as it was kept, and in a file that had it written, had it not, or is another's.
for state in 0 1 3 5; do
	seed rrdundo "\\$state" </dev/null
done

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
	for asker in 0 1; do
		seed rrdtool "\\$asker" < <(
			rrdtool info "$work/$step.rrd"
			printf '\0'
			rrdtool fetch "$work/$step.rrd" AVERAGE -s 1796060000 -e $((1796060000 + 10 * step))
		)
	done
done

for target in "$here"/findings/*/; do
	[ ! -d "$target" ] || copy_all "$(basename "$target")" "$target"*
done
