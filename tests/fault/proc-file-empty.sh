#!/bin/sh
# SPDX-License-Identifier: MIT
# The files of /proc turn empty, one of each collector, and are whole again.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq
use_recorded_proc

make_empty() {
	cp "$proc/$1" "$proc/$1.whole"
	: >"$proc/$1"
}

make_whole() {
	mv "$proc/$1.whole" "$proc/$1"
}

files_fail make_empty make_whole
