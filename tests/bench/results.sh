#!/bin/bash
# SPDX-License-Identifier: MIT
# The benchmarks whose results are kept, one after the other, into tests/bench/RESULTS.md: what is to be reached, first, and
# then the details of each. What each of them takes of the environment is passed on.
#   [BENCHMARKS="sockets steady disk top churn"] [RESULTS=FILE] results.sh BINDIR [BUILDDIR]
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
results=${RESULTS:-$here/RESULTS.md}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
trap 'exit 1' INT TERM
missed=0

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
		| date | $(date +%F) |
		| commit | $(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown) |
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

# run NAME - its tables become a section, without those lines that go to the table of all.
run() {
	echo "== $1" >&2
	"$here/$1.sh" "${arguments[@]}" >"$work/out"
	local code=$?

	cat "$work/out" >&2
	is_verdict "$work/out" >>"$work/verdicts"
	{
		printf '\n## %s\n\n' "$1"
		sed '/^| to be reached /,$d' "$work/out" | sed -e :a -e '/^\n*$/ { $d; N; ba' -e '}'
	} >>"$work/sections"
	is_verdict "$work/out" >/dev/null || printf '\nEnded with %d before its end.\n' "$code" >>"$work/sections"
	[ $code = 0 ] || missed=1
}

arguments=("$@")
: >"$work/verdicts"
for name in ${BENCHMARKS:-sockets steady disk top churn}; do
	run "$name"
done
{
	printf '# Benchmarks\n\nWritten by ./dev bench results. What each of them does stands at the head of its script.\n\n'
	machine
	printf '\n## To be reached\n\n| | got | at most | |\n|---|---:|---:|---|\n'
	cat "$work/verdicts" "$work/sections"
} >"$work/results"
cat "$work/results" >"$results"
cat "$work/results"
exit $missed
