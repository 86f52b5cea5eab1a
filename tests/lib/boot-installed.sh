#!/bin/bash
# SPDX-License-Identifier: MIT
# boot-installed.sh MACHINE SCRIPT [OPTION...] - install the release build into a tree, copy that into a
# machine of tests/systest (MACHINE is boot.sh or bootvm.sh, OPTIONs are for it) and run SCRIPT there.
# INSTALL_PREFIX is another prefix than /usr.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
machine=$1
script=$2
shift 2

skip() {
	echo "skipped: $*"
	exit 77
}

[ "$(id -u)" = 0 ] || skip "needs root"
command -v apt-get >/dev/null || skip "needs Debian's packages"

work=$(mktemp -d "${TMPDIR:-/tmp}/connwatchd-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

build=$top/build
prefix=${INSTALL_PREFIX:-/usr}
[ "$prefix" = /usr ] || build+=/prefix$prefix

# Several install tests may start at once.
mkdir -p "$build"
(
	flock 9
	cd "$top"
	cmake --preset release -B "$build" -D CMAKE_INSTALL_PREFIX="$prefix" >"$work/log" &&
		cmake --build "$build" >>"$work/log" && DESTDIR=$work/tree cmake --install "$build" >>"$work/log"
) 9>"$top/build/install.lock" || {
	cat "$work/log"
	exit 1
}

# The root merges /lib and friends into /usr, so the tree is copied folder by folder.
options=()
while read -r file; do
	options+=(-t "$work/tree/$file:/$file")
done < <(cd "$work/tree" && find . -type f -printf '%P\n')
options+=(-t "$here/guest.sh:/systest/guest.sh" -t "$top/tests/fixtures/cases:/systest/cases")

rc=0
"$top/tests/systest/$machine" "${options[@]}" "$@" "$script" &
booted=$!
# The machine's script cleans up after itself, if it is asked to.
trap 'kill "$booted" 2>/dev/null; wait "$booted"; exit 143' TERM INT
wait "$booted" || rc=$?
# No machine is no verdict on what was to be tested in it.
[ "$rc" != 125 ] || skip "there is no machine"
exit "$rc"
