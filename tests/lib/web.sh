# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/system/web-*.sh: the pages of the generated week that web-week.sh made, and a web server with
# the snippet of conf/ in front of them, in the test's own network namespace. Only paths are changed in the snippet.
# shellcheck source=../lib/system.sh
. "$(dirname "$0")/../lib/system.sh"
need rrdtool rrdcgi node chromium curl setpriv jq
need_root
id www-data >/dev/null 2>&1 || skip "there is no user www-data here"
# shellcheck disable=SC2034 # read by the tests
build=$(cd "${2:-$top/build}" && pwd)

pages=$work/pages
images=$work/images
week=$work/week
server=$work/server
# Of servers and of rrdcgi.
server_log=$work/server/log
base=http://127.0.0.1:8087/connwatchd/
server_pids=

web_cleanup() {
	stop_server
	# Children of a server that did not stop: all that is in the test's own namespace.
	if [ -n "$netns" ]; then
		for pid in $(ip netns pids "$netns"); do
			kill -KILL "$pid" 2>/dev/null
		done
	fi
	cleanup
}
trap web_cleanup EXIT

# make_pages - of a copy of the week, which the web server's user can reach and a test may damage; the image folder is
# as tmpfiles.d would make it.
make_pages() {
	[ -s "$build/web-week/connwatchd.conf" ] || fail "no week in $build: ctest makes it, or tests/system/web-week.sh"
	cp -a "$build/web-week" "$week"
	sed -i "s,$build/web-week,$week,g" "$week/connwatchd.conf"
	"$bin/connwatch" --config="$week/connwatchd.conf" pages --images="$images" "$pages" ||
		fail "connwatch pages"
	install -d -o www-data -g www-data "$images" "$server" "$server/socket"
	# Served by nobody.
	echo secret >"$pages/note.txt"
	echo secret >"$images/note.txt"
	# mktemp's folder is root's alone.
	chmod 0711 "$work"
	make_netns
	in_netns ip address add 10.99.0.1/32 dev lo
	in_netns ip address add 10.99.0.2/32 dev lo
}

snippet() {
	sed -e "s,/var/lib/connwatchd-pages,$pages,g" -e "s,/var/cache/connwatchd-graphs,$images,g" \
		-e "s,/run/fcgiwrap.socket,$server/socket/fcgi,g" "$top/conf/$1"
}

# start NAME COMMAND... - in the namespace, speaking into the log.
start() {
	spawn "$@" 3</dev/null >>"$server_log" 2>&1
	server_pids="$spawned $server_pids"
}

start_lighttpd() {
	need lighttpd
	{
		cat <<-CONF
			server.modules = ( "mod_indexfile", "mod_access", "mod_alias", "mod_redirect" )
			server.document-root = "$server/root"
			server.errorlog = "$server_log"
			server.breakagelog = "$server_log"
			server.username = "www-data"
			server.groupname = "www-data"
			server.port = 8087
			static-file.exclude-extensions = ( ".php", ".pl", ".fcgi" )
		CONF
		snippet lighttpd.conf
	} >"$server/conf"
	touch "$server_log"
	chown www-data "$server_log"
	start lighttpd -D -f "$server/conf"
}

start_apache() {
	need apache2
	{
		cat <<-CONF
			ServerRoot "$server"
			ServerName localhost
			Listen 8087
			PidFile "$server/pid"
			DefaultRuntimeDir "$server"
			DocumentRoot "$server/root"
			ErrorLog "$server_log"
			User www-data
			Group www-data
			TraceEnable Off
		CONF
		for module in mpm_event authn_core authz_core authz_host alias dir mime env headers rewrite cgid; do
			echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
		done
		echo "TypesConfig /dev/null"
		echo "ScriptSock \"$server/socket/cgid\""
		snippet apache.conf
	} >"$server/conf"
	start apache2 -D FOREGROUND -f "$server/conf"
}

start_nginx() {
	need nginx fcgiwrap
	cat >"$server/conf" <<-CONF
		daemon off;
		user www-data;
		pid $server/pid;
		error_log $server_log;
		events { }
		http {
			access_log off;
			client_body_temp_path $server/body;
			fastcgi_temp_path $server/fastcgi;
			proxy_temp_path $server/proxy;
			uwsgi_temp_path $server/uwsgi;
			scgi_temp_path $server/scgi;
			server {
				listen 8087;
				root $server/root;
				$(snippet nginx.conf)
			}
		}
	CONF
	start setpriv --reuid=www-data --regid=www-data --clear-groups fcgiwrap -c 2 -s "unix:$server/socket/fcgi"
	wait_for "fcgiwrap" test -S "$server/socket/fcgi"
	start nginx -c "$server/conf" -e "$server_log"
}

# Children first: the order of $server_pids.
stop_server() {
	for pid in $server_pids; do
		kill -TERM "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	server_pids=
}

start_server() {
	mkdir -p "$server/root"
	: >"$server_log"
	"start_$1"
	wait_for "an answer of $1" in_netns curl -fs -o "$work/answer" "$base"
}

# check COMMAND [ARG...] - of tests/web/check.mjs, against $base.
check() {
	asked=$1
	shift
	in_netns node "$top/tests/web/check.mjs" "$asked" "$base" "$@" >"$work/check" 2>&1 || {
		cat "$work/check"
		echo "--- log of the web server"
		tail -n 20 "$server_log"
		fail "$asked, see above"
	}
	sed "s/^/$asked: /" "$work/check"
}

# valid_html FOLDER [OPTION...] - all files of it.
valid_html() {
	validator=$top/build/web/node_modules/html-validate/bin/html-validate.mjs
	[ -s "$validator" ] || fail "no html-validate in build/web; ./dev test installs it from npm"
	node "$validator" --config "$top/tests/web/.htmlvalidate.json" "$@" || fail "pages are not valid"
}

# check_server NAME [PAGES] - all that is asked of one; so many pages, or all.
check_server() {
	make_pages
	start_server "$1"
	check images ${2:+"$2"}
	check headers
	check browse "$build/screenshots/$1" "$work/profile" ${2:+"$2"}
	# A program that has no place for its fonts' cache would have said so.
	equal "what the server and rrdcgi complained of" "" "$(grep -iE 'font|stderr|rrdcgi' "$server_log")"
	check hostile
	base=http://10.99.0.1:8087/connwatchd/ check foreign 10.99.0.2
	check_zones "$1"
}

# still_rows - the last row of each history again and again, for an hour from now: whatever the hour, the limits are the same.
still_rows() {
	for file in "$week"/rrd/*.rrd; do
		rrdtool lastupdate "$file" | awk -v end=$(($(date +%s) + 3600)) '
			/^[0-9]+:/ {
				at = $1 + 0
				sub(/^[^ ]*/, "")
				gsub(/ /, ":")
				while ((at += 10) < end)
					print at $0
			}' | xargs rrdtool update "$file" || fail "still rows in $file"
	done
}

# Case 53: the page names its zone, which is the machine's where a server passes none on, and none moves a number.
check_zones() {
	still_rows
	for zone in '' UTC Asia/Kolkata Nowhere/At_all; do
		stop_server
		[ -z "$zone" ] || export TZ="$zone"
		start_server "$1"
		own=$(date '+%Z (UTC%z)')
		unset TZ
		in_netns curl -fsS -o "$work/page" "$base" || fail "no index with TZ=$zone"
		grep -qF -e "Times are in $own." -e "Times are in $(date '+%Z (UTC%z)')." "$work/page" ||
			fail "with TZ=$zone: $(grep -o 'Times are in [^.]*' "$work/page")"
		numbers=$(sed -n '/class="limits"/,/<.table>/s/data-v=/\n&/gp' "$work/page" | grep -o '^data-v="[^"]*"')
		# Shares of nothing are nan.
		echo "$numbers" | grep -q '"[0-9]' || fail "no limit has a number with TZ=$zone"
		[ -n "$zone" ] || unset_numbers=$numbers
		equal "limits with TZ=$zone" "$unset_numbers" "$numbers"
	done
}
