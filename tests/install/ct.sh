#!/bin/bash
# SPDX-License-Identifier: MIT
# connwatch-ct behind its socket, in its sandbox: a member of the group is told who fills the table, a stranger is
# refused in clear words, quick connects and kills leave it working; the daemon names the source when it warns.
[ -e /systest/guest.sh ] || exec "$(dirname "$0")/../lib/boot-installed.sh" boot.sh "$0" \
	-t "$1/connects:/systest/connects" -t "$1/flood:/systest/flood" \
	-t "$(dirname "$0")/../lib/flood-namespace.sh:/systest/flood-namespace.sh"
# shellcheck source=../lib/guest.sh
. /systest/guest.sh
# shellcheck source=../lib/flood-namespace.sh
. /systest/flood-namespace.sh
socket=/run/connwatch-ct.sock

groupadd -f -r connwatchd
check "the socket starts" systemctl start connwatch-ct.socket
equal "its mode" 660 "$(stat -c %a $socket)"
equal "its group" connwatchd "$(stat -c %G $socket)"
useradd -M -G connwatchd insider
useradd -M outsider
as() {
	setpriv --reuid "$1" --regid "$1" --init-groups connwatch top "${@:2}"
}
check "20,000 entries" /systest/flood 20000
as insider >/tmp/top || fail "a member of the group gets no answer"
check "it is told the source" grep -q '6[01]\.[0-9]*%  192\.0\.2\.7$' /tmp/top
check "a stranger is not" sh -c "! setpriv --reuid outsider --regid outsider --init-groups connwatch top 2>/tmp/error"
check "in clear words" grep -q 'only root and the members of the group connwatchd' /tmp/error
as insider --all 2>/tmp/error && fail "--all for everybody"
check "--all needs root, which is said" grep -q 'needs root' /tmp/error

check "2,000 quick connects" /systest/connects $socket 2000
check "then an answer" as insider
for _ in 1 2 3 4 5 6 7 8 9 10; do
	systemctl kill --signal=KILL connwatch-ct.service
	systemctl reset-failed connwatch-ct.service 2>/dev/null
	as insider >/dev/null || fail "no answer after the helper was killed"
done
equal "the socket unit" active "$(systemctl is-active connwatch-ct.socket)"

pid=$(systemctl show -P MainPID connwatch-ct.service)
equal "its capabilities: CAP_NET_ADMIN alone" 0000000000001000 "$(awk '/^CapEff/ { print $2 }' "/proc/$pid/status")"
[ "$(stat -c %u "/proc/$pid")" != 0 ] || fail "it runs as root"
peak=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status")
[ "$peak" -le 32768 ] || fail "its peak memory is $peak KiB"
ok "its peak memory is $peak KiB"
check "its exposure is at most 1.5" systemd-analyze security --no-pager --threshold=15 connwatch-ct.service

# The daemon, without a capability of its own.
max=$(($(cat /proc/sys/net/netfilter/nf_conntrack_count) * 100 / 85))
echo $max >/run/max
drop_in max BindReadOnlyPaths=/run/max:/proc/sys/net/netfilter/nf_conntrack_max
set_conf
start_installed
who() {
	said -p notice | jq -r .MESSAGE | grep -E 'conntrack: 8[0-9]% full: top sources 192\.0\.2\.7 \(61%\)'
}
wait_for "the daemon says who fills the table" who
new_rows "rows meanwhile"
new_rows "and more"
equal "once" 1 "$(who | wc -l)"
check "status.json has no address of it" sh -c "! grep -qE '192\.0\.2|198\.18\.' $status"
check "nor has the page of alerts" sh -c '! grep -qE "192\.0\.2|198\.18\." /run/connwatchd/alerts.html'
exit 0
