#!/bin/sh
# SPDX-License-Identifier: MIT
# Test of layers.sh: it passes on a copy of the tree, and fails with the name of the file for each
# forbidden include, forbidden symbol and unused permission that is added to the copy.
top=$(cd "${abs_top_srcdir:-$(dirname "$0")/..}" && pwd) || exit 99
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
(cd "$top" && find engine monitor views -name '*.[ch]' -o -name '*.def' | cpio -pdm "$dir" 2>/dev/null) ||
	(cd "$top" && cp -R engine monitor views "$dir")
chmod -R u+w "$dir"
LAYERS_ROOT=$dir "$top/tests/layers.sh" || { echo "the unchanged tree does not pass"; exit 1; }
bad=0
# The next cases concern #include lines only.
LAYERS_OBJECTS=$dir/none
export LAYERS_OBJECTS
# tell FILE LINE PATTERN: append the line to the file; expect a message that matches PATTERN.
tell() {
	cp "$dir/$1" "$dir/kept" 2>/dev/null
	printf '%s\n' "$2" >>"$dir/$1"
	if said=$(LAYERS_ROOT=$dir "$top/tests/layers.sh" 2>&1); then
		echo "not reported: $1: $2"
		bad=1
	elif ! printf '%s\n' "$said" | grep -q "$3"; then
		echo "reported without '$3': $said"
		bad=1
	fi
	if [ -e "$dir/kept" ]; then mv "$dir/kept" "$dir/$1"; else rm "$dir/$1"; fi
}
tell monitor/base/die.c '#include "monitor/model/model.h"' 'monitor/base may not include monitor/model'
tell monitor/base/die.h '#include "monitor/event/event.h"' 'a circle of modules'
tell engine/base/buf.c '#include "engine/schema.h"' 'engine/base may not include engine'
tell engine/schema.c '#include "monitor/base/die.h"' 'engine may not include monitor/base'
tell views/draw/surface.c '#include "monitor/model/model.h"' 'views/draw may not include'
tell views/page/page_help.c '#include "monitor/intake/intake.h"' 'views/page/page_help.c'
tell views/ui/ui.c '#include <curses.h>' 'curses.h may not be included by views/ui'
tell monitor/report/report.c '#include <ev.h>' 'ev.h may not be included by monitor/report'
tell views/page/page_help.c '#include "views/page/page_output.h"' 'may not be included by views/page'
tell monitor/stream/stream.c '#include "monitor/source/relay.h"' 'monitor/stream may not include monitor/source'
tell monitor/source/source_file.c '#include "monitor/intake/intake.h"' 'monitor/source may not include monitor/intake'
tell monitor/app/session.c '#include "monitor/source/sources.h"' 'sources.h may not be included by monitor/app'
tell monitor/filter/filter.c '#  include "monitor/model/model_priv.h"' 'model_priv.h may not be included'
mkdir "$dir/monitor/attic"
tell monitor/attic/old.c '#include <stdio.h>' 'this folder is not a module'

# compile MODULE NAME CODE: an object of C code, in place of a build.
LAYERS_OBJECTS=$dir/objects
compile() {
	mkdir -p "$LAYERS_OBJECTS/$1"
	printf '%s\n' "$3" | ${CC:-cc} -x c -c -o "$LAYERS_OBJECTS/$1/libx_a-$2.o" - || exit 99
}
check_symbols() {
	if said=$(LAYERS_ROOT=$dir "$top/tests/layers.sh" 2>&1); then
		echo "accepted a wrong symbol: expected '$1'"
		bad=1
	elif ! printf '%s\n' "$said" | grep -q "$1"; then
		echo "expected '$1', got: $said"
		bad=1
	fi
}
compile monitor/model model 'int model_x(void) { return 0; }'
compile monitor/analysis flame 'int model_x(void); int flame_x(void) { return model_x(); }'
compile monitor/base removed 'int model_x(void); int removed_x(void) { return model_x(); }'
LAYERS_ROOT=$dir "$top/tests/layers.sh" || { echo "an allowed symbol, or an object without source, fails"; bad=1; }
compile monitor/base die 'int model_x(void); int die_x(void) { return model_x(); }'
check_symbols 'monitor/base/libx_a-die.o: monitor/base may not use model_x of monitor/model'
check_symbols 'a circle of modules'
compile monitor/base die 'extern int model_y; int *die_y = &model_y;'
LAYERS_ROOT=$dir "$top/tests/layers.sh" || { echo "an undefined symbol of no module fails"; bad=1; }
compile monitor/model model 'int model_x(void) { return 0; } int model_y;'
check_symbols 'monitor/base may not use model_y'

# With objects of all modules, a permission that nothing needs is reported.
rm -r "$LAYERS_OBJECTS"
compile . empty 'extern int x;'
find "$dir/engine" "$dir/monitor" "$dir/views" -name '*.c' | while read -r file; do
	file=${file#"$dir/"} to=$LAYERS_OBJECTS/${file%/*}
	[ -e "$to" ] || { mkdir -p "$to" && cp "$LAYERS_OBJECTS/libx_a-empty.o" "$to/libx_a-$(basename "$file" .c).o"; }
done
rm "$LAYERS_OBJECTS/libx_a-empty.o"
check_symbols 'does not use .*: remove the permission'
exit $bad
