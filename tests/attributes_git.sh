#!/bin/sh
# SPDX-License-Identifier: MIT
# "What is different" on real traces of Git: 240 runs of git status in three repositories, a third of
# them with status.showUntrackedFiles=all, which lists 4,000 files in one of the repositories. Among
# the slowest tenth, this parameter or what goes with it must come first.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v git >/dev/null && [ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 GIT_TRACE2_CONFIG_PARAMS='status.*'
unset GIT_TRACE2_EVENT
for repo in small mid big; do
	git init -q "$dir/$repo" || exit 99
done
mkdir "$dir/big/new" && (cd "$dir/big/new" && i=0 &&
	while [ $i -lt 40 ]; do mkdir $i && (cd $i && seq -f '%g.o' 100 | xargs touch) || exit 99; i=$((i + 1)); done) || exit 99
export GIT_TRACE2_EVENT="$dir/trace.event"
i=0
while [ $i -lt 240 ]; do
	case $((i % 3)) in 0) repo=small ;; 1) repo=mid ;; *) repo=big ;; esac
	all=normal
	[ $((i % 9)) -lt 6 ] || all=all
	git -C "$dir/$repo" -c status.showUntrackedFiles=$all status --short >/dev/null || exit 99
	i=$((i + 1))
done
unset GIT_TRACE2_EVENT
"$PYTHON3" -S - "$top" "$dir/trace.event" <<'END'
import json, subprocess, sys
top, trace = sys.argv[1:]
def report(*args):
    return json.loads(subprocess.run([top, "--no-config", "--once", "--format=json", *args, trace],
                                     capture_output=True, check=True).stdout)
times = sorted((p["elapsed"] for p in report()["processes"]), reverse=True)
assert len(times) == 240, len(times)
slow = "name = status and elapsed >= %dus" % (times[23] * 1e6)
found = report("--difference=" + slow)["difference"]
for row in found["rows"][:5]:
    print(row["attribute"], row["value"], row["slow"], row["others"], row["of"], row["adjusted"])
first = found["rows"][0]
names = [first["attribute"]] + [same["attribute"] for same in first["same"]]
causes = ("param status.showuntrackedfiles", "data status/count/untracked", "data read_directory/")
if not first["significant"] or not any(name.lower().startswith(causes) for name in names):
    sys.exit("the planted cause is not first: %s" % names)
END
