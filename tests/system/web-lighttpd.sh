#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages behind lighttpd with the snippet of conf/, in a browser and under hostile hands.
# shellcheck source=../lib/web.sh
. "$(dirname "$0")/../lib/web.sh"
check_server lighttpd
check save "$work/html"
valid_html "$work/html"
