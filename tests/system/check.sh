#!/bin/sh
# SPDX-License-Identifier: MIT
# connwatch check over a recorded tree: its line, its exit codes (through Debian's negate too), and its
# performance data by the grammar of the plugin guidelines.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
recorded_proc
ct=$proc/sys/net/netfilter
configuration() {
	write_conf "proc = \"$proc\"" "$@"
}

# fill COUNT MAX - the conntrack table.
fill() {
	echo "$1" >"$ct/nf_conntrack_count"
	echo "$2" >"$ct/nf_conntrack_max"
}

# check CODE ARGUMENT... - one line, in $work/line, of which the data obey the grammar.
check() {
	expected=$1
	shift
	"$bin/connwatch" --config="$conf" check "$@" >"$work/line" 2>"$work/stderr"
	code=$?
	[ "$code" = "$expected" ] || {
		cat "$work/line" "$work/stderr"
		fail "check $* ended with $code, not $expected"
	}
	equal "lines of check $*" 1 "$(wc -l <"$work/line")"
	LC_ALL=C grep -q '[^ -~]' "$work/line" && fail "check $* printed a control character"
	obeys_grammar || {
		cat "$work/line"
		fail "the line of check $*"
	}
	case $code in
	3) [ -s "$work/stderr" ] || grep -q ' UNKNOWN' "$work/line" || fail "check $* gave no reason" ;;
	*) [ ! -s "$work/stderr" ] || fail "check $* complained: $(cat "$work/stderr")" ;;
	esac
}

# SERVICE STATE - text | 'label'=value[UOM];[warn];[crit];[min];[max] ..., of which an end may be left out; a
# label holds neither quotes nor '='; warn and crit are ranges.
obeys_grammar() {
	number='-?[0-9]+(\.[0-9]+)?'
	range="@?(($number|~):)?($number)?"
	datum="'[^'=|]+'=(U|$number(us|ms|s|%|B|KB|MB|GB|TB|c)?)(;($range)(;($range)(;($number)?(;($number)?)?)?)?)?"
	grep -qE "^[A-Z0-9_-]+ (OK|WARNING|CRITICAL|UNKNOWN) - [^|]+( \| $datum( $datum)*)?\$" "$work/line"
}

line_is() {
	equal "the line of check" "$1" "$(cat "$work/line")"
}

line_has() {
	grep -qE -- "$1" "$work/line" || fail "no $1 in: $(cat "$work/line")"
}

line_lacks() {
	grep -qE -- "$1" "$work/line" && fail "$1 in: $(cat "$work/line")"
}

# The levels, by the shipped rule.
configuration
fill 152043 262144
check 0 conntrack
line_is "CONNTRACK OK - 58% full (152043 of 262144 entries) | 'conntrack'=152043;209715;235929;0;262144"
fill 214958 262144
check 1 conntrack
line_is "CONNTRACK WARNING - 82% full (214958 of 262144 entries) | 'conntrack'=214958;209715;235929;0;262144"
check 1 conntrack-full
line_has '^CONNTRACK WARNING '
fill 262144 262144
check 2 conntrack
line_has '^CONNTRACK CRITICAL - 100% full '
fill 300000 262144
check 2 conntrack
line_has ' 114% full '

# Thresholds of the command line, and of the configuration.
fill 131072 262144
check 0 conntrack -w 51 -c 60
check 1 -w 50 -c 60 conntrack
line_has ";131072;157286;0;262144$"
check 2 conntrack --warning=20 --critical=50%
check 0 conntrack -w 0 -c 0
line_is "CONNTRACK OK - 50% full (131072 of 262144 entries) | 'conntrack'=131072;;;0;262144"
configuration 'alert "conntrack-full" { warning = 10  critical = 20 }'
check 2 conntrack
check 1 conntrack -c 90
configuration

# All limits: the worst one leads, nothing that is not there is missed.
fill 214958 262144
check 1
line_has '^CONNTRACK WARNING - 82% full \(214958 of 262144 entries\); [0-9]+ others OK \|'
for label in conntrack orphans time-wait tcp-memory neighbours4; do
	line_has " '$label'=[0-9]+;"
done
line_lacks "listen-drops|softnet-dropped"
sed -i 's/orphan [0-9]*/orphan 4096/' "$proc/net/sockstat"
check 2
line_has '^ORPHANS CRITICAL - 100% full \(4096 of 4096 [a-z]+\); conntrack WARNING: 82% full'
check 1 conntrack time-wait
check 2 limits
line_lacks conntrack

# No limit.
fill 5 0
check 0 conntrack
line_is "CONNTRACK OK - 5 entries, no limit | 'conntrack'=5;;;0"

# Not there: only one who asks for it is told.
rm -r "$ct"
check 3 conntrack
line_has "^CONNTRACK UNKNOWN - .*No such file or directory \| 'conntrack'=U$"
check 2
line_lacks conntrack
# There, and not to be understood: that is everybody's affair.
mkdir "$ct"
fill rubbish 262144
check 3 conntrack
check 2
line_has "; conntrack UNKNOWN: "
sed -i 's/orphan [0-9]*/orphan 0/' "$proc/net/sockstat"
check 3
line_has "^CONNTRACK UNKNOWN - "
fill 41 7680

# What cannot be asked.
for arguments in '-w 90 -c 80' '-w x' '-c 1001' '-w -1' '-w nan' '-w 80:90' '-w' '-q' '--bogus' '--warning' \
	'nothing' 'conntrack nothing' 'listen-drops'; do
	# shellcheck disable=SC2086
	check 3 $arguments
	line_has '^CONNWATCH UNKNOWN - '
	grep -q '^connwatch: check: ' "$work/stderr" || fail "check $arguments said on stderr: $(cat "$work/stderr")"
	equal "lines on stderr of check $arguments" 1 "$(wc -l <"$work/stderr")"
done
check 3 "$(printf 'a|b\nc\033[2J')"
configuration 'alert "conntrack-full" { enabled = false }'
check 3 conntrack-full
line_has 'switched off'
check 0
line_lacks "'conntrack'"
configuration 'conntrack { enabled = false }'
check 3 conntrack
configuration 'nonsense = 1'
check 3
line_has '^CONNWATCH UNKNOWN - the configuration '
grep -q "^connwatch: $conf:[0-9]*: " "$work/stderr" || fail "the fault has no place: $(cat "$work/stderr")"
conf=$work/missing.conf
check 3
conf=$work/connwatchd.conf
write_conf "proc = \"$work/nowhere\""
check 3
line_has "^CONNWATCH UNKNOWN - cannot read $work/nowhere: No such file or directory"

"$bin/connwatch" check --help >"$work/help" || fail "check --help ended with $?"
grep -q '^usage: connwatch ' "$work/help" || fail "check --help does not help"

# Without daemon, configuration and permissions, on this machine.
configuration
sed -i '/^proc/d' "$conf"
"$bin/connwatch" --config="$conf" check -w 0 -c 0 >"$work/line" 2>"$work/stderr" ||
	fail "check on this machine: $(cat "$work/line" "$work/stderr")"
obeys_grammar || fail "the line of check on this machine: $(cat "$work/line")"

# Debian's negate runs it as a plugin: OK and CRITICAL change places, the others stay; a text it does not
# take for a state's would be UNKNOWN.
negate=/usr/lib/nagios/plugins/negate
[ -x "$negate" ] || skip "negate of monitoring-plugins-common is not here; all else passed"
# negated CODE STATE ARGUMENT...
negated() {
	wanted=$1 state=$2
	shift 2
	"$negate" -s "$bin/connwatch" --config="$conf" check "$@" >"$work/line" 2>"$work/stderr"
	code=$?
	[ "$code" = "$wanted" ] || fail "negate check $* ended with $code, not $wanted: $(cat "$work/line")"
	line_has "^CONN[A-Z]+ $state - "
}
configuration
fill 41 262144
negated 2 CRITICAL conntrack
fill 214958 262144
negated 1 WARNING conntrack
fill 262144 262144
negated 0 OK conntrack
negated 3 UNKNOWN nothing
