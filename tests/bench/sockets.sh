#!/bin/bash
# SPDX-License-Identifier: MIT
# What one count of TCP sockets by state costs: by our three sources, by collectd, by node_exporter, by pipelines of ss and
# of netstat; and by a program that only follows pointers through as much memory, which is the floor. CPU time and time,
# by turns, in a network namespace of its own.
#   [SIZES="1000 10000 100000 1000000"] [RUNS=5] sockets.sh BINDIR [BUILDDIR]
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
# shellcheck source=../lib/bench.sh
. "$top/tests/lib/bench.sh"
need collectd curl netstat prometheus-node-exporter ss
load_bpf
make_netns
read -ra sizes <<<"${SIZES:-1000 10000 100000 1000000}"
runs=${RUNS:-5}
rounds=$(tool rounds) || fail "there is no rounds: build preset asan"
chase=$(tool chase) || fail "there is no chase"
sockgen=$(tool sockgen) || fail "there is no sockgen"
methods='bpf netlink proc collectd node ss netstat chase'
declare -A pid to from title=([bpf]='connwatchd, source bpf' [netlink]='connwatchd, source netlink'
	[proc]='connwatchd, source proc' [collectd]='collectd tcpconns' [node]='node_exporter tcpstat'
	[ss]='ss -tan, awk, sort, uniq' [netstat]='netstat -tan, awk, sort, uniq'
	[chase]='pointer chase, 16 lanes')

# serve NAME COMMAND... - one that makes a run for each line of its standard input.
serve() {
	local fd

	mkfifo "$work/to" "$work/from"
	exec {fd}<>"$work/to"
	to[$1]=$fd
	exec {fd}<>"$work/from"
	from[$1]=$fd
	rm "$work/to" "$work/from"
	spawn "${@:2}" 3<&"${to[$1]}" >&"${from[$1]}"
	pid[$1]=$spawned
}

# ask NAME RESULT - prints what a run took, which has to give that (a pattern).
ask() {
	local cpu wall result

	echo >&"${to[$1]}"
	read -r -t 300 cpu wall result <&"${from[$1]}" || fail "$1 does not answer"
	# shellcheck disable=SC2053 # a pattern
	[[ $result == $2 ]] || fail "$1 counts '$result' and not '$2'"
	echo "$cpu $wall"
}

# start_collectd SIZE - with an interval that is longer than a read.
start_collectd() {
	mkdir -p "$work/collectd"
	cat >"$work/collectd/conf" <<-CONF
		Hostname "b"
		FQDNLookup false
		BaseDir "$work/collectd"
		PIDFile "$work/collectd/pid"
		Interval $((2 + $1 / 100000))
		LoadPlugin tcpconns
		LoadPlugin csv
		<Plugin csv>
			DataDir "$work/collectd"
		</Plugin>
		<Plugin tcpconns>
			ListeningPorts false
			AllPortsSummary true
			LocalPort "80"
		</Plugin>
	CONF
	spawn collectd -f -C "$work/collectd/conf" 3</dev/null >"$work/collectd/log" 2>&1
	pid[collectd]=$spawned
	wait_for "a read of collectd" reads
}

# How often collectd has read; fails before the first time.
reads() {
	cat "$work"/collectd/b/tcpconns-all/tcp_connections-ESTABLISHED-* 2>/dev/null | grep -vc epoch
}

# All its threads sleep, three times in a row.
collectd_rests() {
	for _ in 1 2 3; do
		! grep -q '^State:[[:space:]]*[RD]' "/proc/${pid[collectd]}/task/"*/status || return
		sleep 0.05
	done
}

# collectd reads when it likes, here as soon as it may go on: it stands still at the turns of the others.
count_collectd() {
	local cpu n

	n=$(reads)
	cpu=$(cpu_ms "${pid[collectd]}")
	kill -CONT "${pid[collectd]}"
	wait_for "a read of collectd" more_reads "$n"
	wait_for "collectd at rest" collectd_rests
	kill -STOP "${pid[collectd]}"
	awk -v n="$(($(reads) - n))" -v cpu="$(cpu_ms "${pid[collectd]}") - $cpu" \
		'BEGIN { split(cpu, of, " - "); print (of[1] - of[2]) / n, "-" }'
}

more_reads() {
	[ "$(reads)" -gt "$1" ]
}

start_node() {
	spawn prometheus-node-exporter --collector.disable-defaults --collector.tcpstat --web.disable-exporter-metrics \
		--web.listen-address=127.0.0.1:9109 3</dev/null >"$work/node" 2>&1
	pid[node]=$spawned
	wait_for "node_exporter" in_netns curl -fs http://127.0.0.1:9109/metrics
}

count_node() {
	local cpu wall

	cpu=$(cpu_ms "${pid[node]}")
	wall=$(in_netns curl -fs -o "$work/out" -w '%{time_total}' http://127.0.0.1:9109/metrics) || fail "no scrape"
	grep -q '^node_tcp_connection_states{state="established"}' "$work/out" || fail "node_exporter counts nothing"
	awk -v cpu="$(cpu_ms "${pid[node]}") $cpu" -v wall="$wall" \
		'BEGIN { split(cpu, of, " "); print of[1] - of[2], wall * 1000 }'
}

# by_pipeline COMMAND COLUMN WORD
by_pipeline() {
	# shellcheck disable=SC2016 # for the other shell
	in_netns bash -c 'TIMEFORMAT="%U %S %R"
		time $0 -tan | awk "{ print \$$1 }" | sort | uniq -c >"$2"' "$1" "$2" "$work/out" 2>&1 |
		awk '{ print ($1 + $2) * 1000, $3 * 1000 }'
	grep -q "^ *$((2 * pairs)) $3" "$work/out" || fail "$1 does not count $((2 * pairs)) established"
}

# count METHOD - prints milliseconds of CPU time and of time, which is not known of all.
count() {
	case $1 in
	bpf | netlink | proc) ask "$1" "$1 $((2 * pairs))" ;;
	collectd) count_collectd ;;
	node) count_node ;;
	ss) by_pipeline ss 1 ESTAB ;;
	netstat) by_pipeline netstat 6 ESTABLISHED ;;
	chase) ask chase '*' ;;
	esac
}

measure() {
	local size=$1 source run method

	populate "$size"
	for source in bpf netlink proc; do
		serve $source "$rounds" "$work/$source.conf"
	done
	serve chase "$chase" "$size"
	start_collectd "$size"
	start_node
	for ((run = 0; run <= runs; run++)); do # that of number 0 is to make everything warm
		for method in $methods; do
			count "$method" >"$work/cost" || exit
			[ "$run" = 0 ] || cat "$work/cost" >>"$work/$method.$size"
		done
	done
	for method in bpf netlink proc chase collectd node; do
		kill -CONT "${pid[$method]}"
		kill "${pid[$method]}"
		wait "${pid[$method]}"
	done 2>/dev/null
	rm -r "$work/collectd"
	depopulate
}

# cell METHOD SIZE
cell() {
	echo "$(median "$work/$1.$2") $(median "$work/$1.$2" 2)" | awk -v collectd="$1" '
		function ms(x) { return sprintf(x < 0.1 ? "%.3f" : x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x) }
		{ printf " %s / %s |", ms($1), collectd == "collectd" ? "-" : ms($2) }'
}

# against METHOD OTHER LIMIT
against() {
	verdict "CPU of a count of $size sockets, ${title[$1]} against ${title[$2]}" \
		"$(ratio "$(median "$work/$1.$size")" "$(median "$work/$2.$size")")" "$3"
}

for source in bpf netlink proc; do
	{
		echo "interval = 3600 sockets { source = $source cpu_share = 100 }"
		printf '%s { enabled = false }\n' conntrack limits kernlog tcp tcpext
	} >"$work/$source.conf"
done
for size in "${sizes[@]}"; do
	measure "$size"
done
echo "One count: CPU ms / ms, medians of $runs by turns, at so many sockets."
echo
printf '| |%s\n' "$(printf ' %s |' "${sizes[@]}")"
printf '|---|%s\n' "$(printf -- '---:|%.0s' "${sizes[@]}")"
for method in $methods; do
	printf '| %s |' "${title[$method]}"
	for size in "${sizes[@]}"; do
		cell "$method" "$size"
	done
	echo
done
verdicts
against bpf collectd 0.0667
against bpf netstat 0.01
against bpf chase 2.5
against netlink collectd 1.0
exit $missed
