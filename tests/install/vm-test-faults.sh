#!/bin/bash
# SPDX-License-Identifier: MIT
# In a machine with a kernel of its own (`./dev test vm`): its clock goes forward a year and back, it is suspended, and the
# disk is frozen while systemd stops the service.
[ -e /systest/guest.sh ] || {
	disk=$(mktemp)
	trap 'rm "$disk"' EXIT
	truncate -s 64M "$disk" && mkfs.ext4 -q "$disk" || exit 77
	"$(dirname "$0")/../lib/boot-installed.sh" bootvm.sh "$0" -m 600 -t "$disk:/systest/disk"
	exit
}
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

# The rows of three years, so that it is not the clock that is taken for wrong.
set_conf
sed -i 's/"1s:1h"/"1s:1h", "1d:3y"/' "$etc/connwatchd.conf"
start_installed
wait_for "rows" has_row tcp
journal() {
	said -p warning | jq -r .MESSAGE
}

# Before anything befalls it: an emulated machine may be slow enough to be said.
new_rows "rows go on"
calm=$(journal)

# A suspend to memory that the clock of the machine ends. Looks go on at once, and nothing is amiss.
before=$(rrdtool last "$rrd/tcp.rrd")
check "a suspend of 20 seconds" rtcwake -m mem -s 20
new_rows "rows after the suspend"
[ $(($(rrdtool last "$rrd/tcp.rrd") - before)) -ge 18 ] || fail "there was no suspend"
equal "what was said" "$calm" "$(journal)"
equal "restarts by the watchdog" 0 "$(property NRestarts)"

# A year ahead, and back: history goes on in files of its own, what was written stays.
inode=$(stat -c %i "$rrd/tcp.rrd")
before=$(rrdtool last "$rrd/tcp.rrd")
systemctl stop '*.timer' # a year's work of the others is not what is tested
date -s '+1 year' >/dev/null
wait_for "rows of the year to come" row_after tcp $((before + 31000000))
equal "it is the same file" "$inode" "$(stat -c %i "$rrd/tcp.rrd")"
date -s '-1 year' >/dev/null
wait_for "the file is moved aside" sh -c "ls $rrd/tcp.rrd.bad-*"
equal "it is the same file" "$inode" "$(stat -c %i "$rrd"/tcp.rrd.bad-*)"
wait_for "rows of this year" sh -c "[ \$(rrdtool last $rrd/tcp.rrd) -lt $((before + 3600)) ]"
new_rows "rows go on"
equal "times it was said" 1 "$(journal | grep -c 'tcp.rrd holds rows up to')"
check "it goes on" systemctl is-active "$unit"

# A frozen disk.
systemctl stop "$unit"
mkdir -p "$rrd"
mount -o loop /systest/disk "$rrd"
chown connwatchd: "$rrd"
systemctl start "$unit"
wait_for "rows on the disk" has_row tcp
pid=$(property MainPID)
store=$(pgrep -P "$pid")
hangs() {
	grep -q '^State:.D' "/proc/$store/status"
}
fsfreeze -f "$rrd"
wait_for "the store hangs in the kernel" hangs
before=$(jq .time "$status")
wait_for "looks go on" sh -c "[ \$(jq .time $status) -gt $((before + 3)) ]"
systemctl stop "$unit"
took=$(($(property InactiveEnterTimestampMonotonic) - $(property ActiveExitTimestampMonotonic)))
[ $took -le 5000000 ] || fail "the stop took $took µs"
ok "the stop took $took µs with a store that hangs"
fsfreeze -u "$rrd"
wait_for "the store ends" test ! -e "/proc/$store"
systemctl reset-failed "$unit"
check "it starts again" systemctl start "$unit"
new_rows "rows on the same disk"
