# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests of the metrics: connwatch-metrics on a socket that is handed to it, in the namespace of the test.
# shellcheck source=../lib/system.sh
command -v make_netns >/dev/null || . "$(dirname "$0")/../lib/system.sh"
need bash curl jq systemd-socket-activate
make_netns
metrics_url=http://127.0.0.1:9817/metrics

# serve_metrics [COMMAND...] - by way of COMMAND.
serve_metrics() {
	spawn systemd-socket-activate -l 127.0.0.1:9817 "$@" "$bin/connwatch-metrics" --status="$status" 3</dev/null \
		2>"$work/metrics.log"
	# shellcheck disable=SC2034 # read by the tests
	server=$spawned
	wait_for "the endpoint" get -o /dev/null
}

# get [OPTION...] - by curl.
get() {
	in_netns curl -sS -m 30 "$@" $metrics_url
}
