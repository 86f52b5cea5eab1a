#!/bin/sh
# SPDX-License-Identifier: MIT
# Every test that SECURITY.md names is one.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need ctest
ctest --test-dir "${2:?usage: $0 BINDIR BUILDDIR}" -N | sed -n 's/^ *Test *#[0-9]*: //p' >"$work/tests"
# shellcheck disable=SC2016 # of Markdown
named=$(grep -oE '`(unit|system|install|fault)-[a-z0-9_-]+`' "$top/SECURITY.md" | tr -d '`' | sort -u)
[ "$(echo "$named" | wc -l)" -ge 20 ] || fail "SECURITY.md names few tests"
for name in $named; do
	grep -qx "$name" "$work/tests" || fail "SECURITY.md names $name, which is no test"
done
