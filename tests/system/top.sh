#!/bin/sh
# SPDX-License-Identifier: MIT
# A flood in a network namespace: `connwatch top` names its source, port and state, at 10k and 100k entries; the socket
# withstands clients that misbehave; the counters are those of the kernel's file.
#   top.sh BINDIR [BUILDDIR]
# Needs nft and systemd-socket-activate. For root, and for users where user namespaces are allowed.
set -eu
bin=$(cd "$1" && pwd)
# The makers of entries are built with the tests.
tools=$bin
[ -x "$tools/flood" ] || tools=$(cd "$(dirname "$0")/../../build/asan/bin" && pwd)

fail() { echo "top.sh: $*" >&2; exit 1; }
skip() { echo "top.sh: skipped: $*" >&2; exit 77; }

if [ "${TOP_INSIDE:-}" != 1 ]; then
	command -v nft >/dev/null || skip "no nft"
	command -v systemd-socket-activate >/dev/null || skip "no systemd-socket-activate"
	[ "$(id -u)" = 0 ] && user= || user="--user --map-root-user"
	# shellcheck disable=SC2086
	unshare $user --net --mount true 2>/dev/null || skip "namespaces are not allowed here"
	# shellcheck disable=SC2086
	TOP_INSIDE=1 exec unshare $user --net --mount sh "$0" "$bin"
fi

. "$(dirname "$0")/../lib/flood-namespace.sh"
mount -t tmpfs tmpfs /run

# share TEXT NAME LOW HIGH: the line that ends in NAME has a percentage within these
share() {
	echo "$1" | awk -v name="$2" -v low="$3" -v high="$4" '
		$3 == name && $2 + 0 >= low && $2 + 0 <= high { found = 1 }
		END { exit !found }' || fail "no $2 with $3 to $4 % in:
$1"
}

check_flood() {
	share "$1" 192.0.2.7 60 62
	share "$1" 192.0.2.9 11 13
	share "$1" 443/tcp 87 89
	share "$1" tcp 99 100
	share "$1" syn_sent 99 100
}

for n in 10000 100000; do
	"$tools/flood" $n
	check_flood "$("$bin/connwatch" top)" # runs the helper itself: nobody listens yet
done

# colour and escape sequences are for terminals
"$bin/connwatch" top | grep -q "$(printf '\033')" && fail "colour in a pipe"
"$bin/connwatch" top --json -n 1 | grep -q '"name": "192.0.2.7"' || fail "no source in the JSON"
"$bin/connwatch" top --all | grep -q "conntrack: 100[0-9]* entries" || fail "--all counted something else"

# the counters, column by column
echo hello >/run/x
"$bin/connwatch-ct" c >/run/netlink
awk 'FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; columns = NF; file++; next }
	NF == 0 { next }
	{ for (i = 1; i <= columns; i++) value[file, FNR, name[i]] = $i }
	file == 2 { for (i = 1; i <= columns; i++) {
		compared++
		if (value[1, FNR, name[i]] != $i) { print name[i] " differs"; bad = 1 } } }
	END { exit bad || compared < 8 }' /proc/net/stat/nf_conntrack /run/netlink || fail "counters differ"

systemd-socket-activate -l /run/connwatch-ct.sock "$bin/connwatch-ct" 2>/run/log &
helper=$!
trap 'kill $helper' EXIT
while [ ! -S /run/connwatch-ct.sock ]; do sleep 0.05; done
"$tools/connects" /run/connwatch-ct.sock 2000
[ -z "$("$tools/connects" /run/connwatch-ct.sock a)" ] || fail "the socket answers \"a\""
"$tools/connects" /run/connwatch-ct.sock c | head -1 | grep -q "^found " || fail "no counters on the socket"
dropped=$("$tools/connects" /run/connwatch-ct.sock silent)
[ "$dropped" -ge 1 ] || fail "a silent client is dropped at once"
check_flood "$("$bin/connwatch" top)"
kill -0 $helper || fail "connwatch-ct has ended: $(cat /run/log)"
echo "peak memory of connwatch-ct: $(awk '/VmHWM/ { print $2 }' /proc/$helper/status) KiB"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid 65534 true 2>/dev/null; then
	chmod 0660 /run/connwatch-ct.sock
	error=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$bin/connwatch" top 2>&1) &&
		fail "a stranger was let in"
	echo "$error" | grep -q "Permission denied; only root and the members of the group connwatchd" ||
		fail "a stranger is told: $error"
fi
