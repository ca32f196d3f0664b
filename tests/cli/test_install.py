#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""meson install into DESTDIR: the program, which runs from there, its pages and its completion, and nothing else."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
BUILD = GPUVET.parent
ROOT = pathlib.Path(__file__).resolve().parents[2]
bad = []


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {seen}" if seen != "" else what)


def option(name):
    options = json.loads((BUILD / "meson-info" / "intro-buildoptions.json").read_text())
    return next(o["value"] for o in options if o["name"] == name)


def wanted():
    prefix = pathlib.Path(option("prefix"))
    yield prefix / option("bindir") / "gpuvet"
    if list((BUILD / "man").glob("*.1")):  # scdoc was there
        for page in (ROOT / "man").glob("*.scd"):
            yield prefix / option("mandir") / f"man{page.stem[-1]}" / page.stem
    yield prefix / option("datadir") / "bash-completion" / "completions" / "gpuvet.bash"


def main():
    with tempfile.TemporaryDirectory() as tmp:
        p = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"], capture_output=True, text=True,
                           env={**os.environ, "DESTDIR": tmp})
        expect("meson install ends well", p.returncode == 0, p.stdout + p.stderr)
        got = {f"/{f.relative_to(tmp)}" for f in pathlib.Path(tmp).rglob("*") if not f.is_dir()}
        want = {str(f) for f in wanted()}
        expect("files that were not installed", want <= got, sorted(want - got))
        expect("files that nobody expects", got <= want, sorted(got - want))
        for f in sorted(want & got):
            mode = os.stat(tmp + f).st_mode & 0o7777
            expect(f"{f} may be read, and only its owner may write", mode in (0o755, 0o644), oct(mode))
        program = tmp + str(pathlib.Path(option("prefix")) / option("bindir") / "gpuvet")
        if os.path.exists(program):
            here, there = [subprocess.run([g, "explain", "xid", "79"], capture_output=True).stdout for g in (GPUVET, program)]
            expect("the installed program runs", here and here == there, there[:200])
    for b in bad:
        print(b)
    sys.exit(1 if bad else 0)


main()
