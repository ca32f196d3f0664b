#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory, files and outputs fail at any moment: the answer, or one line and a status; nothing is lost in silence.

tests/fakes/fault.c, preloaded, makes one call fail: the first, the second, and so on until none is left to fail.
"""
import errno
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

from built import has

GPUVET = pathlib.Path(sys.argv[1]).resolve()
FAULT = GPUVET.parent / "tests" / "fakes" / "libfault.so"
SECONDS = 10  # of the larger loops, in all
bad = []

XID = b"[  812.503311] NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n"
SHORT, END = 0, -1


def sanitized():
    """Then malloc() is the sanitizer's, and what is preloaded does not get to see it."""
    p = subprocess.run(["nm", GPUVET], capture_output=True, text=True)
    return "__asan_init" in p.stdout


ASAN = sanitized()


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {str(seen)[:600]}")


class Run:
    def __init__(self, args, kind=None, n=0, how=0, **kw):
        with tempfile.TemporaryDirectory() as tmp:
            told = pathlib.Path(tmp) / "told"
            env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0"}
            if kind:
                env |= {"LD_PRELOAD": str(FAULT), "FAULT": f"{kind}:{n}:{how}", "FAULT_TOLD": str(told)}
            self.what = f"{' '.join(map(str, args[:2]))}, {kind} {n} fails as {how}"
            kw = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **kw}
            try:
                p = subprocess.run([GPUVET, *map(str, args)], env=env, stderr=subprocess.PIPE, timeout=60, **kw)
                self.status, self.out, self.err = p.returncode, p.stdout, p.stderr
            except subprocess.TimeoutExpired:
                self.status, self.out, self.err = None, b"", b"hangs"
            self.hit = told.exists()

    def document(self):
        try:
            return json.loads(self.out.decode())
        except ValueError as e:
            bad.append(f"{self.what}: {e}")
            return {"findings": [], "unread": []}


def one_line(r, *statuses):
    expect(f"{r.what}: one line on stderr, nothing on stdout, status {statuses}",
           r.status in statuses and not r.out and r.err.count(b"\n") == 1 and r.err.endswith(b"\n"), (r.status, r.out[:80], r.err[:400]))


def found(doc):
    return sorted(f["kind"] + str(f["evidence"]) for f in doc["findings"])


def told(doc):
    return {(u["file"], u["why"]) for u in doc["unread"]}


def told_or_same(r, full):
    """Where an answer comes although something failed: it is the same answer, or it says what it lacks."""
    if r.status is not None and r.status >= 64:
        one_line(r, 66, 70)
        return
    expect(f"{r.what}: no more than an answer", r.status in (0, 1, 2, 3) and not r.err, (r.status, r.err[:400]))
    doc = r.document()
    whole = full.document()
    if found(doc) != found(whole) or doc["stages"] != whole["stages"]:
        expect(f"{r.what}: says what is missing", told(doc) - told(whole), told(doc))


def folder_of(tmp):
    folder = tmp / "evidence"
    (folder / "sub").mkdir(parents=True)
    (folder / "dmesg.txt").write_bytes(XID * 3)
    (folder / "sub" / "smi.txt").write_bytes(b"$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-5f3c0000-0000-0000-0000-000000000000)\n")
    (folder / "ps.txt").write_bytes(b"$ df -h /dev/shm\nFilesystem      Size  Used Avail Use% Mounted on\nshm              64M   64M     0 100% /dev/shm\n")
    return folder


def archive_of(tmp):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w") as t:
        info = tarfile.TarInfo("node/dmesg.txt")
        info.size = len(XID)
        t.addfile(info, io.BytesIO(XID))
    path = tmp / "bundle.tar.gz"
    path.write_bytes(gzip.compress(b.getvalue()))
    return path


def loop(args, kind, how, check, dense=400, seconds=SECONDS, **kw):
    """Every call up to `dense`, then ever fewer, until there is no call that could fail. How many did."""
    full = Run(args, **kw)
    expect(f"{args}: the whole answer", full.status in (0, 1, 2, 3), (full.status, full.err))
    start, n, hits = time.monotonic(), 1, 0
    while True:
        r = Run(args, kind, n, how, **kw)
        if not r.hit:
            expect(f"{r.what}: did not fail, the answer is whole", r.out == full.out and r.status == full.status, (r.status, r.err))
            return hits
        hits += 1
        check(r, full)
        late = time.monotonic() - start > seconds
        n += 1 if n < dense and not late else max(1, n // (3 if late else 20))


def memory(tmp):
    """70 and one line, or the whole answer where the C library does without."""
    def check(r, full):
        if r.out != full.out or r.status != full.status:
            one_line(r, 70)

    if ASAN:
        return
    folder = folder_of(tmp)
    hits = loop(["diagnose", "--json", folder], "alloc", errno.ENOMEM, check)
    expect("memory: allocations failed", hits > 20, hits)
    for args in (["diagnose", "--all", folder], ["facts", "--json", folder], ["explain", "79"], ["diagnose", "--help"]):
        hits = loop(args, "alloc", errno.ENOMEM, check, seconds=3)
        expect(f"{args}: allocations failed", hits > 2, hits)
    # libarchive and the loader do not stand it everywhere
    if has(GPUVET, "archives"):
        hits = loop(["diagnose", "--json", archive_of(tmp)], "own", errno.ENOMEM, check)
        expect("an archive: allocations failed", hits > 5, hits)
    # of one folder with many things, too: allocations that grow
    many = tmp / "many"
    many.mkdir()
    (many / "smi.txt").write_text("$ nvidia-smi -L\n" + "".join(
        f"GPU {i}: NVIDIA A100-SXM4-80GB (UUID: GPU-{i:08x}-0000-0000-0000-000000000000)\n" for i in range(500)))
    (many / "hosts.log").write_bytes(b"".join(b"Jan 13 12:10:11 host%d kernel: %s" % (i, XID) for i in range(300)))
    loop(["facts", "--json", many], "alloc", errno.ENOMEM, check, dense=60, seconds=6)


def files(tmp):
    folder, bundle = folder_of(tmp), archive_of(tmp)
    for args in (["diagnose", "--json", folder], ["diagnose", "--json", bundle], ["diagnose", "--json", folder / "dmesg.txt"]):
        for kind, hows in (("read", (errno.EIO, END)), ("open", (errno.EIO, errno.EMFILE, errno.EACCES)), ("stat", (errno.EIO,)), ("dir", (errno.EIO,))):
            for how in hows:
                hits = loop(args, kind, how, told_or_same)
                expect(f"{args}: {kind} failed", hits or (kind == "dir" and args[-1] != folder), hits)
        for how in (errno.EINTR, SHORT):
            loop(args, "read", how, lambda r, full: expect(f"{r.what}: the same answer", r.out == full.out, (r.status, r.err)))


def logs(tmp):
    """A log that is larger than a document is read piece by piece, by several threads where there are processors."""
    log = tmp / "large.log"
    log.write_bytes((b"Jan 13 12:10:11 host app: nothing\n" * 40_000 + b"Jan 13 12:10:12 host kernel: " + XID) * 6)
    args = ["diagnose", "--json", "--max-document=1MiB", log]
    for how in (errno.EIO, END):
        hits = loop(args, "read", how, told_or_same)
        expect(f"a log: read failed as {how}", hits > 3, hits)
    for how in (errno.EINTR,):
        loop(args, "read", how, lambda r, full: expect(f"{r.what}: the same answer", r.out == full.out, (r.status, r.err)))
    loop(args, "thread", errno.EAGAIN, lambda r, full: expect(f"{r.what}: the same answer", r.out == full.out, (r.status, r.err)))
    with open(log, "rb") as stdin:
        r = Run(["diagnose", "--json", "-"], "read", 2, errno.EIO, stdin=stdin)
    full = Run(["diagnose", "--json", log])
    told_or_same(r, full)


def outputs(tmp):
    folder = folder_of(tmp)
    for args in (["diagnose", "--json", folder], ["diagnose", folder], ["facts", folder], ["diagnose", "--help"]):
        for how in (errno.EIO, errno.ENOSPC):
            r = Run(args, "write", 1, how)
            one_line(r, 70)
            expect(f"{r.what}: says why", b"cannot write" in r.err, r.err)
        for how in (errno.EINTR, SHORT):
            loop(args, "write", how, lambda r, full: expect(f"{r.what}: the same answer", r.out == full.out and r.status == full.status, (r.status, r.err)),
                 dense=3, seconds=2)
    with open("/dev/full", "wb") as stdout:
        r = Run(["diagnose", "--json", folder], stdout=stdout)
    expect("a full disk", r.status == 70 and b"cannot write" in r.err and r.err.count(b"\n") == 1, (r.status, r.err))


def main():
    if not FAULT.exists():
        sys.exit(f"{FAULT} is missing")
    for part in (memory, files, logs, outputs):
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as tmp:
            part(pathlib.Path(tmp))
        print(f"{part.__name__}: {time.monotonic() - start:.1f} s")
    for b in bad[:40]:
        print(b)
    sys.exit(1 if bad else 0)


main()
