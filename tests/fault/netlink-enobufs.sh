#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's answer is lost now and then (ENOBUFS): the dump is made anew and the counts are right. Lost each time, they
# are unknown, which is said once, until it is over.
# shellcheck source=../lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
need jq
netlink_fails ENOBUFS
