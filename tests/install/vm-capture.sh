#!/bin/bash
# SPDX-License-Identifier: MIT
# Not a test: print the files of /proc that connwatchd reads, as a base64 tar, so that they become a
# fixture. From the checkout:
#   tests/systest/bootvm.sh tests/install/vm-capture.sh | base64 -d | tar -x -C tests/fixtures/NAME
set -eu

modprobe nf_conntrack
nft -f - <<'RULES'
table inet capture {
	chain input {
		type filter hook input priority 0
		ct state new counter
	}
}
RULES
# Something to count: a listener with a connection and tracked datagrams to nobody.
systemctl start lighttpd.service
until exec 3<>/dev/tcp/127.0.0.1/80; do
	sleep 1
done 2>/dev/null
for port in $(seq 9001 9040); do
	echo x >"/dev/udp/127.0.0.1/$port" || true
done 2>/dev/null

out=$(mktemp -d)
cd /proc
for file in sys/net/netfilter/nf_conntrack_{count,max,buckets} \
	net/{snmp,netstat,sockstat,sockstat6,softnet_stat,tcp,tcp6} \
	net/stat/{nf_conntrack,arp_cache,ndisc_cache} \
	sys/net/ipv4/{tcp_max_orphans,tcp_max_tw_buckets,tcp_mem} \
	sys/net/ipv4/{ip_local_port_range,ip_local_reserved_ports} \
	sys/net/{ipv4,ipv6}/neigh/default/gc_thresh3 \
	sys/net/core/{somaxconn,netdev_max_backlog} \
	sys/net/netfilter/nf_conntrack_tcp_{loose,timeout_established} meminfo; do
	[ -e "$file" ] || continue
	mkdir -p "$out/proc/$(dirname "$file")"
	cat "$file" >"$out/proc/$file"
done
grep -E '^(slabinfo|#|nf_conntrack|tw_sock_TCP)' slabinfo >"$out/proc/slabinfo"
exec 3>&-
tar -C "$out" --sort=name --owner=0 --group=0 --mtime=@0 -c proc | base64 -w 76
