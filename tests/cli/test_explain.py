#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explain: every code of the tables, every kind, every sample line as people paste it, and several lines at once.

usage: test_explain.py GPUVET [SHARE]; of the codes and of the lines every SHARE-th
"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARE = int(sys.argv[2]) if len(sys.argv) > 2 else 1
LABELS = ("Means ", "How bad ", "What to do ")
bad = []


def run(*args, stdin=None):
    p = subprocess.run([GPUVET, "explain", *args], input=stdin, capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def expect(what, ok, said=""):
    if not ok:
        bad.append(f"{what}: {said}")


def rows(name):
    lines = [line for line in (ROOT / "data" / f"{name}.tsv").read_text().split("\n") if line and not line.startswith("#")]
    head = lines[0].split("\t")
    return [dict(zip(head, line.split("\t"))) for line in lines[1:]]


def code(job):
    """Meaning, how bad, what to do: as text for each code; of the fields of JSON each is the table's."""
    table, row = job
    what = f"{table} {row['code']}"
    status, out, err = run(table, row["code"])
    expect(what, status == 0 and re.match(rf"S?Xid {row['code']}\b", out, re.I), f"{status} {err}{out[:80]}")
    for label in LABELS:
        m = re.search(rf"^{label} *(.*)", out, re.M)
        expect(f"{what}: {label}", m and len(m[1]) > 5, out)
    status, out, err = run("--json", table, row["code"])
    got = json.loads(out)["code"] if status == 0 else {}
    expect(f"{what} as JSON", got.get("table") == table and got.get("code") == int(row["code"]), f"{status} {err}")
    for key in ("name", "note", "severity", "action"):
        expect(f"{what} as JSON: {key}", got.get(key) == row[key] and row[key] not in ("", "-"), got.get(key))
    # the line of the driver says the same
    line = (f"[  812.5] nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): {row['code']}, Non-fatal, Link 44" if table == "sxid"
            else f"[  812.5] NVRM: Xid (PCI:0000:41:00): {row['code']}, pid=1234, name=python3")
    status, out, err = run("--json", line)
    got = json.loads(out)["code"] if status == 0 else None
    expect(f"{what} in a line", got and got["code"] == int(row["code"]) and got["table"] == table, f"{status} {err}")


WRAP = [lambda l: l, lambda l: "> " + l, lambda l: "> > " + l, lambda l: "\033[31m" + l + "\033[0m", lambda l: l + "\r",
        lambda l: "  " + l]


def sample(job):
    """A sample line of a signature, decorated: its kind is among the answers."""
    n, line, kind = job
    status, out, err = run("--json", "--", WRAP[n % len(WRAP)](line))
    doc = json.loads(out) if status in (0, 3) else {"kinds": [], "code": None}
    kinds = [k["kind"] for k in doc["kinds"]]
    if kind == "consequence-only":
        expect(f"line {line[:80]!r}", kinds or doc["code"] or (status == 3 and "nothing by itself" in err), f"{status} {err}")
        return
    expect(f"line {line[:80]!r}", status == 0 and kind in kinds, f"{status} {err}{kinds}, not {kind}")


def samples():
    kinds = {}
    for row in rows("signatures"):
        kinds[row["id"]] = row["kind"]
    for i, line in enumerate((ROOT / "tests" / "data" / "signature-samples.tsv").read_text().split("\n")):
        cells = line.split("\t")
        if line.startswith("#") or len(cells) < 2 or cells[0] not in kinds:
            continue
        if kinds[cells[0]] not in ("", "-"):
            yield i, cells[-1], kinds[cells[0]]


def several():
    x79 = "> \033[31m[  812.5] NVRM: Xid (PCI:0000:41:00): 79, pid=1, name=a, GPU has fallen off the bus.\033[0m"
    other = "[  813.5] NVRM: Xid (PCI:0000:42:00): 79, pid=2, name=b, GPU has fallen off the bus."
    x94 = "[  814.5] NVRM: Xid (PCI:0000:42:00): 94, pid=3, name=c"
    aer = "pcieport 0000:40:01.1: AER: Uncorrected (Fatal) error received: 0000:41:00.0"
    text = "\n".join(["", x79, "what is this?", other, x94, aer, x94, ""])
    for how, args, stdin in (("argument", ("--json", text), None), ("stdin", ("--json", "-"), text)):
        status, out, err = run(*args, stdin=stdin)
        doc = json.loads(out) if status == 0 else {"lines": [], "kinds": [], "code": {}}
        got = [(l["line"], l["code"] and l["code"]["code"]) for l in doc["lines"]]
        first = 1 if how == "argument" else 2  # blank lines around an argument are no lines of it
        expect(f"several by {how}", got == [(first, 79), (first + 3, 94), (first + 4, None)], f"{status} {err}{got}")
        expect(f"several by {how}: kinds", "pcie-aer" in [k["kind"] for k in doc["kinds"]] and doc["code"]["code"] == 79, doc["kinds"])
    status, out, err = run("-", stdin=text)
    expect("several as text", status == 0 and out.count("Xid 79:") == 1 and out.count("Xid 94:") == 1 and
           "Line 2: [  812.5] NVRM" in out and "No signature matches 1 of the 6 lines." in out and "\033" not in out, out)
    status, out, err = run("-", stdin=x94 + "\nNCCL version 2.26.2+cuda12.4\n")
    expect("a line that says nothing", status == 0 and "1 line is known but says nothing by itself." in out, out)
    status, out, err = run("-", stdin=x79 + "\n")
    expect("one line on stdin", status == 0 and "Xid 79:" in out, f"{status} {err}")
    for stdin, word in (("", "no text"), ("\n \n", "no text"), ("hello\n", "this line"), ("hello\nyou\n", "any of these lines")):
        status, out, err = run("-", stdin=stdin)
        expect(f"explain - of {stdin!r}", status == 3 and word in err and not out, f"{status} {err}")
        status, out, err = run("--json", "-", stdin=stdin)
        doc = json.loads(out)
        expect(f"explain --json - of {stdin!r}", status == 3 and doc["code"] is None and not doc["kinds"] and not doc["lines"], doc)
    status, out, err = run("-", stdin="\0\1\2\3" * 50)
    expect("explain - of a binary", status == 3 and "binary" in err, f"{status} {err}")
    status, out, _ = run("-", stdin="noise\n" * 10001 + x79 + "\n")
    expect("beyond what is looked at", status == 3, out)
    status, out, _ = run("-", stdin=x79 + "\n" + "noise\n" * 10001)
    expect("too many lines are said", status == 0 and "Only the first 10000 lines" in out, out[-200:])


def other():
    for args, want in ((("FAIL gpu-fell-off-bus on gpu 0000:41:00.0 (n0): it is gone",), "gpu-fell-off-bus:"),
                       (("f1  FAIL  x",), None), (("node01:4711:4712 [3] NCCL WARN Timeout waiting for RX",), None)):
        status, out, err = run(*args)
        expect(f"explain {args}", (out.startswith(want) and status == 0) if want else status == 3, f"{status} {out[:80]}{err}")
    for k in json.loads(run("--json")[1])["kinds"]:
        status, out, _ = run(k["kind"])
        for section in ("Symptom", "How to confirm", "Cause", "Fix", "What not to do", "Look-alikes"):
            expect(f"{k['kind']}: {section}", status == 0 and re.search(rf"^{section}$", out, re.M), out[:80])


def main():
    jobs = [(t, r) for t in ("xid", "sxid") for r in rows(t)]
    lines = list(samples())
    if len(jobs) < 400 or len(lines) < 250:
        sys.exit(f"only {len(jobs)} codes and {len(lines)} sample lines")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(code, jobs[::SHARE]))
        list(pool.map(sample, lines[::SHARE]))
    several()
    other()
    print("\n".join(bad[:40]))
    sys.exit(1 if bad else 0)


main()
