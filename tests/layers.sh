#!/bin/sh
# SPDX-License-Identifier: MIT
# Check which module includes which, by #include lines. `may` lists the modules that each module may
# include, `only` the modules that may include a header. A violation prints file, line and include.
# No row makes an exception for a file, and circles are refused, in the table and in fact.
#   tests/layers.sh graph    print what each module includes, with the number of includes
cd "${LAYERS_ROOT:-${abs_top_srcdir:-$(dirname "$0")/..}}" || exit 99

# MODULE: what it may include besides itself. Every module may include those of the line `all`.
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
monitor/filter:     monitor/model monitor/event monitor/base
monitor/settings:   monitor/base
monitor/nats:       monitor/base
monitor/intake:     monitor/nats monitor/redact monitor/read monitor/history monitor/event monitor/base
monitor/analysis:   monitor/model monitor/history monitor/filter monitor/event monitor/base
monitor/redact:     monitor/event monitor/base
monitor/report:     monitor/analysis monitor/redact monitor/filter monitor/history monitor/model monitor/event monitor/base
monitor/send:       monitor/nats monitor/read monitor/event monitor/base
views/draw:         monitor/base
views/widget:       views/draw monitor/base
views/terminal:     views/widget views/draw monitor/base
views/ui:           views/widget views/draw monitor/analysis monitor/history monitor/filter monitor/settings monitor/model monitor/event monitor/base
views/pane:         views/ui views/widget views/draw monitor/analysis monitor/history monitor/filter monitor/settings monitor/model monitor/event monitor/base
views/page:         views/ui views/widget views/draw monitor/analysis monitor/history monitor/filter monitor/settings monitor/model monitor/event monitor/base
views/line:         views/ui views/widget views/draw monitor/analysis monitor/history monitor/filter monitor/settings monitor/model monitor/event monitor/base
monitor/app:        views/line views/ui views/widget views/terminal views/draw monitor/report monitor/send monitor/nats monitor/redact monitor/analysis monitor/intake monitor/read monitor/history monitor/filter monitor/settings monitor/model monitor/event monitor/base
END
}

# HEADER (an extended regular expression): the modules that may include it.
only() {
	cat <<'END'
ev\.h                         monitor/intake monitor/app
n?curses[a-z]*\.h             views/terminal
curl/curl\.h                  monitor/send
pcre2\.h                      monitor/filter
nats/nats\.h                  monitor/nats monitor/intake monitor/send monitor/app
monitor/model/model_priv\.h   monitor/model
monitor/filter/filter_priv\.h monitor/filter
monitor/intake/(intake_priv|listener|source|source_dir)\.h  monitor/intake
views/ui/ui_priv\.h           views/ui
views/page/[a-z_]*\.h         monitor/none
views/pane/[a-z_]*\.h         monitor/none
END
}

# Print FILE LINE INCLUDED for all includes of the three trees.
includes() {
	find engine monitor views -name '*.[ch]' -o -name '*.def' | sort | xargs awk '
		/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
			included = $0
			sub(/^[^<"]*[<"]/, "", included); sub(/[>"].*/, "", included)
			print FILENAME, FNR, included
		}'
}

rooms='
	function room(path,    part, n) {
		n = split(path, part, "/")
		if (part[1] == "engine") return part[2] == "base" ? "engine/base" : "engine"
		return (part[1] == "monitor" || part[1] == "views") && n > 2 ? part[1] "/" part[2] : ""
	}'

edges() {
	includes | awk "$rooms"'{ from = room($1); to = room($3); if (to && from != to) print from, to }'
}

if [ "${1:-}" = graph ]; then
	edges | sort | uniq -c | awk '
		$2 != last { if (last) printf "\n"; printf "%-18s->", $2; last = $2 }
		{ printf " %s(%d)", $3, $1 }
		END { if (last) printf "\n" }'
	exit
fi

bad=0
circle=$(edges | sort -u | tsort 2>&1 >/dev/null) || bad=1
[ -z "$circle" ] || { echo "a circle of modules: $circle"; bad=1; }
circle=$(may | awk '/^all:/ { next } { sub(/:/, "", $1); for (i = 2; i <= NF; i++) print $1, $i }' |
	tsort 2>&1 >/dev/null) || bad=1
[ -z "$circle" ] || { echo "a circle in the table: $circle"; bad=1; }
{ may | sed 's/^/may /'; only | sed 's/^/only /'; includes | sed 's/^/file /'; } | awk "$rooms"'
	$1 == "may" {
		from = $2; sub(/:$/, "", from); known[from] = 1
		for (i = 3; i <= NF; i++) if (from == "all") all[$i] = 1; else allowed[from, $i] = 1
	}
	$1 == "only" { header[++headers] = $2; for (i = 3; i <= NF; i++) keeps[headers, $i] = 1 }
	$1 == "file" {
		from = room($2); to = room($4); why = ""
		if (!(from in known)) why = "this folder is not a module"
		else if (to && to != from && !((from, to) in allowed) &&
			!(from ~ /^(monitor|views)\// && to in all)) why = from " may not include " to
		for (i = 1; i <= headers; i++)
			if ($4 ~ "^" header[i] "$" && !((i, from) in keeps))
				why = $4 " may not be included by " from
		if (why) { print $2 ":" $3 ": " why; bad = 1 }
	}
	END { exit bad }' || bad=1
exit $bad
