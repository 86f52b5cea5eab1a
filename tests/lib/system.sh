# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/system/*.sh, which are called as NAME.sh BINDIR BUILDDIR: a network namespace and a
# folder of the test's own, the daemon in them, and waiting for conditions. Everything is cleaned up
# when the test ends. A test is passed over (77) where it cannot be run.
set -u
LC_ALL=C
export LC_ALL

[ $# -ge 1 ] || {
	echo "usage: $0 BINDIR [BUILDDIR]" >&2
	exit 2
}
top=$(cd "$(dirname "$0")" && until [ -e dev ]; do cd .. || exit; done && pwd)
bin=$(cd "$1" && pwd)
fixtures=$top/tests/fixtures
work=$(mktemp -d "${TMPDIR:-/tmp}/connwatchd-test.XXXXXX")
log=$work/log
conf=$work/connwatchd.conf
# Read by the tests too: where RRDs and status.json are.
rrd=$work/rrd
status=$work/run/status.json
netns=
daemon=
started=

mkdir -p "$work/run"
RUNTIME_DIRECTORY=$work/run
export RUNTIME_DIRECTORY
# Nobody but the test gives the daemon a manager or a journal.
unset NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID JOURNAL_STREAM

cleanup() {
	for pid in $started; do
		kill -CONT "$pid" 2>/dev/null
		kill -KILL "$pid" 2>/dev/null
	done
	[ -z "$netns" ] || ip netns del "$netns"
	if mountpoint -q "$rrd"; then
		umount "$rrd" || umount -l "$rrd"
	fi
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "FAILED: $*"
	if [ -s "$log" ]; then
		echo "--- log of the daemon"
		tail -n 60 "$log"
	fi
	if [ -s "$status" ]; then
		echo "--- status.json"
		jq -c . "$status"
	fi
	exit 1
}

need() {
	for command; do
		command -v "$command" >/dev/null || skip "there is no $command here"
	done
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# A network namespace of the test's own; $* of in_netns runs in it.
make_netns() {
	need_root
	need ip
	netns=connwatchd-$$
	ip netns add "$netns" || {
		netns=
		skip "cannot make a network namespace"
	}
	in_netns ip link set lo up
	in_netns ip route add 10.99.0.0/16 dev lo
}

in_netns() {
	if [ -n "$netns" ]; then
		ip netns exec "$netns" "$@"
	else
		"$@"
	fi
}

# spawn COMMAND... - in the background and in the namespace, standard input from descriptor 3; sets $spawned.
spawn() {
	if [ -n "$netns" ]; then
		ip netns exec "$netns" "$@" <&3 3<&- 9>&- &
	else
		"$@" <&3 3<&- 9>&- &
	fi
	spawned=$!
	started="$started $spawned"
}

# spawn_held COMMAND... - one that lives until its standard input ends: at release_held, or with the test.
spawn_held() {
	[ -p "$work/held" ] || mkfifo "$work/held"
	exec 9<>"$work/held"
	spawn "$@" 3<"$work/held"
}

release_held() {
	exec 9>&-
	wait "$spawned"
}

# tool NAME - prints the path of a program of tests/bench, built here where the build has not.
tool() {
	for folder in "$bin" "$top/build/asan/bin"; do
		if [ -x "$folder/$1" ]; then
			echo "$folder/$1"
			return
		fi
	done
	cc -std=gnu17 -D_GNU_SOURCE -O2 -I"$top" -o "$work/$1" "$top/tests/bench/$1.c" >&2 || return
	echo "$work/$1"
}

# wait_for WHAT COMMAND... - until the command succeeds. The cap is for a daemon that never does it, not a
# time that anything is judged by.
wait_for() {
	what=$1
	shift
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || fail "waited in vain for: $what"
		sleep 0.1
	done
}

# load_bpf [--netns] - the program of connwatch-bpf, pinned for this test alone; first of all, before there is a namespace.
load_bpf() {
	need_root
	need unshare
	[ -x "$bin/connwatch-bpf" ] || skip "connwatch-bpf was not built"
	[ -e /sys/kernel/btf/vmlinux ] || skip "the kernel has no BTF"
	# A /run of the test's own, in which nothing is left behind.
	if [ -z "${BPF_TEST:-}" ]; then
		cleanup
		BPF_TEST=1 exec unshare -m "$0" "$bin"
	fi
	mount -t tmpfs tmpfs /run || skip "cannot mount"
	mkdir -p /run/bpf/connwatchd
	mount -t bpf -o mode=0755 bpf /run/bpf/connwatchd || skip "cannot mount a bpffs"
	"$bin/connwatch-bpf" "$@" >"$work/loader" 2>&1 && return
	grep -q CAP_BPF "$work/loader" && skip "may not load a program"
	cat "$work/loader"
	fail "the program is not taken"
}

# write_conf [LINE...] - a configuration that stays in the test's folder and writes rows of a second.
write_conf() {
	{
		printf 'state_directory = "%s"\n' "$work/state"
		printf 'rrd {\n\tdirectory = "%s"\n\tarchives = { "1s:1h", "10s:1d" }\n}\n' "$rrd"
		printf 'log {\n\ttarget = stderr\n}\n'
		printf '%s\n' "$@"
	} >"$conf"
}

launch_daemon() {
	spawn "$bin/connwatchd" --config="$conf" 3</dev/null >>"$log" 2>&1
	daemon=$spawned
}

# start_daemon [ARGUMENT...] - with $conf; returns when the first row is in status.json. ARGUMENTs are launch_daemon's.
start_daemon() {
	rm -f "$status"
	launch_daemon "$@"
	wait_for "the first row of the daemon" running_with_status
}

running_with_status() {
	kill -0 "$daemon" 2>/dev/null || fail "the daemon ended"
	[ -s "$status" ]
}

# stop_daemon - by SIGTERM; it has to exit with 0 (a sanitizer that found something exits otherwise).
stop_daemon() {
	kill -TERM "$daemon"
	wait "$daemon"
	code=$?
	[ $code = 0 ] || fail "the daemon ended with $code on SIGTERM"
}

alive() {
	kill -0 "$daemon" 2>/dev/null || fail "the daemon is gone"
}

# value FILTER - of status.json, by jq.
value() {
	jq -r "$1" "$status"
}

# next_rows N - wait until N more rows were made; every look of theirs has been taken then.
next_rows() {
	for _ in $(seq "$1"); do
		row=$(value .time)
		wait_for "a row after $row" later_row "$row"
	done
}

later_row() {
	[ "$(value .time)" -gt "$1" ]
}

# said PATTERN - number of lines of the log that match.
said() {
	grep -cE -- "$1" "$log"
}

has_said() {
	grep -qE -- "$1" "$log"
}

# said_once PATTERN
said_once() {
	said_times=$(said "$1")
	[ "$said_times" = 1 ] || fail "said $said_times times, not once: $1"
}

# equal WHAT EXPECTED GOT
equal() {
	[ "$2" = "$3" ] || {
		echo "--- expected"
		echo "$2"
		echo "--- got"
		echo "$3"
		fail "$1"
	}
}

# recorded_proc - a copy of the tree captured under Debian's kernel, in $proc.
recorded_proc() {
	proc=$work/proc
	cp -a "$fixtures/linux-6.1-debian/proc" "$proc"
	chmod -R u+w "$proc"
	echo 262144 >"$proc/sys/net/netfilter/nf_conntrack_buckets" # enough for any count that a test writes
}

# set_number FILE NUMBER - in place and without a moment at which the file is empty; the width has to stay.
set_number() {
	printf '%s\n' "$2" 1<>"$proc/$1"
}

# The store process of the daemon.
store_pid() {
	pgrep -P "$daemon"
}

# last_update FILE - time of the newest row in an RRD.
last_update() {
	rrdtool last "$rrd/$1"
}

updated_after() {
	[ "$(last_update "$1")" -gt "$2" ]
}
