#!/bin/sh
# SPDX-License-Identifier: MIT
# Git and a program with libtrace2 form one tree: run as an alias and as a hook of real git, and
# running git itself, each process has the right session id, depth and hierarchy.
[ -n "$PYTHON3" ] && command -v git >/dev/null || exit 77
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
export HOME="$tmp" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \
	GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
traced="$abs_top_builddir/examples/traced"
git init -q "$tmp/repo" && cd "$tmp/repo" || exit 99
printf '#!/bin/sh\nexec "%s" 1 1\n' "$traced" >.git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
export GIT_TRACE2_EVENT="$tmp/event" GIT_TRACE2_PERF="$tmp/perf"
git -c "alias.tr=!'$traced' 1 1" tr || exit 1
git commit -q --allow-empty -m x || exit 1
exec "$PYTHON3" -S - "$tmp/event" "$tmp/perf" <<'EOF'
import json, sys
names, seen = {}, set()
for line in open(sys.argv[1]):
    e = json.loads(line)
    seen.add(e["sid"])
    if e["event"] == "cmd_name":
        names[e["sid"]] = e["hierarchy"]
tree = sorted((sid.count("/"), name) for sid, name in names.items() if "version" in name or "traced" in name)
want = [(1, "_run_dashed_/_run_shell_alias_/traced"), (1, "commit/traced"),
        (2, "_run_dashed_/_run_shell_alias_/traced/version"), (2, "commit/traced/version")]
if tree != want:
    sys.exit("tree: %r" % tree)
for sid in seen:
    if "/" in sid and sid.rsplit("/", 1)[0] not in seen:
        sys.exit("no parent: " + sid)
depths = [l.split(" | ")[1:4:2] for l in open(sys.argv[2]) if " cmd_name " in l]
if sum(d[0] == "d2" for d in depths) < 2 or sum(d[0] == "d1" for d in depths) < 2:
    sys.exit("depths: %r" % depths)
EOF
