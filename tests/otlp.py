#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check spans of OpenTelemetry against the protocol's JSON mapping.

    otlp.py check DIR...             lines of DIR/spans: shape, ids, and the counts of DIR/report (JSON)
    otlp.py count FILE...            per file: spans, distinct spans, processes, those with status ERROR
"""
import hashlib
import json
import re
import sys


path = ""  # the directory or file that is checked


def need(is_so, what, *seen):
    if not is_so:
        raise SystemExit(f"otlp.py: {path}: {what}: {seen!r:.600}")


def keys(obj, required, optional=()):
    need(isinstance(obj, dict), "an object", obj)
    need(set(required) <= set(obj) <= set(required) | set(optional), "keys", obj)


def value(v):
    need(isinstance(v, dict) and len(v) == 1, "a value of one type", v)
    (kind, x), = v.items()
    if kind == "intValue":
        need(isinstance(x, str) and re.fullmatch(r"-?\d+", x) and -2**63 <= int(x) < 2**63, "int64", v)
        return int(x)
    if kind == "arrayValue":
        keys(x, ["values"])
        return [value(item) for item in x["values"]]
    kinds = {"stringValue": str, "doubleValue": (int, float), "boolValue": bool}
    need(kind in kinds and isinstance(x, kinds[kind]), "a typed value", v)
    return x


def attributes(owner):
    out = {}
    need(isinstance(owner.get("droppedAttributesCount", 0), int), "a uint32", owner)
    for item in owner["attributes"]:
        keys(item, ["key", "value"])
        need(isinstance(item["key"], str) and item["key"] not in out, "a key stands once", item)
        out[item["key"]] = value(item["value"])
    return out


def span_check(span):
    keys(span, ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes"],
         ["parentSpanId", "status", "droppedAttributesCount"])
    need(re.fullmatch("[0-9a-f]{32}", span["traceId"]), "a trace id", span)
    for key in ("spanId", "parentSpanId"):
        need(key not in span or re.fullmatch("[0-9a-f]{16}", span[key]), "a span id", span)
    need(span["kind"] in (1, 2) and isinstance(span["name"], str) and span["name"], "kind, name", span)
    for key in ("startTimeUnixNano", "endTimeUnixNano"):
        need(isinstance(span[key], str) and span[key].isdigit(), "a fixed64", span)
    need(int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]), "times", span)
    if "status" in span:
        keys(span["status"], ["code"], ["message"])
        need(span["status"]["code"] == 2, "a status", span)
    return span | {"attributes": attributes(span)}


def request(text):
    """The spans of a request, each with its resource's attributes."""
    body = json.loads(text)
    spans = []
    keys(body, ["resourceSpans"])
    for group in body["resourceSpans"]:
        keys(group, ["resource", "scopeSpans"])
        keys(group["resource"], ["attributes"])
        resource = attributes(group["resource"])
        need(resource["service.namespace"] == "trace2" and resource["service.name"], "a service", resource)
        for scope in group["scopeSpans"]:
            keys(scope, ["scope", "spans"])
            need(scope["scope"]["name"] == "trace2top" and scope["spans"], "a scope", scope)
            spans += [span_check(span) | {"resource": resource} for span in scope["spans"]]
    return spans


def read(path):
    spans = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            some = request(line)
            need(len(some) <= 512 + 100, "512 spans a request", len(some))
            need(len(line) < 1 << 20 or len(some) == 1, "a line of a mebibyte", len(line))
            spans += some
    return spans


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def check(path, report):
    spans = read(path)
    with open(report, encoding="utf-8") as text:
        report = json.load(text)
    by_type = {kind: [] for kind in ("process", "region", "child", "exec")}
    for span in spans:
        by_type[span["attributes"]["trace2.span.type"]].append(span)
    need(len({s["spanId"] for s in spans}) == len(spans), "each span once", len(spans))
    totals = report["totals"]
    need(len(by_type["process"]) == totals["processes"], "processes", len(by_type["process"]), totals)
    need(len(by_type["child"]) == totals["children"], "children", len(by_type["child"]), totals)
    regions = by_type["region"]
    ended = [s for s in regions if not s["attributes"].get("trace2.region.open")]
    need(len(ended) == totals["regions"], "regions", len(ended), totals)
    execs = sum(len(p["execs"]) for p in report["processes"])
    need(len(by_type["exec"]) == execs, "execs", len(by_type["exec"]), execs)
    known = {p["sid"]: p for p in report["processes"]}
    for span in by_type["process"]:
        sid = span["resource"]["service.instance.id"]
        parts = sid.split("/")
        process = known[sid]
        need(span["kind"] == 2, "kind SERVER", span)
        need(span["traceId"] == digest(parts[0])[:16].hex(), "trace id", span)
        need(span["spanId"] == digest(parts[-1])[16:24].hex(), "span id", span)
        parent = digest(parts[-2])[16:24].hex() if len(parts) > 1 else None
        need(span.get("parentSpanId") == parent, "parent id", span)
        failed = process["state"] == "signaled" or process["code"] not in (None, 0)
        need(("status" in span) == failed, "status", span, process["state"], process["code"])
        over = process["state"] in ("exited", "signaled", "replaced")
        need(span["attributes"].get("trace2.incomplete", False) == (not over), "incomplete", span)
        need(process["argv"] is None or span["attributes"]["process.command_args"] == process["argv"],
             "argv", span)
    ids = {s["spanId"]: s for s in spans}
    for span in spans:
        around = ids.get(span.get("parentSpanId"))
        need(span["attributes"]["trace2.span.type"] == "process" or around, "a parent", span)
        if span["attributes"]["trace2.span.type"] == "region":
            need(around["traceId"] == span["traceId"] and
                 int(around["startTimeUnixNano"]) <= int(span["startTimeUnixNano"]) and
                 int(span["endTimeUnixNano"]) <= int(around["endTimeUnixNano"]), "within its parent",
                 span, around)


def count(path):
    spans = read(path)
    print(len(spans), len({s["spanId"] for s in spans}),
          sum(s["kind"] == 2 for s in spans), sum("status" in s for s in spans))


if __name__ == "__main__":
    for path in sys.argv[2:]:
        if sys.argv[1] == "check":
            check(path + "/spans", path + "/report")
        else:
            count(path)
