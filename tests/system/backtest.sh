#!/bin/sh
# SPDX-License-Identifier: MIT
# The backtests: what connwatch backtest says of generated pasts of a table (tests/backtest, a CSV each), and of an RRD.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need rrdtool
evaluate=$(tool evaluate) || fail "there is no evaluate"
write_conf

# told KIND [SEED] - run the rules over one past.
told() {
	"$evaluate" -c "$1" "${2:-1}" >"$work/$1.csv"
	"$bin/connwatch" --config="$conf" backtest "$work/$1.csv" >"$work/said" || fail "backtest ($1) ended with an error"
	grep -vE '^20[0-9-]+T[0-9:]+Z (ok|warning|critical|reminder) conntrack-full conntrack: ' "$work/said" &&
		fail "($1): these lines are not as in the contract"
	kind=$1
}
# said LEVEL "OPERATOR N" - how often it was said, as [ compares numbers.
said() {
	times=$(awk -v level="$1" '$2 == level' "$work/said" | wc -l)
	test "$times" "${2% *}" "${2#* }" || {
		cat "$work/said"
		fail "($kind): $1 was said $times times, not $2"
	}
}
seconds() {
	date -u -d "$1" +%s
}
# first LEVEL - UNIX seconds of the first message of that level.
first() {
	seconds "$(awk -v level="$1" '$2 == level { print $1; exit }' "$work/said")"
}
# used PERCENT - UNIX seconds when so much was used first.
used() {
	awk -F, -v p="$1" 'NR > 1 && $2 != "" && $2 * 100 >= p * $3 { print $1; exit }' "$work/$kind.csv"
}

for seed in 1 2 3; do
	told a $seed
	said warning '-ge 1'
	[ "$(first warning)" -le $(($(used 99.9) - 1200)) ] || fail "(a) was not warned of 20 minutes before full"
	told b $seed
	[ "$(first critical)" -le $(($(used 90) + 3)) ] || fail "(b) was critical too late"
	told c $seed
	[ ! -s "$work/said" ] || fail "(c) a day that breathes is news: $(head -1 "$work/said")"
	told d $seed
	[ "$(wc -l <"$work/said")" -le 2 ] || fail "(d) is more than 2 messages"
	told e $seed
	said warning '-eq 1'
	said reminder '-ge 3'
	said critical '-eq 0'
	said ok '-eq 0'
	grep 'full in about' "$work/said" && fail "(e) there is a forecast"
	told f $seed
	said critical '-eq 1'
	grep -qE ' critical .*: 1[0-9][0-9]% full' "$work/said" || fail "(f) is not over 100%"
	told g $seed
	[ ! -s "$work/said" ] || fail "(g) no limit, and yet: $(head -1 "$work/said")"
	told h $seed
	said critical '-eq 1'
	said ok '-eq 1'
	told i $seed
	said warning '-eq 1'
	said ok '-eq 0'
	told j $seed
	said warning '-le 1'
	said critical '-eq 0'
	told k $seed
	said critical '-eq 0'
done

# A recorded RRD: the daemon's own, of a recorded table that is filled.
recorded_proc
echo 10000 >"$proc/sys/net/netfilter/nf_conntrack_max"
echo 100 >"$proc/sys/net/netfilter/nf_conntrack_count"
write_conf 'interval = 1' "proc = \"$proc\""
start_daemon
next_rows 3
echo 9500 >"$proc/sys/net/netfilter/nf_conntrack_count"
next_rows 6
stop_daemon
"$bin/connwatch" --config="$conf" backtest "$rrd/conntrack.rrd" >"$work/said" || fail "an RRD cannot be tested"
kind=rrd
said critical '-eq 1'
grep -q 'conntrack: 95% full (9500 of 10000 entries)' "$work/said" || fail "of the RRD it says: $(cat "$work/said")"

# What is wrong with a file is said with its line.
wrong() {
	printf '%b' "$1" >"$work/wrong.csv"
	"$bin/connwatch" --config="$conf" backtest "$work/wrong.csv" >/dev/null 2>"$work/error" && fail "accepted: $1"
	grep -qE "$2" "$work/error" || fail "of '$1' it says: $(cat "$work/error")"
}
wrong 'time,max\n1,2\n' 'wrong.csv:1: the header must be time,entries,max'
wrong 'time,entries,max\n1,2,3\n1,x,3\n' 'wrong.csv:3: not TIME,ENTRIES,MAX: "1,x,3"'
wrong 'time,entries,max\n5,2,3\n4,2,3\n' 'wrong.csv:3: the time is before'
wrong '' 'is empty'
printf 'time,entries,max\r\n2026-11-30T12:00:00Z,95,100\r\n2026-11-30T12:00:01Z,95,100\r\n' >"$work/crlf.csv"
"$bin/connwatch" --config="$conf" backtest "$work/crlf.csv" >"$work/said"
grep -q '^2026-11-30T12:00:01Z critical conntrack-full ' "$work/said" || fail "CR LF and ISO 8601: $(cat "$work/said")"
exit 0
