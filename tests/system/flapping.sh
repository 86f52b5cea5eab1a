#!/bin/sh
# SPDX-License-Identifier: MIT
# Case 45: around a threshold there is one warning and one all-clear. A round is three looks here, enough
# to raise (hold = 2) and to clear (release = 3).
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq
recorded_proc
case=$fixtures/cases/45-flapping
count=sys/net/netfilter/nf_conntrack_count
cp "$case/t00/proc/sys/net/netfilter/nf_conntrack_max" "$proc/sys/net/netfilter/"
cp "$case/t00/proc/$count" "$proc/$count"
chmod -R u+w "$proc"
write_conf 'interval = 3' 'watch_interval = 1' "proc = \"$proc\"" \
	"$(sed 's/\r$//' "$case/connwatchd.conf")"
sed -i 's/"1s:1h", "10s:1d"/"3s:1h"/' "$conf"
start_daemon
for round in 01 02 03 04 05 06 07 08 20; do
	set_number "$count" "$(cat "$case/t$round/proc/$count")"
	next_rows 1
	case $round in
	01 | 02 | 07 | 08) said_once '<4>connwatchd: conntrack: 80% full' ;;
	esac
done
next_rows 1
said_once '<[0-9]>connwatchd: conntrack: [0-9]+% full'
said_once '<5>connwatchd: conntrack: back to normal: 60% full \(6000 of 10000 entries\), was warning for'
equal "alerts left" '[]' "$(value '.alerts | tojson')"
stop_daemon
