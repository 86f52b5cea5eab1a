#!/bin/sh
# SPDX-License-Identifier: MIT
# The daemon in 16 MiB beside 1,000,000 sockets. By hand: memory.sh BINDIR [BUILDDIR]
SOCKETS=${SOCKETS:-1000000} exec "$(dirname "$0")/../fault/memory-16-mib.sh" "$@"
