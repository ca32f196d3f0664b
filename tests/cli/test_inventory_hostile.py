#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory on input that means harm: it neither breaks nor takes much, says in a line each what it did not read, and ends when told."""
import bz2
import gzip
import io
import json
import lzma
import os
import pathlib
import pty
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import built
import hostile_common
from hostile_common import bad, expect

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start jobs in the background with it ignored

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ELF = struct.pack("<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 3, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 0, 0)
FATBIN = struct.pack("<IHHQ", 0xba55ed50, 1, 16, 80) + struct.pack("<HHIQIIHHIQQ", 2, 0, 64, 16, 0, 0, 0, 0, 90, 0, 0x11).ljust(64, b"\0") + bytes(16)
MEMORY = 96 # MiB resident, all of it: mapped files and libraries count


def run(*args, status=0, memory=MEMORY, seconds=60):
    """The document, after a look at what it took."""
    t = time.monotonic()
    got, out, err, peak = hostile_common.peak("inventory", "--json", *args, timeout=seconds * hostile_common.SLOW)
    expect(f"status of {args}", got == status and not err, (got, err))
    expect(f"memory for {args}", peak <= memory, f"{peak} MiB")
    if len(sys.argv) > 2:
        print(f"  {peak} MiB, {time.monotonic() - t:.1f} s: {args}")
    return json.loads(out or "{}")


def why(doc):
    return {u["file"]: u["why"] for u in doc["unread"]}


def archs(doc):
    return {(c["file"], c["arch"]) for c in doc["code"]}


def zipped(*entries, how=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as z:
        for name, data in entries:
            z.writestr(zipfile.ZipInfo(name) if how == zipfile.ZIP_STORED else name, data)
    return out.getvalue()


def bundle(targets):
    """A bundle of HIP with an entry for each, all of the same bytes."""
    ids = [b"hip-amdgcn-amd-amdhsa--gfx%d" % t for t in targets]
    size = 32 + sum(24 + len(i) for i in ids)
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(ids)) + b"".join(struct.pack("<QQQ", size, 64, len(i)) + i for i in ids) + b"\x7fELF" + bytes(60)


def headers(tmp):
    """ELF files and containers whose numbers are lies."""
    top = tmp / "headers"
    top.mkdir()
    huge = [0, 1, 64, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffc0, 0xffffffffffffffff]
    for i, off in enumerate(huge):
        for k, (shnum, entsize, strndx) in enumerate(((1, 64, 0), (65535, 64, 65535), (0, 64, 0), (3, 0, 1), (4, 65535, 2))):
            e = bytearray(ELF + bytes(4000))
            struct.pack_into("<QQ", e, 32, off, off)
            struct.pack_into("<HHHHH", e, 54, 56, 65535, entsize, shnum, strndx)
            for at in range(64, 4000, 64): # sections that lie in each other, and around the world
                struct.pack_into("<IIQQQQIIQQ", e, at, 1, (1, 3, 6, 7)[at // 64 % 4], 2, 0, huge[(at // 64 + i) % 7], huge[(at // 64 + k) % 7], 0, 0, 0, 0)
            (top / f"e{i}.{k}.so").write_bytes(e)
    for i, n in enumerate(huge):
        (top / f"f{i}").write_bytes(struct.pack("<IHHQ", 0xba55ed50, 1, 16, n & (1 << 64) - 1) + FATBIN[16:])
        (top / f"g{i}").write_bytes(FATBIN[:24] + struct.pack("<Q", n) + FATBIN[32:])
    whole = ELF + FATBIN * 3
    for n in range(0, len(whole), 7):
        (top / f"cut{n}").write_bytes(whole[:n])
    (top / "many").write_bytes(FATBIN * 20000)
    (top / "nested").write_bytes(b"".join(struct.pack("<IHHQ", 0xba55ed50, 1, 16, 1 << 20) for _ in range(65536)))
    (top / "elves").write_bytes(ELF * 30000)
    sections = b"".join(struct.pack("<IIQQQQIIQQ", 0, 1, 0, 0, 64 + 60 * i, 1, 0, 0, 1, 0) for i in range(65000))
    elves = b"\x7fELF" * (1 << 20) # a hit at each of them, and no end of sections to look through
    (top / "sections").write_bytes(ELF[:40] + struct.pack("<QIHHHHHH", 64 + len(elves), 0, 64, 56, 0, 64, 65000, 0) + elves + sections)
    (top / "targets").write_bytes(b"".join(bundle(range(i, i + 500)) for i in range(0, 200000, 500)))
    doc = run(top)
    expect("capped", len([c for c in doc["code"] if c["file"] == "targets"]) == 1024, len(doc["code"]))
    expect("counted", [c["count"] for c in doc["code"] if c["file"] == "many"] == [20000], doc["code"][-3:])
    expect("all seen", doc["files"] == len(list(top.iterdir())), doc["files"])


def bombs(tmp):
    """What is small and would be large: within the limit it is read, in little memory; beyond it one line says so."""
    top = tmp / "bombs"
    top.mkdir()
    zeros = bytes(1 << 20)
    layer = zlib.compressobj(9, zlib.DEFLATED, 31)
    flood = b"".join(layer.compress(zeros) for _ in range(60)) + layer.flush()
    (top / "a.gz").write_bytes(flood)
    (top / "b.gz").write_bytes(gzip.compress(gzip.compress(flood)))
    (top / "c.xz").write_bytes(lzma.compress(zeros * 30))
    (top / "d.bz2").write_bytes(bz2.compress(zeros * 10))
    (top / "e.zip").write_bytes(zipped(*((f"{i}", zeros * 5) for i in range(10))))
    (top / "z.bin").write_bytes(FATBIN)
    doc = run(top)
    expect("read", doc["bytes"] > 200 << 20 and ("z.bin", "sm_90") in archs(doc) and not doc["unread"], (doc["bytes"], doc["unread"]))
    doc = run("--max-archive", "16MiB", top)
    expect("limit", doc["bytes"] <= 40 << 20 and ("z.bin", "sm_90") in archs(doc), doc["bytes"])
    expect("told", why(doc) and all("limit" in w for w in why(doc).values()), why(doc))
    for size, status, word in ((1 << 30, 3, "1024 MiB of memory"), (1 << 26, 0, "")):
        (tmp / "dict.xz").write_bytes(lzma.compress(os.urandom(100000), filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": size}]))
        doc = run(tmp / "dict.xz", status=status)
        expect("dictionary", word in "".join(why(doc).values()) and bool(word) == bool(why(doc)), why(doc))
    nested = FATBIN
    for i in range(12):
        nested = zipped((f"{i}.zip", nested), how=zipfile.ZIP_STORED)
    (tmp / "deep.zip").write_bytes(nested)
    doc = run(tmp / "deep.zip")
    expect("too deep", list(why(doc).values()) == ["archives nested too deep (--max-nesting=N)"], why(doc))
    doc = run("--max-nesting", "1000000", tmp / "deep.zip")
    expect("deep", {a for _, a in archs(doc)} == {"sm_90"}, doc)
    for i in range(3): # each level holds ten of the next
        nested = zipped(*((f"{k}.zip", nested) for k in range(10)))
    (tmp / "wide.zip").write_bytes(nested)
    doc = run("--max-nesting", "3", tmp / "wide.zip")
    expect("wide", len(why(doc)) == 1000, len(why(doc)))


def damage(tmp):
    """Archives that end early, or are damaged within: what came before counts, and a line says so."""
    top = tmp / "damage"
    top.mkdir()
    noise = os.urandom(200000)
    wheel = zipped(("good.so", ELF + FATBIN), ("noise", noise))
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w:gz") as t:
        for name, data in (("good.so", ELF + FATBIN), ("noise", noise)):
            i = tarfile.TarInfo(name)
            i.size = len(data)
            t.addfile(i, io.BytesIO(data))
    (top / "cut.tgz").write_bytes(b.getvalue()[:100000])
    (top / "flipped.zip").write_bytes(wheel[:60000] + b"???" + wheel[60003:])
    (top / "cut.zip").write_bytes(wheel[:100000])
    (top / "secret.zip").write_bytes(wheel.replace(b"PK\3\4\x14\0\0\0", b"PK\3\4\x14\0\1\0").replace(b"PK\1\2\x14\3\x14\0\0\0", b"PK\1\2\x14\3\x14\0\1\0"))
    doc = run(top)
    expect("what came before", {f for f, _ in archs(doc)} >= {"cut.tgz!good.so", "flipped.zip!good.so"}, archs(doc))
    expect("lines", {f.split("!")[0] for f in why(doc)} == {"cut.tgz", "flipped.zip", "cut.zip", "secret.zip"}, why(doc))
    (tmp / "only.zip").write_bytes(b"PK\3\4" + b"\xff" * 100)
    doc = run(tmp / "only.zip", status=3)
    expect("nothing could be read", list(why(doc)) == ["only.zip"], doc)


def tree(tmp):
    """Folders with what is no file, cannot be read, or leads out; names that are no text."""
    top = tmp / "tree"
    (top / "d").mkdir(parents=True)
    os.mkfifo(top / "fifo")
    s = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(top)
    s.bind("socket")
    os.chdir(here)
    (top / "loop").symlink_to("loop")
    (top / "up").symlink_to("..")
    (top / "out").symlink_to("/etc/passwd")
    (top / "dev").symlink_to("/dev/zero")
    (top / "libcudart.so").symlink_to("../../../../../../etc/ld.so.cache")
    names = [b"a\nb.bin", b"\x1b[31mred\x1b[0m.bin", b"\xff\xfe.bin", b"x" * 250, b"we!rd!.bin", b" ", b"--json", b"\xc2\x9b1m"]
    for n in names:
        with open(os.fsencode(top) + b"/" + n, "wb") as f:
            f.write(FATBIN)
    (top / "d" / "hidden").write_bytes(FATBIN)
    (top / "d").chmod(0 if os.geteuid() else 0o700)
    deep = top
    for i in range(80):
        deep = deep / "n"
        deep.mkdir()
    doc = run(top)
    s.close()
    (top / "d").chmod(0o700)
    got = why(doc)
    expect("neither opened nor followed", "FIFO" in got.get("fifo", "") and "FIFO" in got.get("socket", "") and not any("passwd" in f for f in got), got)
    expect("names", len([c for c in doc["code"] if c["file"] != "d/hidden"]) == len(names), doc["code"])
    expect("depth", any("nested too deep" in w for w in got.values()), got)
    text = subprocess.run([GPUVET, "inventory", "--all", top], capture_output=True).stdout
    expect("no escapes", b"\x1b" not in text and b"a\nb" not in text and b"\xff" not in text and b"\xc2\x9b" not in text, text)


def members(tmp):
    """The same in archives: names that lead out, links to themselves, devices; and very many of them."""
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w") as t:
        for name, kind, link in (("../../etc/x", tarfile.REGTYPE, ""), ("/abs/y", tarfile.REGTYPE, ""), ("l", tarfile.SYMTYPE, "l"), ("a", tarfile.SYMTYPE, "b"),
                                 ("b", tarfile.SYMTYPE, "a"), ("h", tarfile.LNKTYPE, "h"), ("dev", tarfile.CHRTYPE, ""), ("p", tarfile.FIFOTYPE, ""),
                                 ("libcuda.so", tarfile.SYMTYPE, "../../../x"), ("u/" * 300 + "v", tarfile.REGTYPE, "")):
            i = tarfile.TarInfo(name)
            i.type, i.linkname, i.size = kind, link, len(FATBIN) if kind == tarfile.REGTYPE else 0
            t.addfile(i, io.BytesIO(FATBIN) if i.size else None)
    (tmp / "m.tar").write_bytes(b.getvalue())
    doc = run(tmp / "m.tar")
    expect("names lead nowhere", {f for f, _ in archs(doc)} == {"m.tar!etc/x", "m.tar!abs/y", "m.tar!" + "u/" * 300 + "v"}, archs(doc))
    b = io.BytesIO()
    with gzip.open(b, "wb", 1) as z: # a layer of 300000 members, each of which is a link too
        blocks = []
        for n in range(1000):
            block = tarfile.TarInfo(f"d/{n}")
            block.type, block.linkname = tarfile.SYMTYPE, f"{n + 1}"
            blocks.append(block.tobuf(tarfile.USTAR_FORMAT))
        for n in range(300):
            z.write(b"".join(blocks))
    layer = "ab" * 32
    with tarfile.open(tmp / "many.tar", "w") as t:
        for name, data in ((f"{layer}/layer.tar", b.getvalue()), ("manifest.json", json.dumps([{"Config": "c", "Layers": [f"{layer}/layer.tar"] * 400}] * 200).encode())):
            i = tarfile.TarInfo(name)
            i.size = len(data)
            t.addfile(i, io.BytesIO(data))
    doc = run(tmp / "many.tar")
    expect("many members", any("links" in w for w in why(doc).values()), why(doc))
    doc = run("--max-members", "1000", tmp / "many.tar", status=3)
    expect("limit on members", any("more members than the limit" in w for w in why(doc).values()), why(doc))


def shrinks(tmp):
    """Files that become shorter while they are read."""
    top = tmp / "shrinks"
    top.mkdir()
    for i in range(12):
        with open(top / f"f{i}.so", "wb") as f:
            f.write(ELF + FATBIN)
            f.truncate(64 << 20)
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # what such a file held is lost: sys/mmap.h
    p = subprocess.Popen([GPUVET, "inventory", "--json", top], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    for k in range(100):
        os.truncate(top / f"f{11 - k % 12}.so", 100 + k)
        time.sleep(0.001)
    out, err = p.communicate(timeout=60)
    expect("shrinks", p.returncode in (0, 3) and not err, (p.returncode, err))
    doc = json.loads(out)
    expect("told", doc["files"] + len(doc["unread"]) >= 12, doc)


def payload(tmp):
    """Weights and pictures are counted, not searched."""
    top = tmp / "payload"
    top.mkdir()
    (top / "m.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}" + FATBIN)
    (top / "n.safetensors").write_bytes(b"not one " + FATBIN)
    (top / "m.gguf").write_bytes(b"GGUF" + bytes(4) + FATBIN)
    (top / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n" + FATBIN)
    (top / "m.pt").write_bytes(zipped(("m/data.pkl", b"\x80\x02}q\0."), ("m/data/0", FATBIN), ("m/data/1", FATBIN), how=zipfile.ZIP_STORED))
    doc = run(top)
    expect("payload", {f for f, _ in archs(doc)} == {"n.safetensors"} and doc["skipped"] == 6 and doc["files"] == 7, doc)


def ends(tmp):
    """On a terminal it says what goes on after a second; a signal ends it with nothing printed."""
    top = tmp / "slow"
    top.mkdir()
    (top / "\x1b[31mslow.gz").write_bytes(gzip.compress(bytes(50 << 20), 1) * 200)
    for sig in (signal.SIGINT, signal.SIGTERM):
        p = subprocess.Popen([GPUVET, "inventory", "--json", top], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.4)
        p.send_signal(sig)
        t = time.monotonic()
        out, err = p.communicate(timeout=30)
        expect(f"ended by {sig}", p.returncode == 128 + sig and not out and not err, (p.returncode, out[:100], err))
        expect("soon", time.monotonic() - t < 20)
    for quiet in (False, True):
        try:
            main, side = pty.openpty()
        except OSError as e:  # a root without /dev/pts
            print(f"no terminal can be made here, progress is not looked at: {e}")
            return
        p = subprocess.Popen([GPUVET, "inventory", *(["-q"] if quiet else []), top], stdout=subprocess.PIPE, stderr=side)
        seen, t = b"", time.monotonic()
        while time.monotonic() - t < (2.5 if quiet else 20) and (quiet or b"\r\x1b[K" not in seen[10:]):
            if select.select([main], [], [], 0.1)[0]:
                seen += os.read(main, 4096)
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=30)
        os.close(side)
        os.close(main)
        if quiet:
            expect("-q", not seen, seen)
        else:
            expect("progress", b"files" in seen and b"slow.gz" in seen and b"\x1b[31m" not in seen, seen)


def main():
    if not built.has(GPUVET, "archives"):
        print("built without archives")
        return 77
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for f in (headers, bombs, damage, tree, members, shrinks, payload, ends):
        with tempfile.TemporaryDirectory() as tmp:
            t = time.monotonic()
            f(pathlib.Path(tmp))
            if len(sys.argv) > 2:
                print(f"{f.__name__}: {time.monotonic() - t:.1f} s")
    for line in bad:
        print(f"test_inventory_hostile: {line}")
    return 1 if bad else 0


sys.exit(main())
