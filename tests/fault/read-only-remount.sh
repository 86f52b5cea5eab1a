#!/bin/sh
# SPDX-License-Identifier: MIT
# A file system that becomes read-only, as ext4 does by itself after an error: said once, looks and warnings go on, rows
# go on when it can be written again; no file is taken for a damaged one.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need_root
need jq rrdtool mountpoint
use_recorded_proc
mount_memory 8m
start_daemon
wait_for "rows" test -s "$rrd/conntrack.rrd"
mark_log
wait_for "the remount between two rows" mount -o remount,ro "$rrd"
wait_for "a word about it" has_said '^<[34]>.*[Rr]ead-only'
next_rows 3
watches "on a read-only file system"
said_since_once '[Rr]ead-only'
equal "complaints" 1 "$(complaints 'store|rrd')"
mount -o remount,rw "$rrd"
rows_again "it can be written again"
equal "files moved aside" 0 "$(find "$rrd" -name '*.bad-*' | wc -l)"
stop_daemon
looks_in_time
