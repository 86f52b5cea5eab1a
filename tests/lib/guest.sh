# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by tests/install/*.sh in the booted machine, where the program is installed as
# `cmake --install` left it.
set -u
export LC_ALL=C.UTF-8
unit=connwatchd.service
etc=/etc/connwatchd
rrd=/var/lib/connwatchd/rrd
status=/run/connwatchd/status.json
dropins=/etc/systemd/system/$unit.d

fail() {
	echo "FAILED: $*"
	systemctl status --no-pager --full "$unit"
	journalctl --no-pager -o short-precise | tail -n 60
	exit 1
}

ok() {
	echo "ok   $*"
}

# check WHAT COMMAND... - has to succeed now.
check() {
	local what=$1

	shift
	"$@" >/tmp/check.log 2>&1 || {
		cat /tmp/check.log
		fail "$what"
	}
	ok "$what"
}

# Seconds since the boot: a test may set the clock.
uptime_seconds() {
	cut -d. -f1 /proc/uptime
}

# wait_for WHAT COMMAND... - has to succeed at last; the cap is for one that never does.
wait_for() {
	local what=$1 end=$(($(uptime_seconds) + 90))

	shift
	while [ "$(uptime_seconds)" -lt $end ]; do
		! "$@" >/dev/null 2>&1 || {
			ok "$what"
			return
		}
		sleep 0.1
	done
	fail "waited in vain for: $what"
}

equal() {
	[ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
	ok "$1"
}

# set_conf [LINE...] - the whole configuration: rows of a second, and these lines.
set_conf() {
	mkdir -p "$etc"
	{
		echo 'interval = 1'
		printf 'rrd {\n\tdirectory = "%s"\n\tarchives = { "1s:1h" }\n}\n' "$rrd"
		printf '%s\n' "$@"
	} >"$etc/connwatchd.conf"
}

# drop_in NAME [LINE...] - of the [Service] section; without lines it is removed.
drop_in() {
	local file=$dropins/$1.conf

	shift
	if [ $# = 0 ]; then
		rm -f "$file"
	else
		mkdir -p "$dropins"
		printf '%s\n' '[Service]' "$@" >"$file"
	fi
	systemctl daemon-reload
}

start_installed() {
	systemd-sysusers
	systemctl daemon-reload
	# Enabled, systemd also remembers how a stopped one ended.
	systemctl enable --quiet "$unit"
	check "the unit starts and says READY=1" systemctl start "$unit"
	equal "it is active" active "$(systemctl is-active "$unit")"
}

property() {
	systemctl show --value -p "$1" "$unit"
}

has_row() {
	[ -s "$status" ] && rrdtool lastupdate "$rrd/$1.rrd" | tail -n 1 | grep -q '^[0-9]*: *[0-9]'
}

row_after() {
	[ "$(rrdtool last "$rrd/$1.rrd")" -gt "$2" ]
}

# new_rows WHAT - rows arrive from now on.
new_rows() {
	wait_for "$1" row_after tcp "$(rrdtool last "$rrd/tcp.rrd")"
}

# said [MATCH...] - journal entries of the unit, as JSON lines.
said() {
	journalctl --sync
	journalctl -b --no-pager -o json -u "$unit" "$@"
}

# Loopback's datagrams become entries of the table: entries FIRST LAST makes one of each port.
track() {
	nft add table inet test
	nft add chain inet test input '{ type filter hook input priority 0; }'
	nft add rule inet test input ct state new counter
	nft add rule inet test input udp dport 20000-40000 drop
}

entries() {
	local port

	for ((port = $1; port <= $2; port++)); do
		echo x >"/dev/udp/127.0.0.1/$port"
	done
}
