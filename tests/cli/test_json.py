#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands keep what docs/json.md promises: documents that fit data/schema, exit statuses, quotes that stand there.

usage: test_json.py GPUVET [SHARE]; of the cases every SHARE-th
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

from built import has

try:
    import jsonschema
except ImportError:  # another Python comes first in PATH than the one that has it
    system = "/usr/bin/python3"
    if sys.executable == system or os.environ.get("GPUVET_REEXEC"):
        sys.exit("python3-jsonschema is missing")
    os.environ["GPUVET_REEXEC"] = "1"
    os.execv(system, [system, *sys.argv])

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARE = int(sys.argv[2]) if len(sys.argv) > 2 else 1
SEVERITY = ("note", "warn", "fail")
bad = []

SMI = """\
Tue Jan 13 12:10:11 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.14              Driver Version: 550.54.14      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:41:00.0 Off |                    0 |
| N/A   41C    P0             265W / 400W |   61234MiB /  81920MiB |     92%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
"""
XID = "[  812.5] NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n"


def schema(command):
    s = json.loads((ROOT / "data" / "schema" / f"{command}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(s)
    return jsonschema.Draft202012Validator(s)


SCHEMA = {c: schema(c) for c in ("cachekey", "diagnose", "explain", "facts", "inventory", "inventory-diff")}


def run(*args, stdin=b"", env=None):
    p = subprocess.run([GPUVET, *map(str, args)], input=stdin, capture_output=True, timeout=60,
                       env={**os.environ, **(env or {})})
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {seen}")


def document(command, *args, stdin=b"", fits=None):
    """Runs a command with --json; the document, which fits its schema, and the exit status."""
    status, out, err = run(command, "--json", *args, stdin=stdin)
    what = f"{command} {' '.join(map(str, args))}"
    if status not in (0, 1, 2, 3):
        bad.append(f"{what}: status {status}: {err}")
        return None, status
    try:
        doc = json.loads(out.decode("utf-8"))
    except ValueError as e:
        bad.append(f"{what}: {e}")
        return None, status
    for e in itertools.islice(SCHEMA[fits or command].iter_errors(doc), 3):
        bad.append(f"{what}: /{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}")
    return doc, status


def quotes_stand(what, quotes, folder):
    for q in quotes:
        path = folder / q["file"]
        if not path.is_file():
            continue  # inside an archive
        lines = path.read_bytes().split(b"\n")
        line = lines[q["line"] - 1].decode(errors="replace") if q["line"] <= len(lines) else ""
        expect(f"{what}: {q['file']}:{q['line']} does not say", q["text"].removesuffix("…") in line, q["text"])


def diagnosis(folder):
    doc, status = document("diagnose", folder)
    if not doc:
        return
    what, findings = f"diagnose {folder}", doc["findings"]
    by_id = {f["id"]: f for f in findings}
    expect(f"{what}: ids", len(by_id) == len(findings), [f["id"] for f in findings])
    pairs = [(f["kind"], f["on"]["node"], f["on"]["type"], f["on"]["id"]) for f in findings]
    expect(f"{what}: a kind twice on one entity", len(set(pairs)) == len(pairs), pairs)
    worst = max((SEVERITY.index(f["severity"]) for f in findings), default=0)
    expect(f"{what}: status {status} for", (status == 2) == (worst == 2) and (status == 1) == (worst == 1), SEVERITY[worst])
    expect(f"{what}: verdict and severities", (doc["verdict"] is None) == (worst == 0), doc["verdict"])
    nodes = {s["id"] for s in doc["subjects"]}
    for f in findings:
        cause = by_id.get(f["cause_id"])
        expect(f"{what}: {f['id']} cause", (cause["kind"] if cause else None) == f["caused_by"], f["caused_by"])
        expect(f"{what}: {f['id']} is on no subject", f["on"]["node"] in nodes, f["on"])
        quotes_stand(what, f["evidence"], folder)
    quotes_stand(what, doc["bound"]["evidence"], folder)
    if doc["verdict"]:
        v = doc["verdict"]
        f = by_id[v["finding"]]
        expect(f"{what}: verdict repeats its finding", (v["kind"], v["on"], v["summary"]) == (f["kind"], f["on"], f["summary"]), v)
        below, grew = {f["id"]}, True
        while grew:
            more = {g["id"] for g in findings if g["cause_id"] in below} - below
            below |= more
            grew = bool(more)
        expect(f"{what}: verdict's severity", v["severity"] == max((by_id[i]["severity"] for i in below), key=SEVERITY.index), v)
    for stage in doc["stages"]:
        loud = [f for f in findings if f["stage"] == stage["stage"] and f["severity"] == "fail"]
        expect(f"{what}: stage {stage['stage']} with a failure is", not loud or stage["state"] == "fail", stage["state"])
    text_status, text, _ = run("diagnose", "--all", folder)
    expect(f"{what}: text and JSON end alike", text_status == status, text_status)
    wide = [l for l in text.decode().splitlines() if len(l) > 80]
    wide = [l for l in wide if not l.startswith("  ") or l.startswith("      ")]  # commands of `next` stand whole
    expect(f"{what}: wider than 80 columns", not wide, wide[:1])
    expect(f"{what}: escapes in a pipe", b"\x1b" not in text)
    facts(folder)


def facts(folder, **kw):
    doc, _ = document("facts", folder, **kw)
    if doc and folder != "-":
        for e in doc["events"]:
            quotes_stand(f"facts {folder}", e["evidence"], folder)
    return doc


def usage():
    for args, status, words in (
            ((), 64, "--help"), (("diagnos",), 64, "diagnose"), (("--versoin",), 64, "--version"), (("diagnose", "--wake", "x"), 64, "PATH"),
            (("diagnose", "--jsn", "x"), 64, "--json"), (("diagnose", "--require", "fedd", "x"), 64, "fed"),
            (("diagnose", "--fail-on", "wern", "x"), 64, "warn"), (("diagnose", "/no/such/path"), 66, "/no/such/path"),
            (("facts", "--json", "/no/such/path"), 66, "/no/such/path"), (("facts", "--for", "1s", "x"), 64, "PATH"),
            (("diagnose", "--max-line=much", "x"), 64, "--max-line"), (("explain", "throtle-thermal"), 64, "throttle-thermal"),
            (("explain", "xid", "many"), 64, "number"), (("explain", "xid"), 64, "number"), (("explain", "throttle"), 64, "throttle-power"),
            (("explain", "iowait", "oom-killer"), 64, "one kind"), (("explain", "no", "such", "words"), 3, "signature"),
            (("diagnose", "--max-document=0", "x"), 64, "--max-document"), (("explain", "xid", "999999"), 3, "999999")):
        got, out, err = run(*args)
        expect(f"{args}: status {status}", got == status, got)
        expect(f"{args}: something on stdout", out == b"", out[:80])
        expect(f"{args}: stderr names {words}", words in err and err.count("\n") == 1, err)
    for args in (("--help",), ("--version",), ("-V",), ("help",), ("help", "facts"), ("diagnose", "--help"), ("facts", "-h"), ("explain", "--version"), ("explain",)):
        got, out, err = run(*args)
        expect(f"{args}: status 0, nothing on stderr", got == 0 and out and not err, (got, err))
        expect(f"{args}: 80 columns", all(len(l) <= 80 for l in out.decode().splitlines()), out.decode())
    with open("/dev/full", "wb") as full:
        p = subprocess.run([GPUVET, "--help"], stdout=full, stderr=subprocess.PIPE)
    expect("a full disk is an internal error", p.returncode == 70 and b"cannot write" in p.stderr, p)
    r, w = os.pipe()
    os.close(r)
    p = subprocess.run([GPUVET, "--help"], stdout=w, stderr=subprocess.PIPE)
    os.close(w)
    expect("a closed pipe is quiet", p.returncode == 0 and p.stderr == b"", p)


def statuses(tmp):
    nothing = tmp / "nothing"
    nothing.mkdir()
    (nothing / "notes.txt").write_text("hello\n")
    for args, status in (((), 3), (("--fail-on=warn",), 0), (("--fail-on=fail",), 0), (("--fail-on=unknown",), 3),
                         (("--fail-on=fail", "--require=visible"), 3), (("--require", "fed, serving"), 3)):
        got, _, _ = run("diagnose", *args, nothing)
        expect(f"nothing judged, {args}: status {status}", got == status, got)
    doc, _ = document("diagnose", nothing)
    expect("nothing judged: bound", doc["bound"]["value"] == "unknown", doc["bound"])
    expect("nothing judged: gpus", all(s["gpus"] is None for s in doc["subjects"]), doc["subjects"])
    sick = tmp / "sick"
    sick.mkdir()
    (sick / "dmesg.txt").write_text(XID)
    for args, status in (((), 2), (("--fail-on=fail",), 2), (("--require=serving",), 2)):
        got, _, _ = run("diagnose", *args, sick)
        expect(f"a lost GPU, {args}: status {status}", got == status, got)


def inputs(tmp):
    smi = tmp / "smi"
    smi.mkdir()
    (smi / "nvidia-smi.txt").write_text(SMI)
    doc = facts(smi)
    gpu = next((e for e in doc["entities"] if e["type"] == "gpu"), None)
    used = next((f for f in gpu["facts"] if f["name"] == "memory.used"), {}) if gpu else {}
    expect("nvidia-smi: memory.used", (used.get("value"), used.get("unit"), used.get("line")) == (61234, "MiB", 10), used)
    doc, _ = document("diagnose", "-", stdin=(SMI + XID).encode())
    s = doc["subjects"][0]
    expect("stdin: subject", (s["how"], s["vendor"], s["gpus"]) == ("stdin", "nvidia", 1), s)
    expect("stdin: file", {q["file"] for f in doc["findings"] for q in f["evidence"]} == {"-"}, doc["findings"])

    hostile = tmp / "hostile"
    hostile.mkdir()
    (hostile / "binary").write_bytes(bytes(range(256)) * 8)
    (hostile / "empty").write_bytes(b"")
    (hostile / "\x1b[31m\u202ename").write_text(XID)
    (hostile / "bytes.log").write_bytes(b"\xfd\xfe\xff\n" + XID.replace("python3", "p" * 400).encode() + b"\x80 tail \x1b]0;x\x07")
    diagnosis(hostile)
    doc, _ = document("diagnose", hostile)
    expect("binary is unread", "binary" in {u["file"] for u in doc["unread"]}, doc["unread"])
    cut = [q["text"] for f in doc["findings"] for q in f["evidence"] if q["file"] == "bytes.log"]
    expect("a long line is cut at 200", cut and all(len(t) == 200 and t.endswith("…") for t in cut), cut)
    diagnosis(sick_twice(tmp))


def limits(tmp):
    folder = tmp / "limits"
    folder.mkdir()
    (folder / "a.txt").write_text(SMI + "x" * 5000 + "\n")
    (folder / "b.txt").write_text(SMI)
    inner, outer = tmp / "inner.tar", tmp / "outer.tar"
    for tar, member in ((inner, folder / "a.txt"), (outer, inner)):
        with tarfile.open(tar, "w") as t:
            t.add(member, member.name)
    for option, path, why in (("--max-document=3KB", folder, "a.txt"), ("--max-members=1", folder, ""),
                              ("--max-nesting=1", outer, "inner.tar"), ("--max-archive=4KB", outer, "tar")):
        if path == outer and not has(GPUVET, "archives"):
            continue  # test_parts.py has what is said of it
        free, _ = document("facts", path)
        expect(f"{path.name} without {option}: unread", free["unread"] == [], free["unread"])
        held, _ = document("facts", option, path)
        expect(f"{path.name} with {option}: unread", any(why in u["file"] for u in held["unread"]), held["unread"])
    held, _ = document("facts", "--max-line=1KiB", folder)
    notes = {d["file"]: d["note"] for d in held["documents"]}
    expect("--max-line is said", notes["a.txt"] and not notes["b.txt"], notes)


def sick_twice(tmp):
    """Two machines, one of them lost its GPU."""
    two = tmp / "two"
    for host, text in (("alpha", SMI + XID), ("beta", SMI)):
        (two / host).mkdir(parents=True)
        (two / host / "out.txt").write_text(text)
    return two


def explain():
    doc, _ = document("explain")
    expect("explain lists pages", doc["kinds"] and all(k["page"] for k in doc["kinds"]), len(doc["kinds"]))
    doc, _ = document("explain", "xid", "79")
    expect("explain xid 79", doc["code"]["table"] == "xid" and doc["code"]["code"] == 79, doc["code"])
    for words in (("79",), ("xid79",), ("XID", "79"), ("xid=79",), (XID.strip(),)):
        doc, _ = document("explain", *words)
        expect(f"explain {words}", doc["code"] and doc["code"]["code"] == 79, doc["code"])
    doc, status = document("explain", "xid", "999999")
    expect("explain an unknown code", (doc["code"], doc["kinds"], status) == (None, [], 3), doc)
    doc, _ = document("explain", "throttle-thermal")
    expect("explain a kind", [k["kind"] for k in doc["kinds"]] == ["throttle-thermal"], doc["kinds"])
    doc, _ = document("explain", XID.strip())
    expect("explain a line", "gpu-fell-off-bus" in [k["kind"] for k in doc["kinds"]] and doc["kinds"][0]["signature"], doc["kinds"])


def inventory(tmp):
    """What is in files, and keys of caches."""
    top = tmp / "inventory"
    top.mkdir()
    (top / "requirements.txt").write_text("torch==2.6.0+cu124\nnvidia-cublas-cu12\n")
    (top / "a.plan").write_bytes(b"ptrt" + bytes(20) + bytes((10, 3, 0, 26)) + bytes(64))
    (top / "b.ptx").write_text("//\n.version 8.5\n.target sm_80\n.address_size 64\n")
    (top / "a.zip").write_bytes(b"PK\x03\x04broken")
    (top / "k.json").write_text('{"num_warps": 4, "target": {"backend": "cuda", "arch": 80}, "triton_version": "3.1.0"}')
    (tmp / "old").mkdir()
    smi = tmp / "smi" / "nvidia-smi.txt"
    doc, _ = document("inventory", "--target=sm_90", "--target=cpu", top)
    if has(GPUVET, "site files (YAML)"):
        (tmp / "policy.yaml").write_text("vendors: {forbid: nvidia}\narchitectures: [sm_90]\nexceptions:\n  - {what: nvidia-cublas*, reason: known, until: never}\n")
        held, status = document("inventory", "--policy", tmp / "policy.yaml", top)
        expect("inventory: policy", status == 2 and 0 < held["policy"]["broken"] < len(held["policy"]["violations"]), held["policy"])
    expect("inventory: artefacts", {a["cache"] for a in doc["artefacts"]} == {"tensorrt", "triton"}, doc["artefacts"])
    expect("inventory: targets", [t["target"] for t in doc["targets"]] == ["sm_90", "cpu"], doc["targets"])
    document("inventory", tmp / "old")
    doc, status = document("inventory", "--diff", tmp / "old", top, fits="inventory-diff")
    expect("inventory: differs", not doc["same"] and status == 1, (doc, status))
    for args, want in ((("--for=cuda", "--set=arch=8.0", smi), 0), (("--for=triton", smi), 3), (("--check", top, "--set=arch=8.0", smi), 0),
                       (("--check", top, "--set=arch=9.0", smi), 2)):
        doc, status = document("cachekey", *args)
        expect(f"cachekey {args}: status", status == want, status)


def site(tmp):
    """What site files and spans add to the document."""
    folder = sick_twice(tmp / "of")
    file = tmp / "site.yaml"
    file.write_text("thresholds: {disk-full: 95}\nignore-xids: [13]\naccepted:\n  - {kind: gpu-fell-off-bus, reason: known, until: 2026-05-01}\n"
                    "  - {kind: disk-full, on: /data, node: n?, reason: known, until: never}\n")
    for options in (("--site", file, "--today=2026-05-01"), ("--site", file, "--today=2026-05-02", "--need=1GB/s", "--since=1d"),
                    ("--no-site", "--need=1GB/s", "--since=boot", "--until=2026-01-13 12:00"), ("--no-site", "--since=1999-01-01")):
        if "--site" in options and not has(GPUVET, "site files (YAML)"):
            continue
        doc, _ = document("diagnose", *options, folder)
        expect(f"{options}: site and window", (doc["site"] is None, doc["window"] is None) ==
               ("--no-site" in options and "--need=1GB/s" not in options, not any(str(o).startswith("--since") for o in options)), doc["site"])


def main():
    usage()
    with tempfile.TemporaryDirectory() as tmp:
        statuses(pathlib.Path(tmp))
        inputs(pathlib.Path(tmp))
        limits(pathlib.Path(tmp))
        site(pathlib.Path(tmp))
        inventory(pathlib.Path(tmp))
    explain()
    for case in sorted((ROOT / "tests" / "cases").glob("*/evidence"))[::SHARE]:
        diagnosis(case)
    for b in bad[:40]:
        print(b)
    sys.exit(1 if bad else 0)


main()
