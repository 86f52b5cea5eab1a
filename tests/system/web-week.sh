#!/bin/sh
# SPDX-License-Identifier: MIT
# The generated week of the tests web-*, made once: BUILDDIR/web-week. It ends now.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need jq rrdtool
week=$(cd "${2:-$top/build}" && pwd)/web-week
rm -rf "$week"
"$top/tests/lib/generated-week.sh" "$bin" "$week" || fail "no generated week"
