#!/bin/sh
# SPDX-License-Identifier: MIT
# The real Prometheus scrapes both formats, its rules and dashboard hold, what it stores is what status.json says, and the
# recorded names of node_exporter have the values of the real one. What is read is a namespace in which nothing happens;
# Prometheus and both endpoints' sockets are in another one, so that asking does not count.
# shellcheck source=../lib/metrics.sh
. "$(dirname "$0")/../lib/metrics.sh"
need conntrack nft nginx nsenter prometheus prometheus-node-exporter promtool unshare
prometheus_conf=$top/conf/prometheus
ctgen=$(tool ctgen) || fail "cannot build ctgen"
sockgen=$(tool sockgen) || fail "cannot build sockgen"

# promtool_says ARGUMENT... - that it is well.
promtool_says() {
	promtool "$@" >"$work/promtool" 2>&1 || fail "promtool $*: $(cat "$work/promtool")"
	! grep -v SUCCESS "$work/promtool" | grep . || fail "promtool $* is not silent"
}

# What needs no daemon.
promtool test rules "$top/tests/prometheus/rules.yml" >"$work/promtool" 2>&1 || fail "rules: $(cat "$work/promtool")"
promtool check config "$prometheus_conf/connwatchd-scrape.yml" >"$work/promtool" 2>&1 ||
	fail "connwatchd-scrape.yml: $(cat "$work/promtool")"

# The namespace that is read: entries of the table, packets that belong to none, connections that stay.
write_conf 'interval = 2' 'socket_group "http" { local_ports = { 8080 } }' 'listener "https" { port = 10000 }'
rm -f "$status"
spawn unshare --net sh -c 'ip link set lo up && exec "$@"' - "$bin/connwatchd" --config="$conf" 3</dev/null >>"$log" 2>&1
daemon=$spawned
wait_for "the first row of the daemon" running_with_status
inside() {
	nsenter -t "$daemon" -n "$@"
}
inside "$ctgen" -r -n 500 >/dev/null || skip "connection tracking cannot be switched on here"
# sockets ARGUMENT... - of sockgen, until release_held.
sockets() {
	spawn_held nsenter -t "$daemon" -n "$sockgen" "$@" >"$work/sockgen" 2>&1
	wait_for "the sockets" grep -q ^ready "$work/sockgen"
}
sockets -e 50
inside conntrack -F >/dev/null 2>&1
release_held
inside "$ctgen" -n 300 >/dev/null
sockets -e 20 -6 3 -f 5 -l 4
holder=$spawned

# Both endpoints. node_exporter reads where it runs, its socket is from here.
serve_metrics
spawn systemd-socket-activate -l 127.0.0.1:9100 nsenter -t "$daemon" -n prometheus-node-exporter --web.systemd-socket \
	--collector.disable-defaults --collector.conntrack --collector.netstat --collector.netstat.fields='.*' \
	--collector.sockstat --collector.tcpstat 3</dev/null >"$work/node.log" 2>&1
# Prometheus asks for OpenMetrics; who has an older one asks for text.
cat >"$work/nginx.conf" <<-CONF
	daemon off;
	master_process off;
	pid $work/nginx.pid;
	error_log stderr;
	events { }
	http {
		access_log off;
		client_body_temp_path $work/nginx;
		proxy_temp_path $work/nginx;
		fastcgi_temp_path $work/nginx;
		uwsgi_temp_path $work/nginx;
		scgi_temp_path $work/nginx;
		server {
			listen 127.0.0.1:9818;
			location / {
				proxy_set_header Accept "text/plain;version=0.0.4;q=1,*/*;q=0.1";
				proxy_pass http://127.0.0.1:9817;
			}
		}
	}
CONF
spawn nginx -c "$work/nginx.conf" 3</dev/null >"$work/nginx.log" 2>&1
cp "$prometheus_conf"/*.yml "$work"
sed -e 's/scrape_interval: 15s/scrape_interval: 2s/' "$prometheus_conf/connwatchd-scrape.yml" >"$work/prometheus.yml"
cat >>"$work/prometheus.yml" <<-CONF
	  - job_name: connwatchd-text
	    scrape_interval: 2s
	    static_configs: [ targets: ["127.0.0.1:9818"] ]
	  - job_name: node
	    scrape_interval: 2s
	    static_configs: [ targets: ["127.0.0.1:9100"] ]
	global:
	  evaluation_interval: 1s
CONF
spawn prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" --web.listen-address=127.0.0.1:9090 \
	3</dev/null >"$work/prometheus.log" 2>&1

# query EXPRESSION - its result, a list.
query() {
	in_netns curl -sS -m 30 --data-urlencode "query=$1" http://127.0.0.1:9090/api/v1/query >"$work/answer" &&
		jq -e '.status == "success"' "$work/answer" >/dev/null && jq -c .data.result "$work/answer"
}

# holds EXPRESSION, fails EXPRESSION - it has a result, or none.
holds() {
	query "$1" >"$work/holds" && jq -e '.[0]' "$work/holds"
}

fails() {
	[ "$(query "$1")" = '[]' ]
}

for job in connwatchd connwatchd-text node; do
	wait_for "job $job is up" holds "up{job=\"$job\"} == 1"
done
wait_for "the recorded names" holds "node_tcp_connection_states{job=\"connwatchd\"}"

# Each job got its own format: a unit is known of OpenMetrics alone.
unit_of() {
	in_netns curl -sS -G --data-urlencode "match_target={job=\"$1\"}" -d metric=connwatch_conntrack_entries \
		http://127.0.0.1:9090/api/v1/targets/metadata | jq -r '.data[0] | "\(.type) \(.unit)"' | grep -v null
}
for job in connwatchd connwatchd-text; do
	wait_for "metadata of $job" unit_of $job
done
equal "type and unit by OpenMetrics" "gauge entries" "$(unit_of connwatchd)"
equal "type and unit by text" "gauge " "$(unit_of connwatchd-text)"
"$bin/connwatch" metrics --text --status="$status" >"$work/metrics.txt"
promtool_says check metrics <"$work/metrics.txt"

# What moves by itself, or is that of the whole machine, is left to those below.
moving='connwatch_(up|status|collector|build|alert|time).*|connwatch_limits_(tcp_mem|orphans|softnet).*'
by_query() {
	query "{__name__=~\"connwatch_.+\",__name__!~\"$moving\",job=\"$1\"}" | jq -r '.[] | .value[1] as $value | .metric as $m
		| ($m.__name__ | sub("^connwatch_"; "") | sub("_total$"; "") | capture("^(?<c>[a-z]+)(_(?<m>.*))?$")) as $name
		| ($m.exported_instance | if . == "all" or . == null then "" else "-\(.)" end) as $title
		| "\($name.c)\($title) \($name.m // $m.state) \($value)"' | sort
}
by_status() {
	jq -r '.readings | to_entries[] | .key as $k | .value | to_entries[] | select(.value != null)
		| "\($k) \(.key) \(.value)"' "$status" | grep -vE '^limits (tcp_mem|orphans|softnet)' | sort
}
next_rows 1
seen=$(date +%s)
wait_for "scrapes since then" holds "min(timestamp(up)) > $seen"
wait_for "rules since then" holds "min(timestamp(node_tcp_connection_states{job=\"connwatchd\"})) > $seen + 1"
# A scrape that the machine was too busy for leaves nothing.
stored() {
	by_query "$1" >"$work/by_query"
	[ -s "$work/by_query" ]
}
for job in connwatchd connwatchd-text; do
	wait_for "what is stored of $job" stored $job
	by_status >"$work/by_status"
	cmp -s "$work/by_query" "$work/by_status" ||
		fail "$job differs from status.json: $(diff "$work/by_query" "$work/by_status")"
	[ "$(wc -l <"$work/by_query")" -gt 60 ] || fail "only $(wc -l <"$work/by_query") values"
done

# values JOB - of all recorded names, "NAME{STATE} VALUE"; of states node_exporter has those alone that are not 0.
names=$(sed -n 's/^ *- record: //p' "$prometheus_conf/connwatchd-node-names.yml")
values() {
	query "{__name__=~\"$(echo "$names" | paste -sd'|')\",job=\"$1\"}" |
		jq -r '.[] | select(.metric.state == null or .value[1] != "0")
			| "\(.metric.__name__){\(.metric.state // "")} \(.value[1])"' | grep -v _queued_bytes | sort
}
of_both() {
	for job in connwatchd node; do
		values "$job" | grep -vE 'sockstat_TCP_(mem|orphan)' >"$work/$job"
		[ -s "$work/$job" ] || return
	done
}
wait_for "values of both" of_both
cmp -s "$work/connwatchd" "$work/node" || fail "node_exporter differs: $(diff "$work/connwatchd" "$work/node")"
# What the whole machine shares moves with the neighbours, between what node_exporter has seen of it.
for name in node_sockstat_TCP_mem node_sockstat_TCP_orphan; do
	ours="max without (job, instance) ($name{job=\"connwatchd\"})"
	theirs="_over_time($name{job=\"node\"}[10s])"
	wait_for "$name is what node_exporter has" holds \
		"$ours >= on () min$theirs and on () $ours <= on () max$theirs"
done
for name in $names; do
	case $name in
	node_sockstat_TCP_mem | node_sockstat_TCP_orphan) ;; # seen just now
	*) grep -q "^$name{" "$work/connwatchd" || fail "$name is not recorded" ;;
	esac
done
grep -qx 'node_nf_conntrack_entries{} 0' "$work/connwatchd" && fail "there was nothing to see"
echo "$(wc -l <"$work/connwatchd") values under node_exporter's names are the same"

# Every query of the dashboard is understood, and most have a result here.
jq -r '.panels[].targets[].expr' "$prometheus_conf/connwatchd-dashboard.json" |
	sed 's/[$]instance/.+/g; s/[$]group/all/; s/[$]__rate_interval/5s/g' >"$work/queries"
[ "$(wc -l <"$work/queries")" -gt 20 ] || fail "the dashboard has no queries"
while read -r expression; do
	query "$expression" >"$work/result" || fail "a query of the dashboard: $expression: $(cat "$work/answer")"
	case $expression in
	*alert_level* | *time_to_full* | *out_segs*) ;; # where something happens
	*limits_neigh* | *limits_orphans* | *limits_tcp_mem*) ;; # of a machine's first namespace
	*) wait_for "a result for $expression" holds "$expression" ;;
	esac
done <"$work/queries"

# The shipped rules are in force: a daemon that stops is down, and its last readings are not taken for new ones.
spawned=$holder
release_held
stop_daemon
wait_for "the alert is pending" holds 'ALERTS{alertname="ConnwatchdDown"}'
wait_for "old readings are gone" fails 'connwatch_conntrack_entries{job="connwatchd"}'
exit 0
