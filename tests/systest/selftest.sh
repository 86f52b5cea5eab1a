#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016 # every check is a text for a shell of its own
# Show that a booted machine is one that a service can be judged in. Run as
#   boot.sh -s DIR selftest.sh first && boot.sh -s DIR selftest.sh second
# Prints a line a check and "N passed, N failed", and fails if one did.
passed=0 failed=0

# check NAME COMMAND - a shell command that must succeed.
check() {
	if bash -c "$2" >/tmp/check.log 2>&1; then
		passed=$((passed + 1))
		echo "ok   $1"
	else
		failed=$((failed + 1))
		echo "FAIL $1"
		sed 's/^/     /' /tmp/check.log
	fi
}

check_units() {
	check 'init is systemd and every unit is up' \
		'[ "$(cat /proc/1/comm)" = systemd ] && systemctl is-system-running'
	check 'cgroups are version 2 and a service can be limited' \
		'grep -q cgroup2 /proc/mounts && systemd-run -q --wait -p TasksMax=20 true'
	check 'DynamicUser= and StateDirectory= work' \
		'systemd-run -q --wait -p DynamicUser=yes -p StateDirectory=dyn \
			sh -c "[ \$(id -u) -ge 61184 ] && touch /var/lib/dyn/a" &&
		[ -L /var/lib/dyn ] && [ -e /var/lib/private/dyn/a ]'
	check 'ProtectSystem=strict makes /etc and /usr read-only' \
		'systemd-run -q --wait -p ProtectSystem=strict sh -c "! touch /etc/x && ! touch /usr/x"'
	check 'ProtectKernelTunables= and ProtectHome= apply' \
		'systemd-run -q --wait -p ProtectKernelTunables=yes -p ProtectHome=yes \
			sh -c "! echo 1 >/proc/sys/net/ipv4/ip_forward && ! ls /root/x"'
	check 'a filtered system call is refused' \
		'! systemd-run -q --wait -p "SystemCallFilter=~mkdir mkdirat" mkdir /tmp/no'
}

check_watchdog() {
	cat >/etc/systemd/system/wd.service <<'UNIT'
[Service]
Type=notify
NotifyAccess=all
WatchdogSec=1
Restart=no
ExecStart=/bin/sh -c 'systemd-notify --ready --status=here; systemd-notify WATCHDOG=1; sleep 60'
UNIT
	systemctl daemon-reload
	check 'a start waits for READY=1' \
		'systemctl start wd && systemctl show wd -p StatusText | grep -q here'
	check 'a silent service is killed by its watchdog' \
		'for _ in $(seq 100); do
			systemctl show wd -p Result | grep -q watchdog && exit 0; sleep 0.1
		done; exit 1'
}

check_logs() {
	check 'what a service prints is in the journal under its unit' \
		'systemd-run -q --wait --unit=says echo hello-there && journalctl --sync &&
		journalctl -u says -o cat | grep -q hello-there'
	check 'syslog(3) keeps identifier and priority' \
		'logger -t connwatchd -p daemon.warning w1 && journalctl --sync &&
		journalctl -t connwatchd -p warning -o cat | grep -q w1'
	check 'rsyslog writes what the journal gets' \
		'for _ in $(seq 100); do grep -q w1 /var/log/syslog && exit 0; sleep 0.1; done; exit 1'
}

check_network() {
	check 'the only interface is loopback' '[ "$(ls /sys/class/net)" = lo ]'
	check 'the connection table is its own' \
		'[ "$(cat /proc/sys/net/netfilter/nf_conntrack_count)" -lt 5 ]'
	check 'a rule makes datagrams on loopback tracked' \
		'nft add table inet t &&
		nft add chain inet t c "{ type filter hook input priority 0; }" &&
		nft add rule inet t c ct state new accept &&
		for p in $(seq 9001 9040); do echo x >/dev/udp/127.0.0.1/$p; done
		[ "$(cat /proc/sys/net/netfilter/nf_conntrack_count)" -ge 40 ]'
	# Only the initial namespace may set the limit, and ProtectKernelTunables= mounts /proc/sys
	# anew, so a mount from outside does not last: the unit has to bind it itself.
	check 'a hardened unit can be shown another limit' \
		'echo 50 >/run/max && systemd-run -q --wait -p ProtectKernelTunables=yes \
			-p BindReadOnlyPaths=/run/max:/proc/sys/net/netfilter/nf_conntrack_max \
			grep -qx 50 /proc/sys/net/netfilter/nf_conntrack_max'
}

leave_traces() {
	echo kept >/var/lib/kept
	cat >/etc/systemd/system/atboot.service <<'UNIT'
[Service]
Type=oneshot
ExecStart=/bin/touch /run/atboot
[Install]
WantedBy=multi-user.target
UNIT
	check 'a unit can be enabled' 'systemctl enable atboot'
}

case ${1:-first} in
first)
	check_units
	check_watchdog
	check_logs
	check_network
	leave_traces
	;;
second)
	check 'the boot before wrote what is here' 'grep -qx kept /var/lib/kept'
	check 'the enabled unit was started' 'test -e /run/atboot'
	check 'the journal has both boots' '[ "$(journalctl --list-boots | wc -l)" -ge 2 ]'
	;;
esac
echo "$passed passed, $failed failed"
[ $failed = 0 ]
