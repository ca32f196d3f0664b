#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Redacts the evidence of cases and compares what is made of it before and after: the same facts (numbers and states; texts
may be pseudonyms), the same findings with the same severity and stage, the same verdict and limit. Prints what differs.
--allow FILE names cases that may (one id a line)."""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def run(gpuvet, command, path):
    p = subprocess.run([gpuvet, command, "--json", str(path)], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    if p.returncode not in (0, 1, 2, 3):
        raise RuntimeError(f"status {p.returncode}: {p.stderr.decode(errors='replace')[-300:]}")
    return json.loads(p.stdout)


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


def look(gpuvet, path):
    return {**essence(run(gpuvet, "diagnose", path)), **facts(run(gpuvet, "facts", path))}


def compare(before, after):
    for k in before:
        if before[k] == after[k]:
            continue
        if isinstance(before[k], collections.Counter):
            lost, new = before[k] - after[k], after[k] - before[k]
            yield f"{k}: lost {sorted(map(str, lost.elements()))[:5]}, new {sorted(map(str, new.elements()))[:5]}"
        else:
            yield f"{k}: {before[k]} became {after[k]}"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--gpuvet", default="build/gpuvet")
    ap.add_argument("--tool", help="redact_tool; default: beside the program's tests")
    ap.add_argument("--allow", type=pathlib.Path)
    ap.add_argument("--keep", type=pathlib.Path, help="leave the redacted evidence here")
    ap.add_argument("--only", default="")
    ap.add_argument("folders", nargs="+", type=pathlib.Path)
    a = ap.parse_args()
    tool = a.tool or os.path.join(os.path.dirname(a.gpuvet), "tests", "redact_tool")
    allowed = set(a.allow.read_text().split()) if a.allow else set()
    cases = sorted(d for f in a.folders for d in f.iterdir() if (d / "evidence").is_dir() and a.only in d.name)
    if not cases:
        ap.error("no case there")
    differ = set()
    for d in cases:
        with tempfile.TemporaryDirectory() as tmp:
            out = pathlib.Path(a.keep or tmp) / d.name
            out.mkdir(parents=True, exist_ok=True)
            base = d / "evidence"
            files = sorted(f for f in base.rglob("*") if f.is_file())
            try:
                subprocess.run([tool, str(out), *(f"{base}//{f.relative_to(base)}" for f in files)], check=True, capture_output=True, timeout=60)
                why = [*compare(look(a.gpuvet, base), look(a.gpuvet, out))]
                redacted = [p for p in out.rglob("*") if p.is_file()]
                if len(redacted) != len(files):
                    why.append(f"{len(files)} documents became {len(redacted)}")
            except Exception as e:  # a crash, a hang, no JSON
                why = [f"broken: {type(e).__name__} {e}"]
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
