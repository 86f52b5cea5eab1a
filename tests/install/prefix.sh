#!/bin/bash
# SPDX-License-Identifier: MIT
# `cmake --install` with a prefix of its own: the units name the programs and the configuration there, and work.
[ -e /systest/guest.sh ] || INSTALL_PREFIX=/opt/cw exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh
prefix=/opt/cw
etc=/etc$prefix/connwatchd # where the filesystem standard has it for a prefix below /opt

check "nothing of it is below /usr" sh -c '! find /usr /etc/connwatchd -name "connwatch*" 2>/dev/null | grep .'
check "the user is made" systemd-sysusers $prefix/lib/sysusers.d/connwatchd.conf
check "so are the folders" systemd-tmpfiles --create $prefix/lib/tmpfiles.d/connwatchd.conf
mkdir -p $etc
set_conf
check "the units are linked" systemctl link --quiet $prefix/lib/systemd/system/connwatch*
check "and start" systemctl enable --now --quiet connwatchd.service connwatch-ct.socket connwatch-notify.socket
wait_for "rows" has_row tcp
equal "the program" $prefix/sbin/connwatchd "$(readlink "/proc/$(property MainPID)/exe")"
equal "the store" $prefix/libexec/connwatchd/connwatchd-store \
	"$(readlink "/proc/$(pgrep -P "$(property MainPID)")/exe")"
check "top, through the socket" setpriv --reuid connwatchd --regid connwatchd --init-groups $prefix/bin/connwatch top
equal "the helper" $prefix/libexec/connwatchd/connwatch-ct \
	"$(readlink "/proc/$(systemctl show -P MainPID connwatch-ct.service)/exe")"
check "the tool finds the configuration" sh -c "$prefix/bin/connwatch --help | grep $etc/connwatchd.conf"

set_conf 'nonsense = 1'
check "a bad file makes the reload fail" sh -c "! systemctl reload $unit"
check "and is named" sh -c "journalctl --sync; journalctl -u $unit | grep '$etc/connwatchd.conf:6: .*nonsense'"
set_conf 'alert "now" { value = "conntrack.max"  warning = 1  critical = 1000000000000  hold = 1 }'
# shellcheck disable=SC2016 # for the script
printf '%s\n' '#!/bin/sh' 'echo "told of $CONNWATCH_ALERT"' >$etc/notify
chmod 755 $etc/notify
check "a good one is reloaded" systemctl reload "$unit"
told() {
	journalctl --sync
	journalctl -t connwatch-notify | grep 'told of now'
}
wait_for "the script is run" told
