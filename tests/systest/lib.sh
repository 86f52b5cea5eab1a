# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the scripts of this folder: messages, missing packages, and the layer that every machine
# is booted from.

# shellcheck disable=SC2034 # used by the scripts
cache=${SYSTEST_CACHE:-/var/cache/systest}

log() {
	echo "systest: $*" >&2
}

# 125 tells a machine that could not be had from a test that failed.
die() {
	log "$*"
	exit 125
}

# need COMMAND:PACKAGE... - install the packages whose command is missing.
need() {
	local pair
	local -a missing=()

	[ "$(id -u)" = 0 ] || die "needs root"
	for pair in "$@"; do
		command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	log "installing ${missing[*]}"
	{
		apt-get -qq update &&
			DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
				--no-install-recommends "${missing[@]}"
	} >/dev/null 2>&1 || die "could not install ${missing[*]}"
}

# mount_layer ROOT STATE TARGET - ROOT is shared by all machines and never written: what this one
# writes goes to STATE.
mount_layer() {
	mkdir -p "$2/up" "$2/tmp" "$3"
	mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/up,workdir=$2/tmp" "$3" ||
		die "cannot mount an overlay in $2"
}

unmount_layer() {
	mountpoint -q "$1" || return 0
	umount "$1" 2>/dev/null || umount -l "$1"
}

# fill_layer TARGET SCRIPT - put the script, the packages of debs[] and the trees of trees[] into a
# mounted layer, and /systest/run, which installs the packages and then becomes the script.
# shellcheck disable=SC2154
fill_layer() {
	local item

	mkdir -p "$1/systest"
	install -m 755 "$2" "$1/systest/script"
	for item in "${debs[@]}"; do
		cp "$item" "$1/systest/"
	done
	for item in "${trees[@]}"; do
		mkdir -p "$(dirname "$1${item#*:}")"
		cp -aT "${item%%:*}" "$1${item#*:}"
	done
	cat >"$1/systest/run" <<'RUN'
#!/bin/sh
set -e
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root
if ls /systest/*.deb >/dev/null 2>&1; then
	dpkg -i /systest/*.deb
	rm -f /systest/*.deb
fi
exec /systest/script "$@"
RUN
	chmod 755 "$1/systest/run"
}
