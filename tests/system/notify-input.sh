#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever lines come to connwatch-notify: the script runs, with the facts that are some, and nothing in them is a command.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"

cat >"$work/script" <<'SCRIPT'
#!/bin/sh
env | grep ^CONNWATCH_
SCRIPT
chmod 755 "$work/script"

# tells - with the lines on standard input behind a fact, and before another one.
tells() {
	{
		echo CONNWATCH_ALERT=first
		cat
		printf '\nCONNWATCH_LEVEL=last\n'
	} >"$work/input"
	(cd "$work" && sh "$top/systemd/connwatch-notify" ./script) <"$work/input" >"$work/told" 2>"$work/stderr" ||
		fail "it ends with an error: $(cat "$work/stderr")"
	for fact in CONNWATCH_ALERT=first CONNWATCH_LEVEL=last; do
		grep -qxF "$fact" "$work/told" || fail "the script is not told $fact: $(cat "$work/told" "$work/stderr")"
	done
	[ ! -e "$work/made" ] || fail "a line was a command: $(cat "$work/input")"
}

# shellcheck disable=SC1003,SC2016
for line in 'CONNWATCH_A B=1' 'CONNWATCH_=' 'CONNWATCH_A' 'CONNWATCH_é=1' '=' 'PATH=/' '-p' 'CONNWATCH_-p=1' \
	'CONNWATCH_MESSAGE=$(touch made)' 'CONNWATCH_MESSAGE=`touch made`' 'CONNWATCH_MESSAGE=a; touch made' \
	'CONNWATCH_$(touch made)=1' 'CONNWATCH_MESSAGE=\' ''; do
	echo "$line" | tells
done
for seed in 1 2 3 4 5; do
	awk -v seed=$seed 'BEGIN {
		srand(seed)
		for (i = 0; i < 2000; i++)
			printf "%s%c", rand() < 0.1 ? "\nCONNWATCH_" : "", 1 + int(rand() * 127)
	}' | tells
done
