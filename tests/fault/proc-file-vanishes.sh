#!/bin/sh
# SPDX-License-Identifier: MIT
# The files of /proc vanish, one of each collector, and come back.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq
use_recorded_proc

take_away() {
	mv "$proc/$1" "$proc/$1.away"
}

give_back() {
	mv "$proc/$1.away" "$proc/$1"
}

files_fail take_away give_back
