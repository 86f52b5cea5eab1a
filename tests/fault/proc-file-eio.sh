#!/bin/sh
# SPDX-License-Identifier: MIT
# Reading the files of /proc fails with EIO, and is possible again.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq
use_recorded_proc

make_unreadable() {
	fault read /net/
}

make_readable() {
	no_fault read
}

files_fail make_unreadable make_readable
