#!/bin/bash
# SPDX-License-Identifier: MIT
# The benchmarks whose results are kept, one after the other, into tests/bench/RESULTS.md: what is to be reached, first, and
# then the details of each. What each of them takes of the environment is passed on. Where some are named, the others' parts
# are those of the last time, as long as BUILDDIR/bench has them.
#   [BENCHMARKS="sockets steady disk top churn"] [RESULTS=FILE] results.sh BINDIR [BUILDDIR]
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
results=${RESULTS:-$here/RESULTS.md}
kept=${2:-$here/../../build}/bench
all='sockets steady disk top churn'
trap 'exit 1' INT TERM
missed=0
mkdir -p "$kept"

# version PACKAGE
version() {
	dpkg-query -W -f='${Version}' "$1" 2>/dev/null || echo none
}

# The first number in a file of /proc/sys.
setting() {
	cat "/proc/sys/net/$1" 2>/dev/null || echo unknown
}

machine() {
	cat <<-TEXT
		| | |
		|---|---|
		| processor | $(nproc) of $(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo) |
		| cache | $(lscpu | awk -F ': *' '/^ *L[23] cache/ { printf "%s%s %s", comma, $1, $2; comma = ", " }') |
		| memory | $(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo) |
		| kernel | $(uname -sr) |
		| buckets | TCP $(setting ipv4/tcp_ehash_entries), conntrack $(setting netfilter/nf_conntrack_buckets) |
		| collectd | $(version collectd-core) |
		| node_exporter | $(version prometheus-node-exporter) |
		| iproute2 | $(version iproute2) |
		| net-tools | $(version net-tools) |
		| librrd | $(version librrd8) |
	TEXT
}

is_verdict() {
	grep -E '[|] (not )?reached [|]$' "$1"
}

# run NAME
run() {
	echo "== $1" >&2
	{
		"$here/$1.sh" "${arguments[@]}" || missed=1
		printf "\n%s\n" "Measured on $(date +%F) at commit $(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)."
	} >"$kept/$1.new"
	cat "$kept/$1.new" >&2
	mv "$kept/$1.new" "$kept/$1"
}

# section NAME - its tables, without those lines that go to the table of all.
section() {
	printf '\n## %s\n\n' "$1"
	sed '/^| to be reached /,/reached |$/d' "$kept/$1" | grep -vE '[|] (not )?reached [|]$' | cat -s
	is_verdict "$kept/$1" >/dev/null || printf '\nEnded before its end.\n'
}

arguments=("$@")
for name in ${BENCHMARKS:-$all}; do
	run "$name"
done
{
	printf '# Benchmarks\n\nWritten by ./dev bench results. What each of them does stands at the head of its script.\n\n'
	machine
	printf '\n## To be reached\n\n| | got | at most | |\n|---|---:|---:|---|\n'
	for name in $all; do
		[ ! -s "$kept/$name" ] || is_verdict "$kept/$name"
	done
	for name in $all; do
		[ ! -s "$kept/$name" ] || section "$name"
	done
} >"$results"
cat "$results"
exit $missed
