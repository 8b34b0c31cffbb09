#!/bin/sh
# SPDX-License-Identifier: MIT
# Check the modules (folders) of the source tree: which module may use which. `may` has the rules;
# `only` lists headers that few modules may include. No rule names an exception, and neither the
# rules nor the modules in fact may form a circle.
#   tests/layers.sh          check #include lines, and the symbols of the objects of a build
#   tests/layers.sh graph    print which modules each module includes, and how often
# Symbols are checked if abs_top_builddir has objects: a module that uses an external symbol of
# another one needs a permission, even if no #include line names that module. Objects whose source
# no longer exists are skipped. With objects of all modules, permissions that nothing needs fail, too.
cd "${LAYERS_ROOT:-${abs_top_srcdir:-$(dirname "$0")/..}}" || exit 99

# MODULE: the other modules that it may use. Every module may also use those of the line `all`.
may() {
	cat <<'END'
engine/base:
engine:             engine/base
all:                engine engine/base
monitor/base:
monitor/event:      monitor/base
monitor/read:       monitor/event monitor/base
monitor/model:      monitor/event monitor/base
monitor/history:    monitor/model monitor/event monitor/base
monitor/attribute:  monitor/model monitor/base
monitor/filter:     monitor/attribute monitor/model monitor/event monitor/base
monitor/settings:   monitor/base
monitor/nats:       monitor/base
monitor/stream:     monitor/read monitor/history monitor/event monitor/base
monitor/source:     monitor/stream monitor/nats monitor/read monitor/history monitor/event monitor/base
monitor/intake:     monitor/source monitor/stream monitor/history monitor/event monitor/base
monitor/analysis:   monitor/attribute monitor/model monitor/history monitor/filter monitor/event monitor/base
monitor/redact:     monitor/event monitor/base
monitor/report:     monitor/attribute monitor/filter monitor/analysis monitor/redact monitor/history monitor/model monitor/event monitor/base
monitor/send:       monitor/nats monitor/read monitor/event monitor/base
views/draw:         monitor/base
views/widget:       views/draw monitor/base
views/terminal:     views/widget views/draw monitor/base
views/ui:           views/widget views/draw monitor/analysis monitor/history monitor/attribute monitor/filter monitor/settings monitor/model monitor/event monitor/base
views/pane:         views/ui views/widget views/draw monitor/analysis monitor/filter monitor/attribute monitor/model monitor/base
views/page:         views/ui views/widget views/draw monitor/analysis monitor/attribute monitor/filter monitor/settings monitor/model monitor/event monitor/base
views/registry:     views/page views/pane views/ui views/widget
views/line:         views/ui views/draw monitor/analysis monitor/filter monitor/model monitor/base
monitor/app:        views/registry views/line views/ui views/widget views/terminal views/draw monitor/report monitor/send monitor/nats monitor/redact monitor/analysis monitor/intake monitor/source monitor/read monitor/history monitor/filter monitor/attribute monitor/settings monitor/model monitor/event monitor/base
END
}

# HEADER (an extended regular expression): the modules that may include it.
only() {
	cat <<'END'
ev\.h                         monitor/source monitor/intake monitor/app
n?curses[a-z]*\.h             views/terminal
curl/curl\.h                  monitor/send
pcre2\.h                      monitor/filter
nats/nats\.h                  monitor/nats monitor/source monitor/send monitor/app
monitor/model/model_priv\.h   monitor/model
monitor/filter/filter_priv\.h monitor/filter
monitor/source/(source|source_dir|source_entries|source_watch|listener|tail|ring_file|inodes|nats_inbox)\.h  monitor/source
monitor/source/(sources|source_context)\.h  monitor/source monitor/intake
monitor/intake/intake_priv\.h monitor/intake
views/ui/ui_priv\.h           views/ui
views/page/page_[a-z_]*\.h    monitor/none
views/page/[a-z_]*\.h         views/page
views/pane/[a-z_]*\.h         monitor/none
END
}

# Print FILE LINE INCLUDED for each #include line.
includes() {
	find engine monitor views -name '*.[ch]' -o -name '*.def' | sort | xargs awk '
		/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
			included = $0
			sub(/^[^<"]*[<"]/, "", included); sub(/[>"].*/, "", included)
			print FILENAME, FNR, included
		}'
}

modules='
	function module(path,    part, n) {
		n = split(path, part, "/")
		if (part[1] == "engine") return part[2] == "base" ? "engine/base" : "engine"
		return (part[1] == "monitor" || part[1] == "views") && n > 2 ? part[1] "/" part[2] : ""
	}'

# Print the objects that have a source, as paths below the build directory.
objects() {
	(cd "$build" 2>/dev/null && find engine monitor views -name '*.o' 2>/dev/null) |
		sed 's:\(.*\)/\([^/]*\)\.o$:& \1 \2:' | while read -r object dir name; do
		[ ! -f "${dir%/.libs}/${name##*-}.c" ] || echo "$object"
	done
}

# Print OBJECT USER OWNER SYMBOL for each external symbol that a module uses of another one.
symbols() {
	objects=$(objects)
	[ -n "$objects" ] || return 0
	listed=$(cd "$build" && echo "$objects" | xargs ${NM:-nm} -A -P -g) || return 1
	echo "$listed" | awk "$modules"'
		{ sub(/:$/, "", $1); sub(/\/\.libs\//, "/", $1) }
		$3 ~ /^[Uvw]$/ { used[$1 " " module($1), $2] = 1; next }
		{ owner[$2] = module($1) }
		END {
			for (use in used) {
				split(use, part, SUBSEP)
				split(part[1], user, " ")
				to = owner[part[2]]
				if (to && to != user[2]) print part[1], to, part[2]
			}
		}'
}

edges() {
	includes | awk "$modules"'{ from = module($1); to = module($3); if (to && from != to) print from, to }'
}

if [ "${1:-}" = graph ]; then
	edges | sort | uniq -c | awk '
		$2 != last { if (last) printf "\n"; printf "%-18s->", $2; last = $2 }
		{ printf " %s(%d)", $3, $1 }
		END { if (last) printf "\n" }'
	exit
fi

build=${LAYERS_OBJECTS:-${abs_top_builddir:-.}}
bad=0
symbols=$(symbols) || { echo "the symbols of the objects in $build cannot be read"; exit 99; }
circle=$({ edges; [ -z "$symbols" ] || echo "$symbols" | awk '{ print $2, $3 }'; } | sort -u | tsort 2>&1 >/dev/null) || bad=1
[ -z "$circle" ] || { echo "a circle of modules: $circle"; bad=1; }
circle=$(may | awk '/^all:/ { next } { sub(/:/, "", $1); for (i = 2; i <= NF; i++) print $1, $i }' |
	tsort 2>&1 >/dev/null) || bad=1
[ -z "$circle" ] || { echo "a circle in the table: $circle"; bad=1; }
{ may | sed 's/^/may /'; only | sed 's/^/only /'; includes | sed 's/^/file /'
	[ -z "$symbols" ] || echo "$symbols" | sort | sed 's/^/symbol /'
	objects | sed 's/^/object /'; } | awk "$modules"'
	function may(from, to) {
		if (!to || to == from) return 1
		needed[from, to] = 1
		return (from, to) in allowed || (from ~ /^(monitor|views)\// && to in all)
	}
	$1 == "may" {
		from = $2; sub(/:$/, "", from); known[from] = 1; nr_known += from != "all"
		for (i = 3; i <= NF; i++) if (from == "all") all[$i] = 1; else allowed[from, $i] = 1
	}
	$1 == "only" { header[++headers] = $2; for (i = 3; i <= NF; i++) keeps[headers, $i] = 1 }
	$1 == "file" {
		from = module($2); to = module($4); why = ""
		if (!(from in known)) why = "this folder is not a module"
		else if (!may(from, to)) why = from " may not include " to
		for (i = 1; i <= headers; i++)
			if ($4 ~ "^" header[i] "$" && !((i, from) in keeps))
				why = $4 " may not be included by " from
		if (why) { print $2 ":" $3 ": " why; bad = 1 }
	}
	$1 == "symbol" && !may($3, $4) {
		print $2 ": " $3 " may not use " $5 " of " $4
		bad = 1
	}
	$1 == "object" && !((from = module($2)) in built) { built[from] = 1; nr_built += from in known }
	END {
		for (edge in allowed) {
			split(edge, part, SUBSEP)
			if (nr_built == nr_known && !(edge in needed)) {
				print "tests/layers.sh: " part[1] " does not use " part[2] ": remove the permission"
				bad = 1
			}
		}
		exit bad
	}' || bad=1
exit $bad
