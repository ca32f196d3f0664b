# SPDX-License-Identifier: Apache-2.0
"""What the tests with hostile input share: runs within limits, and what must hold of any answer."""
import io
import json
import os
import pathlib
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

from built import has

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
MEMORY = 1500 << 20
bad = []

XID = b"[  812.503311] NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n"


def limited(size):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


def may_limit():
    """A sanitizer's shadow alone is larger than any sane limit."""
    p = subprocess.run([GPUVET, "--version"], capture_output=True, preexec_fn=limited(MEMORY))
    return p.returncode == 0


LIMITED = may_limit()
ARCHIVES = has(GPUVET, "archives")
SLOW = 1 if LIMITED else 5  # sanitizers take their time


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {str(seen)[:400]}")


# A process keeps the peak of the one that it was forked from: so a small one stands between, and says the child's.
LAUNCH = """
import os, resource, subprocess, sys
limit, out = int(sys.argv[1]), sys.argv[2]
p = subprocess.Popen(sys.argv[3:], preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None)
_, status, usage = os.wait4(p.pid, 0)
open(out, "w").write(f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss >> 10}")
"""


def peak(*args, timeout=30, **kw):
    """Status, stdout, stderr, and the most memory that it held at a time, in MiB; 0 where a sanitizer takes more."""
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp) / "usage"
        kw = {"stdin": subprocess.DEVNULL, **kw}
        command = [sys.executable, "-S", "-c", LAUNCH, str(MEMORY if LIMITED else 0), out, GPUVET, *map(str, args)]
        try:
            p = subprocess.run(command, capture_output=True, timeout=timeout * SLOW, **kw)
            status, mib = map(int, out.read_text().split())
        except subprocess.TimeoutExpired:
            bad.append(f"{' '.join(map(str, args))}: hangs")
            return None, b"", b"", 0
        return status, p.stdout, p.stderr, mib if LIMITED else 0


def run(*args, limit=MEMORY, timeout=20, **kw):
    kw = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **kw}
    if LIMITED:
        kw["preexec_fn"] = limited(limit)
    try:
        p = subprocess.run([GPUVET, *map(str, args)], timeout=timeout * SLOW, **kw)
    except subprocess.TimeoutExpired:
        bad.append(f"{' '.join(map(str, args))}: hangs")
        return None, b"", b""
    return p.returncode, p.stdout or b"", p.stderr or b""


def document(what, path, *args, **kw):
    """The document of diagnose --json about a path, after all that must hold for any."""
    return check(what, *run("diagnose", "--json", *args, path, **kw))


def check(what, status, out, err):
    expect(f"{what}: status", status in (0, 1, 2, 3), (status, err))
    expect(f"{what}: stderr", not err, err)
    try:
        doc = json.loads(out.decode())
    except ValueError as e:
        bad.append(f"{what}: {e}")
        return {"findings": [], "unread": [], "subjects": [], "verdict": None}
    severities = {f["severity"] for f in doc["findings"]}
    want = 2 if "fail" in severities else 1 if "warn" in severities else status if status in (0, 3) else None
    expect(f"{what}: status fits", status == want, (status, severities))
    expect(f"{what}: verdict fits", (doc["verdict"] is None) == (not severities & {"warn", "fail"}), doc["verdict"])
    return doc


def unread(what, doc, file, *words):
    why = [u["why"] for u in doc["unread"] if u["file"] == file]
    expect(f"{what}: {file} is unread for {words}", why and all(w in why[0] for w in words), doc["unread"][:5])


def kinds(doc):
    return {f["kind"] for f in doc["findings"]}


def lost_gpu(what, doc, file=None):
    found = [f for f in doc["findings"] if f["kind"] == "gpu-fell-off-bus"]
    expect(f"{what}: the lost GPU is found", found, kinds(doc))
    if found and file:
        expect(f"{what}: the quote is of {file}", file in {q["file"] for q in found[0]["evidence"]}, found[0]["evidence"])
    return found[0]["evidence"] if found else []


def one(tmp, name, data, *args):
    path = tmp / name
    path.write_bytes(data)
    return document(name, path, *args)


def tar_bytes(members, mode="w"):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode=mode) as t:
        for m, data in members:
            info = tarfile.TarInfo(m) if isinstance(m, str) else m
            if data is not None:
                info.size = len(data)
            t.addfile(info, io.BytesIO(data or b""))
    return b.getvalue()


def zip_bytes(members):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(name, data)
    return b.getvalue()


def write(path, data):
    path.write_bytes(data)
    return path


def main(parts):
    os.umask(0o022)
    for part in parts:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as tmp:
            os.chmod(tmp, 0o755)
            part(pathlib.Path(tmp))
            for p in pathlib.Path(tmp).rglob("*"):
                if not p.is_symlink() and (p.is_dir() or p.is_file()):
                    p.chmod(0o700)
        print(f"{part.__name__}: {time.monotonic() - start:.1f} s")
    for b in bad[:40]:
        print(b)
    sys.exit(1 if bad else 0)
