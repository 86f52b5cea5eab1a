#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages, shown by rrdcgi itself: every image is drawn, no query changes a byte, and what cannot be drawn says so
# in words, with the rest of the page there. Cases 31, 33, 51, 53.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq rrdtool rrdcgi cmp od
rrd="$work/it's a: b" # as awkward as a path may be
pages=$work/pages
images=$work/the\ images
recorded_proc
mkdir "$images"
chmod 755 "$work"

connwatch() {
	"$bin/connwatch" --config="$conf" --status="$status" "$@"
}

write_pages() {
	connwatch pages "$pages" --images="$images" 2>"$work/stderr" || fail "pages: $(cat "$work/stderr")"
	[ ! -s "$work/stderr" ] || fail "pages said: $(cat "$work/stderr")"
}

# show NAME [COMMAND...] - the page as a web server would have it made, into $work/NAME.html.
show() {
	name=$1
	shift
	GATEWAY_INTERFACE=CGI/1.1 REQUEST_METHOD=GET QUERY_STRING="${query:-}" "$@" \
		rrdcgi "$pages/$name.cgi" >"$work/$name.html" 2>"$work/stderr" </dev/null ||
		fail "rrdcgi failed on $name: $(cat "$work/stderr")"
}

# shows NAME PATTERN, shows_not NAME PATTERN
shows() {
	grep -q -- "$2" "$work/$1.html" || {
		grep -v '^<table' "$work/$1.html" | head -c 3000
		fail "no '$2' in $1"
	}
}

shows_not() {
	! grep -n -- "$2" "$work/$1.html" || fail "'$2' in $1"
}

# width and height of a PNG
size_of() {
	od -An -tu1 -j16 -N8 "$1" |
		awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4, $5 * 16777216 + $6 * 65536 + $7 * 256 + $8 }'
}

write_conf 'interval = 1' "proc = \"$proc\"" 'socket_group "http" { local_ports = { 80 } }' \
	'alert "mine" { value = "conntrack.entries"  warning = 1  hold = 1 }'
start_daemon
next_rows 5
stop_daemon
(
	umask 077
	write_pages
)

# Modes and the files.
equal "mode of the folder" 755 "$(stat -c %a "$pages")"
equal "mode of a page" 755 "$(stat -c %a "$pages/index.cgi")"
equal "mode of the style sheet" 644 "$(stat -c %a "$pages/style.css")"
equal "pages" "$(connwatch graph | wc -l)" "$(find "$pages" -name '*-*.cgi' | wc -l)"
equal "first line" '#!/usr/bin/rrdcgi --' "$(head -n 1 "$pages/index.cgi")"
grep -rqE --include='*.cgi' 'RRD::(CV|GETENV)|<script|https?:' "$pages" && fail "a parameter, a script or an outside resource in a page"

# Every image of every page.
for page in "$pages"/*.cgi; do
	name=$(basename "$page" .cgi)
	show "$name"
	shows_not "$name" ERROR
	shows "$name" '<html lang="en">'
	shows "$name" 'Times are in .*(UTC[+-][0-9]*)'
	sed -n 's,.*<img src="images/\([a-z0-9_-]*\.png\)" width="480" height="200" alt="\([^"]*\)"><img class="twin".*,\1 \2,p' \
		"$work/$name.html" >"$work/list"
	equal "images of $name" "$(grep -c '<img ' "$work/$name.html")" "$(wc -l <"$work/list")"
	while read -r file alt; do
		equal "size of $file" "960 400" "$(size_of "$images/$file")"
		case $alt in
		*last\ *average\ *maximum\ *) ;;
		*) fail "the alternative text of $file in $name is '$alt'" ;;
		esac
	done <"$work/list"
done
equal "images on the index" "$(connwatch graph | wc -l)" "$(grep -c '<img ' "$work/index.html")"
equal "images on a page" 5 "$(grep -c '<img ' "$work/tcp-opens.html")"
shows index '<li class="warning"><span class="level">warning</span> since .*mine: 41 entries'
shows index '>41<span data-v="7680"> of 7680</span> entries<'

# An unchanged graph is not drawn again.
year=$(find "$images" -name 'tcp-opens-year-*.png')
touch -d '1 min ago' "$year"
before=$(stat -c %Y "$year")
show tcp-opens
equal "time of the image" "$before" "$(stat -c %Y "$year")"
# Unless it is another one.
sed -i 's/^interval/alert "other" { value = "tcp.attempt_fails"  over = "60s"  warning = 3 }\n&/' "$conf"
write_pages
show tcp-opens
equal "images of the year" 2 "$(find "$images" -name 'tcp-opens-year-*.png' | wc -l)"

# No query changes a byte. (Between two seconds the numbers may.)
for query in 'range=%3Cscript%3Ealert(1)%3C/script%3E' 'range=day&range=%3Cb%3E' \
	'unknown=%3Cimg%20src%3Dx%3E' '"><script>' '--help' '../../etc/passwd' \
	"$(head -c 60000 /dev/zero | tr '\0' x)"; do
	hostile=$query
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		query=
		show conntrack-table
		mv "$work/conntrack-table.html" "$work/before.html"
		query=$hostile
		show conntrack-table
		mv "$work/conntrack-table.html" "$work/hostile.html"
		query=
		show conntrack-table
		! cmp -s "$work/before.html" "$work/conntrack-table.html" || break
	done
	cmp "$work/before.html" "$work/hostile.html" || fail "a query changes the page: $(echo "$hostile" | head -c 80)"
done

# The zone is named, and moves no numbers.
for zone in '=UTC (UTC+0000)' 'UTC=UTC (UTC+0000)' 'Asia/Kolkata=IST (UTC+0530)' 'Nowhere/At_all=Nowhere (UTC+0000)'; do
	[ -e /usr/share/zoneinfo/Asia/Kolkata ] || [ "${zone%%=*}" != Asia/Kolkata ] || continue
	show index env TZ="${zone%%=*}"
	shows index "Times are in ${zone#*=}"
	shows index '>41<span data-v="7680"> of 7680</span> entries<'
done

# A history that is missing, damaged or not readable: words, and the rest of the page.
others=$(($(connwatch graph | grep -c .) - $(connwatch graph | grep -c '^tcp-')))
# Within a comment nothing is shown.
visible() {
	awk 'BEGIN { RS = "<!--" }
		NR > 1 { end = index($0, "-->"); $0 = end ? substr($0, end + 3) : "" }
		{ printf "%s", $0 }' \
		"$work/index.html"
}
is_told() {
	show index "$@"
	visible >"$work/visible"
	equal "images that are left" "$others" "$(grep -c '<img ' "$work/visible")"
	! grep 'PRINT argument error' "$work/visible" || fail "an error of rrdcgi is shown"
	shows index '^<p class="graph">\[ERROR.*cannot be drawn now: .*/tcp\.rrd is missing, damaged'
	shows index 'id="tcpext"'
	shows index '</html>'
}
mv "$rrd/tcp.rrd" "$work/tcp.rrd"
is_told env
for damaged in empty text zeros; do
	cp "$fixtures/cases/25-rrd-damaged/$damaged.rrd" "$rrd/tcp.rrd"
	is_told env
done
cp "$work/tcp.rrd" "$rrd/tcp.rrd"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	as_web="setpriv --reuid=65534 --regid=65534 --clear-groups"
	chmod 600 "$rrd/tcp.rrd"
	chmod 777 "$images"
	# shellcheck disable=SC2086
	is_told $as_web
	chmod 644 "$rrd/tcp.rrd"
	# An image folder that the web server may not write.
	rm -f "$images"/*
	chmod 755 "$images"
	# shellcheck disable=SC2086
	show index $as_web
	visible >"$work/visible"
	equal "images without a folder" 0 "$(grep -c '<img ' "$work/visible")"
	shows index 'not writable for the web server'
	shows index '>41<span data-v="7680"> of 7680</span> entries<'
fi

# What is no more goes, what is not ours stays.
echo '#!/bin/sh' >"$pages/own.cgi"
write_conf 'interval = 1' "proc = \"$proc\"" 'kernlog { enabled = false }'
write_pages
for name in sockets-http-states kernlog-table_full; do
	[ ! -e "$pages/$name.cgi" ] || fail "$name.cgi is still there"
done
[ -e "$pages/own.cgi" ] || fail "own.cgi was removed"
[ -e "$pages/sockets-states.cgi" ] || fail "sockets-states.cgi was removed"
! grep -q kernlog "$pages/index.cgi" || fail "kernlog is still on the index"

# A path that no tag can hold, and a folder that is not there.
write_conf 'interval = 1'
sed -i "s,directory = \"$work/it.*,directory = \"/tmp/<RRD::CV x>\"," "$conf"
connwatch pages "$pages" 2>"$work/stderr" && fail "a path with < is taken"
grep -q 'cannot hold the rrd directory' "$work/stderr" || fail "said: $(cat "$work/stderr")"
connwatch pages /nonexistent/pages 2>"$work/stderr" && fail "a folder in a folder that is not there was made"

# Pictures.
write_conf 'interval = 1'
connwatch graph conntrack --start=-5min -o "$work/picture.png" || fail "no picture"
equal "signature of a PNG" "89504e47" "$(od -An -tx1 -N4 "$work/picture.png" | tr -d ' ')"
connwatch graph tcp-segments -o "$work/picture.svg" || fail "no SVG"
grep -q '<svg' "$work/picture.svg" || fail "picture.svg is no SVG"
connwatch graph tcp >"$work/stdout.png" || fail "no picture on standard output"
equal "signature on standard output" "89504e47" "$(od -An -tx1 -N4 "$work/stdout.png" | tr -d ' ')"
# A series of which nothing is known is called unknown, not "-nan".
mkdir "$work/bin"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >>"%s"\nexec "%s" "$@"\n' "$work/asked" "$(command -v rrdtool)" >"$work/bin/rrdtool"
chmod +x "$work/bin/rrdtool"
last=$(last_update conntrack.rrd) # not now, which is minutes later on a busy machine
for start in "$((last - 300)) --end=$last=0" "$((last - 7200)) --end=$((last - 3600))=3"; do
	rm -f "$work/asked"
	# shellcheck disable=SC2086 # two options
	PATH=$work/bin:$PATH connwatch graph conntrack --start=${start%=*} -o "$work/picture.png" || fail "no picture from $start"
	equal "unknown series from $start" "${start##*=}" "$(grep -c '^COMMENT:unknown' "$work/asked")"
done
refused() {
	said=$1
	shift
	connwatch graph "$@" >/dev/null 2>"$work/stderr" && fail "graph $* succeeded"
	grep -q "^connwatch: graph: .*$said" "$work/stderr" || fail "graph $* said: $(cat "$work/stderr")"
}
refused 'there is no graph nix; there are conntrack-table, ' nix
refused 'ends neither in .png nor in .svg' tcp -o "$work/x.gif"
refused "rrdtool: .*half past" tcp --start='half past never' -o "$work/x.png"
rm "$rrd/kernlog.rrd"
refused "rrdtool: opening '.*/kernlog.rrd'" kernlog -o "$work/x.png"
env PATH=/nonexistent "$bin/connwatch" --config="$conf" graph tcp -o "$work/x.png" 2>"$work/stderr" &&
	fail "graph without rrdtool succeeded"
grep -q 'install the package rrdtool' "$work/stderr" || fail "without rrdtool it said: $(cat "$work/stderr")"
