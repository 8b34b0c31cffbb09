#!/bin/sh
# SPDX-License-Identifier: MIT
# The agent's name is a field of its processes: on the screen, in filters and in exports. The
# recordings are those of traces as agents send them.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${abs_top_builddir:-$src/build}
top=$build/trace2top
python=${PYTHON3:-python3}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
say() { echo "agent_field: $*"; bad=1; }
one=$src/tests/data/dump.event
sed 's/H89e495e7/H01234567/g' "$one" >"$dir/two"
"$build/tests/fleet_recording" lab.build-01="$one" paris.git-front-1="$dir/two" >"$dir/both" || exit $?
"$build/tests/fleet_recording" lab.build-01="$one" >"$dir/alone"
"$build/tests/fleet_recording" "$one" lab.build-01="$dir/two" >"$dir/mixed"
export TZ=UTC LC_ALL=C.UTF-8
screen() { # SIZE KEYS FILE
	printf '%s\ndump\n' "$2" >"$dir/keys"
	"$top" --no-config --clock=EVENTS --size="$1" --dump=- --keys="$dir/keys" "$3"
}

# The column appears if there are two agents, or one agent and processes without an agent.
screen 120x40 "" "$dir/both" >"$dir/screen"
grep -q "AGENT" "$dir/screen" || say "no column for two agents"
grep -q " lab.build-01 .*fetch" "$dir/screen" && grep -q " pari.*front-1 .*fetch" "$dir/screen" ||
	{ say "the column lacks their names"; cat "$dir/screen"; }
screen 120x40 "" "$dir/alone" | grep -q "AGENT" && say "a column for one agent"
screen 120x40 "" "$dir/mixed" | grep -q "AGENT" || say "no column for one agent and a trace without an agent"
screen 80x24 "" "$dir/both" | grep -q "lab.build-01 .*fetch" || { say "at 80 columns"; screen 80x24 "" "$dir/both"; }

# The grouping is only offered if agents exist.
screen 120x40 "5 b a" "$dir/both" >"$dir/screen"
grep -q "by agent" "$dir/screen" && grep -q "│.*paris.git-front-1 *[0-9]" "$dir/screen" ||
	{ say "commands by agent"; cat "$dir/screen"; }
screen 120x40 "5 b a" "$one" | grep -q "Commands · by name" || say "grouped by agent without agents"
screen 120x40 "Enter" "$dir/alone" | grep -q "agent *lab.build-01" || say "the page of a process"

"$top" --once --format=json --filter='agent = lab.build-01' "$dir/both" >"$dir/json"
"$python" -S - "$dir/json" <<'EOF' || say "--filter"
import json, sys
report = json.load(open(sys.argv[1]))
names = {p.get("agent") for p in report["processes"]}
sys.exit(names != {"lab.build-01"})
EOF
screen 120x40 '\
text agent ~ paris
Enter' "$dir/both" | grep -q "lab.build-01" && say "a filter on the screen"

# Without an agent, reports have no such key.
"$top" --once --format=csv --table=processes "$dir/both" >"$dir/csv"
head -1 "$dir/csv" | grep -q ",agent" && grep -q ",paris.git-front-1" "$dir/csv" || say "csv"
"$top" --once --format=json "$one" | grep -q '"agent"' && say "an agent key without an agent"
"$top" --once --format=json "$dir/alone" >"$dir/json"
"$top" --once --format=json "$one" >"$dir/of_file"
"$python" -S - "$dir/json" "$dir/of_file" <<'EOF' || say "the report differs from the file's"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
for r in (a, b):
    for k in ("sources", "written", "origin", "generated"):
        r.pop(k, None)
    for p in r["processes"]:
        p.pop("agent", None)
sys.exit(a != b)
EOF

# The text report has the column if an agent sent any of the commands.
"$top" --once "$dir/mixed" >"$dir/text"
grep -q "^ *D .* START  *AGENT  *COMMAND$" "$dir/text" && grep -q "^ *0 .* lab.build-01 fetch$" "$dir/text" &&
	grep -q "^ *0 .* -  *fetch$" "$dir/text" || { say "the text report"; cat "$dir/text"; }
"$top" --once "$one" | grep -q "AGENT" && say "an agent column in the text report without an agent"

"$top" --once --record="$dir/again" -o /dev/null "$dir/both" 2>"$dir/err" || say "recorded again: $(cat "$dir/err")"
"$top" --once --format=csv --table=processes "$dir/again" | cmp -s - "$dir/csv" || say "recorded again"

# A pid from an agent is never looked up on this host, even if its SID names this host: containers
# share a host name.
exit $bad
