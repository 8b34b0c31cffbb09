#!/bin/sh
# SPDX-License-Identifier: MIT
# The C++ header compiles without warnings as C++11 and C++20 with all installed compilers. Its
# example runs as a Git alias and as a hook: one tree, in which exceptions end regions. The same
# program also runs without tracing.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${abs_top_builddir:-$src/build}
bad=0 nr=0
fail() {
	echo "cplusplus: $*"
	bad=1
}
# The archive may be instrumented; then link its runtime, too.
flags=
case $CC in *clang*) compilers=clang++ ;; *) compilers="g++ clang++" ;; esac
[ -z "$SANITIZED" ] || exit 77
[ -n "$JQ" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1
printf 'one two three\n' >"$dir/words"
for cxx in $compilers; do
	command -v $cxx >/dev/null || continue
	for std in c++11 c++20; do
		nr=$((nr + 1))
		$cxx -std=$std -O1 -Wall -Wextra -Wshadow -pedantic -Werror $flags -I"$src/engine" \
			"$src/examples/traced.cpp" "$build/engine/.libs/libtrace2.a" -pthread \
			-o "$dir/traced-cpp" || { fail "$cxx -std=$std"; continue; }
		"$dir/traced-cpp" "$dir/words" >/dev/null || fail "fails without tracing"
		rm -rf "$dir/trace" "$dir/repo"
		mkdir "$dir/trace"
		git init -q "$dir/repo"
		printf '#!/bin/sh\nexec "%s" "%s"\n' "$dir/traced-cpp" "$dir/words" >"$dir/repo/.git/hooks/pre-commit"
		chmod +x "$dir/repo/.git/hooks/pre-commit"
		GIT_TRACE2_EVENT="$dir/trace" git -C "$dir/repo" -c alias.count="!$dir/traced-cpp" \
			count "$dir/words" "$dir/not-there" >/dev/null || fail "the alias"
		GIT_TRACE2_EVENT="$dir/trace" git -C "$dir/repo" -c user.name=a -c user.email=a@b \
			commit -q --allow-empty -m x >/dev/null 2>&1 || fail "the hook"
		"$build/trace2top" --once --format=json "$dir/trace" >"$dir/report" || fail "the report"
		# Both are children of a Git command and parents of `git version`.
		"$JQ" -e '[.processes[] | select(.name == "traced-cpp")] |
			length == 2 and all(.depth >= 1 and .state == "exited" and .code == 0)' \
			"$dir/report" >/dev/null || fail "$cxx -std=$std: not one tree: $(cat "$dir/report")"
		"$JQ" -e '.totals.open_regions == 0 and
			([.timings[] | select(.category == "words" and .label == "read")][0].count == 3) and
			([.processes[] | select(.name == "version")] | length == 2)' \
			"$dir/report" >/dev/null || fail "$cxx -std=$std: regions or children are missing"
		cat "$dir"/trace/* | "$JQ" -es 'any(.event == "counter" and .count == 3) and
			any(.event == "th_timer") and any(.event == "data" and .key == "failed") and
			all(.event != "error") and
			([.[] | select(.event == "region_enter" and ((.file // "") | endswith("traced.cpp"))) | .line] |
				unique | length == 4)' >/dev/null || fail "$cxx -std=$std: events are missing"
	done
done
[ $nr -gt 0 ] || { echo "skipped: no C++ compiler"; exit 77; }
echo "$nr builds"
exit $bad
