#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory --diff says what came and went, between trees and documents of earlier runs."""
import json
import pathlib
import subprocess
import sys
import tempfile

from gpu_made import fatbin, library

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def run(*args):
    return subprocess.run([GPUVET, "inventory", *args], capture_output=True, text=True, timeout=60)


def trees(tmp):
    libs = {n: library(tmp / "out" / n, n) for n in ("libcudart.so.12", "libcudart.so.13", "libamdhip64.so.6")}
    old, new = tmp / "old", tmp / "new"
    library(old / "lib/libx.so.1.0", "libx.so.1", [libs["libcudart.so.12"]], gpu=fatbin(("elf", "70"), ("elf", "90"), ("ptx", "90")))
    library(new / "lib/libx.so.1.1", "libx.so.1", [libs["libcudart.so.13"]], gpu=fatbin(("elf", "90"), ("elf", "90"), ("elf", "120a"), ("ptx", "90")))
    library(new / "lib/liby.so", "liby.so", [libs["libamdhip64.so.6"]])
    return old, new


def changes(doc):
    code = {(c["change"], c["kind"], c["arch"]) for c in doc["code"]}
    names = {(c["change"], c["name"], c["vendor"], c["grade"]) for c in doc["libraries"]}
    amounts = {a["arch"]: (a["count"]["old"], a["count"]["new"]) for a in doc["amounts"] if a["kind"] == "elf"}
    return code, names, amounts


def check(what, old, new):
    r = run("--diff", "--json", old, new)
    expect(f"{what}: status", r.returncode == 1, (r.returncode, r.stderr))
    code, names, amounts = changes(json.loads(r.stdout))
    expect(f"{what}: code", code == {("went", "elf", "sm_70"), ("came", "elf", "sm_120a")}, code)
    expect(f"{what}: libraries", names == {("went", "libcudart.so.12", "nvidia", "linked"), ("came", "libcudart.so.13", "nvidia", "linked"),
                                           ("came", "libamdhip64.so.6", "amd", "linked")}, names)
    expect(f"{what}: amounts", amounts == {"sm_70": (1, 0), "sm_90": (1, 2), "sm_120a": (0, 1)}, amounts)


with tempfile.TemporaryDirectory() as d:
    tmp = pathlib.Path(d)
    old, new = trees(tmp)
    check("trees", old, new)
    saved = {}
    for tree in (old, new):
        saved[tree] = tmp / f"{tree.name}.json"
        saved[tree].write_text(run("--json", tree).stdout)
    check("documents", saved[old], saved[new])
    check("a document and a tree", saved[old], new)
    r = run("--diff", old, saved[old])
    expect("the same", r.returncode == 0 and r.stdout.startswith("No GPU code, library or package came or went"), (r.returncode, r.stdout))
    r = run("--diff", old, new)
    expect("for people", r.returncode == 1 and "+ NVIDIA elf sm_120a" in r.stdout and "- libcudart.so.12 (NVIDIA, linked)" in r.stdout and
           "~ NVIDIA elf sm_90" in r.stdout, r.stdout)
    r = run("--diff", old)
    expect("one PATH", r.returncode == 64 and "two PATHs" in r.stderr, r.stderr)
    r = run("--diff", old, tmp / "none")
    expect("no such PATH", r.returncode == 66 and "none" in r.stderr, r.stderr)
    library(tmp / "bare/lib/libcudnn.so.9", "libcudnn.so.9")
    (tmp / "none").mkdir()
    r = run("--diff", "--json", tmp / "none", tmp / "bare")
    got = [(c["change"], c["name"], c["grade"]) for c in json.loads(r.stdout)["libraries"]]
    expect("a library by itself", r.returncode == 1 and got == [("came", "libcudnn.so.9", "shipped")], (r.returncode, got))
    (tmp / "none").rmdir()
    whole = saved[old].read_text()
    for cut in (whole[:len(whole) // 2], whole.replace('"grade": "linked"', '"grade": "odd"'), whole + "{}"):
        (tmp / "cut.json").write_text(cut)
        r = run("--diff", tmp / "cut.json", new)
        expect("a document that is none", r.returncode == 64 and not r.stdout and "cut.json: no document" in r.stderr, (r.returncode, r.stderr))
print("\n".join(bad))
sys.exit(bool(bad))
