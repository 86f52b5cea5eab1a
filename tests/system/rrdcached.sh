#!/bin/sh
# SPDX-License-Identifier: MIT
# A real rrdcached that is not there yet, killed, restarted and made slow, with 200 files: no row is lost and none is
# there twice, compared with status.json; of what it had taken, too, a death loses none; what is longer away than the queue
# holds is a gap that is said; each change is said once; a refused row leaves the connection as it is.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq rrdcached rrdtool ss
make_netns # for the address of a remote one
recorded_proc
socket=$work/rrdcached.sock
base=$work/base
rrd=$base/rrd
mkdir -p "$rrd" "$work/journal"
counted=sys/net/netfilter/nf_conntrack_count

# start_rrdcached [OPTION...] - in the foreground, with a journal.
start_rrdcached() {
	spawn rrdcached -g -b "$base" -B -j "$work/journal" -w 5 -p "$work/rrdcached.pid" "$@" 3</dev/null \
		>>"$work/rrdcached.log" 2>&1
	rrdcached=$spawned
}

kill_rrdcached() {
	kill -KILL "$rrdcached"
	wait "$rrdcached" 2>/dev/null
	rm -f "$work/rrdcached.pid"
}

# configure QUEUE ADDRESS [LINE...]
configure() {
	queue=$1
	address=$2
	shift 2
	{
		printf 'interval = 1\nproc = "%s"\nstate_directory = "%s"\nlog { target = stderr }\n' "$proc" "$work/state"
		printf 'rrd {\n\tdirectory = "%s"\n\tdaemon = "%s"\n\tqueue = "%s"\n' "$rrd" "$address" "$queue"
		printf '\tarchives = { "1s:1h", "10s:1d" }\n}\n'
		printf '%s\n' "$@"
	} >"$conf"
}

# What is read, as it is read: counts that are others each time, and what status.json says of them. Of a round the rows of
# tcp are among the last, which are not in the file of the journal yet when rrdcached is killed.
set_numbers() {
	set_number $counted "$1"
	awk -v n="$1" '/^Tcp: [0-9]/ { $10 = n } { print }' "$work/snmp" >"$work/snmp.new"
	cat "$work/snmp.new" 1<>"$proc/net/snmp"
}
numbers() {
	n=100000
	while :; do
		n=$((n + 7))
		set_numbers $n
		jq -r '"\(.time) \(.readings.conntrack.entries) \(.readings.tcp.curr_estab)"' "$status" 2>/dev/null
		sleep 0.2
	done
}
cp "$proc/net/snmp" "$work/snmp"
: >"$proc/net/snmp"
echo 100000 >"$proc/$counted"
set_numbers 100000
# No alert: with it status.json would be written between rows.
echo 999999 >"$proc/sys/net/netfilter/nf_conntrack_max"

# fetched FILE COLUMN FIRST LAST - "TIME VALUE" of each second, by way of rrdcached.
fetched() {
	rrdtool fetch --daemon "unix:$socket" "$rrd/$1.rrd" AVERAGE -r 1 -s "$(($3 - 1))" -e "$4" |
		awk -v column="$2" -v first="$3" -v last="$4" '
			NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i + 1; next }
			NF && $1 + 0 >= first && $1 + 0 <= last { printf "%d %s\n", $1, $at ~ /nan/ ? "U" : sprintf("%.0f", $at) }'
}

# whole FILE COLUMN FIRST LAST - there is a value of every second.
whole() {
	fetched "$@" >"$work/fetched"
	equal "seconds of $1" $(($4 - $3 + 1)) "$(grep -c ' [0-9]' "$work/fetched")"
}

# same FILE COLUMN FIRST LAST FIELD - that all are there, and those that were sampled as they were in status.json.
same() {
	whole "$1" "$2" "$3" "$4"
	awk -v first="$3" -v last="$4" -v at="$5" '$1 >= first && $1 <= last { print $1, $at }' "$work/samples" |
		sort -u >"$work/expected"
	[ "$(cut -d' ' -f1 "$work/expected" | uniq -d)" = "" ] || fail "status.json changed its mind: $(cat "$work/expected")"
	join "$work/expected" "$work/fetched" >"$work/both"
	equal "samples of $1" "$(wc -l <"$work/expected")" "$(wc -l <"$work/both")"
	awk '$2 != $3' "$work/both" | grep . && fail "other values of $1 than those that were read"
	[ "$(wc -l <"$work/both")" -ge 10 ] || fail "only $(wc -l <"$work/both") samples"
}

written() {
	[ "$(rrdtool last --daemon "unix:$socket" "$rrd/$1.rrd")" -ge "$2" ]
}

i=0
while [ $i -lt 194 ]; do
	i=$((i + 1))
	printf 'listener "l%d" { port = %d }\n' $i $((1000 + i))
done >"$work/listeners"
configure 1h "unix:$socket" "$(cat "$work/listeners")"
"$bin/connwatchd" --config="$conf" --test --verbose | grep -q 'queue = "1h"' || fail "the queue is not printed"

# Not there yet.
start_daemon
equal "instances" 200 "$(value '.readings | length')"
first=$(value .time)
numbers >"$work/samples" &
started="$started $!"
next_rows 3
said_once "rrdcached at unix:$socket: No such file or directory; rows wait in memory"
[ ! -e "$rrd/conntrack.rrd" ] || fail "it wrote the files itself"
start_rrdcached -l "unix:$socket"
wait_for "the files are made, and the rows that waited are in them" written tcpext $((first + 2))
said_once "rrdcached at unix:$socket is back after"

# Killed, and started again: its journal has what it had taken.
next_rows 2
kill_rrdcached
next_rows 3
equal "times it was said to be away" 2 "$(said 'rows wait in memory')"
start_rrdcached -l "unix:$socket"
next_rows 2

# So slow that a call is given up; what it has taken and not answered is not sent again as another row.
kill -STOP "$rrdcached"
wait_for "a call is given up" has_said "no answer for 5 s; rows wait"
next_rows 2
kill -CONT "$rrdcached"
next_rows 3
last=$(value .time)
for file in conntrack tcpext listener-l1 listener-l97 listener-l194; do
	wait_for "the last row of $file" written "$file" "$last"
done
equal "changes that were said" "3 3" "$(said 'rows wait in memory') $(said 'is back after')"
equal "what else the store said" 0 "$(grep 'store:' "$log" | grep -cvE 'rows wait in memory|is back after|began|new file')"
same conntrack entries "$first" "$last" 2
same tcp curr_estab "$first" "$last" 3
for file in "$rrd"/*.rrd; do
	name=$(basename "$file" .rrd)
	case $name in
	listener-*) ;; # nobody listens: unknown, so by its newest row
	*) continue ;;
	esac
	written "$name" "$last" || fail "$name lacks rows"
done
equal "files" 200 "$(find "$rrd" -name '*.rrd' | wc -l)"
whole limits tw "$first" "$last"

# A row that is refused: the connection stays.
connections() {
	in_netns ss -xH state connected | awk -v path="$socket" '$0 ~ path { print $5, $6, $7, $8 }' | sort
}
before=$(connections)
[ -n "$before" ] || fail "there is no connection to be seen"
rrdtool update --daemon "unix:$socket" "$rrd/kernlog.rrd" "$(($(date +%s) + 5)):0"
wait_for "rows are refused" has_said "clock stands at .* kernlog.rrd holds rows up to"
wait_for "and taken again" has_said "storing again in kernlog.rrd"
equal "the connection" "$before" "$(connections)"

# Longer away than the queue holds, by more rows than the heartbeat: librrd fills fewer.
stop_daemon
whole conntrack entries "$first" "$last"
: >"$log"
configure 3s "unix:$socket" "$(cat "$work/listeners")"
start_daemon
next_rows 2
kill_rrdcached
gone=$(value .time)
next_rows 8
start_rrdcached -l "unix:$socket"
wait_for "the queue is empty again" has_said 'queue is empty again: [1-9][0-9]* rows were dropped'
said_once 'queue is full, .* rows wait to be written: the oldest are dropped'
last=$(value .time)
wait_for "the last row" written conntrack "$last"
fetched conntrack entries "$gone" "$last" >"$work/fetched"
grep -q ' [0-9]' "$work/fetched" || fail "nothing after it came back"
grep -q ' U$' "$work/fetched" || fail "what was dropped is no gap: $(cat "$work/fetched")"
stop_daemon

# A remote one, by its port: names are below its base. A directory that is not there.
kill_rrdcached
: >"$log"
rm -rf "$rrd"
mkdir "$rrd"
remote=127.0.0.1:42217
configure_remote() {
	rrd=$1 configure 1h $remote
}
configure_remote /rrd
start_rrdcached -l $remote -l "unix:$socket"
start_daemon
wait_for "rows by the network" written conntrack "$(value .time)"
in_netns "$bin/connwatch" --config="$conf" graph conntrack-table -o "$work/table.png" --start=-1min ||
	fail "no graph by the network"
stop_daemon
configure_remote /elsewhere
: >"$log"
start_daemon
wait_for "a directory that is not there is refused" has_said "rrdcached at $remote: .*elsewhere"
next_rows 2
said_once "rrdcached at $remote: .*elsewhere"
stop_daemon
