#!/bin/sh
# SPDX-License-Identifier: MIT
# The endpoint under 256 connections of wrk, idle and slow clients and garbage: what it answers and takes, and whether the
# daemon's rows keep their times: from the second that a row is of to status.json, in ms, without and with that load.
# shellcheck source=../lib/metrics.sh
. "$(dirname "$0")/../lib/metrics.sh"
need wrk
seconds=${SECONDS_EACH:-30}
write_conf 'interval = 1'
# In memory, as it is under systemd: there status.json waits for no disk.
RUNTIME_DIRECTORY=$(mktemp -d -p /dev/shm)
trap 'rm -r "$RUNTIME_DIRECTORY"; cleanup' EXIT
status=$RUNTIME_DIRECTORY/status.json
start_daemon
serve_metrics

memory() {
	awk '/^Pss:/ { print $2 " KiB" }' "/proc/$1/smaps_rollup"
}

# delays WHAT - of as many rows as there are seconds.
delays() {
	for _ in $(seq "$seconds"); do
		next_rows 1
		stat -c %.3Y "$status" | awk -v row="$(value .time)" '{ printf "%d\n", ($1 - row) * 1000 }'
	done | sort -n | awk -v what="$1" '
		{ all[NR] = $1; bin = $1 < 1 ? 0 : $1 < 2 ? 1 : $1 < 5 ? 2 : $1 < 10 ? 3 : $1 < 50 ? 4 : 5; n[bin]++ }
		END {
			split("<1 <2 <5 <10 <50 more", name)
			printf "%s: median %d ms, worst %d ms;", what, all[int((NR + 1) / 2)], all[NR]
			for (i = 0; i < 6; i++) printf " %s:%d", name[i + 1], n[i]
			print ""
		}'
}

echo "memory before: daemon $(memory "$daemon"), endpoint $(memory "$server")"
delays "rows without load"
spawn wrk -t 2 -c 256 -d "$((seconds + 2))s" --latency $metrics_url 3</dev/null >"$work/wrk"
wrk=$spawned
# shellcheck disable=SC2016 # for the other shell
spawn bash -c 'while :; do for i in {1..20}; do exec {fd}<>/dev/tcp/127.0.0.1/9817 || break; done
	printf "GET /metrics HTTP/1.1\r\nX: " >&"$fd"; head -c 20000 /dev/urandom >&"$fd"; sleep 1
	for ((i = fd; i > fd - 20; i--)); do exec {i}>&-; done; done' 3</dev/null 2>/dev/null
delays "rows under load"
wait "$wrk"
cat "$work/wrk"
echo "memory after: daemon $(memory "$daemon"), endpoint $(memory "$server")"
stop_daemon
