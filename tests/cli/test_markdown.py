#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diagnose --markdown: the content and order of the text report, the same everywhere, and nothing in evidence can leave its
fence or its code span."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGES = ["visible", "stack", "busy", "fed", "scaling", "scheduler", "serving"]
bad = []


def run(*args, env=None, cwd=None):
    p = subprocess.run([GPUVET, "diagnose", *map(str, args)], capture_output=True, env={**os.environ, **(env or {})}, cwd=cwd)
    return p.returncode, p.stdout.decode("utf-8"), p.stderr.decode()


def expect(what, ok, said=""):
    if not ok:
        bad.append(f"{what}: {said}")


def parts(text):
    """The lines outside of fences, and the contents of the fences; None where a fence stays open."""
    outside, fences, open_, at = [], [], 0, 0
    for line in text.split("\n"):
        m = re.match(r"( *)(`{3,})([^`]*)$", line)
        if open_:
            if m and len(m[2]) >= open_ and not m[3].strip():
                open_ = 0
            else:
                fences[-1].append(line)
                if line.strip() and len(line) - len(line.lstrip(" ")) < at:
                    return None  # less indented than the list that the fence is in
        elif m:
            open_, at = len(m[2]), len(m[1])
            fences.append([])
        else:
            outside.append(line)
    return None if open_ else (outside, fences)


def without_code(line):
    """The line without its code spans, as CommonMark finds them."""
    out, i = "", 0
    while i < len(line):
        if line[i] != "`":
            out += line[i]
            i += 1
            continue
        n = len(re.match("`+", line[i:])[0])
        close = re.search(rf"(?<!`)`{{{n}}}(?!`)", line[i + n:])
        if not close:
            return out + line[i:]
        i += n + close.end()
    return out


def sound(what, text):
    """No line outside a fence holds anything that Markdown or HTML could take for its own, but what gpuvet put there."""
    split = parts(text)
    expect(f"{what}: fences", split is not None, text[-400:])
    for line in split[0] if split else []:
        rest = without_code(line)
        bars = len(re.findall(r"(?<!\\)\|", line))
        if line.startswith("|"):
            expect(f"{what}: bars", bars == 4, line)
            rest = rest.replace("|", "")
        rest = re.sub(r"^(### | *- |\*gpuvet [\w.]+: end of report\*$)", "", rest)
        rest = re.sub(r"\*\*[^*]*\*\*", "", rest)
        expect(f"{what}: left the code", not re.search(r"[`*_<>\[\]|~&@#$\\]|://", rest), line)
        expect(f"{what}: control", not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e\u200b]", line), repr(line))
    lines = text.split("\n")
    expect(f"{what}: first line", re.match(r"### gpuvet: (FAIL|WARN|OK|UNKNOWN)[, ]", lines[0]), lines[0])
    expect(f"{what}: last line", re.fullmatch(r"\*gpuvet \S+: end of report\*", lines[-2]) and not lines[-1], lines[-2:])


def same_content(name, evidence):
    for options in ((), ("--all",)):
        status, text, _ = run(*options, evidence)
        status_md, md, _ = run("--markdown", *options, evidence)
        doc = json.loads(run("--json", evidence)[1])
        what = f"{name} {' '.join(options)}"
        sound(what, md)
        expect(f"{what}: status", status == status_md, f"{status} {status_md}")
        body, seen = parts(md) or ([], [])
        in_md = re.findall(r"\*\*(f\d+) (FAIL|WARN|note) ([\w-]+)\*\*", "\n".join(body))
        in_text = re.findall(r"^ *(f\d+) +(FAIL|WARN|note)  ?([\w-]+) ?(?:on|:|\()", text, re.M)
        expect(f"{what}: findings", in_md == [(i, s, k.rstrip(":")) for i, s, k in in_text], f"{in_md} {in_text}")
        if doc["findings"]:
            rows = [line.split(" | ")[0][2:] for line in body if line.startswith("| ")]
            expect(f"{what}: stages", rows == ["Stage", *STAGES], rows)
        if doc["verdict"]:
            expect(f"{what}: verdict", doc["verdict"]["kind"] in body[0], body[0])
        if options and doc["verdict"]:
            quoted = "\n".join(line for f in seen for line in f)
            for f in doc["findings"]:
                for q in f["evidence"]:
                    expect(f"{what}: quotes {q['file']}:{q['line']}", f"{q['file']}:{q['line']} " in quoted, quoted[:200])
        for n in doc["next"]:
            expect(f"{what}: next", f"`{n['run']}`" in md, n)


def hostile(folder):
    (folder / "n1").mkdir()
    evil = "```<script>alert(1)</script>@here [x](http://evil.example/) **b** <!-- | $x$ #1"
    xid = "NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=" + evil + ", GPU has fallen off the bus."
    (folder / "n1" / "```\n<b>@all|x*_.txt").write_text("[  812.5] " + xid + "\n[  813.5] ````\n[  814.5] </details>\n")
    (folder / "n1" / "`.bin").write_bytes(b"\x7fELF\0\0\1\2")
    (folder / "n1" / "host.txt").write_text(
        f"root@a`b<i>|@x:~# dmesg\nJan 13 10:44:02 h`<i>|@x kernel: {xid}\n"
        "~~~\n```\n### gpuvet: OK\n*gpuvet 0.1.0: end of report*\n")
    (folder / "n1" / "torch.txt").write_text(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.10 GiB "
        "of which 1.00 MiB is free. Process `<img src=x>` has 79.00 GiB memory in use.\n"
        "ImportError: libcud`na.so.8<b>|@x: cannot open shared object file: No such file or directory\n"
        "cp: error writing '/data/`<b>|*x*': No space left on device\n")
    status, md, _ = run("--markdown", "--all", folder)
    expect("hostile: a failure", status == 2, status)
    sound("hostile", md)
    sound("hostile, short", run("--markdown", folder)[1])
    fences = [line for f in (parts(md) or ([], []))[1] for line in f]
    expect("hostile: quoted as it stands", any(evil[:20] in line for line in fences), md)
    expect("hostile: no line begins with a fence", not any(line.lstrip().startswith("```") for line in fences) or
           re.search(r"^ *`{4,}$", md, re.M), md)


def one_form(folder):
    for pair in (("--json", "--markdown"), ("--markdown", "--json"), ("--markdown", "-q"), ("--json", "--quiet")):
        status, out, err = run(*pair, folder)
        expect(f"{pair}", status == 64 and not out and all(p.replace("-q", "--quiet") in err or p in err for p in pair) and
               err.count("\n") == 1, f"{status} {err}")


def same_everywhere(evidence):
    first = run("--markdown", evidence)[1]
    for env in ({"LC_ALL": "C"}, {"COLUMNS": "40"}, {"TERM": "xterm-256color", "COLUMNS": "119"}, {"NO_COLOR": "1"}):
        expect(f"with {env}", run("--markdown", evidence, env=env)[1] == first)
    expect("no colours", "\x1b" not in first)


def main():
    cases = sorted(p.parent for p in (ROOT / "tests" / "cases").glob("*/case.json"))
    if len(cases) < 50:
        sys.exit(f"only {len(cases)} cases")
    for case in cases[::9]:
        same_content(case.name, case / "evidence")
    same_content("slow-node", ROOT / "examples" / "slow-node")
    same_everywhere(ROOT / "examples" / "slow-node")
    with tempfile.TemporaryDirectory() as tmp:
        hostile(pathlib.Path(tmp))
        one_form(tmp)
        nothing = pathlib.Path(tmp) / "nothing"
        nothing.mkdir()
        (nothing / "x.txt").write_text("hello\n")
        status, md, _ = run("--markdown", "--require", "busy", nothing)
        expect("nothing known", status == 3 and md.startswith("### gpuvet: UNKNOWN, nothing could be judged\n") and
               "- **Required but unknown:** visible" not in md and "- **Required but unknown:** busy\n" in md, md)
        sound("nothing known", md)
    print("\n".join(bad[:40]))
    sys.exit(1 if bad else 0)


main()
