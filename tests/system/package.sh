#!/bin/bash
# SPDX-License-Identifier: MIT
# The Debian package: two builds of the same files, in other folders and surroundings, are the same byte for byte;
# lintian finds nothing; the programs in it are hardened, and say nothing of the folder they were built in.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
for tool in dpkg-deb lintian objdump readelf git; do
	command -v $tool >/dev/null || {
		echo "skipped: there is no $tool"
		exit 77
	}
done
work=$(mktemp -d "${TMPDIR:-/tmp}/connwatchd-package.XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAILED: $*"
	exit 1
}

ok() {
	echo "ok   $*"
}

# A source archive has no history, nor has the copy.
SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct 2>/dev/null || stat -c %Y "$top/CMakeLists.txt")
export SOURCE_DATE_EPOCH

# build FOLDER [COMMAND...] - a package from a copy of the checkout, by way of COMMAND.
build() {
	local folder=$work/$1

	shift
	mkdir -p "$folder"
	(cd "$top" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read) |
		tar -x -C "$folder"
	(cd "$folder" && "$@" ./dev package >"$work/log" 2>&1) || {
		tail -n 30 "$work/log"
		fail "it does not build"
	}
}
build a env
build another/folder/with-a-longer-name env TZ=Asia/Tokyo LC_ALL=C.UTF-8 sh -c 'umask 077; sleep 1; exec "$@"' -
first=$(echo "$work"/a/build/*.deb)
second=$(echo "$work"/another/folder/*/build/*.deb)
cmp "$first" "$second" || fail "two builds differ"
ok "two builds are the same: $(sha256sum <"$first")"
[[ $(basename "$first") =~ ^connwatchd_[0-9.]+_[a-z0-9]+\.deb$ ]] || fail "its name is $(basename "$first")"

lintian --allow-root --fail-on error,warning "$first" || fail "lintian"
ok "lintian finds nothing"

dpkg-deb -x "$first" "$work/tree"
# has WHAT PATTERN TEXT
has() {
	grep -q "$2" <<<"$3" || fail "$program: no $1"
}
for program in sbin/connwatchd bin/connwatch libexec/connwatchd/connwatchd-store libexec/connwatchd/connwatch-ct \
	libexec/connwatchd/connwatch-bpf libexec/connwatchd/connwatch-metrics; do
	file=$work/tree/usr/$program
	has "position independent code" 'Type: *DYN (Position' "$(readelf -hW "$file")"
	has "read-only relocations" GNU_RELRO "$(readelf -lW "$file")"
	has "stack that is not executable" 'GNU_STACK .* RW ' "$(readelf -lW "$file")"
	has "immediate binding" 'FLAGS.*\(BIND_NOW\|NOW\)' "$(readelf -dW "$file")"
	has "stack protector" '__stack_chk_fail@' "$(readelf -sW --dyn-syms "$file")"
	has "fortified functions" '__[a-z]*_chk@' "$(readelf -sW --dyn-syms "$file" | grep -v __stack_chk_fail)"
	# The note of it is missing, as Debian's own start files are without; they have two landing pads.
	[ "$(uname -m)" != x86_64 ] || [ "$(objdump -d "$file" | grep -c endbr64)" -gt 2 ] ||
		fail "$program: no control flow protection"
	! grep -q "$work" "$file" || fail "$program names the folder it was built in"
	! readelf -SW "$file" | grep -q '\.debug_' || fail "$program has debug symbols"
done
ok "the programs are hardened"
