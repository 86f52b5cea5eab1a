#!/bin/sh
# SPDX-License-Identifier: MIT
# The files of /proc end in the middle of a line, one of each collector, and are whole again: half a number is none.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq
use_recorded_proc

tear() {
	mv "$proc/$1" "$proc/$1.whole"
	head -c -3 "$proc/$1.whole" >"$proc/$1"
}

make_whole() {
	mv "$proc/$1.whole" "$proc/$1"
}

files_fail tear make_whole
