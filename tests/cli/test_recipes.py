#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING.md, followed in a scratch copy: one file and one line each, and what ./dev new writes for each
of them; then build, tables and a run."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEW = [["format", "abacus"], ["check", "busy", "abacus"], ["kind", "busy", "abacus-lost"], ["report", "abacus"],
       ["command", "abacus"], ["vendor", "abacus"]]
TREES = ["src", "data", "docs", "tools", "man", "meson.build", "meson_options.txt"]


def recipes():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return re.findall(r"<!-- recipe (file|line) (\S+) -->\n```\w*\n(.*?)```\n", text, re.S)


def add_line(path, line):
    """Puts an entry where it sorts: behind the last one of its macro and group that is smaller."""
    lines = path.read_text().splitlines()
    macro, group = re.match(r"(\w+)\(([^,)]+)", line).groups()
    same = [i for i, l in enumerate(lines) if l.startswith(macro + "(") and
            (path.name not in ("fact.def",) or re.match(r"\w+\(([^,)]+)", l)[1] == group)]
    before = [i for i in same if lines[i].rstrip(")") < line.rstrip(")")]
    at = (before[-1] + 1) if before else (same[0] if same else len(lines))
    if path.name == "kind.def":  # sorted by stage: the place within the stage is free
        at = same[-1] + 1
    lines.insert(at, line)
    path.write_text("\n".join(lines) + "\n")


def sh(*argv, cwd):
    p = subprocess.run(argv, cwd=cwd, capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"{' '.join(argv)} ended with {p.returncode}:\n{p.stdout[-3000:]}{p.stderr[-3000:]}")
    return p.stdout


def skeletons(copy):
    """Lint has nothing against what ./dev new wrote but that its texts are missing; it claims nothing."""
    p = subprocess.run([sys.executable, "tools/check-tables"], cwd=copy, capture_output=True, text=True)
    said = p.stdout.splitlines()
    other = [line for line in said if not line.endswith('"Say here" waits for its text')]
    assert not other, other
    for part in ("src/format/abacus.c", "src/check/busy/abacus.c", "docs/findings/abacus-lost.md", "src/report/abacus.c",
                 "src/cmd/abacus.c", "man/gpuvet-abacus.1.scd", "src/vendor/abacus.c"):
        assert any(part in line for line in said), f"check-tables does not miss the text of {part}: {said}"
    p = subprocess.run([sys.executable, "tools/check-docs", "build/gpuvet"], cwd=copy, capture_output=True, text=True)
    assert "abacus" not in p.stdout and not p.stderr, p  # of the other pages lint itself speaks
    assert "busy" in sh("build/gpuvet", "explain", "abacus-lost", cwd=copy)
    p = subprocess.run(["build/gpuvet", "abacus"], cwd=copy, capture_output=True, text=True)
    assert p.returncode == 64 and not p.stdout, p


def main():
    found = recipes()
    kinds = [k for k, _, _ in found]
    if kinds.count("file") != 3 or kinds.count("line") != 5:
        sys.exit(f"CONTRIBUTING.md has {kinds.count('file')} files and {kinds.count('line')} lines of recipes, not 3 and 5")
    env = {k: v for k, v in os.environ.items() if not k.endswith("_OPTIONS")}
    os.environ.clear()
    os.environ.update(env)
    with tempfile.TemporaryDirectory() as tmp:
        copy = pathlib.Path(tmp) / "copy"
        copy.mkdir()
        for t in TREES:
            (shutil.copytree if (ROOT / t).is_dir() else shutil.copy)(ROOT / t, copy / t)
        for words in NEW:
            sh(sys.executable, "tools/new", *words, cwd=copy)
        for kind, path, text in found:
            if kind == "file":
                assert not (copy / path).exists(), f"{path} is there already: the recipe is stale"
                (copy / path).write_text(text)
            else:
                add_line(copy / path, text.strip())
        sh("meson", "setup", "build", "-Dtests=false", "-Dman=disabled", "-Doptimization=0", cwd=copy)
        sh("ninja", "-C", "build", "gpuvet", cwd=copy)
        skeletons(copy)
        sh("sh", "tools/check-layers", "build", cwd=copy)
        ev = copy / "ev"
        ev.mkdir()
        (ev / "uptime.txt").write_text(" 12:10:11 up 3 days,  2:11,  4 users,  load average: 99.52, 80.58, 70.59\n")
        (ev / "lscpu.txt").write_text("Architecture:            x86_64\nCPU(s):                  8\nThread(s) per core:      2\n")
        p = subprocess.run(["build/gpuvet", "diagnose", "--json", "ev"], cwd=copy, capture_output=True, text=True)
        rep = json.loads(p.stdout)
        kinds = [f["kind"] for f in rep["findings"]]
        assert "load-high" in kinds, f"the new check found {kinds}"
        f = next(f for f in rep["findings"] if f["kind"] == "load-high")
        assert "99.5" in f["summary"], f["summary"]
        assert f["evidence"][0]["file"] == "uptime.txt", f["evidence"]


main()
