#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are too large, too many, no files at all, or that change while they are read; and users with few rights."""
import gzip
import lzma
import os
import shutil
import socket
import struct
import subprocess
import tarfile
import threading
import zlib

from hostile_common import (ARCHIVES, GPUVET, ROOT, XID, check, document, expect, kinds, lost_gpu, main, one, peak, run, tar_bytes, unread,
                            write)

NOBODY = 65534


def within(what, mib, *args, **kw):
    """The document, and that it took no more memory than that."""
    status, out, err, most = peak("diagnose", "--json", *args, **kw)
    expect(f"{what}: at most {mib} MiB", most <= mib, most)
    return check(what, status, out, err)


def large(tmp):
    line = tmp / "line.log"
    with open(line, "wb") as f:
        for _ in range(100):
            f.write(b"x" * (1 << 20))
        f.write(b"\n" + XID)
    for q in lost_gpu("a line of 100 MB", within("a line of 100 MB", 300, line), "line.log"):
        expect("a line of 100 MB: what follows it", q["line"] == 2, q)
    with open(line, "rb") as f:
        lost_gpu("a line of 100 MB on the standard input", within("a line of 100 MB on the standard input", 300, "-", stdin=f))
    if ARCHIVES:
        with open(line, "rb") as f, gzip.open(tmp / "line.log.gz", "wb", 1) as g:
            shutil.copyfileobj(f, g)
        lost_gpu("a line of 100 MB, compressed", within("a line of 100 MB, compressed", 300, tmp / "line.log.gz"))
    line.unlink()
    # a hole is read as zeros, and is no log
    holes = tmp / "holes.log"
    with open(holes, "wb") as f:
        f.truncate(1 << 40)
    unread("1 TiB of nothing", within("1 TiB of nothing", 200, holes), "holes.log", "binary")
    with open(holes, "wb") as f:
        f.write(XID * 20_000)
        f.truncate(1 << 30)
        f.seek(0, 2)
        f.write(b"\n" + XID)
    lost_gpu("1 GiB of nothing in a log", within("1 GiB of nothing in a log", 300, holes), "holes.log")


def continued(tmp):
    """Lines that are cheap to write and were not to read."""
    lost_gpu("carriage returns", within("carriage returns", 200, write(tmp / "cr.log", b"\r" * (1 << 20) + b"x\n" + XID)))
    # none of them ends, and what stands behind the first few of them is no command
    within("a command without end", 300, write(tmp / "continued.txt", b"$ ls \\\n" + b"aaaaaaaaaaaaaaaa \\\n" * 300_000 + XID))
    smi = (b"+-----------------------------------------------------------------------------+\n"
           b"| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2     |\n")
    for name, output in (("smi", smi), ("dmon", b"$ nvidia-smi dmon\n# gpu   pwr gtemp mtemp    sm   mem\n# Idx     W     C     C     %     %\n    0    60    40    -    10     5\n"),
                         ("pmon", b"$ nvidia-smi pmon\n# gpu        pid  type    sm   mem   enc   dec   command\n    0       1234     C    10     5     -     -   python\n"),
                         ("csv", b"$ nvidia-smi --query-gpu=index,name,utilization.gpu --format=csv\nindex, name, utilization.gpu [%]\n0, A100, 5 %\n")):
        within(f"60,000 outputs of {name}", 600, write(tmp / f"{name}.txt", output * 60_000))


def many_in_tar(names):
    """tarfile takes its time for so many."""
    info = tarfile.TarInfo("")
    info.size = 2
    head = info.tobuf(tarfile.USTAR_FORMAT)
    base = sum(head[:148]) + 8 * 32 + sum(head[156:])
    out = [tar_bytes([("dmesg.txt", XID)])[:1024]]
    for n in names:
        n = n.encode()
        out += [n.ljust(100, b"\0"), head[100:148], b"%06o\0 " % (base + sum(n)), head[156:], b"x\n".ljust(512, b"\0")]
    return b"".join(out) + bytes(1024)


def many_in_zip(names):
    members = [("dmesg.txt", XID)] + [(n, b"x\n") for n in names]
    crc, local, central, at = {b"x\n": zlib.crc32(b"x\n"), XID: zlib.crc32(XID)}, [], [], 0
    for name, data in members:
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, crc[data], len(data), len(data), len(name), 0)
        local.append(b"PK\3\4" + fields + name.encode() + data)
        central.append(b"PK\1\2\x14\0" + fields + struct.pack("<HHHII", 0, 0, 0, 0, at) + name.encode())
        at += len(local[-1])
    n = min(len(members), 65535)
    size = sum(map(len, central))
    end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, len(members), len(members), size, at)
    end += struct.pack("<4sIQI", b"PK\6\7", 0, at + size, 1) + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, n, n, size, at, 0)
    return b"".join(local + central) + end


NAMES = [f"d{i % 300}/f{i}" for i in range(100_000)]


def many_members(tmp):
    doc = within("a tar of 100,000", 400, write(tmp / "many.tar", many_in_tar(NAMES)))
    unread("a tar of 100,000", doc, "many.tar", "members", "limit")
    lost_gpu("a tar of 100,000", doc, "many.tar!dmesg.txt")
    doc = within("a zip of 100,000", 400, write(tmp / "many.zip", many_in_zip(NAMES)))
    unread("a zip of 100,000", doc, "many.zip", "members", "limit")


def many_files(tmp):
    folder = tmp / "many"
    folder.mkdir()
    packed = write(tmp / "many.tar", many_in_tar(NAMES))
    subprocess.run(["tar", "-xf", packed, "-C", folder], check=True)  # sooner done than here
    (folder / "a.txt").write_bytes(XID)
    doc = within("a folder of 100,000", 300, folder)
    lost_gpu("a folder of 100,000", doc, "a.txt")
    expect("a folder of 100,000: said", any("members" in u["why"] for u in doc["unread"]), doc["unread"][-3:])
    subprocess.run(["rm", "-rf", folder], check=True)


def overlapping_zip(copies, data):
    """Every entry of the directory names the same member, so that a small file unpacks to a large one."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(data) + packed.flush()
    crc, sizes = zlib.crc32(data), (len(body), len(data))
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 0, crc, *sizes, 5, 0) + b"f.txt" + body
    central = b"".join(struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 8, 0, 0, crc, *sizes, 5, 0, 0, 0, 0, 0, 0) + b"f.txt" for _ in range(copies))
    return local + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, copies, copies, len(central), len(local), 0)


def bombs(tmp):
    blank = b" " * 1023 + b"\n"
    zeros = lzma.compress(bytes(64 << 20)) * 40
    unread("an xz of 2.5 GB of zeros", within("an xz of 2.5 GB of zeros", 300, write(tmp / "zeros.xz", zeros)), "zeros.xz!zeros", "64 MiB")
    blanks = gzip.compress(blank * (32 << 10)) * 32
    within("a gzip of 1 GB of blanks", 400, write(tmp / "blanks.gz", blanks), timeout=60)
    within("a zip whose entries overlap", 400, "--max-archive=100MiB", write(tmp / "overlap.zip", overlapping_zip(5000, blank * 8192)))
    nested = XID
    for depth in range(12):
        nested = gzip.compress(tar_bytes([(f"level{depth}", nested)]))
    doc = within("tar in tar", 200, write(tmp / "nested.tgz", nested))
    expect("tar in tar: said", any("nested" in u["why"] for u in doc["unread"]), doc["unread"])


def odd_names(tmp):
    folder = tmp / "names"
    folder.mkdir()
    names = [b"\x1b[31mred.txt", b"new\nline.txt", b"tab\t.txt", b"\xff\xfe.txt", b"x" * 255, b"-", b"--help", b"%s%n", b"a!b.txt", b"bell\x07",
             "\u202egnp.txt".encode(), b" ", b"...", b"C:\\x"]
    for n in names:
        with open(os.path.join(os.fsencode(folder), n), "wb") as f:
            f.write(XID)
    doc = document("odd names", folder)
    lost_gpu("odd names", doc)
    status, out, err = run("diagnose", "--all", folder)
    expect("odd names: nothing steers the terminal", status == 2 and not err and all(b >= 32 or b == 10 for b in out) and b"\x7f" not in out, out[:300])
    expect("odd names: no direction is turned", "\u202e" not in out.decode(), out[:300])


def odd_members(tmp):
    info = tarfile.TarInfo("first")
    info.pax_headers = {"path": "a\0/../../b"}
    doc = one(tmp, "nul.tar", tar_bytes([(info, XID)]))
    lost_gpu("a NUL in a name", doc)


def no_files(tmp):
    folder = tmp / "mixed"
    (folder / "sub").mkdir(parents=True)
    (folder / "dmesg.txt").write_bytes(XID)
    os.mkfifo(folder / "sub" / "fifo")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(os.path.relpath(folder / "sub" / "socket"))
        wanted = ["sub/fifo", "sub/socket"]
        try:
            os.mknod(folder / "sub" / "zero", 0o666 | 0o020000, os.makedev(1, 5))
            wanted.append("sub/zero")
        except PermissionError:
            pass
        doc = document("no files", folder)
        lost_gpu("no files", doc, "dmesg.txt")
        for name in wanted:
            unread("no files", doc, name, "neither a file nor a folder")
        for path in (folder / "sub" / "socket", folder / "sub" / "zero", "/dev/zero", "/dev/full", "/dev/tty"):
            status, out, err = run("diagnose", path)
            expect(f"{path}: status 66 and one line", status == 66 and not out and err.count(b"\n") == 1, (status, out, err))
    os.link(folder / "dmesg.txt", folder / "again.txt")
    lost_gpu("two names of a file", document("two names of a file", folder))
    chain = folder / "chain0"
    chain.symlink_to("dmesg.txt")
    for i in range(60):
        (folder / f"chain{i + 1}").symlink_to(f"chain{i}")
    status, out, err = run("diagnose", folder / "chain60")
    expect("a chain of links without end: status 66", status == 66 and err.count(b"\n") == 1, (status, err))


def while_read(tmp):
    """A writer that cuts the file and lets it grow again, all the time."""
    log = write(tmp / "log.txt", XID * 50_000)
    done = threading.Event()

    def writer():
        with open(log, "r+b", buffering=0) as f:
            while not done.is_set():
                f.truncate(1000)
                f.seek(0, 2)
                for _ in range(40):
                    f.write(XID * 1000)

    t = threading.Thread(target=writer)
    t.start()
    try:
        for i in range(8):
            doc = document("a file that changes", log, *(["--max-document=1MiB"] if i % 2 else []))
            expect("a file that changes: its beginning is read", "gpu-fell-off-bus" in kinds(doc) or doc["unread"], doc)
    finally:
        done.set()
        t.join()
    log.unlink()
    # one that only grows
    log = write(tmp / "grows.txt", XID * 10)
    done.clear()

    def append():
        with open(log, "ab", buffering=0) as f:
            while not done.is_set() and f.tell() < 20 << 20:
                f.write(XID * 2000)

    t = threading.Thread(target=append)
    t.start()
    try:
        for _ in range(3):
            lost_gpu("a file that grows", document("a file that grows", log))
    finally:
        done.set()
        t.join()


def few_rights(tmp):
    """As a user who may not read everything, and as root of a user namespace."""
    program = tmp / "gpuvet"
    shutil.copy2(GPUVET, program)
    program.chmod(0o755)
    folder = tmp / "evidence"
    (folder / "locked").mkdir(parents=True)
    (folder / "dmesg.txt").write_bytes(XID)
    (folder / "secret.txt").write_bytes(XID)
    (folder / "secret.txt").chmod(0)
    (folder / "locked").chmod(0)
    as_user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    p = subprocess.run([program, "diagnose", "--json", folder], capture_output=True, timeout=60, **as_user)
    doc = check("an ordinary user", p.returncode, p.stdout, p.stderr)
    lost_gpu("an ordinary user", doc, "dmesg.txt")
    unread("an ordinary user", doc, "secret.txt", "permission")
    unread("an ordinary user", doc, "locked", "permission")
    for path in (folder / "secret.txt", folder / "locked"):
        p = subprocess.run([program, "diagnose", path], capture_output=True, timeout=60, **as_user)
        expect(f"{path} as an ordinary user: status 66", p.returncode == 66 and not p.stdout and p.stderr.count(b"\n") == 1, p)
    example = tmp / "example"
    shutil.copytree(ROOT / "examples" / "slow-node", example)
    whole = run("diagnose", "--json", example)
    p = subprocess.run([program, "diagnose", "--json", example], capture_output=True, timeout=60, **as_user)
    expect("an ordinary user gets the same answer", (p.returncode, p.stdout) == whole[:2], p.stderr)
    if subprocess.run(["unshare", "-r", "true"], capture_output=True).returncode:
        print("no namespaces: not tried as root of one")
        return
    p = subprocess.run(["unshare", "-r", program, "diagnose", "--json", example], capture_output=True, timeout=60)
    expect("root of a user namespace gets the same answer", (p.returncode, p.stdout) == whole[:2], p.stderr)
    for d in (folder / "secret.txt", folder / "locked"):
        d.chmod(0o700)


main([large, continued, many_files, odd_names, no_files, while_read, few_rights] + ([many_members, bombs, odd_members] if ARCHIVES else []))
