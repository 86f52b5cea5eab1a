# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by tests/install/bpf.sh and vm-test-bpf.sh after guest.sh: the drop-in that has sockets counted by BPF.
# shellcheck disable=SC2154 # of guest.sh

# In the service's own words, its last count.
source_is() {
	[ "$(jq -r .sockets.source "$status")" = "$1" ]
}

# STATE COUNT of ss, and of status.json.
by_ss() {
	ip netns exec sockets ss -Htan | awk '{ print $1 }' | sort | uniq -c | awk '{ print tolower($2), $1 }' | sed \
		's/^estab /established /; s/fin-wait-/fin_wait/; y/-/_/' | sort
}

by_service() {
	jq -r '.readings.sockets | to_entries[] | select(.value != 0) | "\(.key) \(.value)"' "$status" | sort
}

same() {
	[ "$(by_ss)" = "$(by_service)" ]
}

sockets_words() {
	said | jq -r .MESSAGE | grep '^sockets:'
}

# A namespace of its own that the service watches; the kernel keeps the orphans in it for a minute.
population() {
	ip netns add sockets
	ip -n sockets link set lo up
	ip -n sockets route add 10.99.0.0/16 dev lo
	tail -f /dev/null | ip netns exec sockets /systest/sockgen -e 300 -6 40 -m 30 -f 9 -w 4 -o 5 -t 60 -l 7 -s 6 -n 3 >/tmp/sockgen &
	wait_for "a population of sockets" grep -q ^ready /tmp/sockgen
}

# A machine may be so slow that a count takes more than its share.
set_conf 'sockets { cpu_share = 100 }'
start_installed
wait_for "a count" source_is netlink
equal "words about it" "" "$(sockets_words)"

mkdir -p "$dropins"
ln -s /usr/share/connwatchd/bpf.conf "$dropins/"
systemctl daemon-reload
check "it starts with the drop-in" systemctl restart "$unit"
wait_for "a count by BPF" source_is bpf
equal "words about that" "" "$(sockets_words)"
equal "the loader" active "$(systemctl is-active connwatch-bpf.service)"
equal "capabilities of the daemon" 0000000000000000 \
	"$(awk '/^CapBnd/ { print $2 }' "/proc/$(property MainPID)/status")"
equal "what is pinned" "660 root connwatchd sockets 660 root connwatchd walk" \
	"$(cd /run/bpf/connwatchd && stat -c '%a %U %G %n' sockets walk | xargs)"
check "a stranger cannot run it" setpriv --reuid nobody --regid nogroup --clear-groups \
	sh -c '! cat /run/bpf/connwatchd/sockets'
population
drop_in namespace NetworkNamespacePath=/run/netns/sockets
systemctl restart "$unit" || fail "it does not start in a namespace"
wait_for "all states are those of ss" same
by_service
equal "the source of that" bpf "$(jq -r .sockets.source "$status")"
check "with the states that are rare" sh -c "jq -e '.readings.sockets | .syn_recv > 0 and .syn_sent > 0 and
	.time_wait > 0 and .fin_wait2 > 0 and .close_wait > 0 and .last_ack > 0' $status"
check "the exposure of the loader" systemd-analyze security --no-pager --threshold=10 connwatch-bpf.service
check "and of the daemon" systemd-analyze security --no-pager --threshold=10 "$unit"
check "a reload" systemctl reload "$unit"
new_rows "rows after it"
equal "the source after it" bpf "$(jq -r .sockets.source "$status")"
check "the loader again, under a running daemon" systemctl restart connwatch-bpf.service
new_rows "rows go on"

# With two more drop-ins one walk tells of another namespace too.
by_service_there() {
	jq -r '.readings["there.sockets"] | to_entries[] | select(.value != 0) | "\(.key) \(.value)"' "$status" | sort
}
same_there() {
	[ "$(by_ss)" = "$(by_service_there)" ]
}
drop_in namespace
mkdir -p /etc/systemd/system/connwatch-bpf.service.d
ln -s /usr/share/connwatchd/bpf-netns.conf /etc/systemd/system/connwatch-bpf.service.d/
ln -s /usr/share/connwatchd/netns.conf "$dropins/"
set_conf 'sockets { cpu_share = 100 }' 'netns "there" { path = "/run/netns/sockets" }'
systemctl daemon-reload
check "the loader for other namespaces" systemctl restart connwatch-bpf.service
check "it starts beside it" systemctl restart "$unit"
wait_for "states there are those of ss" same_there
equal "the source of its own" bpf "$(jq -r .sockets.source "$status")"
check "which are others" jq -e '.readings.sockets != .readings["there.sockets"]' "$status"
equal "words about that" "" "$(sockets_words)"
rm "$dropins/netns.conf" /etc/systemd/system/connwatch-bpf.service.d/bpf-netns.conf
set_conf 'sockets { cpu_share = 100 }'
systemctl daemon-reload

# Without the loader the drop-in does no harm.
systemctl stop "$unit" connwatch-bpf.service run-bpf-connwatchd.mount
systemctl mask --quiet --runtime connwatch-bpf.service
systemctl start "$unit" || fail "it does not start without the loader"
wait_for "a count without it" source_is netlink
equal "words about it, as nobody has asked for BPF" "" "$(sockets_words)"
set_conf 'sockets { source = bpf  cpu_share = 100 }'
systemctl restart "$unit"
wait_for "a count without what was asked for" source_is netlink
equal "words about that" 1 "$(sockets_words | grep -c 'connwatch-bpf.service')"
