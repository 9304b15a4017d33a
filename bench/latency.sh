#!/usr/bin/env bash
# From a kernel record to an alert that the API shows: a real server (SQLite), a real agent fed through a pipe, and a
# client that asks until the alert is there. The hold-down is not in it: an alert shows as pending at once.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/build/release/apps
work=$(mktemp -d /tmp/sickbay-bench.XXXXXX)
pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

# Any free port: a program that listens on port 0 says in its log which it got.
port_of() {
  for _ in $(seq 200); do
    sed -n "s|.*http://127.0.0.1:\([0-9]*\).*|\1|p" "$1" | head -1 | grep . && return 0
    sleep 0.05
  done
  cat "$1" >&2
  return 1
}

"$bin/sickbay-simworld" --listen 127.0.0.1:0 --journal "$work/world" --nodes 4 --spares 1 > "$work/world.log" 2>&1 &
pids+=($!)
world=$(port_of "$work/world.log")
printf 'clusters:\n  - name: bench\n    simulated: {url: "http://127.0.0.1:%s"}\n' "$world" > "$work/server.yaml"
"$bin/sickbay-server" --data "$work/data" --listen 127.0.0.1:0 --config "$work/server.yaml" > "$work/server.log" 2>&1 &
pids+=($!)
port=$(port_of "$work/server.log")
export SICKBAY_SERVER=http://127.0.0.1:$port SICKBAY_TOKEN
SICKBAY_TOKEN=$(cat "$work/data/admin-token")
for _ in $(seq 100); do "$bin/sickbay" nodes show gpu-000 > /dev/null 2>&1 && break; sleep 0.1; done
"$bin/sickbay" tickets create gpu-000 > "$work/ticket" 2> "$work/ticket.log" || { cat "$work"/*.log >&2; exit 1; }
mkfifo "$work/records"
"$bin/sickbay-agent" --server "$SICKBAY_SERVER" --cluster bench --node gpu-000 --ticket-file "$work/ticket" --state "$work/state" \
  --records "$work/records" > "$work/agent.log" 2>&1 &
pids+=($!)

python3 - "$port" "$work/records" << 'END'
import http.client, json, os, sys, time

port, pipe = int(sys.argv[1]), sys.argv[2]
connection = http.client.HTTPConnection("127.0.0.1", port)
headers = {"Authorization": "Bearer " + os.environ["SICKBAY_TOKEN"]}

def get(path):
    connection.request("GET", path, headers=headers)
    return json.loads(connection.getresponse().read())

cluster = get("/v1/compute/clusters")["clusters"][0]["cluster_id"]
newest = f"/v1/compute/clusters/{cluster}/alerts?node=gpu-000&page_size=1"
records = open(pipe, "wb", buffering=0)
deadline = time.monotonic() + 20
while not get(f"/v1/compute/clusters/{cluster}/nodes/gpu-000").get("agent"):
    if time.monotonic() > deadline:
        sys.exit("the agent did not join")
    time.sleep(0.05)

taken = []
for i in range(200):
    bus, device = i // 32, i % 32
    address = f"0000:{bus:02x}:{device:02x}"
    record = f"3,{1000 + i},{1000000 + i * 1000},-;NVRM: Xid (PCI:{address}): 119, pid=1, name=bench, Timeout after 6s of waiting for RPC response from GPU0 GSP!\n"
    begin = time.perf_counter()
    records.write(record.encode())
    while True:
        alerts = get(newest)["alerts"]
        if alerts and alerts[0]["device"] == address + ".0":
            break
        if time.perf_counter() - begin > 10:
            sys.exit(f"no alert for {address}")
    taken.append(time.perf_counter() - begin)
taken.sort()
print(f"latency.record_to_alert.p50\t{taken[len(taken) // 2] * 1000:.1f}\tms")
print(f"latency.record_to_alert.p99\t{taken[len(taken) * 99 // 100] * 1000:.1f}\tms")
print(f"latency.record_to_alert.max\t{taken[-1] * 1000:.1f}\tms")
END
