#!/bin/sh
# SPDX-License-Identifier: MIT
# What rrdcgi adds to the graphs of a page: the index drawn anew by rrdcgi, the same graphs by one rrdtool, and the
# index once more, whose images are young enough. Seconds of wall clock, the best of 5; fails above 110%.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need rrdtool rrdcgi jq
week=$work/week
"$top/tests/lib/generated-week.sh" "$bin" "$week" >"$work/out" 2>&1 || {
	cat "$work/out"
	fail "no week of data"
}
mkdir "$work/images"
"$bin/connwatch" --config="$week/connwatchd.conf" pages "$work/pages" --images="$work/images" || fail "no pages"
sed -n "s/.*<RRD::GRAPH \(.*\)><!-- <RRD::TIME::LAST.*/graph \1/p" "$work/pages/index.cgi" >"$work/commands"

page() {
	rrdcgi "$work/pages/index.cgi" </dev/null >/dev/null 2>&1
}

graphs() {
	rrdtool - <"$work/commands" >/dev/null
}

clear_images() {
	rm -f "$work/images"/*.png
}

# best BEFORE COMMAND - milliseconds
best() {
	least=999999
	for _ in 1 2 3 4 5; do
		$1
		begin=$(date +%s%N)
		$2
		taken=$((($(date +%s%N) - begin) / 1000000))
		[ $taken -ge $least ] || least=$taken
	done
	echo $least
}

page # fonts and files are in memory then
by_page=$(best clear_images page)
by_rrdtool=$(best clear_images graphs)
again=$(best page page)
drawn=$(find "$work/images" -name '*.png' | wc -l)
equal "graphs drawn" "$(wc -l <"$work/commands")" "$drawn"
echo "$drawn graphs: rrdtool alone $by_rrdtool ms, page $by_page ms ($((100 * by_page / by_rrdtool))%), unchanged $again ms"
[ $((100 * by_page)) -le $((110 * by_rrdtool)) ] || fail "the page takes over 110% of the graphs"
