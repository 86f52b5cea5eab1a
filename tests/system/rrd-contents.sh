#!/bin/sh
# SPDX-License-Identifier: MIT
# What stands in the RRDs is what status.json said at that second: gauges as they are, counters as the
# increase, whole numbers whole. Columns, heartbeat, archives and modes are those of the contract.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need rrdtool jq nft
make_netns
ctgen=$(tool ctgen) || fail "cannot build ctgen"
sockgen=$(tool sockgen) || fail "cannot build sockgen"
in_netns "$ctgen" -r -n 500 >/dev/null || skip "connection tracking cannot be switched on here"

columns() {
	case $1 in
	conntrack) echo "entries max peak buckets found invalid insert_failed drop early_drop error" \
		"search_restart clash_resolve chain_toolong" ;;
	tcp) echo "active_opens passive_opens curr_estab attempt_fails estab_resets in_segs out_segs" \
		"retrans_segs in_errs out_rsts in_csum_errors" ;;
	tcpext) echo "listen_overflows listen_drops reqq_full_drop reqq_full_cookies syncookies_sent" \
		"syncookies_recv syncookies_failed syn_retrans timeouts backlog_drop rcvq_drop" \
		"tw_overflow abort_on_memory abort_on_timeout memory_pressures prune_called rp_filter" ;;
	limits) echo "listen_queue listen_backlog orphans orphans_max tw tw_max tcp_mem" \
		"tcp_mem_pressure tcp_mem_max softnet_dropped softnet_squeezed neigh4_entries" \
		"neigh4_max neigh6_entries neigh6_max neigh_table_fulls udp_rcvbuf_errors" \
		"port_tuple port_tuple_max" ;;
	sockets*) echo "established syn_sent syn_recv fin_wait1 fin_wait2 time_wait close_wait" \
		"last_ack listen closing" ;;
	esac
}
instances='conntrack tcp tcpext limits sockets sockets-http'

# The names of the data sources in the order of their index.
columns_of() {
	rrdtool info "$rrd/$1.rrd" | sed -n 's/^ds\[\(.*\)\]\.index = \([0-9]*\)$/\2 \1/p' | sort -n |
		cut -d' ' -f2 | tr '\n' ' ' | sed 's/ $//'
}

archives_of() {
	rrdtool info "$rrd/$1.rrd" | awk -F' = ' '
		/^rra\[[0-9]+\]\.cf/ { cf = $2; gsub(/"/, "", cf) }
		/^rra\[[0-9]+\]\.rows/ { rows = $2 }
		/^rra\[[0-9]+\]\.pdp_per_row/ { print cf, $2, rows }' | sort
}

# check_file INSTANCE STEP - the shape of one file.
check_file() {
	file=$rrd/$1.rrd
	got=$(columns_of "$1")
	expected=$(columns "$1")
	# Columns may have been appended since, never changed.
	case "$got " in
	"$expected "*) ;;
	*) equal "columns of $1" "$expected" "$got" ;;
	esac
	equal "step of $1" "step = $2" "$(rrdtool info "$file" | grep '^step')"
	rrdtool info "$file" | awk -F' = ' -v step="$2" '
		/minimal_heartbeat/ && $2 < 2 * step { bad = 1 }
		/\.min = / && $2 + 0 != 0 { bad = 1 }
		/\.type = / && $2 != "\"GAUGE\"" && $2 != "\"DERIVE\"" { bad = 1 }
		END { exit bad }' || fail "heartbeat, minimum or type in $1"
	equal "mode of $1" 644 "$(stat -c %a "$file")"
}

all_files() {
	for instance in $instances; do
		[ -s "$rrd/$instance.rrd" ] || return 1
	done
}

# The default archives, at the default interval.
cat >"$conf" <<CONF
state_directory = "$work/state"
rrd { directory = "$rrd" }
log { target = stderr }
socket_group "http" { local_ports = { 80 } }
CONF
launch_daemon
wait_for "all files" all_files
for instance in $instances; do
	check_file "$instance" 10
	equal "archives of $instance" "AVERAGE 1 17280
AVERAGE 6 20160
AVERAGE 60 12960
AVERAGE 720 13140
MAX 6 20160
MAX 60 12960
MAX 720 13140" "$(archives_of "$instance")"
done
stop_daemon
said_once '[Nn]etwork namespace'
rm -r "$rrd"

# Rows of a second, read back.
write_conf 'interval = 1' 'socket_group "http" { local_ports = { 80 } }'
start_daemon
spawn_held "$sockgen" -e 20 -t 10 -c 40 >/dev/null 2>&1
spawn "$ctgen" -n 20000 -p 1000 3</dev/null >/dev/null 2>&1
mkdir "$work/rows"
first=$(value .time)
while [ "$(find "$work/rows" -type f | wc -l)" -lt 10 ]; do
	alive
	cp "$status" "$work/now"
	mv "$work/now" "$work/rows/$(jq .time "$work/now")"
	sleep 0.1
done
last=$(find "$work/rows" -type f -printf '%f\n' | sort -n | tail -n 1)
stop_daemon

for instance in $instances; do
	check_file "$instance" 1
	equal "archives of $instance" "AVERAGE 1 3600
AVERAGE 10 8640
MAX 10 8640" "$(archives_of "$instance")"
done
equal "mode of status.json" 644 "$(stat -c %a "$status")"

# expected INSTANCE - "TIME COLUMN VALUE" of every second whose row and the one before were seen.
expected() {
	kinds=$(rrdtool info "$rrd/$1.rrd" |
		sed -n 's/^ds\[\(.*\)\]\.type = "\(.*\)"$/{"\1": "\2"}/p' | jq -cs add)
	for row in "$work"/rows/*; do
		before=$work/rows/$(($(basename "$row") - 1))
		[ -e "$before" ] || continue
		jq -rn --arg i "$1" --argjson kinds "$kinds" --slurpfile a "$before" --slurpfile b "$row" '
			$a[0].readings[$i] as $old | $b[0] as $new | $new.readings[$i] | to_entries[] |
			.value as $v | $old[.key] as $o |
			[ $new.time, .key, (if $v == null then "nan"
			  elif $kinds[.key] == "GAUGE" then $v
			  elif $o == null then "nan" else $v - $o end) ] | map(tostring) | join(" ")'
	done
}

# stored INSTANCE - the same from the file. Numbers are printed in full: 5.0000000001 is not 5.
stored() {
	rrdtool fetch "$rrd/$1.rrd" AVERAGE -r 1 -s "$first" -e "$last" | awk '
		NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
		NF > 1 {
			sub(":", "", $1)
			for (i = 2; i <= NF; i++) {
				v = $i + 0
				s = $i ~ /nan/ ? "nan" : v == int(v) ? sprintf("%.0f", v) : $i
				print $1, name[i - 1], s
			}
		}' | sort
}

for instance in $instances; do
	stored "$instance" >"$work/stored"
	expected "$instance" | sort >"$work/expected"
	[ -s "$work/expected" ] || fail "no two rows in a row were seen of $instance"
	# Of what was stored only the seconds that were also seen in status.json.
	cut -d' ' -f1 "$work/expected" | sort -u >"$work/times"
	grep -F -f "$work/times" "$work/stored" >"$work/seen"
	equal "rows of $instance" "$(cat "$work/expected")" "$(cat "$work/seen")"
done
rrdtool fetch "$rrd/tcp.rrd" AVERAGE -r 1 -s "$first" -e "$last" | awk '
	$1 ~ /:/ && $2 > 0 { found = 1 }
	END { exit !found }' || fail "no connection was opened in any row"
