#!/bin/bash
# SPDX-License-Identifier: MIT
# Boot a throw-away Debian under real systemd (systemd-nspawn, a network of its own with nothing but
# loopback), run a script in it as root and end with the script's exit code.
#
#   boot.sh [OPTION...] SCRIPT [ARGUMENT...]
#     -d FILE.deb    install this package before the script runs
#     -t SRC:DEST    copy a file or tree in before the boot
#     -s DIR         keep what the machine writes in DIR: the next boot with the same DIR is the same
#                    machine after a restart
#     -o DIR         leave console.txt and journal.txt there
#     -r ROOT        boot this root instead of mkroot.sh's
#     -x COMMAND     after a script that succeeded run COMMAND on this side, in the machine's network
#     -m SECONDS     limit for everything but the making of the root (120)
#     -c             cgroups version 1 instead of 2
#     -b             BPF programs may be loaded in there
#
# Also 124: the time ran out; 125: there was no machine. Needs root. Any number may run side by side.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

usage() {
	sed -n '/^#   boot/,/^#$/s/^# \{0,3\}//p' "$0" >&2
	exit 125
}

debs=() trees=() state='' out='' root='' after='' max=120 unified=1 more=()
while getopts d:t:s:o:r:x:m:cb opt; do
	case $opt in
	d) debs+=("$OPTARG") ;;
	t) trees+=("$OPTARG") ;;
	s) state=$OPTARG ;;
	o) out=$OPTARG ;;
	r) root=$OPTARG ;;
	x) after=$OPTARG ;;
	m) max=$OPTARG ;;
	c) unified=0 ;;
	b) more=("--capability=CAP_BPF,CAP_PERFMON" --system-call-filter=bpf) ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
[ -r "$1" ] || die "cannot read $1"
script=$1
shift

need systemd-nspawn:systemd-container nsenter:util-linux
[ -n "$root" ] || root=$("$here/mkroot.sh")
deadline=$((SECONDS + max))

time_left() {
	local left=$((deadline - SECONDS))

	echo $((left > 0 ? left : 1))
}

work=$(mktemp -d "${TMPDIR:-/tmp}/systest.XXXXXX")
machine=systest-$$
cgroups=() nspawn='' leader='' rc=0

finish() {
	set +e
	if [ -n "$nspawn" ] && kill -0 "$nspawn" 2>/dev/null; then
		# A machine that hung would hang in its shutdown too.
		[ "$rc" != 124 ] || [ -z "$leader" ] || kill -KILL "$leader"
		kill -TERM "$nspawn"
		timeout 10 tail --pid="$nspawn" -s 0.1 -f /dev/null
		[ -z "$leader" ] || kill -KILL "$leader" 2>/dev/null
		kill -KILL "$nspawn" 2>/dev/null
		wait "$nspawn" 2>/dev/null
	fi
	unmount_layer "$work/root"
	for group in "${cgroups[@]}"; do
		find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
	done
	rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

mount_layer "$root" "${state:-$work/layer}" "$work/root"
fill_layer "$work/root" "$script"

# Without a group of its own in every hierarchy, machines side by side would share one.
enter=''
for hierarchy in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
	if [ -e "$hierarchy/cgroup.procs" ] && mkdir "$hierarchy/$machine" 2>/dev/null; then
		cgroups+=("$hierarchy/$machine")
		enter+="echo \$\$ >$hierarchy/$machine/cgroup.procs; "
	fi
done

# A session of its own: a Ctrl-C on the terminal is for this script, which shuts the machine down.
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=$unified setsid bash -c "$enter"'exec "$@"' - \
	systemd-nspawn --quiet --directory="$work/root" --machine="$machine" --hostname=systest \
	--private-network --register=no --keep-unit --boot --console=read-only --resolv-conf=off \
	--timezone=off --link-journal=no "${more[@]}" </dev/null >"$work/console.txt" 2>&1 &
nspawn=$!

inside() {
	nsenter -t "$leader" -m -u -i -n -p -C -- "$@"
}

# The machine's init is the child of nspawn that has become systemd.
is_up() {
	local child children=()

	read -ra children <"/proc/$nspawn/task/$nspawn/children" || true
	for child in "${children[@]}"; do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" = systemd ] || continue
		leader=$child
		case $(inside systemctl is-system-running 2>/dev/null) in
		running | degraded) return 0 ;;
		esac
	done
	return 1
}

until is_up; do
	if [ $SECONDS -ge $deadline ] || ! kill -0 "$nspawn" 2>/dev/null; then
		tail -n 20 "$work/console.txt" >&2
		die "the machine did not come up"
	fi
	sleep 0.1
done

# systemd-run puts the script into a unit of the machine. In the background: a signal to this script is
# not to wait for it.
timeout -k 1 "$(time_left)" nsenter -t "$leader" -m -u -i -n -p -C -- \
	systemd-run --quiet --collect --wait --pipe --unit=systest-script --working-directory=/root \
	-- /systest/run "$@" </dev/null &
wait $! || rc=$?
if [ $rc = 0 ] && [ -n "$after" ]; then
	timeout -k 2 "$(time_left)" nsenter -t "$leader" -n -- sh -c "$after" </dev/null || rc=$?
fi
if [ -n "$out" ]; then
	mkdir -p "$out"
	timeout 20 nsenter -t "$leader" -m -u -i -n -p -C -- \
		journalctl --no-pager -b -o short-precise >"$out/journal.txt" 2>&1 || true
	tr -d '\r' <"$work/console.txt" | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' >"$out/console.txt"
fi
exit "$rc"
