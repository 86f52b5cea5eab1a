#!/bin/sh
# SPDX-License-Identifier: MIT
# The bash completion knows every command, their options and the limits of the configuration.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need bash
write_conf 'alert "mine" {' 'value = "sockets.established"' 'limit = "conntrack.max"' '}'

# completes WANTED WORD... - the last word is the one under the cursor; WANTED is among the answers.
completes() {
	wanted=$1
	shift
	PATH=$bin:$PATH bash -c '
		. "$0/cli/connwatch.bash-completion"
		COMP_WORDS=(connwatch "$@") COMP_CWORD=$#
		_connwatch
		printf "%s\n" "${COMPREPLY[@]}"
	' "$top" "$@" >"$work/answers" 2>"$work/stderr"
	[ ! -s "$work/stderr" ] || fail "completing $*: $(cat "$work/stderr")"
	grep -qxF -e "$wanted" "$work/answers" || fail "completing $* gives no $wanted but: $(cat "$work/answers")"
}

"$bin/connwatch" --help | sed -n '/^Commands:/,$s/^  \([a-z]*\) .*/\1/p' >"$work/commands"
[ -s "$work/commands" ] || fail "--help names no command"
while read -r name; do
	completes "$name" ''
	completes --help "$name" -
done <"$work/commands"
completes --config= --c
completes "$conf" --config = "${conf%.conf}"
completes "$conf" --config "${conf%.conf}"
completes --json status --j
completes --json --config = "$conf" status --j
completes conntrack-full --config = "$conf" check ''
completes mine --config = "$conf" check m
completes mine --config "$conf" check m
completes conntrack-table --config "$conf" graph conntrack-t
grep -q listen-drops "$work/answers" && fail "check is offered a rule without a limit"
exit 0
