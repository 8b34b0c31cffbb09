#!/bin/sh
# SPDX-License-Identifier: MIT
# Run the fleet on one machine as examples/fleet/fleet.sh does: both hosts are in its report.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${abs_top_builddir:-$src/build}
python=${PYTHON3:-python3}
command -v nats-server >/dev/null || { echo "no nats-server"; exit 77; }
command -v git >/dev/null && command -v "$python" >/dev/null || exit 77
"$build/trace2top" --version | grep -q '^nats: libnats' || { echo "built without NATS"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
# No authority of the system is needed; libnats reads them at each start.
SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/nonexistent TMPDIR=$dir TRACE2TOP="$build/trace2top" \
	"$src/examples/fleet/fleet.sh" --once --format=json >"$dir/json" 2>"$dir/err" ||
	{ echo "fleet_example: status $?"; cat "$dir/err"; exit 1; }
"$python" -S - "$dir/json" <<'EOF' || { echo "fleet_example: the report"; cat "$dir/err"; exit 1; }
import json, sys
report = json.load(open(sys.argv[1]))
by = {}
for p in report["processes"]:
    by.setdefault(p.get("agent"), []).append(p["name"])
print({k: len(v) for k, v in by.items()}, report["sources"][0])
ok = set(by) == {"lab.build-01", "lab.build-02"} and all("fetch" in v and "commit" in v for v in by.values())
sys.exit(not ok or report["sources"][0].get("remote_lost_events", 0))
EOF
# It removes everything that it created.
left=$(ls "$dir")
[ "$left" = "err
json" ] || { echo "fleet_example: not removed: $left"; exit 1; }
