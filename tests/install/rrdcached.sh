#!/bin/bash
# SPDX-License-Identifier: MIT
# An rrdcached by its port: the unit forbids it, the error names the drop-in, and with that the rows go there.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0" \
	-t "$(dirname "$0")/../../conf/remote-rrdcached.conf:/root/remote-rrdcached.conf"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh

mkdir -p /var/lib/central/web1
rrdcached -b /var/lib/central -B -l 127.0.0.1:42217 -p /run/rrdcached-test.pid
mkdir -p "$etc"
printf '%s\n' 'interval = 1' 'rrd { daemon = "127.0.0.1:42217" directory = "/web1" archives = { "1s:1h" } }' \
	>"$etc/connwatchd.conf"
start_installed
forbidden() {
	said | jq -r .MESSAGE | grep 'rrdcached at 127.0.0.1:42217: the unit allows no network; install remote-rrdcached.conf'
}
wait_for "the error names the drop-in" forbidden
mkdir -p $dropins
cp /root/remote-rrdcached.conf $dropins
systemctl daemon-reload
check "it starts with the drop-in" systemctl restart "$unit"
stored() {
	rrdtool info --daemon 127.0.0.1:42217 web1/tcp.rrd | grep 'last_update'
}
wait_for "rows go to the rrdcached" stored
check "nothing is written here" sh -c "! ls $rrd/*.rrd"
