#!/bin/bash
# SPDX-License-Identifier: MIT
# The same as bpf.sh under Debian's own kernel, 6.1, which lacks bpf_rdonly_cast().
if [ ! -e /systest/guest.sh ]; then
	tests=$(cd "$(dirname "$0")/.." && pwd)
	work=$(mktemp -d "${TMPDIR:-/tmp}/connwatchd-vm.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	cc -std=gnu17 -D_GNU_SOURCE -O2 -I"$tests/.." -o "$work/sockgen" "$tests/bench/sockgen.c" || exit 1
	"$tests/lib/boot-installed.sh" bootvm.sh "$0" -m 900 -t "$work/sockgen:/systest/sockgen" \
		-t "$tests/lib/bpf-installed.sh:/systest/bpf-installed.sh"
	exit
fi
# shellcheck source=../lib/guest.sh
. /systest/guest.sh
# shellcheck source=../lib/bpf-installed.sh
. /systest/bpf-installed.sh
