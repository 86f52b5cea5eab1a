#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages behind lighttpd with the snippet of conf/, in a browser and under hostile hands.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
# shellcheck source=../lib/web.sh
. "$(dirname "$0")/../lib/web.sh"
make_pages
start_server lighttpd
check images
check validate "$work/html"
check headers
check browse "$build/screenshots/lighttpd" "$work/profile"
# A program that has no place for its fonts' cache would have said so.
equal "what the server and rrdcgi complained of" "" "$(grep -iE 'font|stderr|rrdcgi' "$server_log")"
check hostile
base=http://10.99.0.1:8087/connwatchd/ check foreign 10.99.0.2
