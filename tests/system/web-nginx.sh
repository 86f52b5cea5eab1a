#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages behind nginx with the snippet of conf/, in a browser and under hostile hands.
# shellcheck source=../lib/web.sh
. "$(dirname "$0")/../lib/web.sh"
check_server nginx 2
