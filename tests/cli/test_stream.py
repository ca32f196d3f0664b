#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logs larger than a document: read from wherever they come, quoted at their lines, in little memory, and said to be so."""
import gzip
import io
import json
import lzma
import os
import pathlib
import resource
import subprocess
import sys
import tarfile
import tempfile
import zipfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
LINE = "Jan {:2} {:02}:{:02}:{:02} node1 kernel: [{:9}.000000] {}\n"
bad = []


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {str(seen)[:600]}")


def kernel(second, text):
    return LINE.format(1 + second // 86400, second // 3600 % 24, second // 60 % 60, second % 60, second, text)


def make_log(lines, every=500):
    """A lost GPU in the middle, page faults all over."""
    out = []
    for i in range(lines):
        if i == lines // 2:
            out.append(kernel(i, "NVRM: Xid (PCI:0000:41:00): 79, pid=7, name=python3, GPU has fallen off the bus."))
        elif i % every == 0:
            out.append(kernel(i, f"NVRM: Xid (PCI:0000:42:00): 31, pid={i}, name=python3, Ch 00000010"))
        else:
            out.append(kernel(i, "usb 1-1: new high-speed USB device number 4 using xhci_hcd"))
    return "".join(out)


def diagnose(what, *args, **kw):
    p = subprocess.run([GPUVET, "diagnose", "--json", *map(str, args)], capture_output=True, **kw)
    expect(f"{what}: status and stderr", p.returncode == 2 and not p.stderr, (p.returncode, p.stderr))
    try:
        return json.loads(p.stdout)
    except ValueError as e:
        bad.append(f"{what}: {e}")
        return {"findings": [], "unread": [], "verdict": None}


def check(what, doc, file, lines, streamed=True):
    """What was found, and that every quote stands at its line."""
    kinds = {f["kind"]: f for f in doc["findings"]}
    expect(f"{what}: the lost GPU", "gpu-fell-off-bus" in kinds, kinds)
    expect(f"{what}: the page faults", "app-kernel-fault" in kinds, kinds)
    for f in doc["findings"]:
        for q in f["evidence"]:
            expect(f"{what}: the file", q["file"] == file, q)
            expect(f"{what}: the quote", q["text"].removesuffix("…") in lines[q["line"] - 1], q)
    why = [u["why"] for u in doc["unread"] if u["file"] == file]
    said = len(why) == 1 and "only log signatures" in why[0]
    expect(f"{what}: said", said if streamed else not why, doc["unread"])
    return {k: v for k, v in doc.items() if k in ("verdict", "findings", "bound")}


def neutral(part, file):
    return json.dumps(part).replace(f'"file": {json.dumps(file)}', '"file": ""')


def ways(tmp, log):
    data, lines = log.encode(), log.split("\n")
    small = ["--max-document=100KiB"]
    path = tmp / "k.log"
    path.write_bytes(data)
    whole = neutral(check("held", diagnose("held", path), "k.log", lines, streamed=False), "k.log")

    def same(what, doc, file):
        expect(f"{what}: as if held", neutral(check(what, doc, file, lines), file) == whole, doc["findings"][:1])

    same("a file", diagnose("a file", *small, path), "k.log")
    with open(path, "rb") as f:
        same("standard input, a file", diagnose("standard input, a file", *small, "-", stdin=f), "-")
    same("standard input, a pipe", diagnose("standard input, a pipe", *small, "-", input=data), "-")
    cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
    name = f"/dev/fd/{cat.stdout.fileno()}"
    same("<(cat k.log)", diagnose("<(cat k.log)", *small, name, pass_fds=(cat.stdout.fileno(),)), name)
    cat.stdout.close()
    cat.wait()
    folder = tmp / "folder"
    folder.mkdir()
    (folder / "k.log").write_bytes(data)
    same("in a folder", diagnose("in a folder", *small, folder), "k.log")
    path.write_bytes(log.encode("utf-16"))
    same("UTF-16", diagnose("UTF-16", *small, path), "k.log")
    path.write_bytes(log.replace("\n", "\r\n").encode())
    same("CR LF", diagnose("CR LF", *small, path), "k.log")
    packed(tmp, data, same, small)


def packed(tmp, data, same, small):
    version = subprocess.run([GPUVET, "--version"], capture_output=True, text=True).stdout
    if "without archives" in version or "archives" not in version:
        return
    (tmp / "k.log.gz").write_bytes(gzip.compress(data, 1))
    same("gzip", diagnose("gzip", *small, tmp / "k.log.gz"), "k.log.gz!k.log")
    (tmp / "k.log.xz").write_bytes(lzma.compress(data, preset=0))
    same("xz", diagnose("xz", *small, tmp / "k.log.xz"), "k.log.xz!k.log")
    same("gzip from a pipe", diagnose("gzip from a pipe", *small, "-", input=gzip.compress(data, 1)), "-!-")
    for mode in ("w", "w:gz"):
        b = io.BytesIO()
        with tarfile.open(fileobj=b, mode=mode) as t:
            for name, content in (("before.txt", b"x\n"), ("k.log", data), ("after.txt", b"y\n")):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                t.addfile(info, io.BytesIO(content))
        (tmp / "a.tar").write_bytes(b.getvalue())
        same(f"tar {mode}", diagnose(f"tar {mode}", *small, tmp / "a.tar"), "a.tar!k.log")
    with zipfile.ZipFile(tmp / "a.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("k.log", data)
    same("zip", diagnose("zip", *small, tmp / "a.zip"), "a.zip!k.log")
    # what is read as a log does not count for what archives may hold
    same("zip, little left", diagnose("zip, little left", *small, "--max-archive=200KiB", tmp / "a.zip"), "a.zip!k.log")


def memory(tmp):
    """Of a log of 200 MB a few MB are in memory at any time; with less than that it still answers, or says why not."""
    path = tmp / "large.log"
    block = make_log(20000)
    lines = block.count("\n")
    with open(path, "w") as f:
        for _ in range(100):
            f.write(block)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    p = subprocess.run(["/usr/bin/env", "python3", "-c", MEASURE, GPUVET, path], capture_output=True, text=True)
    plain = subprocess.run([GPUVET, "--version"], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)),
                           capture_output=True).returncode == 0
    kib, status, found = p.stdout.split() if p.stdout.count(" ") == 2 else (0, -1, 0)
    expect("200 MB: answered", (status, found) == ("2", "1"), (p.stdout, p.stderr, before))
    if not plain:
        return # a sanitizer's shadow is larger than any limit
    expect("200 MB: in 64 MiB", 0 < int(kib) < 64 << 10, f"{kib} KiB")
    for size in (512, 128, 64, 32, 20, 12):
        r = subprocess.run([GPUVET, "diagnose", "--json", path], capture_output=True,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size << 20, size << 20)))
        expect(f"200 MB in {size} MiB of addresses", r.returncode in (2, 70, 127), (r.returncode, r.stderr))
        if r.returncode == 2:
            doc = json.loads(r.stdout)
            lost = [f for f in doc["findings"] if f["kind"] == "gpu-fell-off-bus"]
            expect(f"200 MB in {size} MiB: the last line", lost and lost[0]["evidence"], doc["verdict"])
            expect(f"200 MB in {size} MiB: a line number", any(q["line"] % lines == lines // 2 + 1 for q in lost[0]["evidence"]),
                   lost)
    path.unlink()


MEASURE = """
import json, resource, subprocess, sys
p = subprocess.run([sys.argv[1], "diagnose", "--json", sys.argv[2]], capture_output=True)
doc = json.loads(p.stdout)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, p.returncode, sum(f["kind"] == "gpu-fell-off-bus" for f in doc["findings"]))
"""


def limits(tmp):
    path = tmp / "line.log"
    path.write_text("x" * 300_000 + "\n" + make_log(5000))
    doc = diagnose("a long line", "--max-document=64KiB", "--max-line=100KiB", path)
    expect("a long line: said", any("line 1 is longer than 102400 bytes" in u["why"] for u in doc["unread"]), doc["unread"])
    path.write_bytes(b"\0" * 300_000)
    p = subprocess.run([GPUVET, "diagnose", "--json", "--max-document=64KiB", path], capture_output=True)
    expect("zeros", any("binary" in u["why"] for u in json.loads(p.stdout)["unread"]), p.stdout)
    path.write_text("\n".join(f"# heading {i}" for i in range(20_000)))
    p = subprocess.run([GPUVET, "diagnose", "--json", "--max-document=64KiB", path], capture_output=True)
    expect("no log at all", p.returncode == 3 and not p.stderr, p)
    path.unlink()


with tempfile.TemporaryDirectory() as tmp:
    tmp = pathlib.Path(tmp)
    ways(tmp, make_log(20000))
    limits(tmp)
    memory(tmp)
for line in bad:
    print(line)
sys.exit(1 if bad else 0)
