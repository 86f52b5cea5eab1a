#!/bin/sh
# SPDX-License-Identifier: MIT
# connwatch-ct on tables of 10,000, 100,000 and 1,000,000 entries: CPU against a dump that counts nothing (5 runs of each
# in turn, medians), peak memory, and how far the shares of a sample are from those of the whole table.
#   [SIZES="10000 100000 1000000"] top.sh BINDIR [BUILDDIR]
# For root. The flood stays in a network namespace, but nf_conntrack_max is one number for the machine: it is raised
# while this runs and put back at the end. Exit 1 if a share is more than 1 point off, memory is above 32 MiB, or --all
# of the last size costs more than 1.1 times the dump. Nearly every third source here is another one,
# which is the dearest table to count.
set -eu
bin=$(cd "$1" && pwd)
# The makers of entries are built with the tests.
tools=$bin
[ -x "$tools/flood" ] || tools=$(cd "$(dirname "$0")/../../build/asan/bin" && pwd)
max=/proc/sys/net/netfilter/nf_conntrack_max

if [ "${TOP_INSIDE:-}" != 1 ]; then
	[ "$(id -u)" = 0 ] || { echo "top.sh: skipped: needs root" >&2; exit 77; }
	[ -x /usr/bin/time ] || { echo "top.sh: skipped: needs /usr/bin/time" >&2; exit 77; }
	modprobe -q nf_conntrack || true
	before=$(cat $max)
	trap 'echo "$before" >$max' EXIT
	trap 'exit 1' INT TERM
	echo 1200000 >$max
	TOP_INSIDE=1 unshare --net sh "$0" "$bin"
	exit
fi

. "$(dirname "$0")/../lib/flood-namespace.sh"
# shellcheck source=../lib/bench.sh
. "$(dirname "$0")/../lib/bench.sh"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# run NAME COMMAND...: appends user + system seconds and the peak in KiB to NAME.time
run() {
	name=$1
	shift
	/usr/bin/time -a -o "$work/$name.time" -f '%U %S %M' "$@" >"$work/$name.out"
}

# cpu NAME: median of its CPU time, in ms
cpu() {
	awk '{ print ($1 + $2) * 1000 }' "$work/$1.time" >"$work/cpu"
	median "$work/cpu"
}

peak() { sort -nk3 "$work/$1.time" | tail -1 | cut -d' ' -f3; }

# The largest difference of a share between the two answers, in points, over all names that hold 0.1% of the table.
difference() {
	awk -F '"' 'FNR == 1 { file++ }
		$3 ~ /undercount|^:{$/ { list = $2 }
		$2 == "name" { split($0, part, "percent\":"); share[file, list $4] = part[2] + 0; names[list $4] = 1 }
		END { for (n in names) {
			d = share[1, n] - share[2, n]
			if (share[2, n] >= 0.1 && (d < 0 ? -d : d) > worst) worst = d < 0 ? -d : d }
			printf "%.1f\n", worst }' "$work/sample.out" "$work/all.out"
}

echo "| entries | raw dump, CPU ms | sample, ms | --all, ms | --all / raw | peak KiB, sample | peak KiB, --all | worst share, points |"
echo "|---:|---:|---:|---:|---:|---:|---:|---:|"
for n in ${SIZES:-10000 100000 1000000}; do
	rm -f "$work"/*.time
	"$tools/flood" "$n"
	for _ in 1 2 3 4 5; do
		run raw "$tools/rawdump"
		run sample "$bin/connwatch-ct" w
		run all "$bin/connwatch-ct" a
	done
	counted=$(cat "$work/raw.out")
	[ "$counted" = "$n" ] || { echo "top.sh: $counted entries, not $n" >&2; exit 1; }
	ratio=$(ratio "$(cpu all)" "$(cpu raw)")
	echo "| $n | $(cpu raw) | $(cpu sample) | $(cpu all) | $ratio | $(peak sample) | $(peak all) | $(difference) |"
	awk -v d="$(difference)" -v p="$(peak all)" 'BEGIN { exit d > 1 || p > 32768 }' || exit 1
done
verdicts
verdict "CPU of connwatch top --all of $n entries against a raw dump" "$ratio" 1.1
exit "$missed"
