#!/bin/bash
# SPDX-License-Identifier: MIT
# The installed drop-in that has sockets counted by BPF: loaded by a service of its own, run without a capability, equal
# to ss, and no harm where it is missing.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0" -b -t "$1/sockgen:/systest/sockgen" \
	-t "$(dirname "$0")/../lib/bpf-installed.sh:/systest/bpf-installed.sh"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh
# shellcheck source=../lib/bpf-installed.sh
. /systest/bpf-installed.sh
