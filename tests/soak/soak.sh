#!/bin/sh
# SPDX-License-Identifier: MIT
# soak.sh BINDIR BUILDDIR [DAYS] - `./dev soak`: days of rows, as fast as they can be made (see fastclock.c), with faults
# among them. Prints a line a day; at the end every row that was due is looked for in the files, and memory and descriptors
# are what they were on the second day.
# shellcheck source=../lib/system.sh
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm
. "$(dirname "$0")/../lib/system.sh"
need jq pgrep rrdtool
days=${3:-30}
preload=$top/build/asan/bin/libfastclock.so
[ -e "$preload" ] || skip "there is no libfastclock.so: build the tests first"
names='conntrack limits sockets tcp' # the others' sources or files are meddled with

recorded_proc
echo 10000 >"$proc/sys/net/netfilter/nf_conntrack_max"
echo 4000 >"$proc/sys/net/netfilter/nf_conntrack_count"
write_conf 'interval = 10' 'watch_interval = 0' "proc = \"$proc\""
sed -i "s/\"1s:1h\", \"10s:1d\"/\"10s:$((days + 1))d\", \"10m:$((days + 1))d\"/" "$conf"
cp "$conf" "$work/plain"
{
	cat "$conf"
	echo 'socket_group "web" { local_ports = { 80 } } alert "conntrack-full" { warning = 81 }'
} >"$work/grouped"
FASTCLOCK=$work/clock
export FASTCLOCK
head -c 24 /dev/zero >"$FASTCLOCK"

launch_daemon() {
	spawn env LD_PRELOAD="$preload" "$bin/connwatchd" --config="$conf" 3</dev/null >>"$log" 2>&1
	daemon=$spawned
}

# Seconds since the start.
passed() {
	echo $(($(od -An -t d8 -N 8 "$FASTCLOCK") / 1000000000))
}

# until_hour N [COMMAND...] - let time pass up to there; COMMAND is run while it does.
until_hour() {
	hour=$1
	shift
	echo $((hour * 3600)) >"$FASTCLOCK.new"
	mv "$FASTCLOCK.new" "$FASTCLOCK.until"
	"$@"
	until [ "$(passed)" -gt $((hour * 3600 - 11)) ]; do
		kill -0 "$daemon" 2>/dev/null || fail "the daemon ended"
		sleep 0.01
	done
}

resident() {
	awk '/^Pss_Anon/ { print $2 }' "/proc/$1/smaps_rollup"
}

# The fewest of some: a file may be being read.
descriptors() {
	for _ in 1 2 3 4 5 6 7 8; do
		find "/proc/$daemon/fd" "/proc/$(store_pid)/fd" -type l | wc -l
	done | sort -n | head -n 1
}

kills=0

# befall DAY - what that day brings beside an alert; the hours are the daemon's.
befall() {
	case $(($1 % 10)) in
	1) mv "$proc/net/netstat" "$proc/net/netstat.away" ;;
	2) mv "$proc/net/netstat.away" "$proc/net/netstat" ;;
	3 | 8)
		kill -KILL "$(store_pid)" && kills=$((kills + 1))
		;;
	4) cp "$work/grouped" "$conf" && kill -HUP "$daemon" ;;
	5) echo nonsense >"$rrd/kernlog.rrd" ;;
	6) cp "$work/plain" "$conf" && kill -HUP "$daemon" ;;
	7) kill -STOP "$(store_pid)" ;; # until it is replaced
	9) rm "$rrd/kernlog.rrd" ;;
	esac
}

began=$(date +%s)
launch_daemon
until_hour 1
printf '%4s %10s %12s %13s %12s\n' day rows 'loop KiB' 'store KiB' descriptors
day=0
while [ "$day" -lt "$days" ]; do
	until_hour $((day * 24 + 6)) befall "$day"
	set_number sys/net/netfilter/nf_conntrack_count 8500
	until_hour $((day * 24 + 12))
	set_number sys/net/netfilter/nf_conntrack_count 4000
	until_hour $((day * 24 + 23))
	loop_kib=$(resident "$daemon")
	store_kib=$(resident "$(store_pid)")
	fds=$(descriptors)
	printf '%4d %10d %12d %13d %12d\n' $((day + 1)) $(($(passed) / 10)) "$loop_kib" "$store_kib" "$fds"
	if [ "$day" = 1 ]; then
		loop_first=$loop_kib
		store_first=$store_kib
		fds_first=$fds
	fi
	day=$((day + 1))
done
until_hour $((days * 24 + 1))
stop_daemon
took=$(($(date +%s) - began))

# Counters are known from the second row on.
first=$(($(od -An -t d8 -j 8 -N 8 "$FASTCLOCK") / 1000000000))
first=$((first - first % 10 + 20))
last=$((first + (days * 8640 - 1) * 10))
written=0
for name in $names; do
	known=$(rrdtool fetch "$rrd/$name.rrd" AVERAGE -r 10 -s $((first - 10)) -e "$last" | awk -F'[: ]+' -v first="$first" \
		-v last="$last" '$1 ~ /^[0-9]+$/ && $1 >= first && $1 <= last && $2 !~ /nan/' | wc -l)
	written=$((written + known))
done
due=$((days * 8640 * $(echo "$names" | wc -w)))
echo "$days days in $took s; rows due $due, written $written: $(awk -v due=$due -v written=$written \
	'BEGIN { printf "%.4f", 100 * written / due }') %; the others were under way at $kills SIGKILLs"
echo "alerts raised $(said '<4>connwatchd: conntrack: 85% full [^,]*$'), over $(said '<5>connwatchd: conntrack: back to normal')"
[ $((due - written)) -le "$kills" ] || fail "$((due - written)) rows were lost"
[ "$(said '<4>connwatchd: conntrack: 85% full [^,]*$')" = "$days" ] || fail "not a warning a day"
[ "$days" -lt 2 ] || {
	[ $((loop_kib - loop_first)) -le 256 ] || fail "the loop has grown by $((loop_kib - loop_first)) KiB"
	[ $((store_kib - store_first)) -le 256 ] || fail "the store has grown by $((store_kib - store_first)) KiB"
	equal "descriptors" "$fds_first" "$fds"
}
