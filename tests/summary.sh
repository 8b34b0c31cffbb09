#!/bin/sh
# SPDX-License-Identifier: MIT
# The summary's parts add up to the wall time, within the precision of the printed figures: for
# fixed traces with every nesting limit and scope, and for a real command.
top=${abs_top_builddir:-.}/trace2top
tests=${abs_top_srcdir:-.}/tests
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT

# Print "wall parts" of each screen that is read, or the error. Each figure has at least three
# digits.
add_up() {
	awk '
	function seconds(text,    unit) {
		unit = text
		gsub(/[-0-9.]/, "", unit)
		if (!(unit in units)) { print "no duration: " text; failed = 1 }
		return (text + 0) * units[unit]
	}
	BEGIN { units["ns"] = 1e-9; units["us"] = 1e-6; units["ms"] = 1e-3; units["s"] = 1 }
	{ gsub(/µ/, "u") }
	/WAITED FOR/ { sum = nr = slack = 0; inside = 1; next }
	inside && match($0, /-?[0-9.]+[mun]?s +-?[0-9.]+%/) {
		split(substr($0, RSTART, RLENGTH), cell, " ")
		time = seconds(cell[1])
		if (/[^a-z]Total  /) {
			inside = 0
			screens++
			off = time - sum
			if (off < 0) off = -off
			if (off > slack + time * 0.01 || !nr || cell[2] != "100.0%") {
				print "wall " time " parts " sum " of " nr
				failed = 1
			}
			next
		}
		sum += time
		slack += (time < 0 ? -time : time) * 0.01
		nr++
	}
	inside && !/[^a-z]Total  |%|up to/ { print "no part: " $0; failed = 1 }
	END { if (screens != wanted) { print screens " summaries, not " wanted; failed = 1 }
		exit failed }' wanted="$1"
}

cat >"$dir/keys" <<'KEYS'
S
dump of the first
F7
dump nesting 4
F7 F7
dump nesting 2
F7
dump nesting 1
a
dump all
Backspace
End
S
dump of the last
KEYS
for trace in "$tests/data/dump.event" "$tests/screens/scene.event"; do
	"$top" --keys="$dir/keys" --dump=- --size=120x120 --clock=EVENTS "$trace" >"$dir/screens" ||
		exit 1
	add_up 6 <"$dir/screens" || { cat "$dir/screens"; exit 1; }
done

command -v git >/dev/null || exit 77
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \
	GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q "$dir/repo" && cd "$dir/repo" || exit 99
printf '#!/bin/sh\ngit rev-parse HEAD >/dev/null\n' >.git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
printf 'dump\nF7\nF7\nF7\nF7\ndump\na\ndump\n' >"$dir/keys"
for command in 'git commit --allow-empty -m x' 'git status' 'git gc' \
	"sh -c 'git status & git log >/dev/null; wait; git nothing'"; do
	eval "\"\$top\" --keys=\"\$dir/keys\" --dump=\"\$dir/screens\" --size=120x120 -- $command" \
		2>/dev/null
	add_up 3 <"$dir/screens" || { cat "$dir/screens"; exit 1; }
done
echo ok
