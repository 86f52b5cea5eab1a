#!/bin/sh
# SPDX-License-Identifier: MIT
# History survives change: a file of a package with fewer columns and archives, another interval and back,
# other archives; what was there before is there to the last row, and the next row follows without a gap.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq rrdtool
recorded_proc
sed -i 's/^\(Tcp: [0-9]* [0-9]* [0-9]* -*[0-9]*\) [0-9]*/\1 9000000/' "$proc/net/snmp" # active_opens

# set_conf INTERVAL ARCHIVES - as in the configuration file; default archives if there are none.
set_conf() {
	write_conf "interval = $1" "watch_interval = 1" "proc = \"$proc\""
	sed -i '/archives = /d' "$conf"
	[ $# = 1 ] || sed -i "s/^rrd {/&\n\tarchives = { $2 }/" "$conf"
}

# rows FILE CF RESOLUTION FIRST LAST - time and the old package's three columns, FIRST excluded.
rows() {
	rrdtool fetch "$1" "$2" -r "$3" -s "$4" -e $(($5 - 1)) |
		awk '/^[0-9]+:/ { gsub(/-nan/, "nan"); print $1, $2, $3, $4 }'
}

# same WHAT CF RESOLUTION FIRST LAST - as in the file of old.
same() {
	rows "$work/old.rrd" "$2" "$3" "$4" "$5" >"$work/before"
	rows "$rrd/tcp.rrd" "$2" "$3" "$4" "$5" >"$work/after"
	[ "$(grep -vc nan "$work/before")" -gt 100 ] || fail "$1: there is little to compare"
	[ "$(wc -l <"$work/before")" = $((($5 - $4) / $3)) ] || fail "$1: not rows of $3 s"
	cmp "$work/before" "$work/after" || {
		diff "$work/before" "$work/after" | head
		fail "$1"
	}
}

# On a slow machine the daemon has had time for a row of its own.
not_before() {
	[ "$(last_update tcp.rrd)" -ge $last ] || fail "the newest row is gone: $(last_update tcp.rrd), not $last"
}

# converted WHAT... - start the daemon, which has to say it of tcp.rrd in one line.
converted() {
	: >"$log"
	launch_daemon
	wait_for "conversion" has_said "^<5>.*store: tcp\\.rrd converted, its history kept: "
	said_once "tcp\\.rrd converted"
	for pattern; do
		has_said "tcp\\.rrd converted.*$pattern" || fail "not said: $pattern"
	done
	equal "leftovers" "" "$(find "$rrd" -name '.tcp.*')"
}

# Three days and a bit, ahead of the clock: the daemon's first row is the next one, however slow this is.
last=$(($(date +%s) / 10 * 10 + 20))
first=$((last - 280000))
mkdir -p "$rrd"
rrdtool create "$rrd/tcp.rrd" --step 10 --start $((first - 10)) DS:active_opens:DERIVE:30:0:U \
	DS:passive_opens:DERIVE:30:0:U DS:curr_estab:GAUGE:30:0:U \
	RRA:AVERAGE:0.5:1:17280 RRA:AVERAGE:0.5:6:20160 RRA:MAX:0.5:6:20160
awk -v first=$first -v last=$last 'BEGIN {
	for (t = first; t <= last; t += 10) {
		i = (t - first) / 10
		print t ":" i * 20 + i % 13 ":" i * 7 ":" (t % 48000 > 0 && t % 48000 <= 600 ? "U" : 100 + i % 97 * 11)
	}
}' | xargs -n 2000 rrdtool update "$rrd/tcp.rrd"
equal "rows of the old package" $last "$(last_update tcp.rrd)"
cp "$rrd/tcp.rrd" "$work/old.rrd"
minute=$((last / 60 * 60))

# The columns and archives that the package of today has.
set_conf 10
converted "4 archives added" "columns added: attempt_fails, estab_resets, in_segs"
same "rows of 10 s" AVERAGE 10 $((last - 172000)) $last
same "averages of a minute" AVERAGE 60 $((minute - 276000)) $minute
same "maxima of a minute" MAX 60 $((minute - 276000)) $minute
ten=$((last / 600 * 600))
rows "$rrd/tcp.rrd" MAX 600 $((ten - 60000)) $ten | awk '{ print $1, $4 }' >"$work/after"
rows "$work/old.rrd" AVERAGE 10 $((ten - 60000)) $ten | awk '
	$4 != "nan" && $4 + 0 > max + 0 { max = $4 }
	$1 % 600 == 0 { print $1, max ? max : "nan"; max = 0 }' >"$work/before"
diff "$work/before" "$work/after" || fail "maxima of 10 minutes"
wait_for "the next row" updated_after tcp.rrd $last
stop_daemon
next=$(rows "$rrd/tcp.rrd" AVERAGE 10 $last $((last + 10)))
rate=$(awk -v count=$(((last - first) / 10)) 'BEGIN {
	printf "%.10e", (9000000 - count * 20 - count % 13) / 10 }')
equal "rate of a counter in the next row" "$rate" "$(echo "$next" | cut -d' ' -f2)"
cp "$work/old.rrd" "$rrd/tcp.rrd" # without the daemon's rows

# Another interval, and back.
set_conf 60
converted "a row every 60 s instead of every 10 s"
stop_daemon
not_before
same "averages of a minute at 60 s" AVERAGE 60 $((minute - 276000)) $minute
set_conf 10
converted "a row every 10 s instead of every 60 s"
stop_daemon
not_before
same "averages of a minute, there and back" AVERAGE 60 $((minute - 276000)) $minute
same "maxima of a minute, there and back" MAX 60 $((minute - 276000)) $minute

# Other archives: longer, shorter, another resolution; none is lost.
cp "$work/old.rrd" "$rrd/tcp.rrd"
set_conf 10 '"10s:1h", "30s:1d", "1m:20d"'
converted "archives added" "2 archives lengthened"
stop_daemon
same "rows of 10 s that are not listed any more" AVERAGE 10 $((last - 172000)) $last
same "averages of a minute, lengthened" AVERAGE 60 $((minute - 276000)) $minute
same "maxima of a minute, lengthened" MAX 60 $((minute - 276000)) $minute

# Nothing is left to be done.
: >"$log"
start_daemon
stop_daemon
! has_said "tcp\\.rrd converted" || fail "converted again"
