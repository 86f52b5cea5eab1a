#!/bin/sh
# SPDX-License-Identifier: MIT
# Cases 31 and 33 behind a web server, which draws as www-data: a history that is missing, damaged or not readable,
# and an image folder that may not be written, are told in words with status 200, and the rest of the page is there.
# shellcheck source=../lib/web.sh
. "$(dirname "$0")/../lib/web.sh"
make_pages
start_server lighttpd
victim=$week/rrd/tcp.rrd
cp "$victim" "$work/tcp.rrd"
state=whole
mkdir "$work/html"

# shown PAGE - the images that a browser would show, which all have to come.
shown() {
	in_netns curl -fsS "$base$1" >"$work/page" || fail "$1 did not come"
	# What stands in a comment is not shown.
	awk 'BEGIN { RS = "<!--" }
		NR > 1 { end = index($0, "-->"); $0 = end ? substr($0, end + 3) : "" }
		{ printf "%s", $0 }' "$work/page" >"$work/visible"
	sed -n 's/.*<img src="\([^"]*\)".*/\1/p' "$work/visible" >"$work/list"
	while read -r image; do
		in_netns curl -fsS -o "$work/image" "$base$image" || fail "$1 shows $image, which does not come"
		[ "$(od -An -tx1 -N4 "$work/image" | tr -d " ")" = 89504e47 ] || fail "$image is no PNG"
	done <"$work/list"
	cp "$work/page" "$work/html/$state-$1.html"
	grep -q '</html>' "$work/page" || fail "$1 is not there to its end"
	wc -l <"$work/list"
}

# told PAGE WORDS
told() {
	grep -q "$2" "$work/visible" || {
		head -c 3000 "$work/visible"
		fail "$1 does not say: $2"
	}
}

all=$(shown index.cgi)
others=$((all - $(find "$pages" -name 'tcp-*.cgi' | wc -l)))
if [ "$others" -le 0 ] || [ "$others" -ge "$all" ]; then
	fail "$all images, $others of them not of tcp"
fi
for state in missing empty text zeros unreadable; do
	case $state in
	missing) rm "$victim" ;;
	unreadable)
		cp "$work/tcp.rrd" "$victim"
		chmod 0600 "$victim"
		;;
	*) cp "$fixtures/cases/25-rrd-damaged/$state.rrd" "$victim" ;;
	esac
	equal "images of the index, tcp.rrd $state" "$others" "$(shown index.cgi)"
	told index.cgi "cannot be drawn now: .*tcp.rrd is missing, damaged"
	equal "images of its own page, tcp.rrd $state" 0 "$(shown tcp-opens.cgi)"
	told tcp-opens.cgi "cannot be drawn now: .*tcp.rrd is missing, damaged"
done
state=back
chmod 0644 "$victim"
equal "images when it is back" "$all" "$(shown index.cgi)"

state=images
rm -f "$images"/*.png
chown root:root "$images"
chmod 0755 "$images"
equal "images without a folder to write" 0 "$(shown index.cgi)"
told index.cgi "not writable for the web server"
# What rrdtool says of a damaged file, "rrd->stat_head", is valid but bad style.
valid_html "$work/html" --rule no-raw-characters:off
chown www-data "$images"
equal "images when it may be written again" "$all" "$(shown index.cgi)"
