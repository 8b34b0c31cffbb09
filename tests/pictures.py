#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that the picture contains each word of the text in its place: pictures.py FILE.svg FILE"""
import sys
import xml.etree.ElementTree as tree

CELL_W, CELL_H, BASELINE, MARGIN = 8, 17, 13, 10
SVG = "{http://www.w3.org/2000/svg}"
rows = open(sys.argv[2], encoding="utf-8").read().split("\n")
seen = {}
for text in tree.parse(sys.argv[1]).getroot().iter(SVG + "text"):
    x, y = (int(text.get(name)) for name in ("x", "y"))
    row, col = (y - BASELINE - MARGIN) // CELL_H, (x - MARGIN) // CELL_W
    assert int(text.get("textLength")) == len(text.text) * CELL_W, text.text
    # Viewers collapse ordinary blanks.
    assert "  " not in text.text and text.text == text.text.strip(" "), text.text
    for i, ch in enumerate(text.text):
        if ch not in " \u00a0":
            seen[row, col + i] = ch
lines = set("─│┌┐└┘├┤┬┴┼") | set(map(chr, range(0x2581, 0x2590)))
wanted = {(y, x): ch for y, row in enumerate(rows) for x, ch in enumerate(row)
          if ch != " " and ch not in lines}
wrong = [(at, wanted.get(at), seen.get(at)) for at in sorted(set(wanted) | set(seen))
         if wanted.get(at) != seen.get(at)]
if wrong or not wanted:
    print("differs at (row, column), text, picture:", wrong[:5], len(wrong))
    sys.exit(1)
