#!/bin/sh
# SPDX-License-Identifier: MIT
# Exit codes, FILE:LINE of each problem, nothing created for a bad file, and --test -v read back.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"

# run CODE OPTION... - output in $work/out; the exit code has to be CODE.
run() {
	expected=$1
	shift
	"$bin/connwatchd" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
	code=$?
	[ $code = "$expected" ] || {
		cat "$work/stdout" "$work/stderr"
		fail "exit code $code, not $expected, of: $*"
	}
}

# problem PATTERN - a line on stderr.
problem() {
	grep -qE -- "$1" "$work/stderr" || {
		cat "$work/stderr"
		fail "no problem was reported as: $1"
	}
}

# bad FILE LINE PATTERN [NAME] - refused by --test with 1 and at start with 78; NAME is the file blamed.
bad() {
	run 1 --test --config="$1"
	problem "^$(printf '%s' "${4:-$1}" | sed 's/[.]/\\./g'):$2: .*$3"
	run 78 --config="$1"
	problem "${4:-$1}:$2: "
}

run 0 --help
run 0 --version
grep -qE '^connwatchd [0-9]' "$work/stdout" || fail "--version said: $(cat "$work/stdout")"
run 2 --nonsense
equal "lines for an unknown option" 1 "$(grep -ci usage "$work/stderr")"
run 2 surplus

run 1 --test --config="$work/missing.conf"
problem 'missing\.conf.*No such file'
run 78 --config="$work/missing.conf"

write_conf 'intervall = 5' 'interval = 0'
bad "$conf" 9 intervall
run 1 --test --config="$conf"
problem ':10: .*interval.*0.*1\.\.3600'

cases=$fixtures/cases
bad "$cases/35-interval-zero/zero.conf" 1 'interval.*0.*1\.\.3600'
bad "$cases/35-interval-zero/negative.conf" 2 'interval.*-5.*1\.\.3600'
bad "$cases/39-section-twice/misspelt.conf" 1 intervall
bad "$cases/39-section-twice/misspelt-section.conf" 1 allert
bad "$cases/39-section-twice/twice.conf" '[1-6]' 'conntrack-full'
bad "$cases/41-include-loop/missing.conf" 1 'nowhere\.conf'
run 1 --test --config="$cases/41-include-loop/a.conf"
problem '[ab]\.conf:1: '
for name in "$work/state" "$rrd" "$work/run/status.json"; do
	[ ! -e "$name" ] || fail "$name was created for a bad configuration"
done

printf 'rrd {\n\tdirectory = "/nowhere"\n' >"$conf"
bad "$conf" '[0-9]+' ''
printf 'interval = 20 /* never closed\n' >"$conf"
bad "$conf" '[0-9]+' ''
printf 'conntrack { enabled = maybe }\n' >"$conf"
bad "$conf" 1 'maybe'
printf 'alert "x" {\n\tvalue = "conntrack.entrys"\n\twarning = 5\n}\n' >"$conf"
bad "$conf" '[12]' 'conntrack\.entrys'
printf 'socket_group "Not Good" { local_ports = { 80 } }\n' >"$conf"
bad "$conf" 1 'Not Good'
printf 'socket_group "a" { local_ports = { 80, 65536 } }\n' >"$conf"
bad "$conf" 1 '65536'

# No text at all: what is wrong, and not once for each byte.
{
	printf 'interval = 20\n\037\213\010\000'
	head -c 300 /dev/zero | tr '\0' '\001'
} >"$conf"
run 1 --test --config="$conf"
problem ':2: .*no text file'
[ "$(wc -l <"$work/stderr")" -le 3 ] || fail "$(wc -l <"$work/stderr") problems in a line"

# One that root can read, and the daemon cannot.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	: >"$conf"
	chmod 600 "$conf"
	chmod 755 "$work"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$bin/connwatchd" --test --config="$conf" 2>"$work/stderr" &&
		fail "a file that may not be read was taken"
	problem 'Permission denied; let all, or the group connwatchd, read it'
	chmod 644 "$conf"
fi

run 0 --test --config="$cases/43-crlf/crlf.conf"
run 0 --test --verbose --config="$cases/43-crlf/crlf.conf"
grep -qE '^interval *= *20$' "$work/stdout" || fail "CR LF: interval is not 20"
grep -q "$(printf '\r')" "$work/stdout" && fail "CR LF: a CR is left over"

: >"$conf"
run 0 --test --config="$conf"
equal "output of --test for a good file" "" "$(cat "$work/stdout" "$work/stderr")"

# What -v prints is a configuration that says the same again.
write_conf 'interval = 20' 'watch_interval = 0' 'sockets { source = netlink  cpu_share = 5 }' \
	'tcpext { enabled = false }' \
	'socket_group "web" { local_ports = { 443, 80 }  networks = { "10.0.0.0/8", "2001:db8::/32" } }' \
	'alert "conntrack-full" { warning = 70.5  remind = "2h" }' \
	'alert "mine" { value = "tcp.passive_opens"  warning = 1000  critical = 2000  over = "60s" }'
run 0 --test --verbose --config="$conf"
cp "$work/stdout" "$work/printed.conf"
grep -qE 'warning *= *70\.5$' "$work/printed.conf" || fail "a changed rule is not in what -v prints"
run 0 --test --verbose --config="$work/printed.conf"
equal "--test -v of what --test -v printed" "$(cat "$work/printed.conf")" "$(cat "$work/stdout")"
