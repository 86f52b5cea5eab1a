#!/bin/bash
# SPDX-License-Identifier: MIT
# What SECURITY.md says of the installed service: what its two processes may do, and what they cannot though they would.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

set_conf
start_installed
wait_for "rows" has_row tcp
loop=$(property MainPID)
store=$(pgrep -P "$loop")

for pid in "$loop" "$store"; do
	name=$(cat "/proc/$pid/comm")
	equal "$name: user" connwatchd "$(stat -c %U "/proc/$pid")"
	equal "$name: capabilities, of all five sets" 0000000000000000 "$(awk '/^Cap/ { print $2 }' "/proc/$pid/status" | sort -u)"
	equal "$name: no new privileges, system calls filtered" "1 2" \
		"$(awk '/^(NoNewPrivs|Seccomp):/ { printf "%s%s", n++ ? " " : "", $2 }' "/proc/$pid/status")"
	equal "$name: listening sockets" "" "$(ss -Hlnpxt | grep LISTEN | grep "pid=$pid,")"
	equal "$name: sockets of the internet" "" "$(ss -Hanptuw | grep "pid=$pid,")"
done

# As it is, in its view of the file system.
as_the_daemon() {
	nsenter -t "$loop" -m -- setpriv --reuid=connwatchd --regid=connwatchd --clear-groups "$@"
}
for folder in /etc /etc/connwatchd /usr /usr/sbin /home /root /run /var/lib /var/lib/connwatchd-pages /boot; do
	as_the_daemon touch "$folder/x" 2>/dev/null && fail "it can write to $folder"
	ok "it cannot write to $folder"
done
for folder in /var/lib/connwatchd /run/connwatchd; do
	as_the_daemon touch "$folder/x" || fail "it cannot write to $folder"
	ok "it can write to $folder"
	rm "$folder/x"
done
equal "the configuration is root's" "root 644" "$(stat -c '%U %a' "$etc/connwatchd.conf")"
equal "store.undo is nobody else's business" "connwatchd 600" "$(stat -c '%U %a' /run/connwatchd/store.undo)"

# A stranger.
stranger() {
	runuser -u www-data -- "$@"
}
check "a stranger reads status.json" stranger cat "$status"
for file in "$status" "$rrd/tcp.rrd" "$etc/connwatchd.conf"; do
	check "a stranger cannot write $file" sh -c "! runuser -u www-data -- sh -c 'echo >>$file' 2>/dev/null"
done
check "nor make a file beside status.json" sh -c "! runuser -u www-data -- touch /run/connwatchd/x 2>/dev/null"
check "nor signal it" sh -c "! runuser -u www-data -- kill -HUP $loop 2>/dev/null"

# A spoilt status.json, and a link in its place: the next start takes no harm, and the link's end is not written.
systemctl stop "$unit"
echo precious >/etc/precious
chown connwatchd: /etc/precious
ln -sf /etc/precious /run/connwatchd/status.json
ln -sf /etc/precious /run/connwatchd/.status.json.new
systemctl start "$unit" || fail "it does not start on a link"
wait_for "rows" has_row tcp
wait_for "status.json is a file again" test ! -L /run/connwatchd/status.json
equal "what the link led to" precious "$(cat /etc/precious)"
