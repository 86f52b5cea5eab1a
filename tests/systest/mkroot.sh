#!/bin/bash
# SPDX-License-Identifier: MIT
# Print the path of a small Debian root with systemd, rsyslog and what connwatchd needs at run time;
# make it first where it is not there yet. Each list of packages has a root of its own.
#
#   mkroot.sh [PACKAGE...]      PACKAGEs come on top of those below
#
# Packages are fetched from the sources apt is set up with here. Needs root. Environment:
#   SYSTEST_CACHE  where roots are kept (/var/cache/systest)
#   SYSTEST_MAX    seconds the making may take (300)
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

packages=(systemd systemd-sysv dbus udev kmod procps iproute2 nftables conntrack rsyslog
	rrdtool librrd8 rrdcached libbpf1 libconfuse2 libjansson4 libmicrohttpd12 libsystemd0 fonts-dejavu-core lighttpd curl jq locales)
packages+=("$@")
max=${SYSTEST_MAX:-300}
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
key=$(printf '%s\n' "$codename" "${packages[@]}" | sha256sum | cut -c1-12)
root=$cache/root-$key

have_root() {
	[ -e "$root.ok" ] || return 1
	echo "$root"
}

have_root && exit 0
need mmdebstrap:mmdebstrap
mkdir -p "$cache"
exec 9>"$cache/lock"
flock -w "$max" 9 || die "another mkroot.sh holds $cache/lock"
have_root && exit 0

work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

# mmdebstrap gets this machine's sources, in whichever form they are written, its proxy and its
# opinion on expired release files, so that it works wherever apt-get does.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
	[ ! -s "$file" ] || sources+=("$file")
done
[ ${#sources[@]} -gt 0 ] || die "apt has no sources on this machine"
apt-config dump | grep -E '^Acquire::(Check-|https?::)' >"$work/apt.conf" || true

cat >"$work/locales.sh" <<'HOOK'
#!/bin/sh
set -e
printf '%s\n' 'de_DE.UTF-8 UTF-8' 'en_US.UTF-8 UTF-8' >"$1/etc/locale.gen"
chroot "$1" locale-gen >/dev/null
HOOK
chmod 755 "$work/locales.sh"

log "making $root (takes about a minute)"
timeout -k 10 "$max" mmdebstrap --quiet --mode=root --variant=minbase \
	--aptopt="$work/apt.conf" --skip=check/empty \
	--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' \
	--include="$(IFS=, && echo "${packages[*]}")" --customize-hook="$work/locales.sh" \
	"$codename" "$work/root.tar" "${sources[@]}" >"$work/log" 2>&1 || {
	tail -n 20 "$work/log" >&2
	die "mmdebstrap failed"
}
mkdir "$work/root"
tar -xf "$work/root.tar" -C "$work/root"

# Many machines are booted from one root, so it has no identity; servers are left to the test that
# wants them, and units that only cost time or fail without a network are masked.
: >"$work/root/etc/machine-id"
rm -f "$work/root/etc/hostname" "$work/root/etc/resolv.conf"
chroot "$work/root" systemctl disable -q lighttpd.service rrdcached.service >/dev/null 2>&1 || true
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
	e2scrub_reap.service getty@tty1.service console-getty.service logrotate.timer \
	systemd-networkd-wait-online.service; do
	ln -sf /dev/null "$work/root/etc/systemd/system/$unit"
done
# A container may not read the kernel's log, and rsyslog complains about that at each start.
sed -i '/imklog/s/^/#/' "$work/root/etc/rsyslog.conf"

rm -rf "$root"
mv "$work/root" "$root"
touch "$root.ok"
echo "$root"
