#!/bin/sh
# SPDX-License-Identifier: MIT
# What rrdcgi adds to the graphs of a page: the index drawn anew by rrdcgi, the same graphs by one rrdtool, and the
# index once more, whose images are young enough and are not drawn again. Seconds of wall clock, by turns, the best of
# 10; fails above 110%.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need rrdtool rrdcgi jq
week=$work/week
images=$work/images
"$top/tests/lib/generated-week.sh" "$bin" "$week" >"$work/out" 2>&1 || {
	cat "$work/out"
	fail "no week of data"
}
mkdir "$images"
"$bin/connwatch" --config="$week/connwatchd.conf" pages "$work/pages" --images="$images" || fail "no pages"
sed -n "s/.*<RRD::GRAPH \(.*\)><!-- <RRD::TIME::LAST.*/graph \1/p" "$work/pages/index.cgi" >"$work/commands"

page() {
	rrdcgi "$work/pages/index.cgi" </dev/null >/dev/null 2>&1
}

graphs() {
	rrdtool - <"$work/commands" >/dev/null
}

# taken COMMAND - milliseconds, in $taken
taken() {
	begin=$(date +%s%N)
	"$1"
	taken=$((($(date +%s%N) - begin) / 1000000))
}

page # fonts and files are in memory then
by_page=999999
by_rrdtool=999999
again=999999
for _ in 1 2 3 4 5 6 7 8 9 10; do
	rm "$images"/*.png
	taken graphs
	[ $taken -ge $by_rrdtool ] || by_rrdtool=$taken
	rm "$images"/*.png
	taken page
	[ $taken -ge $by_page ] || by_page=$taken
	touch "$work/drawn"
	taken page
	[ $taken -ge $again ] || again=$taken
	equal "graphs drawn again" 0 "$(find "$images" -newer "$work/drawn" -name '*.png' | wc -l)"
done
drawn=$(find "$images" -name '*.png' | wc -l)
equal "graphs drawn" "$(wc -l <"$work/commands")" "$drawn"
echo "$drawn graphs: rrdtool alone $by_rrdtool ms, page $by_page ms ($((100 * by_page / by_rrdtool))%), unchanged $again ms"
[ $((100 * by_page)) -le $((110 * by_rrdtool)) ] || fail "the page takes over 110% of the graphs"
