#!/bin/sh
# SPDX-License-Identifier: MIT
# A signal comes while the kernel's answer is awaited (EINTR): nobody notices.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq
watch_sockets
fault netlink 'EINTR 2'
next_rows 4
equal "sockets, with every second receive interrupted" "$made" "$(count_sockets)"
equal "errors" null "$(value .errors.sockets)"
equal "complaints" 0 "$(complaints sockets)"
no_fault netlink
stop_daemon
looks_in_time
