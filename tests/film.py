#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check an animation: film.py FILE.svg SECONDS. It is well-formed and under 1 MB, lasts that long,
and shows each row in each frame exactly once."""
import os
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
path, seconds = sys.argv[1], float(sys.argv[2])
assert os.path.getsize(path) < 1000000, os.path.getsize(path)
root = tree.parse(path).getroot()
style = root.find(SVG + "style").text
rules = {name: float(time) for name, time in
         re.findall(r"\.(k\d+-\d+)\{animation:\1 ([0-9.]+)s step-end infinite", style)}
assert set(rules.values()) == {seconds}, rules
frames = max(int(name.split("-")[1]) for name in rules)
end = frames
for group in root.iter(SVG + "g"):
    name = group.get("class")
    assert name in rules and "@keyframes %s{" % name in style, name
    begin, until = map(int, name[1:].split("-"))
    assert begin == (0 if end == frames else end) and begin < until, (begin, end)
    end = until
assert end == frames
shown = re.findall(r"@keyframes k(\d+)-(\d+)\{0%\{visibility:(\w+)\}", style)
assert all((begin == "0") == (first == "visible") for begin, _, first in shown), shown
