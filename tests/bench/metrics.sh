#!/bin/sh
# SPDX-License-Identifier: MIT
# The endpoint under 256 connections of wrk, slow clients and garbage: what it answers and takes, and by how much the
# daemon's looks are late, without that load and twice with it. None may make itself late by 100 ms, and the second load may
# take no more memory than the first.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=../lib/metrics.sh
. "$(dirname "$0")/../lib/metrics.sh"
need wrk
seconds=${SECONDS_EACH:-30}
write_conf 'interval = 1'
start_daemon
serve_metrics

# memory PROCESS - KiB.
memory() {
	awk '/^Pss:/ { print $2 }' "/proc/$1/smaps_rollup"
}

# looks WHAT - of as many rows as there are seconds; a look each.
looks() {
	: >"$FAULTS/looks"
	next_rows "$seconds"
	echo "$1: memory of the daemon $(memory "$daemon") KiB, of the endpoint $(memory "$server") KiB"
	looks_in_time
}

looks "without load"
# shellcheck disable=SC2016 # for the other shell
spawn bash -c 'while :; do for i in {1..20}; do exec {fd}<>/dev/tcp/127.0.0.1/9817 || break; done
	printf "GET /metrics HTTP/1.1\r\nX: " >&"$fd"; head -c 20000 /dev/urandom >&"$fd"; sleep 1
	for ((i = fd; i > fd - 20; i--)); do exec {i}>&-; done; done' 3</dev/null 2>/dev/null
for round in first second; do
	spawn wrk -t 2 -c 256 -d "$((seconds + 2))s" --latency "$metrics_url" 3</dev/null >"$work/wrk"
	looks "$round load"
	wait "$spawned"
	cat "$work/wrk"
	after=$(($(memory "$daemon") + $(memory "$server")))
	[ $after -le $((${before:-$after} + 256)) ] || fail "memory grew from $before to $after KiB"
	before=$after
done
stop_daemon
