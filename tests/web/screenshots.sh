#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures of a generated week in README.md again, into man/. ./dev screenshots has made the week.
# shellcheck source=../lib/web.sh
. "$(dirname "$0")/../lib/web.sh"
need pngquant
make_pages
start_server lighttpd
mkdir "$work/shots"
check shots "$work/shots" "$work/profile"
"$bin/connwatch" --config="$week/connwatchd.conf" graph conntrack-table --start=-7d -o "$work/shots/graph-week.png" ||
	fail "no picture of the week"
pngquant --force --strip --speed=1 --ext=.png 96 "$work/shots"/*.png
install -m 644 "$work/shots"/*.png "$top/man"
