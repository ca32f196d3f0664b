#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gpuvet printed is no evidence: its reports on every case, in every form and in every wrapping that tickets have,
make no finding; and what stands beside such a report is read as ever.

usage: test_own.py GPUVET [SHARE]; of the cases every SHARE-th
"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARE = int(sys.argv[2]) if len(sys.argv) > 2 else 1
FORMS = {
    "text": [],
    "all": ["--all"],
    "markdown": ["--markdown"],
    "markdown-all": ["--markdown", "--all"],
    "json": ["--json"],
    "quiet": ["--quiet"],
}
XID = "[  812.5] NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n"
bad = []


def run(*args, stdin=None):
    p = subprocess.run([GPUVET, *map(str, args)], input=stdin, capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def found(*args, stdin=None):
    status, out, err = run("diagnose", "--json", *args, stdin=stdin)
    if status > 3:
        sys.exit(f"diagnose {args}: status {status}: {err}")
    return status, json.loads(out)


def indented(text, by):
    return "".join(by + line if line.strip() else line for line in text.splitlines(True))


def rendered(text):
    """What a browser's copy of rendered Markdown looks like, roughly: no fences, no marks."""
    text = re.sub(r"^ *`{3,}\n", "", text, flags=re.M)
    return re.sub(r"^(### |- )|\*\*|`", "", text, flags=re.M).replace("\n*gpuvet", "\ngpuvet").replace("report*", "report")


WRAP = {
    "plain": lambda t: t,
    "quoted": lambda t: indented(t, "> "),
    "indented": lambda t: indented(t, "    "),
    "fenced": lambda t: "~~~~\n" + t + "~~~~\n",
    "prompt": lambda t: "It was like this:\n\n$ gpuvet diagnose nvidia-smi.txt dmesg.txt\n" + t + "\nWhat now?\n",
    "crlf": lambda t: t.replace("\n", "\r\n"),
}


def write(folder, case, n):
    """The reports on a case as files below the folder. Those with --all quote the most: the others on some cases only."""
    all_wraps = n % 10 == 0
    for form, options in FORMS.items():
        if not (all_wraps or "all" in form or (n % 3 == 0 and form in ("json", "quiet"))):
            continue
        out = run("diagnose", *options, case / "evidence")[1]
        for wrap, f in WRAP.items():
            if all_wraps or wrap == "plain":
                (folder / f"{case.name}-{form}-{wrap}.txt").write_text(f(out))
        if form.startswith("markdown"):
            (folder / f"{case.name}-{form}-rendered.txt").write_text(rendered(out))
        if form == "json":
            (folder / f"{case.name}-compact.txt").write_text(json.dumps(json.loads(out)) + "\n")
        if form == "quiet":
            (folder / f"{case.name}-log.txt").write_text("Jan 13 12:10:11 mon nrpe[7]: " + out)


def nothing_from_reports(folder):
    status, doc = found("--max-members", "100000", folder)
    for f in doc["findings"]:
        if f["severity"] != "note" or not f["evidence"][0]["file"].endswith("-log.txt"):
            bad.append(f"{f['kind']} ({f['severity']}) from {f['evidence'][:1]}")
    if status not in (0, 3):
        bad.append(f"the reports: status {status}")


def beside():
    """Evidence beside a report counts, on either side of it and in the same segment."""
    with tempfile.TemporaryDirectory() as tmp:
        ev = pathlib.Path(tmp) / "dmesg.txt"
        ev.write_text(XID.replace("0000:41", "0000:c1"))
        for form, options in FORMS.items():
            report = run("diagnose", *options, ev)[1]
            for name, text in (("before", XID + report), ("behind", report + XID), ("gap", report + "\n\n" + XID),
                               ("twice", report + "\n" + report + "\n" + XID)):
                status, doc = found("-", stdin=text)
                on = [f["on"]["id"] for f in doc["findings"] if f["kind"] == "gpu-fell-off-bus"]
                if status != 2 or on != ["0000:41:00.0"]:
                    bad.append(f"evidence {name} a report ({form}): status {status}, {on}")
                why = [u["why"] for u in doc["unread"]]
                if len(why) != 1 or "by gpuvet" not in why[0] or "no evidence" not in why[0]:
                    bad.append(f"evidence {name} a report ({form}): unread {why}")
            status, doc = found("-", stdin=report)
            if status != 3 or doc["findings"] or [u["why"] for u in doc["unread"]] != ["a report by gpuvet, which is no evidence"]:
                bad.append(f"a report alone ({form}): status {status}, {doc['findings'][:1]}, {doc['unread']}")
            if "by gpuvet" not in run("facts", "-", stdin=report)[1]:
                bad.append(f"a report alone ({form}): facts has no note of it")
        # cut off in the middle, as tickets do it
        report = run("diagnose", "--markdown", ev)[1]
        status, doc = found("-", stdin=report[: report.index("**f1")] + "And this came later:\n\n```\n" + XID + "```\n")
        if status != 2:
            bad.append(f"evidence behind the half of a report: status {status}")


def only_alike():
    """What merely looks like the start of a report hides nothing."""
    for front in ("FAIL  the test on gpu 3\n", "FAIL  gpu-missing on node n0\n", "OK    Nothing\n", "{\n", "FAIL\n",
                  "{\n  \"schema\": \"other.v1\",\n", "Seen: 3 documents\n", "gpuvet: works\n", "f1  FAIL  x\n"):
        status, _ = found("-", stdin=front + XID)
        if status != 2:
            bad.append(f"behind {front!r}: status {status}")
    # an empty answer is an answer, a report is none
    status, doc = found("-", stdin="$ lsmod | grep nvidia; gpuvet diagnose x\n" + run("diagnose", "-", stdin=XID)[1])
    if doc["findings"]:
        bad.append(f"a report taken for an empty answer: {doc['findings'][0]['kind']}")


def main():
    cases = sorted(p.parent for p in (ROOT / "tests" / "cases").glob("*/case.json"))
    if len(cases) < 50:
        sys.exit(f"only {len(cases)} cases")
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(tmp)
        list(pool.map(lambda n: write(folder, cases[n], n), range(0, len(cases), SHARE)))
        nothing_from_reports(folder)
    beside()
    only_alike()
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


main()
