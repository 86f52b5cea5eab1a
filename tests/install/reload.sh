#!/bin/bash
# SPDX-License-Identifier: MIT
# systemctl reload: fails with the file's errors and keeps the old configuration; takes a good one.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

set_conf
start_installed
wait_for "rows" has_row tcp
pid=$(property MainPID)

set_conf 'socket_group "web" { local_ports = { 80 } }' 'nonsense = 1' 'interval = 0'
check "a bad file makes the reload fail" sh -c "! systemctl reload $unit"
journalctl --sync
journalctl -u "$unit" >/tmp/journal
check "the first error is shown with its line" grep -q 'connwatchd\.conf:7: .*nonsense' /tmp/journal
check "the second error too" grep -q 'connwatchd\.conf:8: .*interval' /tmp/journal
equal "it goes on" active "$(systemctl is-active "$unit")"
new_rows "rows go on"
equal "the group of the bad file is not there" null "$(jq -c '.readings["sockets-web"]' "$status")"

set_conf 'socket_group "web" { local_ports = { 80 } }'
check "a good file is reloaded" systemctl reload "$unit"
wait_for "the new group has an RRD" has_row sockets-web
wait_for "the service is active after the reload" systemctl is-active "$unit"
equal "it is the same process" "$pid" "$(property MainPID)"
new_rows "rows after the reload"
