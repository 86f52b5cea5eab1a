# SPDX-License-Identifier: MIT
# A week in the life of a web server that never was, as commands for `rrdtool -`: one awk per RRD, with the
# variables name (of the instance), file, columns ("entries max ..."), types ("GAUGE GAUGE ..."), step and end
# (seconds since the epoch). Every run makes the same numbers; the clock says eight in the evening at the end.
#
#	day 2, 07:00	a flood fills 97% of the connection table for half an hour
#	day 3, 12:00	the daemon stands still for five hours
#	day 4, 15:00	a flood fills the table: packets are dropped; after 20 minutes the limit is doubled
#	day 6, 02:00	the module of connection tracking is unloaded for 40 minutes
#	day 6, 09:00	a flood that the raised limit stands
#	always		no IPv6, whose neighbours are unknown
#	last hour	a burst, and three minutes of nothing
BEGIN {
	n = split(columns, column, " ")
	split(types, type, " ")
	week = 7 * 86400
	seed = 1796068800
	for (t = step; t <= week; t += step) {
		live(t)
		if (!stopped(t))
			row(t)
	}
	if (line != "")
		print line
}

# Park and Miller's generator, so that every awk gives the same numbers.
function random() {
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}

# at(DAY, HOUR) - seconds into the week, which begins at eight in the evening.
function at(day, hour) {
	return day * 86400 + (hour + 4) * 3600
}

# bump(T, BEGIN, RISE, STAY, FALL) - 0..1
function bump(t, begin, rise, stay, fall) {
	t -= begin
	if (t <= 0 || t >= rise + stay + fall)
		return 0
	if (t < rise)
		return t / rise
	return t < rise + stay ? 1 : (rise + stay + fall - t) / fall
}

function stopped(t) {
	return (t > at(3, 12) && t < at(3, 17)) || (t > week - 1500 && t <= week - 1320)
}

function floor(x) {
	return x < 0 ? 0 : int(x)
}

# What all files share: the rhythm of the day (0..1), its noise and the floods (0..1).
function live(t,    hour) {
	hour = (t / 3600 + 20) % 24
	rhythm = 0.5 - 0.42 * cos((hour - 4) * 3.14159265 / 12) + 0.08 * cos((hour - 13) * 3.14159265 / 4)
	slow = 0.98 * slow + 0.02 * (random() * 2 - 1)
	fast = random()
	small = bump(t, at(2, 7), 400, 1400, 900)
	large = bump(t, at(4, 15), 300, 1500, 1200)
	third = bump(t, at(6, 9), 900, 1800, 2400)
	burst = bump(t, week - 2400, 240, 300, 600)
	flood = small > large ? small : large
	flood = third > flood ? third : flood
	raised = t >= at(4, 15) + 1200
	full = large > 0.9 && !raised
	dropping = full ? 150 + 40 * fast : 0
	load = 40 + 220 * rhythm + 250 * slow + 10 * fast + 90 * burst
}

function row(t,    i, value, text) {
	for (i = 1; i <= n; i++) {
		value = reading(column[i], t)
		if (type[i] == "DERIVE" && value != "U") {
			sum[i] += floor(value * step)
			value = sum[i]
		}
		text = text ":" (value == "U" ? value : sprintf("%.0f", value))
	}
	if (line == "")
		line = "update " file
	line = line " " (end - week + t) text
	if (length(line) > 60000) {
		print line
		line = ""
	}
}

function reading(what, t) {
	if (name == "conntrack")
		return conntrack(what, t)
	if (name == "tcp")
		return tcp(what)
	if (name == "tcpext")
		return tcpext(what)
	if (name == "limits")
		return limits(what)
	if (name == "kernlog")
		return dropping > 0 ? 5 : 0
	if (name ~ /^listener/)
		return listener(what)
	return sockets(what, name == "sockets" ? 1 : 0.7)
}

function conntrack(what, t,    entries, limit) {
	if (t > at(6, 2) && t < at(6, 2) + 2400)
		return "U"
	limit = raised ? 524288 : 262144
	entries = 38000 + 260 * load + 175000 * small + 260000 * large + 210000 * third + 9000 * burst
	if (small > 0 && entries > 0.97 * limit)
		entries = 0.97 * limit
	if (entries > limit)
		entries = limit
	if (what == "entries")
		return entries
	if (what == "max")
		return limit
	if (what == "peak")
		return entries + 2600 * fast > limit ? limit : entries + 2600 * fast
	if (what == "buckets")
		return 65536
	if (what == "found")
		return 4 * load
	if (what == "invalid")
		return 0.4 + 0.02 * load + 3 * flood
	if (what == "insert_failed")
		return dropping / 10
	if (what == "drop")
		return dropping
	if (what == "early_drop")
		return full ? 60 + 20 * fast : 0
	if (what == "clash_resolve")
		return 0.3 * fast
	if (what == "search_restart")
		return 0.01 * load
	return 0
}

function tcp(what) {
	if (what == "active_opens")
		return 6 + 0.1 * load
	if (what == "passive_opens")
		return load
	if (what == "curr_estab")
		return 300 + 9 * load
	if (what == "attempt_fails")
		return 0.5 + 30 * flood
	if (what == "estab_resets")
		return 1 + 0.03 * load
	if (what == "in_segs")
		return 42 * load + 9000 * flood
	if (what == "out_segs")
		return 55 * load + 8000 * flood
	if (what == "retrans_segs")
		return 0.6 * load + 900 * flood
	if (what == "out_rsts")
		return 2 + 0.05 * load + 60 * flood
	return 0
}

function tcpext(what) {
	if (what == "listen_overflows" || what == "listen_drops")
		return 40 * large + (burst > 0.8 ? 2 : 0)
	if (what == "reqq_full_cookies" || what == "syncookies_sent")
		return 700 * flood
	if (what == "syncookies_recv")
		return 20 * flood
	if (what == "syncookies_failed")
		return 3 * flood
	if (what == "syn_retrans")
		return 0.5 + 30 * flood
	if (what == "timeouts")
		return 1 + 0.05 * load + 50 * flood
	if (what == "tw_overflow")
		return 12 * third
	if (what == "rp_filter")
		return 0.2 * fast
	return 0
}

function limits(what) {
	if (what == "listen_queue")
		return 3 * fast + 400 * large + 120 * third + 200 * burst
	if (what == "listen_backlog")
		return 511
	if (what == "orphans")
		return 20 + 0.6 * load + 900 * flood
	if (what == "orphans_max" || what == "tw_max")
		return 65536
	if (what == "tw")
		return 900 + 48 * load + 30000 * third
	if (what == "tcp_mem")
		return 2000 + 60 * load + 18000 * flood
	if (what == "tcp_mem_pressure")
		return 126000
	if (what == "tcp_mem_max")
		return 189000
	if (what == "softnet_squeezed")
		return 0.02 * load + 20 * flood
	if (what == "softnet_dropped")
		return 30 * large
	if (what == "neigh4_entries")
		return 120 + 0.5 * load
	if (what ~ /^neigh6_/)
		return "U"
	if (what == "neigh4_max")
		return 1024
	if (what == "udp_rcvbuf_errors")
		return 2 * flood
	if (what == "port_tuple")
		return 1500 + 26 * load
	if (what == "port_tuple_max")
		return 28232
	return 0
}

function sockets(what, share) {
	if (what == "established")
		return share * (300 + 9 * load)
	if (what == "syn_sent")
		return share * 4 * fast
	if (what == "syn_recv")
		return share * (8 * fast + 0.05 * load + 1900 * flood)
	if (what == "fin_wait1")
		return share * 0.3 * load
	if (what == "fin_wait2")
		return share * (20 + 1.6 * load)
	if (what == "time_wait")
		return share * (900 + 12 * load + 3000 * third)
	if (what == "close_wait")
		return share * (6 + 0.2 * load + 400 * burst)
	if (what == "last_ack")
		return share * 0.1 * load
	if (what == "closing")
		return share * 2 * fast
	return what == "listen" ? 24 * share : 0
}

function listener(what) {
	if (what == "accept_queue")
		return 3 * fast + 400 * large + 120 * third + 200 * burst
	if (what == "backlog")
		return 511
	return 40 * large + (burst > 0.8 ? 2 : 0)
}
