#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Redacts the evidence of cases and compares what is made of it before and after: the same facts (numbers and states; texts
may be pseudonyms), the same findings with the same severity and stage, the same verdict and limit. Prints what differs.
--allow FILE names cases that may (one id a line). Some dozens of cases share a process (look_tool)."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import look


def essence(report):
    findings = collections.Counter((f["kind"], f["severity"], f["stage"], f["when"]) for f in report["findings"])
    return {
        "findings": findings,
        "verdict": report["verdict"]["kind"] if report["verdict"] else None,
        "bound": report["bound"]["value"],
        "stages": {s["stage"]: s["state"] for s in report["stages"]},
        "subjects": len(report["subjects"]),
    }


def facts(report):
    """What was read: of each thing the facts' names, states and, where they are no texts, values."""
    seen = collections.Counter()
    for e in report["entities"]:
        for f in e["facts"]:
            if f["state"] != "unknown":
                value = f["value"] if not isinstance(f["value"], str) else "text"
                seen[(e["type"], f["name"], f["state"], json.dumps(value))] += 1
    for d in report["documents"]:
        seen[("lines unclaimed", sum(u["lines"] for u in d["unclaimed"]), d["lines"], d["log"])] += 1
    return {"facts": seen, "things": collections.Counter(e["type"] for e in report["entities"]), "events": len(report["events"])}


def looks(tool, paths):
    """Of each path what was read and judged, or what went wrong."""
    for d, f in zip(look.many(tool, "diagnose", paths), look.many(tool, "facts", paths)):
        wrong = next((x for x in (d, f) if isinstance(x, Exception)), None)
        yield wrong or {**essence(d), **facts(f)}


def compare(before, after):
    for k in before:
        if before[k] == after[k]:
            continue
        if isinstance(before[k], collections.Counter):
            lost, new = before[k] - after[k], after[k] - before[k]
            yield f"{k}: lost {sorted(map(str, lost.elements()))[:5]}, new {sorted(map(str, new.elements()))[:5]}"
        else:
            yield f"{k}: {before[k]} became {after[k]}"


def redact(a, folder, out):
    """Into out; what went wrong."""
    base = folder / "evidence"
    files = sorted(f for f in base.rglob("*") if f.is_file())
    out.mkdir(parents=True, exist_ok=True)
    p = subprocess.run([a.tool, str(out), *(f"{base}//{f.relative_to(base)}" for f in files)], capture_output=True, timeout=60)
    if p.returncode:
        return f"broken: redact_tool ended with {p.returncode}: {p.stderr.decode(errors='replace')[-300:]}"
    left = sum(p.is_file() for p in out.rglob("*"))
    return f"{len(files)} documents became {left}" if left != len(files) else ""


def differences(a, folders):
    """Of each case what redaction changed."""
    with tempfile.TemporaryDirectory() as tmp:
        outs = [pathlib.Path(a.keep or tmp) / d.name for d in folders]
        wrong = [redact(a, d, out) for d, out in zip(folders, outs)]
        answers = []
        for before, after, why in zip(looks(a.look, [d / "evidence" for d in folders]), looks(a.look, outs), wrong):
            broken = [x for x in (before, after) if isinstance(x, Exception)]
            answers.append([*filter(None, [why]), *(f"broken: {x}" for x in broken), *([] if broken else compare(before, after))])
        return answers


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--gpuvet", default="build/gpuvet")
    ap.add_argument("--tool", help="redact_tool; default: beside the program's tests")
    ap.add_argument("--look", help="look_tool; the same")
    ap.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at a time [one a CPU]")
    ap.add_argument("--allow", type=pathlib.Path)
    ap.add_argument("--keep", type=pathlib.Path, help="leave the redacted evidence here")
    ap.add_argument("--only", default="")
    ap.add_argument("folders", nargs="+", type=pathlib.Path)
    a = ap.parse_args()
    tests = os.path.join(os.path.dirname(a.gpuvet), "tests")
    a.tool = a.tool or os.path.join(tests, "redact_tool")
    a.look = a.look or os.path.join(tests, "look_tool")
    allowed = set(a.allow.read_text().split()) if a.allow else set()
    cases = sorted(d for f in a.folders for d in f.iterdir() if (d / "evidence").is_dir() and a.only in d.name)
    if not cases:
        ap.error("no case there")
    differ = set()
    some = [cases[i:i + look.AT_ONCE] for i in range(0, len(cases), look.AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(max(a.jobs, 1)) as pool:
        answers = [why for part in pool.map(lambda part: differences(a, part), some) for why in part]
    for d, why in zip(cases, answers):
        if why:
            differ.add(d.name)
            print(f"{d.name}: {'; '.join(why)}")
    print(f"{len(cases) - len(differ)} of {len(cases)} cases say the same when redacted")
    stale = sorted((allowed & {d.name for d in cases}) - differ)
    for c in stale:
        print(f"{c} says the same now: take it off {a.allow}")
    sys.exit(1 if differ - allowed or stale else 0)


if __name__ == "__main__":
    main()
