#!/bin/sh
# SPDX-License-Identifier: MIT
# generated-week.sh BINDIR FOLDER [END] - FOLDER/connwatchd.conf, FOLDER/rrd and FOLDER/run/status.json as
# if the daemon had watched a busy web server for the week before END (now): floods, gaps, a raised limit,
# see generated-week.awk. The files are made by the daemon itself, so that columns and archives are its own; one
# fixed END makes the same rows in every run.
set -eu
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
mkdir -p "$2/run"
folder=$(cd "$2" && pwd)
step=10
end=${3:-$(date +%s)}
end=$((end - end % step))
daemon=

cleanup() {
	[ -z "$daemon" ] || kill -KILL "$daemon"
	rm -rf "$folder/template"
}
trap cleanup EXIT

cat >"$folder/connwatchd.conf" <<CONF
# A generated week: tests/lib/generated-week.sh.
interval = $step
state_directory = "$folder/run"
rrd { directory = "$folder/rrd" }
log { target = stderr }
socket_group "http" { local_ports = { 80, 443 } }
listener "https" { port = 443 }
CONF

# The daemon over a recorded tree, until each file is there.
sed -e "s,$folder/rrd,$folder/template," -e 's,^interval.*,&\nwatch_interval = 1,' \
	-e "s,^log,proc = \"$here/../fixtures/linux-6.1-debian/proc\"\n&," \
	"$folder/connwatchd.conf" >"$folder/template.conf"
RUNTIME_DIRECTORY=$folder/run "$bin/connwatchd" --config="$folder/template.conf" 2>"$folder/log" &
daemon=$!
tries=0
for name in conntrack kernlog limits listener-https sockets sockets-http tcp tcpext; do
	until [ -s "$folder/template/$name.rrd" ] && [ -s "$folder/run/status.json" ]; do
		tries=$((tries + 1))
		if [ $tries -gt 600 ] || ! kill -0 "$daemon" 2>/dev/null; then
			cat "$folder/log" >&2
			echo "generated-week: the daemon made no $name.rrd" >&2
			exit 1
		fi
		sleep 0.1
	done
done
kill -TERM "$daemon"
wait "$daemon"
daemon=

rm -rf "$folder/rrd"
mkdir "$folder/rrd"
for template in "$folder"/template/*.rrd; do
	name=$(basename "$template" .rrd)
	file=$folder/rrd/$name.rrd
	rrdtool create "$file" --template "$template" --start $((end - 7 * 86400)) --step $step
	# The data sources in the order of their index.
	set -- "$(rrdtool info "$file" | awk -F' = ' '
		/^ds\[.*\]\.index/ { split($1, part, /[][]/); order[$2 + 0] = part[2]; n++ }
		/^ds\[.*\]\.type/ { split($1, part, /[][]/); gsub(/"/, "", $2); type[part[2]] = $2 }
		END {
			for (i = 0; i < n; i++)
				printf "%s ", order[i]
			printf "/"
			for (i = 0; i < n; i++)
				printf "%s ", type[order[i]]
		}')"
	awk -f "$here/generated-week.awk" -v name="$name" -v file="$file" -v columns="${1%/*}" \
		-v types="${1#*/}" -v step=$step -v end="$end" | rrdtool - >"$folder/log"
	if grep '^ERROR' "$folder/log"; then
		exit 1
	fi
done
rm -f "$folder/template.conf" "$folder/log"
