#!/bin/bash
# SPDX-License-Identifier: MIT
# What the daemon takes of an idle host in its default configuration, by source netlink and by bpf, and what collectd takes
# for the same: all three side by side, each with a file system of its own. Then, what memory the daemon has with many
# sockets, in a network namespace.
#   [DURATION=180] [CALLS_DURATION=60] [SOCKETS=1000000] steady.sh BINDIR [BUILDDIR]
TMPDIR=/dev/shm # as /run: status.json is in memory
export TMPDIR
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
# shellcheck source=../lib/bench.sh
. "$top/tests/lib/bench.sh"
need collectd jq perf pgrep
load_bpf
duration=${DURATION:-180}
calls_duration=${CALLS_DURATION:-60}
sockets=${SOCKETS:-1000000}
sockgen=$(tool sockgen) || fail "there is no sockgen"
interval=10
names='netlink bpf collectd'
declare -A pids title=([netlink]='connwatchd, netlink' [bpf]='connwatchd, bpf' [collectd]=collectd)

start_collectd() {
	cat >"$work/collectd/conf" <<-CONF
		Hostname "b"
		FQDNLookup false
		BaseDir "$work/collectd/disk"
		PIDFile "$work/collectd/pid"
		Interval $interval
		LoadPlugin conntrack
		LoadPlugin tcpconns
		LoadPlugin protocols
		LoadPlugin rrdtool
		<Plugin rrdtool>
			DataDir "$work/collectd/disk/rrd"
		</Plugin>
		<Plugin tcpconns>
			ListeningPorts false
			AllPortsSummary true
			LocalPort "80"
		</Plugin>
		<Plugin protocols>
			Value "/^Tcp:/"
			IgnoreSelected false
		</Plugin>
	CONF
	spawn collectd -f -C "$work/collectd/conf" 3</dev/null >"$work/collectd/log" 2>&1
	pids[collectd]=$spawned
	wait_for "collectd's files" sh -c "ls $work/collectd/disk/rrd/b/tcpconns-80-local/*.rrd"
}

start_daemon_by() {
	own_daemon "$1" "sockets { source = $1 }"
	wait_for "the first row by $1" running_with_status
	next_rows 1
	equal "the source in use" "$1" "$(value .sockets.source)"
	pids[$1]=$(with_children "$daemon")
}

# Voluntary context switches of all threads of processes.
wakeups() {
	for pid; do
		cat "/proc/$pid/task/"*/status
	done | awk '$1 == "voluntary_ctxt_switches:" { sum += $2 } END { print sum }'
}

# What they took so far, NAME by NAME, beginning with what the look at another would change.
taken() {
	local name

	for name in $names; do
		# shellcheck disable=SC2086 # words
		echo "$name cpu $(cpu_ms ${pids[$name]}) wakeups $(wakeups ${pids[$name]})"
	done
	for name in $names; do
		echo "$name bytes $(disk_bytes "$name")"
	done
}

# What they have now.
had() {
	local name pid

	for name in $names; do
		# shellcheck disable=SC2086 # words
		set -- ${pids[$name]}
		echo "$name processes $# threads $(for pid; do ls "/proc/$pid/task"; done | wc -l) pss $(memory_kib Pss "$@")" \
			"clean $(memory_kib Private_Clean "$@") dirty $(memory_kib Private_Dirty "$@")"
	done
}

# System calls while all of them go on.
calls() {
	local name
	local -a counting=()

	for name in $names; do
		perf stat -x, -e raw_syscalls:sys_enter -p "$(tr ' \n' ,, <<<"${pids[$name]}" | sed 's/,*$//')" \
			-o "$work/$name.perf" sleep "$calls_duration" &
		counting+=($!)
	done
	wait "${counting[@]}" || fail "perf cannot count system calls"
	for name in $names; do
		echo "$name calls $(awk -F, '$3 == "raw_syscalls:sys_enter" { print $1 }' "$work/$name.perf")"
	done
}

# of NAME WHAT [SECONDS] - from all that, a round or a second if it is what was taken in so many.
of() {
	awk -v name="$1" -v what="$2" -v per="${3:-0}" '
		$1 == name { for (i = 2; i < NF; i += 2) if ($i == what) { first = n++ ? first : $(i + 1); last = $(i + 1) } }
		END {
			if (n > 1)
				last -= first
			last = per ? last / per : last
			printf last < 1000 ? "%.4g\n" : "%.0f\n", last
		}' "$work/begin" "$work/end"
}

# line TITLE WHAT [DIVISOR] - of the table.
line() {
	local name

	printf '| %s |' "$1"
	for name in $names; do
		printf ' %s |' "$(of "$name" "${@:2}")"
	done
	echo
}

# dirty_with SOURCE - Private_Dirty of a daemon that counts what is there, once a second.
dirty_with() {
	rm -rf "$work/$1/disk/state" "$status"
	own_daemon "$1" 'interval = 1' "sockets { source = $1 cpu_share = 100 }"
	wait_for "the first row" running_with_status
	next_rows 5
	equal "sockets that are seen" "$2" "$(value '.readings.sockets.established')"
	# shellcheck disable=SC2046 # words
	memory_kib Private_Dirty $(with_children "$daemon")
	stop_daemon
}

for name in $names; do
	disk "$name"
done
start_collectd
start_daemon_by netlink
start_daemon_by bpf
sleep $((2 * interval + interval - $(date +%s) % interval + interval / 2)) # to between two rows
taken >"$work/begin"
sleep "$duration"
{
	taken
	had
	calls
} >"$work/end"
rounds=$((duration / interval))

echo "Idle host, $duration s, interval $interval s; each on an ext4 of its own. Private memory and PSS of all processes together."
echo
printf '| |'
for name in $names; do
	printf ' %s |' "${title[$name]}"
done
printf '\n|---|---:|---:|---:|\n'
line "CPU, ms a round" cpu $rounds
line "wake-ups a second" wakeups "$duration"
line "system calls a round" calls $((calls_duration / interval))
line "bytes to the device a round" bytes $rounds
line "processes" processes
line "threads" threads
line "PSS, KiB" pss
line "private and clean, KiB" clean
line "private and dirty, KiB" dirty

for name in $names; do
	# shellcheck disable=SC2086 # words
	kill ${pids[$name]}
done 2>/dev/null
wait
make_netns
: >"$work/grown"
populate 1000
for source in netlink bpf; do
	echo "$source few $(dirty_with $source $((2 * pairs)))" >>"$work/grown"
done
depopulate
populate "$sockets"
for source in netlink bpf; do
	echo "$source many $(dirty_with $source $((2 * pairs)))" >>"$work/grown"
done
depopulate
grown() {
	awk -v source="$1" '$1 == source { kib[$2] = $3 } END { print kib["many"] - kib["few"] }' "$work/grown"
}

verdicts
verdict "CPU of an idle host, netlink against collectd" "$(ratio "$(of netlink cpu)" "$(of collectd cpu)")" 0.6
verdict "CPU of an idle host, bpf against collectd" "$(ratio "$(of bpf cpu)" "$(of collectd cpu)")" 0.5
for source in netlink bpf; do
	verdict "wake-ups, $source against collectd" "$(ratio "$(of $source wakeups)" "$(of collectd wakeups)")" 0.2
	verdict "private and dirty KiB of an idle daemon, $source" "$(of $source dirty)" 3072
	verdict "KiB more of those with $sockets sockets than with 1000, $source" "$(grown $source)" 64
done
exit "$missed"
