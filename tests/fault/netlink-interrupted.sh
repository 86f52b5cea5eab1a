#!/bin/sh
# SPDX-License-Identifier: MIT
# The table changes under the kernel's dump (NLM_F_DUMP_INTR): the dump is made anew and the counts are right. Interrupted
# each time, they are unknown, which is said once, until it is over.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq
netlink_fails INTERRUPTED
