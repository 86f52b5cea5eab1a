#!/bin/sh
# SPDX-License-Identifier: MIT
# connwatch advise on this machine's kernel: the figures are those of /proc and sysctl at the same moment, as root,
# as somebody else, with and without a history; and its fragment is what sysctl -p sets, in a namespace of its own.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need sysctl rrdtool nft setpriv
make_netns
write_conf

# The folder is the test's own, and so are the programs where a stranger can enter them.
chmod 755 "$work"
cp "$bin/connwatch" "$work/connwatch"

# advise [COMMAND...] - into $work/fragment; COMMAND runs it.
advise() {
	in_netns "$@" "$work/connwatch" --config="$conf" advise >"$work/fragment" 2>"$work/stderr" ||
		fail "advise ended with $?: $(cat "$work/stderr")"
	[ ! -s "$work/stderr" ] || fail "advise complained: $(cat "$work/stderr")"
	LC_ALL=C grep -q '[^ -~]' "$work/fragment" && fail "advise printed a control character"
	grep -vE '^#|^$|^net\.[a-z0-9_.]+ = [0-9]+( [0-9]+)?$' "$work/fragment" && fail "a line that is none of sysctl.d"
	return 0
}

# has KEY [VALUE] - the line of KEY, changed or not, has VALUE or what sysctl says.
has() {
	value=${2:-$(in_netns sysctl -n "$1" 2>/dev/null | tr '\t' ' ')}
	[ -n "$value" ] || {
		grep -q "^# $1: " "$work/fragment" || fail "$1 is not there, and that is not said"
		return
	}
	equal "$1" "$value" "$(sed -n "s/^\(# \)\{0,1\}$1 = //p" "$work/fragment")"
	# A comment that says why and what it costs stands above.
	grep -B 1 -E "^(# )?$1 = " "$work/fragment" | head -n 1 | grep -qE '^# .*(takes|costs|memory)' ||
		fail "$1 has no comment"
}

has_all() {
	for key in netfilter.nf_conntrack_max netfilter.nf_conntrack_buckets netfilter.nf_conntrack_tcp_timeout_established \
		netfilter.nf_conntrack_tcp_loose ipv4.tcp_max_orphans ipv4.tcp_max_tw_buckets core.somaxconn \
		ipv4.ip_local_port_range; do
		has "net.$key"
	done
}

says() {
	grep -qE -- "$1" "$work/fragment" || {
		cat "$work/fragment"
		fail "not said: $1"
	}
}

# Nothing is recorded and no daemon runs. The namespace has its table once a rule asks for it.
in_netns nft -f - <<'RULES'
table inet test {
	chain input {
		type filter hook input priority 0
		ct state new counter
	}
}
RULES
advise
has_all
says "^# Memory: .* available"
says "Not all peaks are known: cannot read $rrd/conntrack.rrd: No such file or directory"
says 'This is not the initial network namespace'
max=$(in_netns cat /proc/sys/net/netfilter/nf_conntrack_max)
count=$(in_netns cat /proc/sys/net/netfilter/nf_conntrack_count)
says "^# now $count of $max entries"
grep -q '^net' "$work/fragment" && fail "a quiet namespace is advised to change something"

# The size of an entry is the kernel's where it shows it.
size=$(awk '$1 == "nf_conntrack" { printf "%.0f", $6 * 4096 / $5 }' /proc/slabinfo 2>/dev/null)
[ -z "$size" ] || [ "$(getconf PAGESIZE)" != 4096 ] || says "\($size bytes an entry\)"
advise setpriv --reuid=65534 --regid=65534 --clear-groups
has_all
says '\(256 bytes an entry, assumed'

# A history: what has been crowded is raised, the table itself in the initial namespace alone.
mkdir -p "$rrd"
now=$(date +%s)
record() {
	file=$rrd/$1.rrd
	columns=$2
	shift 2
	# shellcheck disable=SC2046,SC2086 # a word for each
	rrdtool create "$file" -s 1 -b $((now - 100)) $(printf 'DS:%s:GAUGE:200:0:U ' $columns) RRA:AVERAGE:0.5:1:60 \
		RRA:MAX:0.5:5:1000
	for row; do
		rrdtool update "$file" "$row"
	done
}
old=$(in_netns sysctl -n net.netfilter.nf_conntrack_tcp_timeout_established)
in_netns sysctl -qw net.core.somaxconn=100 net.ipv4.tcp_max_tw_buckets=2000
record conntrack 'entries peak' $((now - 90)):5:$((max - 1)) $((now - 89)):5:9 $((now - 1)):5:9
record limits 'orphans tw listen_queue port_tuple' $((now - 90)):0:0:0:0 $((now - 89)):0:1:1:1 $((now - 10)):0:1999:101:28000
advise
has net.ipv4.tcp_max_tw_buckets 4096
has net.core.somaxconn 256
[ "$old" -le 86400 ] || has net.netfilter.nf_conntrack_tcp_timeout_established 86400
says "^# peak $((max - 1)) of $max entries \(100%\) in 1 min .* s, now [0-9]+"
says '^# peak 1999 of 2000 TIME-WAIT sockets \(100%\)'
says 'to be set in the initial network namespace'
grep -q '^net.netfilter.nf_conntrack_max' "$work/fragment" && fail "advises what cannot be set"

# The fragment as sysctl sets it reads back equal, and nothing more is advised for the same peaks.
grep -c '^net' "$work/fragment" >"$work/changes"
in_netns sysctl -p "$work/fragment" >"$work/set" || fail "sysctl -p refused: $(cat "$work/set")"
grep '^net' "$work/fragment" | while IFS='=' read -r key value; do
	equal "$key after sysctl -p" "${value# }" "$(in_netns sysctl -n "${key% }" | tr '\t' ' ')"
done || exit 1
[ "$(cat "$work/changes")" -ge 3 ] || fail "only $(cat "$work/changes") changes"
advise
grep '^net' "$work/fragment" && fail "advises more after its advice was followed"

# status.json tells of a peak too; one that is damaged does no harm. No rrdtool, no history, no failure.
rm -r "$rrd"
in_netns sysctl -qw net.core.somaxconn=100
cat >"$work/status.json" <<JSON
{ "version": "1", "time": $now, "interval": 10, "pid": 1, "errors": {}, "alerts": [],
  "readings": { "limits": { "listen_queue": 90 } } }
JSON
in_netns "$work/connwatch" --config="$conf" --status="$work/status.json" advise >"$work/fragment" || fail "with status.json"
says '^# peak 90 of 100 connections waiting'
has net.core.somaxconn 256
echo '{' >"$work/status.json"
in_netns "$work/connwatch" --config="$conf" --status="$work/status.json" advise >/dev/null || fail "with a damaged status.json"
mkdir -p "$rrd"
echo RRD >"$rrd/conntrack.rrd"
in_netns /usr/bin/env PATH="$work" "$work/connwatch" --config="$conf" advise >"$work/fragment" ||
	fail "without rrdtool"
says 'conntrack.rrd: install the package rrdtool'
in_netns "$work/connwatch" --config="$conf" advise >"$work/fragment" 2>/dev/null || fail "with a damaged RRD"
says 'conntrack.rrd: rrdtool failed'
rm -r "$rrd"

# A recorded tree, and one without the module.
write_conf "proc = \"$fixtures/linux-6.1-debian/proc\""
advise
says '^# now 41 of 7680 entries'
write_conf "proc = \"$fixtures/cases/09-conntrack-absent/proc\""
advise
says '^# net.netfilter.nf_conntrack_max: not there: the module'
"$work/connwatch" advise more >/dev/null 2>&1
equal "an argument too many" 2 $?
"$work/connwatch" advise --help | grep -q 'sysctl.d' || fail "--help"
exit 0
