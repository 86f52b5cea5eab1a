#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the BPF program is not there, not allowed, in use, or counts something else than sock_diag, netlink is used: with
# one line that says why, and the right numbers.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need ss jq setpriv
load_bpf
make_netns
sockgen=$(tool sockgen) || fail "cannot build sockgen"
spawn_held "$sockgen" -e 300 -6 40 >"$work/sockgen" 2>&1
wait_for "the sockets" grep -q ^ready "$work/sockgen"
chmod 755 "$work"

# by_netlink PATTERN COMMAND... - the daemon once: right, and with one line like this, or with none.
by_netlink() {
	pattern=$1
	shift
	in_netns "$@" "$bin/connwatchd" -v --config="$conf" --once --json >"$work/once.json" 2>"$work/words" ||
		fail "--once: $(cat "$work/words")"
	equal "the source in use" netlink "$(jq -r .sockets.source "$work/once.json")"
	equal "established sockets" 680 "$(jq .readings.sockets.established "$work/once.json")"
	if [ -n "$pattern" ]; then
		grep -qE "$pattern" "$work/words" || fail "not said: $pattern: $(cat "$work/words")"
		equal "times it was said" 1 "$(grep -c "^<[0-5]>.*sockets:" "$work/words")"
	else
		equal "what was said" "" "$(grep "^<[0-5]>.*sockets:" "$work/words")"
	fi
}
nobody="setpriv --reuid nobody --regid nogroup --clear-groups"

# Not allowed.
write_conf 'sockets { source = bpf  cpu_share = 100 }'
# shellcheck disable=SC2086 # words
by_netlink 'sockets: source bpf: /run/bpf/connwatchd/walk: Permission denied; source netlink' $nobody
write_conf 'sockets { cpu_share = 100 }'
# shellcheck disable=SC2086
by_netlink '' $nobody

# In use by the daemon, which counts by it.
write_conf 'interval = 1' 'sockets { source = bpf  cpu_share = 100 }'
start_daemon
counts_by_bpf() {
	[ "$(value .sockets.source)" = bpf ] && [ "$(value .readings.sockets.established)" = 680 ]
}
wait_for "a count by BPF" counts_by_bpf
by_netlink 'in use by another process' env
# A reload goes on with it.
kill -HUP "$daemon"
wait_for "the reload" has_said 'configuration reloaded'
next_rows 2
counts_by_bpf || fail "it does not count by BPF after a reload"
equal "what was said of it" 0 "$(said 'sockets:')"
stop_daemon

# Another program in its place, which finds no socket at all: more than what comes and goes would explain.
write_conf 'sockets { cpu_share = 100 }'
need bpftool
rm /run/bpf/connwatchd/walk /run/bpf/connwatchd/sockets
bpftool prog load "$bin/../bpf/wrong.o" /run/bpf/connwatchd/walk pinmaps /run/bpf/connwatchd ||
	fail "cannot load another program"
by_netlink 'BPF counts 0 sockets in state 1, sock_diag 680; source netlink is used instead' env
write_conf 'sockets { source = bpf  cpu_share = 100 }'
rm /run/bpf/connwatchd/walk /run/bpf/connwatchd/sockets
by_netlink 'walk: is not there, does connwatch-bpf.service run\?; source netlink' env

# The loader says why it cannot.
not_loaded() {
	pattern=$1
	shift
	"$@" "$bin/connwatch-bpf" 2>"$work/words" && fail "it was loaded"
	grep -q "$pattern" "$work/words" || fail "not said: $pattern: $(cat "$work/words")"
}
not_loaded 'takes CAP_BPF and CAP_PERFMON' setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin
umount /run/bpf/connwatchd
not_loaded '/run/bpf/connwatchd is no bpffs' env
mount -t bpf bpf /run/bpf/connwatchd
mount --bind /dev/null /sys/kernel/btf/vmlinux && not_loaded btf/vmlinux env
