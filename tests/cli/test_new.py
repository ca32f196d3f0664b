#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev new: the line stands where it sorts, nothing is overwritten, wrong words are refused. That what it writes builds is
held by test_recipes.py."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
bad = []


def check(what, ok, said=""):
    if not ok:
        bad.append(f"{what}: {said}")


with tempfile.TemporaryDirectory() as tmp:
    copy = pathlib.Path(tmp)
    for tree in ("src", "docs", "man", "tools"):
        shutil.copytree(ROOT / tree, copy / tree)

    def new(*words):
        p = subprocess.run([sys.executable, copy / "tools/new", *words], capture_output=True, text=True)
        return p.returncode, p.stdout, p.stderr

    def files():
        return {p.relative_to(copy): p.read_bytes() for p in copy.rglob("*") if p.is_file() and "__pycache__" not in p.parts}

    def tables():
        return subprocess.run([sys.executable, copy / "tools/check-tables"], capture_output=True, text=True).stdout

    said_before = tables()
    names = {"format": [["aaa"], ["mmm-m"], ["zzz"]], "check": [["visible", "aaa"], ["serving", "zzz"], ["fed", "mmm"]],
             "kind": [["visible", "aaa-kind"], ["serving", "zzz-kind", "fail"]], "report": [["aaa"], ["zzz"]],
             "command": [["aaa"], ["mmm"], ["zzz"]], "vendor": [["aaa"], ["zzz"]]}
    for what, all_words in names.items():
        for words in all_words:
            before = files()
            status, out, err = new(what, *words)
            after = files()
            added = sorted(str(p) for p in after.keys() - before.keys())
            changed = [str(p) for p in before if after[p] != before[p]]
            check(f"new {what} {words}", status == 0 and len(added) == (2 if what == "command" else 1), f"{status} {added} {err}")
            check(f"new {what} {words}: tables", len(changed) == (2 if what == "command" else 1), changed)
            for p in changed:
                gone = set(before[pathlib.Path(p)].split(b"\n")) - set(after[pathlib.Path(p)].split(b"\n"))
                check(f"new {what} {words}: {p} lost lines", not gone, gone)
            for p in added + changed:
                check(f"new {what} {words}: says {p}", p in out, out)
                check(f"{p} ends with a newline", after[pathlib.Path(p)].endswith(b"\n"))
            status, _, err = new(what, *words)
            check(f"new {what} {words} again", status == 64 and "already" in err and files() == after, f"{status} {err}")
    left = [line for line in tables().splitlines()
            if line not in said_before and not line.endswith('"Say here" waits for its text')]
    check("tables after", not left, left)

    # a file without a line in the table is not overwritten either, and no line is added
    (copy / "src/format/mine.c").write_text("mine")
    before = files()
    status, _, err = new("format", "mine")
    check("a file that is there", status == 64 and "src/format/mine.c is there already" in err and files() == before, err)

    for words, said in (((), ""), (("thing", "x"), "none of"), (("format",), "usage: ./dev new format NAME"),
                        (("check", "name"), "usage: ./dev new check STAGE NAME"), (("check", "nowhere", "x"), "no stage"),
                        (("kind", "fed", "x", "awful"), "no severity"), (("kind", "fed", "Bad"), "no name"),
                        (("format", "../x"), "no name"), (("format", "a b"), "no name"), (("report", "a-b"), "no name"),
                        (("command", "help"), "already"), (("format", "common-x"), "share"), (("format", "a", "b"), "usage"),
                        (("check", "fed", "xid"), "already"), (("kind", "fed", "gpu-xid"), "already")):
        before = files()
        status, _, err = new(*words)
        check(f"new {words}", status == 64 and said in err and files() == before, f"{status} {err}")
    status, out, _ = new("--help")
    check("help", status == 0 and all(f"new {w}" in out for w in names), out)

print("\n".join(bad))
sys.exit(1 if bad else 0)
