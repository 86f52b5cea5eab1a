#!/bin/sh
# SPDX-License-Identifier: MIT
# The lines of the kernel's log are counted from /dev/kmsg; what a process writes there does not count; without
# the right to read it the reading is unknown, and a failure is none.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq setpriv
need_root
[ "$(stat -c %F:%t:%T /dev/kmsg)" = "character special file:1:b" ] || skip "there is no /dev/kmsg here"

of_once() {
	"$bin/connwatchd" --config="$conf" --once --json | jq -r '.readings.kernlog.table_full'
}

# As the documentation of dev-kmsg has it: facility 0 is the kernel's.
of_kmsg() {
	timeout 5 dd if=/dev/kmsg iflag=nonblock bs=16k 2>/dev/null |
		grep -cE '^[0-7],[0-9]+,[0-9]+,[^;]*;((nf|ip)_conntrack: ){1,2}table full( in netns [0-9]+)?, dropping packet\.?$'
}

write_conf 'tcp { enabled = false }' 'tcpext { enabled = false }' 'limits { enabled = false }' \
	'sockets { enabled = false }' 'conntrack { enabled = false }'
before=$(of_kmsg)
equal "lines in /dev/kmsg" "$before" "$(of_once)"

printf '<4>nf_conntrack: table full, dropping packet\n' >/dev/kmsg
timeout 5 dd if=/dev/kmsg iflag=nonblock bs=16k 2>/dev/null | grep -q '^12,.*;nf_conntrack: table full' ||
	fail "the line of a process is not in /dev/kmsg"
[ "$(of_kmsg)" != "$before" ] || equal "a line of a process" "$before" "$(of_once)"

# Neither the log nor a journal: not permitted, which is no failure, and unknown.
install -d "$work/nobody"
cp "$bin/connwatchd" "$conf" "$work/nobody"
chmod 755 "$work" "$work/nobody"
chmod 644 "$work/nobody/connwatchd.conf"
unprivileged() {
	unshare --mount sh -c 'mount --bind /dev/null /dev/kmsg && mount -t tmpfs none /var/log && mount -t tmpfs none /run &&
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' sh "$work/nobody/connwatchd" \
		--config="$work/nobody/connwatchd.conf" --once --json
}
unprivileged >"$work/once.json" || fail "--once fails where the log may not be read"
equal "what may not be read" null "$(jq -r .readings.kernlog.table_full "$work/once.json")"
jq -r .errors.kernlog "$work/once.json" | grep -q 'cannot open .dev.kmsg: .*no journal has lines of the kernel' ||
	fail "the error does not say what to do: $(cat "$work/once.json")"
