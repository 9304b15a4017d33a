#!/usr/bin/env bash
# The real server program: what it refuses, what it says, and that it stops and starts again with its data.
# Usage: server_test.sh PATH-OF-SICKBAY-SERVER. Exit 77 with a reason: skipped.
set -euo pipefail
server=$1
for tool in curl sqlite3; do command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed"; exit 77; }; done
dir=$(mktemp -d)
pid=''
trap '[[ -z $pid ]] || kill -KILL "$pid" 2> /dev/null || true; rm -rf "$dir"' EXIT
fail() { echo "FAILED: $1"; sed 's/^/  log: /' "$dir/log" 2> /dev/null | tail -20; exit 1; }

# Starts it and waits for its ready line (by reading its log as it grows); sets pid and url.
start() {
  : > "$dir/log"
  "$server" --data "$dir/data" --listen 127.0.0.1:0 "$@" 2> "$dir/log" & pid=$!
  url=$(timeout 20 tail -n +1 -f --pid="$pid" "$dir/log" | grep -m1 -o 'http://[0-9.:]*' || true)
  [[ -n $url ]] || fail "it is not ready within 20 s"
}
stop() { kill -TERM "$pid"; wait "$pid" || fail "SIGTERM ended it with $?"; pid=''; }
expect() { # CODE WHAT COMMAND...: the exit code
  local want=$1 what=$2 got=0
  shift 2
  "$@" > "$dir/out" 2>&1 || got=$?
  [[ $got == "$want" ]] || { cat "$dir/out"; fail "$what: exit code $got, not $want"; }
}
says() { grep -q -- "$1" "$dir/out" || { cat "$dir/out"; fail "it does not say '$1'"; }; }

expect 0 "--help" "$server" --help
for option in --data --listen --database --config --check --tls-cert --tls-key; do says "$option"; done
expect 2 "without --data" "$server"
expect 2 "an unknown option" "$server" --data "$dir/x" --magic
expect 2 "a bad address" "$server" --data "$dir/x" --listen nowhere
printf 'clusters:\n  - name: a\n    simulatd: {}\n' > "$dir/bad.yaml"
expect 2 "a misspelt configuration" "$server" --data "$dir/x" --listen 127.0.0.1:0 --config "$dir/bad.yaml"
says "bad.yaml:3: 'clusters\[0\].simulatd' is not known here"
expect 2 "the check of a misspelt configuration" "$server" --check --config "$dir/bad.yaml"
says simulatd
expect 2 "the check of a configuration that is not there" "$server" --check --config "$dir/none.yaml"
printf 'clusters:\n  - name: a\n    simulated: {url: "http://127.0.0.1:1"}\n' > "$dir/good.yaml"
expect 0 "the check of a good configuration" "$server" --check --config "$dir/good.yaml"
says "cluster a: scheduler sim-slurm: simulated as slurm"

# SIGHUP: what has changed is said, and a file that is wrong changes nothing.
logged() { grep -q -m1 -- "$1" < <(timeout 20 tail -n +1 -f --pid="$pid" "$dir/log") || fail "after SIGHUP it does not log '$1'"; }
start --config "$dir/good.yaml"
kill -HUP "$pid"
logged "has not changed"
cp "$dir/bad.yaml" "$dir/good.yaml"
kill -HUP "$pid"
logged "simulatd.*stays as it was"
printf 'heartbeat: 9s\n' > "$dir/good.yaml"
kill -HUP "$pid"
logged "new: server: heartbeat 9s"
stop
rm -r "$dir/data"

start
token=$(cat "$dir/data/admin-token")
[[ $(stat -c %a "$dir/data/admin-token") == 600 ]] || fail "the token's file can be read by others"
! grep -q "$token" "$dir/log" || fail "the token is in the log"
get() { curl -sf -H "Authorization: Bearer $token" "$url$1"; }
[[ $(get /v1/session) == *'"role":"admin"'* ]] || fail "the first admin cannot come in"
expect 1 "a second server on the same data" "$server" --data "$dir/data" --listen 127.0.0.1:0
says "another server holds"
expect 1 "a second server on the same file" "$server" --data "$dir/other" --listen 127.0.0.1:0 --database "sqlite:$dir/data/sickbay.db"
says "another server holds"
expect 1 "a port that is taken" "$server" --data "$dir/x" --listen "${url#http://}"
says "cannot listen"
stop

start
[[ $(get /v1/session) == *'"role":"admin"'* ]] || fail "after a restart the token is not known"
kill -KILL "$pid"
wait "$pid" 2> /dev/null || true
start
[[ $(get /v1/session) == *'"role":"admin"'* ]] || fail "after kill -9 the token is not known"
stop

sqlite3 "$dir/data/sickbay.db" 'UPDATE schema_version SET version = 9999, oldest_reader = 9999'
expect 1 "a database of a newer version" "$server" --data "$dir/data" --listen 127.0.0.1:0
says "newer"
echo "ok"
