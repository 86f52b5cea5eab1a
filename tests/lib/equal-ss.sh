# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced after system.sh: compares what the daemon counts with what ss shows, instance by instance and state by state.
# shellcheck disable=SC2034,SC2154 # for the tests; of system.sh
# instance_filter NAME - what ss is to be asked for the same sockets.
instance_filter() {
	case $1 in
	sockets) echo ;;
	sockets-http) echo '( sport = :80 or sport = :8080 )' ;;
	sockets-remote) echo 'dport = :80' ;;
	sockets-nets) echo '( dst 127.2.0.0/16 or dst [::1] )' ;;
	sockets-both) echo '( dst 127.1.0.0/16 and ( dport = :80 or dport = :8080 ) )' ;;
	esac
}
instances='sockets sockets-http sockets-remote sockets-nets sockets-both'
groups='socket_group "http" { local_ports = { 80, 8080 } }
socket_group "remote" { remote_ports = { 80 } }
socket_group "nets" { networks = { "127.2.0.0/16", "::1/128" } }
socket_group "both" { networks = { "127.1.0.0/16" }  remote_ports = { 8080, 80 } }'

# As ss prints it: a line per instance and state.
count_by_ss() {
	for instance in $instances; do
		in_netns ss -Htan "$(instance_filter "$instance")" | awk -v instance="$instance" '
		BEGIN {
			n = split("ESTAB established SYN-SENT syn_sent SYN-RECV syn_recv " \
				"FIN-WAIT-1 fin_wait1 FIN-WAIT-2 fin_wait2 TIME-WAIT time_wait " \
				"CLOSE-WAIT close_wait LAST-ACK last_ack LISTEN listen " \
				"CLOSING closing", word, " ")
			for (i = 1; i < n; i += 2)
				name[word[i]] = word[i + 1]
		}
		{ count[$1]++ }
		END {
			for (state in name)
				print instance, name[state], count[state] + 0
			for (state in count)
				if (!(state in name))
					print instance, state, count[state]
		}'
	done | sort
	count_ports_by_ss
}

count_by_us() {
	in_netns "$bin/connwatchd" --config="$conf" --once --json >"$work/once.json" || return 1
	for instance in $instances; do
		jq -r --arg i "$instance" \
			'.readings[$i] | to_entries[] | "\($i) \(.key) \(.value)"' "$work/once.json"
	done | sort
	jq -r '.readings.limits | "limits port_tuple \(.port_tuple)"' "$work/once.json"
}

# The most local ports of the range that are in use from one local address to one remote end.
count_ports_by_ss() {
	in_netns ss -Htan | awk -v range="$(in_netns cat /proc/sys/net/ipv4/ip_local_port_range)" '
		BEGIN { split(range, bound, "\t") }
		$1 != "LISTEN" {
			port = $4
			sub(/.*:/, "", port)
			address = substr($4, 1, length($4) - length(port))
			if (port + 0 >= bound[1] && port + 0 <= bound[2] && ++used[address " " $5] > most)
				most++
		}
		END { print "limits port_tuple", most + 0 }'
}

# Sockets come and go by the kernel's timers, so the comparison is made where ss saw the same before and after.
compare() {
	for _ in $(seq 50); do
		before=$(count_by_ss)
		got=$(count_by_us) || fail "--once by $1 ended with an error"
		after=$(count_by_ss)
		if [ "$before" = "$after" ]; then
			equal "counts by $1 differ from those of ss" "$before" "$got"
			return
		fi
	done
	fail "the population was never at rest"
}

# spawn_population - sockets of all states and families; the orphans and the forged requests of it live for a minute.
spawn_population() {
	sockgen=$(tool sockgen) || fail "cannot build sockgen"
	spawn_held "$sockgen" -e 300 -6 40 -m 30 -f 9 -w 4 -o 5 -t 60 -l 7 -q 11 -s 6 -n 3 \
		>"$work/sockgen" 2>&1
	wait_for "the sockets" grep -q ^ready "$work/sockgen"
}

# all_states_seen SOURCE - what was compared was there.
all_states_seen() {
	for state in established syn_sent syn_recv fin_wait1 fin_wait2 time_wait close_wait last_ack \
		listen closing; do
		echo "$got" | grep -q "^sockets $state [1-9]" || fail "there was no $state by $1"
	done
	echo "$got" | grep -q "^limits port_tuple [1-9]" || fail "there was no tuple by $1"
}
