#!/bin/sh
# SPDX-License-Identifier: MIT
# connwatch status: over what the daemon wrote, over what it may never have written, and without it.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq
recorded_proc
echo 214958 >"$proc/sys/net/netfilter/nf_conntrack_count"
echo 262144 >"$proc/sys/net/netfilter/nf_conntrack_max"
write_conf "proc = \"$proc\""
mkdir -p "$work/state"
json=$work/state/status.json

# status CODE ARGUMENT... - into $work/out.
status() {
	expected=$1
	shift
	"$bin/connwatch" --config="$conf" status "$@" >"$work/out" 2>"$work/stderr"
	code=$?
	[ "$code" = "$expected" ] || {
		cat "$work/out" "$work/stderr"
		fail "status $* ended with $code, not $expected"
	}
}

out_has() {
	grep -qE -- "$1" "$work/out" || {
		cat "$work/out"
		fail "status does not show $1"
	}
}

says() {
	grep -qE -- "^connwatch: $1" "$work/stderr" || fail "not $1 but: $(cat "$work/stderr")"
	equal "lines on stderr" 1 "$(wc -l <"$work/stderr")"
}

# harmless - nothing that steers a terminal.
harmless() {
	LC_ALL=C grep -q '[^ -~]' "$work/out" && fail "status printed a control character: $(cat -v "$work/out")"
	LC_ALL=C grep -q '[^ -~]' "$work/stderr" && fail "status complained with a control character"
}

# change FILTER - of what the daemon would write here.
change() {
	"$bin/connwatchd" --config="$conf" --once --json >"$work/once.json" 2>/dev/null
	jq "$1" "$work/once.json" >"$json"
}

# Not there.
status 3
says "$json is missing: connwatchd is not running"
status 3 --json
[ ! -s "$work/out" ] || fail "printed something all the same"

# All quiet: every limit, and no alert.
change .
status 0
out_has '^conntrack +\[#+\.+\] +82%  214958 of 262144 entries$'
for name in listen-queue orphans time-wait tcp-memory neighbours4; do
	out_has "^$name +\[[#.]+\] +([0-9]+%|-)  "
done
out_has '^no open alert$'
[ ! -s "$work/stderr" ] || fail "status complained: $(cat "$work/stderr")"
awk 'length > 80 { exit 1 }' "$work/out" || fail "a line of more than 80 columns"
grep -q 'listen-drops' "$work/out" && fail "a rule without a limit among the limits"
harmless

# --json is the file, byte for byte; elsewhere by --status=, before the command and after it.
status 0 --json
cmp "$json" "$work/out" || fail "--json changes the file"
mv "$json" "$work/elsewhere.json"
status 0 --json --status="$work/elsewhere.json"
cmp "$work/elsewhere.json" "$work/out" || fail "--status= after the command"
"$bin/connwatch" --status="$work/elsewhere.json" --config="$conf" status --json | cmp "$work/elsewhere.json" - ||
	fail "--status= before the command"

# No limit, and unknown.
change '.readings.conntrack.max = 0 | .readings.limits.orphans = null'
status 0
out_has '^conntrack +\[\.+\] +-  214958 entries, no limit$'
out_has '^orphans +\[\.+\] +-  unknown of '

# Open alerts, with their trend, and what cannot be read.
change '.alerts = [
	{ name: "conntrack-full", level: "warning", since: (now - 100 | floor), value: 214958, limit: 262144, percent: 82.0,
	  seconds_to_full: 152 },
	{ name: "listen-drops", level: "critical", since: (now - 3600 | floor), value: 7.5, limit: null, percent: null,
	  seconds_to_full: null },
	{ name: "tcpext-unreadable", level: "warning", since: (now | floor), value: null, limit: null, percent: null,
	  seconds_to_full: null } ]
	| .errors = { tcpext: "cannot open net/netstat: Permission denied" }'
status 0
out_has '^3 open alerts$'
out_has '^warning since [0-9-]+ [0-9:]+ UTC, for 1 min 4[0-9] s$'
out_has '^  conntrack: 82% full \(214958 of 262144 entries\), full in about 2 min 32 s$'
out_has '^  .*net.core.somaxconn'
out_has '^ +full in about 2 min 32 s$'
out_has '^critical since .*, for 1 h'
out_has '7\.5 .*/s over the last 1 min \(critical from 5\)$'
out_has '^  tcpext: cannot be read: cannot open net/netstat: Permission denied$'
out_has '^  tcpext: cannot open net/netstat: Permission denied$'

# Quiet limits have a trend where the daemon tells one.
change '.trends = { "conntrack-full": { growth: 310.4, seconds_to_full: 600 } }'
status 0
out_has '^ +growing 310/s, full in about 10 min$'

# Old, or from the future: what it says is shown, but not as what is so.
change '.time = (now - 400 | floor)'
status 3
says "$json is 6 min [0-9]+ s old, though it is written every "
out_has ', read 6 min [0-9]+ s ago,'
status 3 --json
cmp "$json" "$work/out" || fail "--json of an old file"
change '.time = (now + 4000 | floor)'
status 3
says "$json is stamped 1 h .* ahead"

# Damaged or hostile.
: >"$json"
status 3
says "$json is damaged: "
change .
head -c 100 "$json" >"$work/cut" && mv "$work/cut" "$json"
status 3
says "$json is damaged: line "
status 3 --json
[ ! -s "$work/out" ] || fail "printed a damaged file"
for filter in '[]' 'del(.time)' '.time = "now"' '.time = 1e300' '.interval = 0' '.interval = "10"' '.readings = 1' \
	'.alerts = {}' '.alerts = [1]' '.alerts = [{ name: 1, level: "warning" }]' \
	'.alerts = [{ name: "a", level: "loud" }]' '.errors = []' '.errors = { a: [] }'; do
	change "$filter"
	status 3
	says "$json is damaged: "
done
head -c 3000 /dev/zero | tr '\0' '[' >"$json"
status 3
says "$json is damaged: "
change '.readings.conntrack = { entries: 1e300, max: -5 } | .readings.limits.tw = "many" | .readings.limits.orphans = 1e19'
status 0
out_has '^conntrack +\[\.+\] +-  unknown$'
out_has '^time-wait +\[\.+\] +-  unknown of '
change '.version = "\u001b[2J" | .errors = { "a\nb": "\u001b]0;owned\u0007\u009b2J", "c": ("long " * 10000) }
	| .readings = {} | .trends = [7]
	| .alerts = [{ name: "\u001b[31mred\u202e", level: "critical", since: -1, value: "x", percent: [] },
		{ name: "conntrack-full", level: "warning", since: 1e300, value: 1e300, limit: {}, percent: 1e18 },
		{ name: "-unreadable", level: "warning" }, { name: "", level: "warning" }]'
status 0
harmless
out_has 'a\?b: \?\]0;owned'
[ "$(wc -c <"$work/out")" -lt 4000 ] || fail "a long text is not cut"
status 3 --status="$work"
says "$work cannot be read: Is a directory"
status 3 --status=/dev/zero
says "/dev/zero cannot be read: File too large"

# The command line.
for arguments in --bogus -x extra --json=1 --status; do
	status 2 "$arguments"
	says 'status: .*; see connwatch status --help'
done
"$bin/connwatch" bogus 2>"$work/stderr"
equal "exit code of an unknown command" 2 $?
says 'there is no command bogus'
"$bin/connwatch" --bogus status 2>"$work/stderr"
equal "exit code of an unknown option" 2 $?
"$bin/connwatch" 2>"$work/stderr"
equal "exit code without a command" 2 $?
"$bin/connwatch" --version | grep -q '^connwatch [0-9]' || fail "--version"
for name in check status; do
	"$bin/connwatch" --help | grep -q "^  $name " || fail "--help does not name $name"
	"$bin/connwatch" "$name" --help | grep -q "^usage: connwatch .*$name" || fail "$name --help"
done
change .
if [ -w /dev/full ]; then
	"$bin/connwatch" --config="$conf" status >/dev/full 2>"$work/stderr" && fail "a full disk was taken for success"
	says 'cannot write the output: '
fi

# Configurations: faulty ones named, and none.
printf 'nonsense = 1\n' >"$work/bad.conf"
"$bin/connwatch" --config="$work/bad.conf" status >"$work/out" 2>"$work/stderr"
equal "exit code with a faulty configuration" 3 $?
grep -q "^connwatch: $work/bad.conf:1: " "$work/stderr" || fail "the fault has no place: $(cat "$work/stderr")"

# Colour and blocks are for terminals that have them.
locale -a 2>/dev/null | grep -qi '^C.utf-\?8$' && {
	LC_ALL=C.UTF-8 "$bin/connwatch" --config="$conf" status >"$work/out"
	out_has "$(printf '\342\226\210')"
	grep -q "$(printf '\033')" "$work/out" && fail "colour without a terminal"
}
if command -v script >/dev/null; then
	TERM=xterm script -qec "$bin/connwatch --config=$conf status" /dev/null >"$work/out" </dev/null
	out_has "$(printf '\033')\[33m"
	TERM=xterm NO_COLOR=1 script -qec "$bin/connwatch --config=$conf status" /dev/null >"$work/out" </dev/null
	grep -q "$(printf '\033')" "$work/out" && fail "colour in spite of NO_COLOR"
fi

# What a running daemon writes.
write_conf "proc = \"$proc\"" "interval = 5"
rm -f "$json"
start_daemon
next_rows 2
"$bin/connwatch" --config="$conf" status --status="$work/run/status.json" >"$work/out" ||
	fail "status beside the daemon ended with $?"
out_has '^conntrack +\[#+\.+\] +82%  214958 of 262144 entries$'
out_has '^1 open alert$'
out_has '^  conntrack: 82% full \(214958 of 262144 entries\)'
stop_daemon
