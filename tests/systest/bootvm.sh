#!/bin/bash
# SPDX-License-Identifier: MIT
# Boot the root of boot.sh under Debian's own kernel in qemu, run a script in it as root and end with
# the script's exit code. Slow (no KVM is asked for), so only for what a container cannot show: a
# kernel module that is not loaded, settings of the initial network namespace, the kernel's log, a
# clock that is set.
#
#   bootvm.sh [OPTION...] SCRIPT
#     -d FILE.deb    install this package before the script runs
#     -t SRC:DEST    copy a file or tree in before the boot
#     -m SECONDS     time limit (240)
#     -M MEGABYTES   memory (1024)
#     -a ARGUMENTS   more for the kernel, as ipv6.disable=1
#
# Also 124: the script did not come to its end; 125: there was no machine. Needs root.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

usage() {
	sed -n '/^#   boot/,/^#$/s/^# \{0,3\}//p' "$0" >&2
	exit 125
}

debs=() trees=() max=240 memory=1024 arguments=''
while getopts d:t:m:M:a: opt; do
	case $opt in
	d) debs+=("$OPTARG") ;;
	t) trees+=("$OPTARG") ;;
	m) max=$OPTARG ;;
	M) memory=$OPTARG ;;
	a) arguments=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
[ -r "$1" ] || die "cannot read $1"

need qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio mke2fs:e2fsprogs \
	modprobe:kmod
root=$("$here/mkroot.sh")
work=$(mktemp -d "${TMPDIR:-/tmp}/systest.XXXXXX")
trap 'unmount_layer "$work/root"; rm -rf --one-file-system "$work"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# Unpacked once beside the roots; nothing of it is installed on this machine.
fetch_kernel() {
	local package

	log "fetching Debian's kernel"
	mkdir -p "$work/kernel"
	(
		cd "$work/kernel"
		apt-get -qq update
		package=$(apt-cache depends linux-image-amd64 |
			awk '/Depends: linux-image-/ { print $2; exit }')
		apt-get -qq -o APT::Sandbox::User=root download "$package"
	) >/dev/null 2>&1 || die "could not fetch the kernel"
	rm -rf "$kernel"
	dpkg-deb -x "$work/kernel"/*.deb "$kernel"
	depmod -b "$kernel" "$(basename "$kernel"/lib/modules/*)"
	touch "$kernel.ok"
}

# The first stage loads what the disk needs and hands over to the root.
make_initrd() {
	local stage=$work/stage number=100 module path

	mkdir -p "$stage"/{bin,proc,sys,dev,new,m}
	cp "$(command -v busybox)" "$stage/bin/busybox"
	for module in virtio_pci virtio_blk ext4; do
		while read -r _ path; do
			number=$((number + 1))
			cp -n "$path" "$stage/m/$number-$(basename "$path")"
		done < <(modprobe -d "$kernel" -S "$version" --show-depends "$module" | grep ^insmod)
	done
	cat >"$stage/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /m/*; do insmod "$module" 2>/dev/null; done
mount -t ext4 /dev/vda /new || { echo "no root"; poweroff -f; }
mount --move /dev /new/dev
umount /proc /sys
exec switch_root /new /sbin/init
INIT
	chmod 755 "$stage/init"
	(cd "$stage" && find . | cpio --quiet -o -H newc) | gzip -1 >"$work/initrd"
}

# The script runs as a unit at the end of the boot, writes to the second serial line and powers off.
make_unit() {
	local etc=$1/etc/systemd/system unit

	cat >"$1/systest/report" <<'REPORT'
#!/bin/sh
systemctl is-system-running --wait >/dev/null
echo SYSTEST-BEGIN
rc=0
/systest/run || rc=$?
echo "SYSTEST-END $rc"
systemctl --no-block poweroff
REPORT
	chmod 755 "$1/systest/report"
	cat >"$etc/systest.service" <<'UNIT'
[Unit]
Description=systest
[Service]
Type=exec
ExecStart=/systest/report
StandardOutput=file:/dev/ttyS1
StandardError=inherit
UNIT
	mkdir -p "$etc/multi-user.target.wants"
	ln -sf ../systest.service "$etc/multi-user.target.wants/"
	# Each of these only costs time here.
	for unit in serial-getty@ttyS0.service systemd-hwdb-update.service dev-hugepages.mount \
		dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
		modprobe@drm.service; do
		ln -sf /dev/null "$etc/$unit"
	done
}

make_disk() {
	local modules=$work/root/lib/modules/$version name

	mount_layer "$root" "$work/layer" "$work/root"
	mkdir -p "$work/root/lib/modules"
	cp -a "$kernel/lib/modules/$version" "$work/root/lib/modules/"
	for name in sound gpu media infiniband wireless iio staging scsi usb ethernet; do
		find "$modules" -depth -type d -name "$name" -path '*/kernel/*' -exec rm -rf {} +
	done
	depmod -b "$work/root" "$version"
	echo systest >"$work/root/etc/hostname"
	fill_layer "$work/root" "$1"
	make_unit "$work/root"
	mke2fs -q -t ext4 -O ^has_journal -d "$work/root" "$work/disk" 1400M >/dev/null
}

kernel=$cache/kernel
[ -e "$kernel.ok" ] || fetch_kernel
version=$(basename "$kernel"/lib/modules/*)
make_initrd
make_disk "$1"

# In the background, so that a signal to this script ends qemu as well.
timeout -k 5 "$max" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m "$memory" \
	-display none -no-reboot -nic none -monitor none \
	-kernel "$kernel"/boot/vmlinuz-* -initrd "$work/initrd" \
	-append "console=ttyS0 quiet panic=-1 mitigations=off systemd.show_status=0 $arguments" \
	-drive "file=$work/disk,format=raw,if=virtio,cache=unsafe" \
	-serial "file:$work/console" -serial "file:$work/out" </dev/null &
qemu=$!
trap 'kill "$qemu" 2>/dev/null; wait "$qemu"; exit 143' TERM INT
wait "$qemu" || log "qemu ended with $?"

tr -d '\r' <"$work/out" | sed '/^SYSTEST-/d'
rc=$(tr -d '\r' <"$work/out" | sed -n 's/^SYSTEST-END //p' | tail -n 1)
if [ -z "$rc" ]; then
	tail -n 15 "$work/console" >&2
	log "the script did not come to its end"
	exit 124
fi
exit "$rc"
