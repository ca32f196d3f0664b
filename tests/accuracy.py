#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what folders of cases (see cases.py) prove of the kinds of NVIDIA, the kernel and PCIe, as the tables of docs/accuracy.md.

A kind is known when an output from outside raises it, and an output from outside that looks alike does not. From outside is
a case whose source is an address and of which some file was pasted or adapted, not composed; where a case does not say which
files were, all of its source counts. Its look-alike expects nothing, or something else, and forbids the kind.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re

import cases

STAGES = ("VISIBLE",)
OTHER_VENDORS = ("amdgpu-", "intel-", "rocm-")
BESIDES = ("app-kernel-fault clocks-capped gpu-memory-full gpu-shared power-cap stuck-process throttle-power throttle-thermal "
           "disk-error fs-stall host-lockup host-ram-ecc oom-killer iommu-acs-p2p gpu-starved").split()


def kinds_of_family():
    text = (cases.ROOT / "src/core/kind.def").read_text()
    found = [m[1] for m in re.finditer(r'KIND\(\w+, "([^"]+)", (\w+),', text) if m[2] in STAGES]
    return [k for k in found if not k.startswith(OTHER_VENDORS)] + BESIDES


def in_family(case, kinds):
    if case.get("vendor", "nvidia") not in ("nvidia", "none"):
        return False
    if case.get("expect"):
        return case["expect"][0] in kinds
    return bool(set(case.get("forbid", [])) & kinds) or not case.get("forbid")


def from_outside(case, folder):
    if not case.get("source", "").startswith("https://") or case.get("rendered"):
        return False
    how = case.get("provenance", {})
    return not how or any(v in ("pasted", "adapted") for v in how.values())


def look(gpuvet, path):
    case = json.loads(path.read_text())
    rep, _ = cases.run(gpuvet, path.parent / "evidence")
    said = {f["kind"] for f in rep["findings"] if f["severity"] != "note" or f["kind"] in cases.NOTES}
    return path, case, said, list(cases.judge(case, rep))


def where(case, own):
    return f"[{case['id']}]({case['source']})" if case["source"].startswith("https://") and not own else case["id"]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--gpuvet", default="build/gpuvet")
    ap.add_argument("folders", nargs="+", type=pathlib.Path)
    a = ap.parse_args()
    kinds = kinds_of_family()
    files = sorted(f for d in a.folders for f in d.rglob("case.json") if not any(p.startswith(".") and p != ".." for p in f.parts))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        looks = list(pool.map(lambda f: look(a.gpuvet, f), files))
    fault, alike, own = (collections.defaultdict(list) for _ in range(3))
    family, right, wanted, found, alarms = [], 0, 0, 0, 0
    for path, case, said, short in looks:
        ours = (cases.ROOT / "tests/cases") in path.resolve().parents
        outside = not ours and from_outside(case, path.parent)
        for k in case.get("expect", []):
            if k in said:
                (fault if outside else own)[k].append(where(case, ours))
        for k in case.get("forbid", []):
            if k not in said:
                # the nearer a look-alike is, the more it proves: nothing wrong at all, on the same vendor's machine
                rank = (bool(case.get("expect")), case.get("vendor", "nvidia") != "nvidia")
                (alike if outside else own)[k].append((rank, where(case, ours)) if outside else where(case, ours))
        if not ours and in_family(case, set(kinds)):
            family.append(case["id"])
            right += not any(s.startswith(("verdict", "broken")) for s in short)
            wanted += len(case.get("expect", []))
            found += len(case.get("expect", [])) - sum(s.startswith("missed") for s in short)
            alarms += any(s.startswith("false") for s in short)
    print(f"{len(family)} cases from outside of this family: first cause right in {right}, {found} of {wanted} findings, "
          f"false alarms in {alarms}.\n")
    print("| kind | raised by | silent on | known |\n|---|---|---|---|")
    for k in sorted(set(kinds)):
        f, s = fault[k], [w for _, w in sorted(alike[k])]
        made = f"constructed ({len(own[k])})" if own[k] else "nothing"
        print(f"| {k} | {f[0] if f else made} | {s[0] if s else made} | {'yes' if f and s else 'no'} |")
    print("\nThe cases:", ", ".join(sorted(family)) + ".")


if __name__ == "__main__":
    main()
