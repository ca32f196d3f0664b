#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/mkpages takes a right page and names file and line of what is wrong in others."""
import pathlib
import subprocess
import sys
import tempfile

MKPAGES = pathlib.Path(sys.argv[1]).resolve().parent / "mkpages"
PAGE = """---
kind: throttle-thermal
title: Clocks are cut
summary: {on} is hot[: {reason}][ at {temp} C]
cause: "quoted" \\ ??/ text
action: Cool it.
avoid: Do not wait.
---

## Symptom
a
## How to confirm
```
## no section
```
## Cause
b
## Fix
c
## What not to do
d
## Look-alikes
e
"""
WRONG = {  # replaced, by what: the line and a word of the message
    ("title: Clocks are cut\n", ""): (7, "title"),
    ("title: Clocks are cut", "title:"): (3, "no value"),
    ("title: Clocks are cut", "titel: Clocks are cut"): (3, "unknown key"),
    ("avoid:", "cause:"): (7, "twice"),
    ("kind: throttle-thermal", "kind: throttle-power"): (2, "file's name"),
    ("[ at {temp} C]", "[ at {temp} C"): (4, "]"),
    ("[ at {temp} C]", " at {temp} C]"): (4, "[ ]"),
    ("[: {reason}]", "[: [{reason}]]"): (4, "nest"),
    ("{temp}", "{temp"): (4, "}"),
    ("{temp}", "temp}"): (4, "}"),
    ("{temp}", "{temp|}"): (4, "}"),
    ("{temp}", "{temp|a|b|c}"): (4, "}"),
    ("{temp}", "{Temp now}"): (4, "name of a value"),
    ("## Fix", "## Remedy"): (18, "Fix"),
    ("## Cause\nb\n", ""): (16, "Cause"),
    ("## Look-alikes\ne\n", ""): (22, "Look-alikes"),
    ("d\n", ""): (21, "What not to do"),
    ("## Look-alikes\ne\n", "## Look-alikes\n"): (23, "no text"),
    ("## Symptom", "words\n## Symptom"): (10, "first section"),
    ("---\nkind", "kind"): (1, "---"),
    ("avoid: Do not wait.\n---", "avoid: Do not wait."): (8, "key: value"),
    ("a\n##", "a\x07\n##"): (11, "control"),
}


def mkpages(folder, text, name="throttle-thermal"):
    page = folder / f"{name}.md"
    page.write_text(text)
    p = subprocess.run([MKPAGES, folder / "out.c", page], capture_output=True, text=True)
    return p.returncode, p.stderr


def main():
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        status, err = mkpages(folder, PAGE)
        out = (folder / "out.c").read_text()
        if status or "[GV_K_THROTTLE_THERMAL]" not in out or '"\\"quoted\\" \\\\ \\?\\?/ text"' not in out:
            bad.append(f"a right page: {status} {err}{out[:500]}")
        status, err = mkpages(folder, PAGE.replace("throttle-thermal", "no-such-kind"), "no-such-kind")
        if status != 1 or "kind.def" not in err:
            bad.append(f"a kind that does not exist: {status} {err}")
        for (old, new), (line, word) in WRONG.items():
            text = PAGE.replace(old, new, 1)
            if text == PAGE:
                bad.append(f"{old!r} is not in the page")
            status, err = mkpages(folder, text)
            if status != 1 or f"throttle-thermal.md:{line}: " not in err or word not in err:
                bad.append(f"{old!r} -> {new!r}: want line {line} and \"{word}\": {status} {err.strip()}")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


main()
