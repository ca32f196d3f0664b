#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `gpuvet diagnose --json` on folders of cases and compares the answer with each case.json.

A case is a folder with case.json and evidence/. Keys of case.json:
  id, source, truth  where it is from (or what it was constructed from) and what is the matter
  expect    kinds that must be found, the root cause first; empty: nothing is wrong
  top_any   roots that are as right; null: no verdict
  forbid    kinds that must not be at warn or fail
  also      kinds that may be there
  bound     what limits, where the evidence settles it
  needs     a part of the build without which the evidence cannot be read, as --version names it ("XML"); a build without it is not asked
With --tool (look_tool of the build) many cases share a process; exit statuses are not seen then.
Prints a line for each case that falls short. --floor FILE: names the cases that may fall short (one id a line);
any other that does is a failure, and so is one named there that no longer does.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import look

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMANDS = {
    "nvidia-smi-q": "nvidia-smi -q", "nvidia-smi-dmon": "nvidia-smi dmon", "nvidia-smi-topo": "nvidia-smi topo -m",
    "nvidia-smi-nvlink": "nvidia-smi nvlink -s", "nvidia-smi-list": "nvidia-smi -L", "meminfo": "cat /proc/meminfo",
    "kernel": "journalctl -k", "job": "cat job.log",
}


def notes_by_default():
    text = (ROOT / "src/core/kind.def").read_text()
    return {m[1] for m in re.finditer(r'KIND\(\w+, "([^"]+)", \w+, NOTE', text)}


NOTES = notes_by_default()


def paste(evidence, into):
    """All documents in one, each below its command line, every second one fenced."""
    out = []
    for i, f in enumerate(sorted(evidence.iterdir())):
        stem = f.name.split(".")[0]
        text = f.read_text(errors="replace").rstrip("\n")
        block = f"admin@node:~$ {COMMANDS.get(stem, stem.replace('-', ' '))}\n{text}\n"
        out.append(f"```\n{block}```\n" if i % 2 else block)
    path = pathlib.Path(into) / "paste.txt"
    path.write_text("\n".join(out))
    return path


def root_of(finding, by_id):
    seen = set()
    while finding.get("cause_id") and finding["id"] not in seen:
        seen.add(finding["id"])
        finding = by_id[finding["cause_id"]]
    return finding


def contract(rep, status, base):
    """What a report says of itself must agree, and every quote must stand where it says."""
    findings = rep["findings"]
    by_id = {f["id"]: f for f in findings}
    worst = max([("note", "warn", "fail").index(f["severity"]) for f in findings], default=0)
    if (rep["verdict"] is None) != (worst == 0):
        yield "verdict and severities disagree"
    if rep["verdict"] and rep["verdict"]["finding"] not in by_id:
        yield "verdict is no finding"
    if worst and status is not None and status != {1: 1, 2: 2}[worst]:
        yield f"status {status} does not fit"
    for f in findings:
        if f["severity"] != "note" and not f["evidence"]:
            yield f"{f['kind']} quotes nothing"
        for e in f["evidence"]:
            path = base if base.is_file() else base / e["file"]
            lines = path.read_bytes().split(b"\n") if path.is_file() else []
            if not 1 <= e["line"] <= len(lines) or e["text"].split("…")[0] not in lines[e["line"] - 1].decode(errors="replace"):
                yield f"{f['kind']}: {e['file']}:{e['line']} does not say so"


def judge(case, rep):
    expect, top_any = case.get("expect", []), set(case.get("top_any") or [])
    findings = rep["findings"]
    by_id = {f["id"]: f for f in findings}
    verdict = rep["verdict"]["kind"] if rep["verdict"] else None
    loud = {f["kind"] for f in findings if f["severity"] != "note"}
    said = loud | {f["kind"] for f in findings if f["kind"] in NOTES or None in top_any}
    right = set(expect[:1] or [None]) | top_any | ({None} if expect and expect[0] in NOTES else set())
    if verdict not in right:
        yield f"verdict {verdict}, want {' or '.join(sorted(map(str, right)))}"
    for i, k in enumerate(expect):
        if k not in said and not (i == 0 and said & top_any):
            yield f"missed {k}"
    bad = loud & set(case.get("forbid", [])) if expect else loud - top_any
    for k in sorted(bad):
        yield f"false {k}"
    for k in sorted(loud - set(expect) - top_any - set(case.get("also", [])) - bad if expect else []):
        if verdict not in right or any(root_of(f, by_id)["kind"] != verdict for f in findings
                                       if f["kind"] == k and f["severity"] != "note"):
            yield f"extra {k}"
    if case.get("bound") and rep["bound"]["value"] != case["bound"]:
        yield f"bound {rep['bound']['value']}, want {case['bound']}"


def short_of(folder, base, answer):
    """In what the answer to a case falls short: (document, status), or what went wrong."""
    if isinstance(answer, Exception):  # a crash, a hang, no JSON
        return [f"broken: {type(answer).__name__} {answer}"]
    case = json.loads((folder / "case.json").read_text())
    rep, status = answer
    return [*judge(case, rep), *contract(rep, status, base)]


def why_short(a, folders):
    """The same of some cases, in their order."""
    with tempfile.TemporaryDirectory() as tmp:
        bases = []
        for i, folder in enumerate(folders):
            into = pathlib.Path(tmp) / str(i)
            into.mkdir()
            bases.append(paste(folder / "evidence", into) if a.paste else folder / "evidence")
        if a.tool:
            answers = [d if isinstance(d, Exception) else (d, None) for d in look.many(a.tool, "diagnose", bases)]
        else:
            answers = []
            for base in bases:
                try:
                    answers.append(look.one(a.gpuvet, "diagnose", base))
                except Exception as e:
                    answers.append(e)
        return [short_of(*x) for x in zip(folders, bases, answers)]


def parts(gpuvet):
    """The optional parts that the build has: "built with archives, XML"."""
    out = subprocess.run([gpuvet, "--version"], capture_output=True, text=True).stdout
    m = re.search(r"^built with (.*)$", out, re.M)
    return {p.strip() for p in re.split(r",|; without .*", m[1])} if m else set()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--gpuvet", default="build/gpuvet")
    ap.add_argument("--tool", help="look_tool: many cases in one process")
    ap.add_argument("--paste", action="store_true", help="each case as one document")
    ap.add_argument("--only", default="")
    ap.add_argument("--floor", type=pathlib.Path)
    ap.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at a time [one a CPU]")
    ap.add_argument("folders", nargs="+", type=pathlib.Path)
    a = ap.parse_args()
    files = sorted(f for d in a.folders for f in d.rglob("case.json") if a.only in f.parent.name)
    if not files:
        ap.error("no case there")
    have = parts(a.gpuvet)
    lacking = [f for f in files if json.loads(f.read_text()).get("needs", "") not in have | {""}]
    files = [f for f in files if f not in lacking]
    if lacking:
        print(f"{len(lacking)} cases need a part that this build has not: {', '.join(f.parent.name for f in lacking)}")
    may = set(a.floor.read_text().split()) if a.floor else set()
    short = set()
    with concurrent.futures.ThreadPoolExecutor(max(a.jobs, 1)) as pool:
        some = [files[i:i + look.AT_ONCE] for i in range(0, len(files), look.AT_ONCE)]
        answers = [why for part in pool.map(lambda part: why_short(a, [f.parent for f in part]), some) for why in part]
    for f, why in zip(files, answers):
        if why:
            short.add(f.parent.name)
            print(f"{f.parent.name}: {'; '.join(why)}")
    print(f"{len(files) - len(short)} of {len(files)} cases right")
    names = {f.parent.name for f in files}
    for c in sorted((may & names) - short):
        print(f"{c} is right now: take it off {a.floor}")
    sys.exit(1 if short - may or (may & names) - short else 0)


if __name__ == "__main__":
    main()
