# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced in a new network namespace: makes it ready for flood. Its targets are local, tracked, and never answered.
ip link set lo up
ip route add local 198.18.0.0/15 dev lo
nft -f - <<'N'
table inet flood {
	chain in { type filter hook input priority 0; ip daddr 198.18.0.0/15 drop; }
	chain out { type filter hook output priority 0; ct state new counter; }
}
N
# the entries must outlive the test; not allowed in a user namespace, where the 2 minutes have to do
echo 86400 2>/dev/null >/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_syn_sent || true
