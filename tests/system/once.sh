#!/bin/sh
# SPDX-License-Identifier: MIT
# --once over the recorded trees, and on this machine: exit codes, null for what is not there, and nothing
# written.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq

# once CODE TREE - with the recorded tree as /proc.
once() {
	write_conf "proc = \"$2\""
	"$bin/connwatchd" --config="$conf" --once --json >"$work/json" 2>"$work/stderr"
	code=$?
	[ $code = "$1" ] || {
		cat "$work/stderr"
		fail "--once over $2 ended with $code, not $1"
	}
	jq -e . "$work/json" >/dev/null || fail "--once over $2 printed no JSON"
}

# reads FILTER VALUE
reads() {
	equal "$1 of $tree" "$2" "$(jq -c "$1" "$work/json")"
}

for tree in "$fixtures"/cases/*/proc; do
	[ -e "$tree" ] || continue
	case $tree in
	*/01-*)
		once 0 "$tree"
		reads '.readings.tcp | [.curr_estab, .in_segs, .retrans_segs]' '[612,904417723,3120448]'
		;;
	*/05-*)
		once 0 "$tree"
		reads '.readings.tcp | [.active_opens, .curr_estab]' '[418822,612]'
		;;
	*/07-*)
		once 0 "$tree"
		reads '[.readings.tcp.curr_estab, .readings.limits.orphans, .readings.limits.tw]' '[612,3,211]'
		;;
	*/09-*)
		once 0 "$tree"
		reads '.readings.conntrack | [.entries, .max, .drop]' '[null,null,null]'
		reads '.readings.tcp.curr_estab' 612
		;;
	*/11-*)
		once 0 "$tree"
		reads '.readings.conntrack | [.entries, .max, .drop, .insert_failed]' '[7980,262144,null,null]'
		;;
	*/13-*)
		once 0 "$tree"
		reads '.readings.conntrack | [.drop, .invalid, .search_restart]' '[7,8000,null]'
		;;
	*/15-*)
		once 0 "$tree"
		reads '.readings.conntrack | [.entries, .max]' '[7980,0]'
		grep -qiE 'nan|inf[^o]' "$work/json" && fail "nan or inf in the JSON of $tree"
		;;
	*/17-*)
		once 0 "$tree"
		reads '.readings.tcpext | [.timeouts, .syn_retrans]' '[41022,20177]'
		;;
	esac
done
tree=$fixtures/linux-6.1-debian/proc
once 0 "$tree"
reads '.readings.conntrack | [.entries, .max, .buckets, .drop]' '[41,7680,7680,0]'
reads '.readings.limits | [.orphans_max, .tw_max, .tcp_mem_max, .neigh4_max]' \
	"[$(cat "$tree/sys/net/ipv4/tcp_max_orphans"),$(cat "$tree/sys/net/ipv4/tcp_max_tw_buckets"),$(
		cut -f3 "$tree/sys/net/ipv4/tcp_mem"),$(cat "$tree/sys/net/ipv4/neigh/default/gc_thresh3")]"
# A listener and both ends of a connection, IPv6's listener among them.
reads '.readings.sockets | [.established, .listen]' \
	"[2,$(cat "$tree/net/tcp" "$tree/net/tcp6" | grep -c ' 0A 0')]"

# A source that is there and cannot be understood is a failure, and the others are printed.
cp -a "$tree" "$work/spoilt"
chmod -R u+w "$work/spoilt"
echo rubbish >"$work/spoilt/net/netstat"
tree=$work/spoilt
once 1 "$tree"
reads '.readings.conntrack.entries' 41
reads '.errors | has("tcpext")' true

# This machine, as a table for people.
write_conf
"$bin/connwatchd" --config="$conf" --once >"$work/table" 2>"$work/stderr" ||
	fail "--once on this machine failed: $(cat "$work/stderr")"
grep -q established "$work/table" || fail "no sockets in the table"
for name in "$work/state" "$rrd" "$status"; do
	[ ! -e "$name" ] || fail "--once wrote $name"
done
