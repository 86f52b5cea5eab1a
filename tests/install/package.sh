#!/bin/bash
# SPDX-License-Identifier: MIT
# The life of the Debian package in a booted machine: installed, restarted, upgraded, downgraded, removed, purged.
# shellcheck disable=SC2317 # the phases are called by their names

# Outside: two packages, and two boots of one machine.
if [ ! -e /systest/guest.sh ]; then
	set -eu
	tests=$(cd "$(dirname "$0")/.." && pwd)
	work=$(mktemp -d "${TMPDIR:-/tmp}/connwatchd-package.XXXXXX")
	trap 'rm -rf --one-file-system "$work"' EXIT
	trap 'exit 143' TERM
	[ "$(id -u)" = 0 ] || {
		echo "skipped: needs root"
		exit 77
	}
	cd "$tests/.."
	mkdir -p build
	for version in "" 99.1; do
		# Other install tests build there too.
		flock build/install.lock ./dev package $version >"$work/log" || {
			tail -n 30 "$work/log"
			exit 1
		}
		cp "$(tail -n 1 "$work/log")" "$work/package$version.deb"
	done
	# The next one ships another configuration: only then would dpkg ask about one that was changed.
	dpkg-deb -R "$work/package99.1.deb" "$work/next"
	echo '# new in 99.1' >>"$work/next/etc/connwatchd/connwatchd.conf"
	dpkg-deb --root-owner-group -b "$work/next" "$work/package99.1.deb" >/dev/null
	for phase in installed restarted; do
		rc=0
		"$tests/systest/boot.sh" -m 240 -s "$work/state" -t "$tests/lib/guest.sh:/systest/guest.sh" \
			-t "$tests/../conf/lighttpd.conf:/root/lighttpd.conf" -t "$work/package.deb:/root/package.deb" -t "$work/package99.1.deb:/root/next.deb" \
			"$0" $phase || rc=$?
		[ $rc != 125 ] || exit 77
		[ $rc = 0 ] || exit $rc
	done
	exit 0
fi

# shellcheck source=../lib/guest.sh
. /systest/guest.sh
sockets=(connwatch-ct.socket connwatch-notify.socket)

# Everything that is there, but for what time and other programs leave (useradd the backups in /etc).
everything() {
	find / -xdev \( -path /root -o -path /systest -o -path /tmp -o -path /var/tmp -o -path /run -o -path /dev \
		-o -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/systemd -o -path '/etc/*-' \) -prune -o -print | sort
	grep -r . /etc/passwd /etc/group /etc/shadow /etc/gshadow
	find /var/lib/systemd /var/lib/dpkg/info /run -name '*connwatch*'
}

warnings() {
	said CONNWATCH_ALERT=conntrack-full | jq -c 'select(.PRIORITY == "4")'
}

warned() {
	[ -n "$(warnings)" ]
}

since() {
	jq '.alerts[] | select(.name == "conntrack-full") | .since' "$status"
}

starts() {
	said | jq -r .MESSAGE | grep -c 'connwatchd [0-9.]* started'
}

pages_are_there() {
	[ -s /var/lib/connwatchd-pages/index.cgi ]
}

# Entries of loopback's datagrams last 30 s: enough for a warning, and for what is looked at then.
overfill() {
	conntrack -F >/dev/null 2>&1
	entries 20001 20085
}

# The example is not there: the machine's root is without /usr/share/doc.
web_page() {
	local page=http://127.0.0.1/connwatchd image

	cp /root/lighttpd.conf /etc/lighttpd/conf-available/50-connwatchd.conf
	lighty-enable-mod connwatchd >/dev/null || fail "lighty-enable-mod"
	check "the web server starts" systemctl restart lighttpd
	wait_for "the page comes" curl -fsS -o /tmp/page $page/
	image=$(sed -n 's/.*<img[^>]* src="\([^"]*\)".*/\1/p' /tmp/page | head -n 1)
	check "an image of it comes" curl -fsS -o /tmp/image "$page/$image"
	equal "it is a PNG" 89504e470d0a1a0a "$(od -An -tx1 -N8 /tmp/image | tr -d ' ')"
	systemctl stop lighttpd
	lighty-disable-mod connwatchd >/dev/null
	rm /etc/lighttpd/conf-available/50-connwatchd.conf
}

installed() {
	everything >/root/before
	check "it is installed" dpkg -i /root/package.deb
	equal "the service" "active enabled" "$(systemctl is-active "$unit") $(systemctl is-enabled "$unit")"
	for socket in "${sockets[@]}"; do
		equal "$socket" "active enabled" "$(systemctl is-active "$socket") $(systemctl is-enabled "$socket")"
	done
	wait_for "a row, ten seconds apart as shipped" has_row tcp
	check "the pages are written" pages_are_there
	web_page
	check "the catalog is known" sh -c 'journalctl --list-catalog | grep -q connwatchd'
	check "the completion is there" test -e /usr/share/bash-completion/completions/connwatch
	equal "the file of the configuration is dpkg's" " $etc/connwatchd.conf" \
		"$(dpkg-query -W -f '${Conffiles}' connwatchd | sed -n 's/ [0-9a-f]*$//p')"

	useradd -M -G connwatchd insider
	track
	entries 20001 20010
	check "a member of the group asks who fills the table" \
		setpriv --reuid insider --regid insider --init-groups connwatch top
	userdel insider

	echo '# mine
alert "conntrack-full" { hold = 1 }' >>$etc/connwatchd.conf
	echo 100 >/run/max
	drop_in max BindReadOnlyPaths=-/run/max:/proc/sys/net/netfilter/nf_conntrack_max
	systemctl restart "$unit"
	check "a changed configuration is reloaded" systemctl reload "$unit"
	overfill
	wait_for "the warning is in the journal" warned
	wait_for "and in syslog" grep -qE 'connwatchd(\[[0-9]+\])?: conntrack: [89][0-9]% full' /var/log/syslog
	check "the journal explains it" sh -c \
		'journalctl -x CONNWATCH_ALERT=conntrack-full | grep "The connection tracking table is filling up"'

	drop_in watchdog WatchdogSec=2
	systemctl restart "$unit"
	pid=$(property MainPID)
	kill -STOP "$pid"
	is_another() {
		[ "$(property MainPID)" != "$pid" ] && [ "$(property MainPID)" != 0 ] &&
			[ "$(systemctl is-active "$unit")" = active ]
	}
	wait_for "the watchdog restarts one that hangs" is_another
	drop_in watchdog
	systemctl restart "$unit"
	new_rows "rows go on"
	rrdtool last $rrd/tcp.rrd >/root/last
	sync
}

restarted() {
	wait_for "the service starts with the machine" systemctl is-active "$unit"
	for socket in "${sockets[@]}"; do
		equal "$socket" active "$(systemctl is-active "$socket")"
	done
	new_rows "rows go on"
	check "the history before is there" sh -c \
		"rrdtool fetch $rrd/tcp.rrd AVERAGE -s $(($(cat /root/last) - 10)) -e $(cat /root/last) | grep -E ': +[0-9]'"
	equal "the tables are empty, and so are the alerts" '[]' "$(jq -c .alerts "$status")"

	echo 100 >/run/max
	systemctl restart "$unit"
	track
	overfill
	wait_for "the warning" warned
	is_open() {
		[ -n "$(since)" ]
	}
	wait_for "stands in status.json" is_open
	began=$(since)
	md5sum $etc/connwatchd.conf >/root/sum
	started=$(starts)
	systemctl disable --quiet --now connwatch-notify.socket
	entries 20001 20085 # they last for longer
	check "an upgrade asks nothing" dpkg --force-confdef --force-confold -i /root/next.deb </dev/null
	equal "the service" active "$(systemctl is-active "$unit")"
	equal "it was restarted once" $((started + 1)) "$(starts)"
	check "the configuration is as it was" md5sum -c /root/sum
	check "what is new is beside it" grep -q '^# new in 99.1' $etc/connwatchd.conf.dpkg-dist
	equal "a unit that was disabled stays so" "inactive disabled" \
		"$(systemctl is-active connwatch-notify.socket) $(systemctl is-enabled connwatch-notify.socket)"
	new_rows "rows go on"
	equal "the version" '"99.1"' "$(jq .version "$status")"
	equal "the episode goes on" "$began" "$(since)"
	equal "and is not said again" 1 "$(warnings | wc -l)"
	check "connwatch-ct answers" sh -c 'runuser -u connwatchd -- connwatch top'

	check "a downgrade" dpkg --force-confdef --force-confold -i /root/package.deb </dev/null
	new_rows "rows go on"
	check "the configuration is as it was" md5sum -c /root/sum
	systemctl enable --quiet --now connwatch-notify.socket

	check "it is removed" dpkg -r connwatchd
	equal "processes" "" "$(pgrep connwatch)"
	equal "units" "" "$(systemctl list-units --all --no-legend 'connwatch*' | grep -v not-found)"
	check "the history is kept" test -s $rrd/tcp.rrd
	check "so is the configuration" md5sum -c /root/sum
	check "it is installed again" dpkg -i /root/package.deb
	new_rows "the history goes on"
	check "with the configuration" md5sum -c /root/sum

	rm -r "$dropins"
	systemctl daemon-reload
	check "it is purged" dpkg -P connwatchd
	everything >/root/after
	equal "what it has left" "" "$(comm -13 <(sort /root/before) <(sort /root/after))"
	equal "what has gone with it" "" "$(comm -23 <(sort /root/before) <(sort /root/after))"
	equal "processes" "" "$(pgrep connwatch)"
	equal "units" "" "$(systemctl list-unit-files --no-legend 'connwatch*'; systemctl list-units --all --no-legend 'connwatch*')"
}

"$1"
