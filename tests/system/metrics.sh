#!/bin/sh
# SPDX-License-Identifier: MIT
# connwatch metrics and connwatch-metrics: both formats, what status.json is not there for, and strangers.
# shellcheck source=../lib/metrics.sh
. "$(dirname "$0")/../lib/metrics.sh"
write_conf 'interval = 1' 'socket_group "http" { local_ports = { 80 } }' 'listener "https" { port = 443 }'
start_daemon

# metrics ARGUMENT... - into $work/out.
metrics() {
	"$bin/connwatch" --config="$conf" metrics "$@" >"$work/out" 2>"$work/stderr" ||
		fail "metrics $* ended with $?: $(cat "$work/stderr")"
}

out_has() {
	grep -qxE -- "$1" "$work/out" || {
		cat "$work/out"
		fail "no $1"
	}
}

# Every value of status.json is there, and no other. Here they are all whole numbers but the durations.
same_as_status() {
	jq -r '.readings | to_entries[] | .key as $k | .value | to_entries[] | select(.value != null)
		| "\($k) \(.key) \(.value)"' "$1" | sort >"$work/expected"
	sed -nE '/^connwatch_(up|status|build|collector|alert|time_to)/d
		s/^connwatch_sockets\{instance="all",state="(.*)"\}/sockets \1/p
		s/^connwatch_sockets\{instance="(.*)",state="(.*)"\}/sockets-\1 \2/p
		s/^connwatch_listener_([a-z_]*)\{instance="(.*)"\}/listener-\2 \1/p
		s/^connwatch_([a-z]*)_([^ ]*)/\1 \2/p' "$2" | sed 's/_total / /' | sort >"$work/got"
	cmp "$work/expected" "$work/got" || fail "differs from status.json: $(diff "$work/expected" "$work/got")"
	[ "$(wc -l <"$work/got")" -gt 60 ] || fail "only $(wc -l <"$work/got") values"
}

# The command.
metrics --status="$status"
[ ! -s "$work/stderr" ] || fail "metrics complained: $(cat "$work/stderr")"
out_has 'connwatch_up 1'
out_has 'connwatch_collector_up\{collector="sockets-http"\} 1'
out_has 'connwatch_collector_duration_seconds\{collector="tcp"\} [0-9.e-]+'
out_has 'connwatch_alert_level\{alert="conntrack-full"\} 0'
out_has 'connwatch_alert_level\{alert="listener-drops",instance="https"\} 0'
equal "the last line" "# EOF" "$(tail -n 1 "$work/out")"
cp "$status" "$work/copy.json"
metrics --status="$work/copy.json"
same_as_status "$work/copy.json" "$work/out"
metrics --text --status="$work/copy.json"
same_as_status "$work/copy.json" "$work/out"
grep -q '^# \(UNIT\|EOF\)' "$work/out" && fail "the text has lines of OpenMetrics"
"$bin/connwatch" --status="$work/copy.json" metrics | grep -qx 'connwatch_up 1' || fail "--status= before the command"
"$bin/connwatch" metrics extra 2>/dev/null
equal "exit code of what is not understood" 2 $?

# The endpoint.
"$bin/connwatch-metrics" 2>"$work/stderr" && fail "it starts without a socket"
equal "without a socket" "connwatch-metrics: was handed no listening socket; start connwatch-metrics.socket" \
	"$(cat "$work/stderr")"
serve_metrics
# type ACCEPT - the Content-Type for it.
type() {
	get -o "$work/out" -w '%{content_type}' -H "Accept: $1"
}
equal "to everybody" "text/plain; version=0.0.4; charset=utf-8" "$(type '*/*')"
grep -q '^# EOF' "$work/out" && fail "text has an end"
equal "to Prometheus" "application/openmetrics-text; version=1.0.0; charset=utf-8" \
	"$(type 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1')"
equal "the last line" "# EOF" "$(tail -n 1 "$work/out")"
# code ARGUMENT... - of the answer.
code() {
	in_netns curl -s -m 30 -o "$work/out" -w '%{http_code}' "$@"
}
equal "HEAD" 200 "$(code -I $metrics_url)"
for path in / /metrics/ //metrics /metrics/x /metric /..; do
	equal "$path" 404 "$(code --path-as-is "${metrics_url%/metrics}$path")"
done
for method in POST PUT DELETE OPTIONS TRACE PATCH garbage; do
	equal "$method" 405 "$(code -X $method $metrics_url)"
done
equal "a body" 405 "$(code --data-binary @"$bin/connwatch" $metrics_url)"
equal "a header of 20 KiB" 431 "$(code -H "X: $(head -c 20000 /dev/zero | tr '\0' x)" $metrics_url)"

# raw - send standard input, print the answer; ends when the other side closes.
raw() {
	in_netns timeout 30 bash -c 'exec 3<>/dev/tcp/127.0.0.1/9817 && cat >&3 2>/dev/null; cat <&3'
}
# Some of them are the beginning of a request, and wait for its end.
for garbage in '\n\n\n\n' 'GET\r\n\r\n' 'GET /metrics\r\n\r\n' '\026\003\001\002\000\001\000\001\374' \
	'GET /metrics HTTP/9.9\r\n\r\n' 'GET /metrics HTTP/1.1\r\n: \r\nHost\r\n\r\n' \
	'GET /%%00%%ff/../metrics HTTP/1.1\r\nHost: x\r\n\r\n' 'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'; do
	# shellcheck disable=SC2059 # the escapes are meant
	printf "$garbage" | raw >>"$work/garbage" &
	garbages="${garbages:-} $!"
done
head -c 100000 /dev/urandom | raw >>"$work/garbage"
# shellcheck disable=SC2086 # several
wait $garbages
grep -qa '^connwatch_up' "$work/garbage" && fail "garbage was answered: $(cat -v "$work/garbage")"

# One request a connection.
printf 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' | raw >"$work/out"
equal "answers on one connection" 1 "$(grep -ac '^HTTP/1.1 200' "$work/out")"

# 70 who say a byte now and then, and 70 who began with garbage and say nothing more, hold it up for as long as each may, and
# no longer; they get no more than their share of it.
# shellcheck disable=SC2016 # for the other shell
spawn bash -c 'trap "" PIPE
	for i in {1..70}; do
		exec {fd}<>/dev/tcp/127.0.0.1/9817 {silent}<>/dev/tcp/127.0.0.1/9817 || exit
		slow+=($fd)
		printf "GET /metrics HTTP/1.1\r\nX: " >&$fd
		printf "\001\377garbage" >&$silent
	done
	echo connected
	while :; do for fd in "${slow[@]}"; do printf x >&$fd; done; sleep 0.2; done' 3</dev/null >"$work/connected" 2>/dev/null
held=$spawned
wait_for "140 bad clients" grep -q connected "$work/connected"
for _ in 1 2 3; do
	equal "behind 140 bad clients" 200 "$(get -o /dev/null -w '%{http_code}' -m 60)"
done
served=$(find "/proc/$server/fd" -lname 'socket:*' | wc -l)
[ "$served" -le 70 ] || fail "$served sockets at a time"
kill "$held"
in_netns timeout 60 bash -c 'exec 3<>/dev/tcp/127.0.0.1/9817
	{ printf "GET /metrics HTTP/1.1\r\nX: " && while printf x; do sleep 0.2; done; } >&3 2>/dev/null &
	cat <&3' >"$work/out"
equal "what a slow client was waited for" 0 $?
equal "the answer to a slow client" "" "$(cat "$work/out")"
kill -0 "$server" || fail "the endpoint is gone"

# Without the daemon.
says() {
	get | grep -qxE "$1"
}
stop_daemon
wait_for "a stale file is told" says 'connwatch_up 0'
get >"$work/out"
out_has 'connwatch_collector_up\{collector="tcp"\} 0'
grep -q '^connwatch_tcp_' "$work/out" && fail "old readings as if they were new"
"$bin/connwatch" metrics --status="$status" 2>"$work/stderr" >"$work/out" || fail "an old file is an error"
grep -q 's old, though it is written every' "$work/stderr" || fail "an old file is not said"
for content in '' '{' '[]' '{"time":1}'; do
	printf %s "$content" >"$status"
	wait_for "a damaged file is told" says 'connwatch_status_age_seconds \+Inf'
done
rm "$status"
wait_for "a missing file is told" says 'connwatch_status_age_seconds \+Inf'
get >"$work/out"
out_has 'connwatch_up 0'
equal "series without a file" 2 "$(grep -vc '^#' "$work/out")"
start_daemon
wait_for "a new file is told" says 'connwatch_up 1'

kill -TERM "$server"
wait "$server"
equal "it ends by SIGTERM" 143 $?
grep -vE '^(Listening|Communication|Execing)' "$work/metrics.log" && fail "it complained"
exit 0
