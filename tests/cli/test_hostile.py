#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever it is given, gpuvet ends in time and within its memory, with a documented status, and says what it left out."""
import gzip
import json
import os
import subprocess
import tarfile

from hostile_common import (ARCHIVES, GPUVET, LIMITED, ROOT, XID, document, expect, kinds, lost_gpu, main, one, run, tar_bytes, unread, write,
                            zip_bytes, bad)


def texts(tmp):
    unread("an empty file", one(tmp, "empty", b""), "empty", "empty")
    unread("random bytes", one(tmp, "binary", bytes(range(256)) * 64), "binary", "binary")
    unread("zeros", one(tmp, "zeros", bytes(100_000)), "zeros", "binary")
    unread("a NUL in a log", one(tmp, "nul.log", XID + b"\0" + XID), "nul.log", "binary")
    text = XID.decode()
    for name, data in (("le-bom", b"\xff\xfe" + text.encode("utf-16-le")), ("be-bom", b"\xfe\xff" + text.encode("utf-16-be")),
                       ("le", text.encode("utf-16-le")), ("be", text.encode("utf-16-be")), ("bom", b"\xef\xbb\xbf" + XID),
                       ("odd", b"\xff\xfe" + text.encode("utf-16-le") + b"x"), ("crlf", XID.replace(b"\n", b"\r\n"))):
        for q in lost_gpu(name, one(tmp, name, data), name):
            expect(f"{name}: the quote", q["line"] == 1 and q["text"] in text, q)
    for name, data in (("only-bom", b"\xff\xfe"), ("half", b"\xff\xfe\x00"), ("lone-surrogates", b"\xff\xfe" + b"\x00\xd8" * 50)):
        one(tmp, name, data)
    # bytes that are no UTF-8, of every kind, before, in and after what is quoted
    broken = b"\x80\xbf \xc0\xaf \xc3 \xe2\x82 \xed\xa0\x80 \xf0\x9f\x98 \xf5\x80\x80\x80 \xff\n"
    data = broken + XID.replace(b"python3", b"p\xff\xe2\x82y\xc3\xc3") + broken + b"\xf0\x9f"
    lines = data.split(b"\n")
    for q in lost_gpu("invalid UTF-8", one(tmp, "broken.log", data), "broken.log"):
        expect("invalid UTF-8: the quote stands", q["text"].removesuffix("…") in lines[q["line"] - 1].decode(errors="replace"), q)
    escapes = b"\x1b[31m" + XID.rstrip() + b"\x1b[0m\x1b]0;title\x07\x1b\n"
    lost_gpu("escapes", one(tmp, "escapes.log", escapes))


def sizes(tmp):
    doc = one(tmp, "line.log", b"x" * (20 << 20) + b"\n" + XID)
    expect("a line of 20 MB: what follows is read", all(q["line"] == 2 for q in lost_gpu("a line of 20 MB", doc)), doc)
    one(tmp, "open-line.log", XID.strip() * (20 << 20 >> 7))
    one(tmp, "short.txt", b"x\n" * 300_000)
    one(tmp, "prompts.txt", b"$ ls\n" * 300_000)
    doc = one(tmp, "newlines.txt", b"\n" * (8 << 20))
    unread("8M lines", doc, "newlines.txt", "lines")
    big = tmp / "big.log"
    with open(big, "wb") as f:
        f.truncate((64 << 20) + 1)
    unread("64 MiB + 1", document("64 MiB + 1", big), "big.log", "64 MiB")
    big.unlink()
    # of things without end some are left out, and that is said
    gpus = "".join(f"GPU {i}: NVIDIA A100-SXM4-80GB (UUID: GPU-{i:08x}-0000-0000-0000-000000000000)\n" for i in range(500))
    gpus = "".join(f"$ nvidia-smi -L\n{gpus.replace('UUID: GPU-000', f'UUID: GPU-{k:03x}')}" for k in range(40))
    unread("20,000 GPUs", one(tmp, "gpus.txt", gpus.encode()), "gpus.txt", "gpu", "left out")
    hosts = b"".join(b"Jan 13 12:10:11 host%d kernel: %s" % (i, XID) for i in range(20_000))
    lost_gpu("20,000 hosts", one(tmp, "hosts.log", hosts))
    outputs = b"".join(b"root@host%d:~# uname -r\n5.15.0-94-generic\n" % i for i in range(10_000))
    one(tmp, "outputs.txt", outputs)


def archives(tmp):
    noise = os.urandom(4000)
    tar, gz, zipped = tar_bytes([("dmesg.txt", XID), ("noise", noise)]), gzip.compress(XID + noise), zip_bytes([("dmesg.txt", XID), ("noise", noise)])
    tgz = gzip.compress(tar)
    lost_gpu("tar", one(tmp, "a.tar", tar), "a.tar!dmesg.txt")
    lost_gpu("zip", one(tmp, "a.zip", zipped), "a.zip!dmesg.txt")
    for name, data in (("cut.tar", tar), ("cut.gz", gz), ("cut.tgz", tgz), ("cut.zip", zipped)):
        for size in (10, 30, 200, 600, 2000, len(data) - 600, len(data) - 20, len(data) - 1):
            document(f"{name} at {size}", write(tmp / name, data[:size]))
        for at in range(0, min(len(data), 1500), 251):
            document(f"{name} spoilt at {at}", write(tmp / name, data[:at] + bytes([data[at] ^ 0x5A]) + data[at + 1:]))
    lost_gpu("a cut tar: what came before", document("a cut tar", write(tmp / "cut.tar", tar[:1800])), "cut.tar!dmesg.txt")

    doc = one(tmp, "many.tar", tar_bytes([("dmesg.txt", XID)] + [(f"f{i}", b"x\n") for i in range(12_000)]))
    unread("12,000 members", doc, "many.tar", "members", "limit")
    lost_gpu("12,000 members", doc, "many.tar!dmesg.txt")

    # 2 MB that would be 2 GB; the parts of a gzip file follow each other
    bomb = gzip.compress(bytes(32 << 20)) * 64
    unread("a gzip bomb", one(tmp, "bomb.gz", bomb), "bomb.gz!bomb", "64 MiB")
    # each member is within its limit, all of them are not
    blank = (b" " * 1023 + b"\n") * (16 << 10)
    doc = one(tmp, "bomb.zip", zip_bytes([(f"f{i}", blank) for i in range(8)]), "--max-archive=100MiB")
    unread("a zip bomb", doc, "bomb.zip", "bytes", "limit")

    nested = XID
    for depth in range(7):
        nested = tar_bytes([(f"level{depth}", nested)])
    doc = one(tmp, "nested.tar", nested)
    expect("nesting: said", any("nested more than 4" in u["why"] for u in doc["unread"]), doc["unread"])
    expect("nesting: no deeper", not doc["findings"], doc["findings"])
    quine = gzip.compress(gzip.compress(gzip.compress(gzip.compress(gzip.compress(XID)))))
    doc = one(tmp, "five.gz", quine)
    expect("gzip in gzip: said", any("nested more than 4" in u["why"] for u in doc["unread"]), doc["unread"])

    links = []
    for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "../../etc/passwd"), (tarfile.SYMTYPE, "self"),
                         (tarfile.CHRTYPE, ""), (tarfile.FIFOTYPE, ""), (tarfile.DIRTYPE, "")):
        info = tarfile.TarInfo(f"m{len(links)}")
        info.type, info.linkname = kind, target
        links.append((info, None))
    tricks = [("../../../outside.txt", XID), ("/abs.txt", XID), ("a/../../b.txt", XID), ("./././c.txt", XID), ("d//e.txt", XID),
              ("\x1b[31mred.txt", XID), ("x" * 5000, XID), ("\n.txt", XID)]
    before = sorted(p.name for p in tmp.iterdir())
    doc = one(tmp, "tricks.tar", tar_bytes(links + tricks))
    lost_gpu("path tricks", doc)
    names = {q["file"] for f in doc["findings"] for q in f["evidence"]} | {u["file"] for u in doc["unread"]}
    expect("path tricks: names stay inside", all(".." not in n.split("!")[-1].split("/") and "!/" not in n for n in names), names)
    expect("path tricks: nothing was extracted", sorted(p.name for p in tmp.iterdir()) == sorted({*before, "tricks.tar"}))


def folders(tmp):
    folder = tmp / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "dmesg.txt").write_bytes(XID)
    os.mkfifo(folder / "fifo")
    (folder / "loop").symlink_to(folder)
    (folder / "sub" / "up").symlink_to("..")
    (folder / "self").symlink_to("self")
    (folder / "passwd").symlink_to("/etc/passwd")
    (folder / "locked").write_bytes(XID)
    (folder / "locked").chmod(0)
    doc = document("a folder", folder)
    lost_gpu("a folder", doc, "dmesg.txt")
    unread("a FIFO", doc, "fifo", "neither")
    for name in ("loop", "sub/up", "self", "passwd"):
        unread("a link", doc, name, "not followed")
    if os.geteuid() != 0:
        unread("a locked file", doc, "locked", "permission")
    deep = tmp / "deep"
    deep.mkdir()
    at = deep
    for _ in range(40):
        at = at / "d"
        at.mkdir()
    (at / "dmesg.txt").write_bytes(XID)
    doc = document("a deep folder", deep)
    expect("a deep folder: said", any("deep" in u["why"] for u in doc["unread"]), doc["unread"])


def no_input(tmp):
    wanted = [("missing", tmp / "missing"), ("below a file", write(tmp / "file", b"x\n") / "x"), ("a device", "/dev/null"),
              ("a device without end", "/dev/zero"), ("an empty name", ""), ("a long name", "x" * 5000)]
    (tmp / "dangling").symlink_to("nowhere")
    wanted.append(("a dangling link", tmp / "dangling"))
    if os.geteuid() != 0:
        locked = write(tmp / "locked", XID)
        locked.chmod(0)
        (tmp / "locked-folder").mkdir(mode=0)
        wanted += [("unreadable", locked), ("an unreadable folder", tmp / "locked-folder")]
    for what, path in wanted:
        for command in ("diagnose", "facts"):
            status, out, err = run(command, "--json", path)
            expect(f"{command} of {what}: status 66", status == 66, (status, err))
            expect(f"{command} of {what}: nothing on stdout, one line on stderr", not out and err.count(b"\n") == 1, (out, err))
    os.mkfifo(tmp / "pipe")
    doc = document("a FIFO that nobody writes to", tmp / "pipe")
    expect("a FIFO that nobody writes to: said", any("empty" in u["why"] for u in doc["unread"]), doc["unread"])
    status, out, err = run("diagnose", tmp / "file", tmp / "missing")
    expect("one of two paths is missing", status == 66 and not out, (status, out))
    with open("/dev/zero", "rb") as zero:
        status, out, err = run("diagnose", "--json", "--max-archive=8MiB", "-", stdin=zero)
    expect("standard input without end", status in (3, 66) and err.count(b"\n") == (status == 66), (status, err))
    p = subprocess.run(f'"{GPUVET}" diagnose --json - <&-', shell=True, capture_output=True)
    expect("standard input closed", p.returncode == 66 and not p.stdout and p.stderr.count(b"\n") == 1, p)


def outputs(tmp):
    example = ROOT / "examples" / "slow-node"
    status, _, _ = run("diagnose", example)
    with open("/dev/full", "wb") as full:
        got, _, err = run("diagnose", "--json", example, stdout=full)
    expect("a full disk", got == 70 and err.count(b"\n") == 1 and b"cannot write" in err, (got, err))
    p = subprocess.run(f'"{GPUVET}" diagnose --json "{example}" >&-', shell=True, capture_output=True)
    expect("stdout closed", p.returncode == 70 and p.stderr.count(b"\n") == 1, p)
    p = subprocess.run(f'"{GPUVET}" diagnose --json "{example}" 2>&-', shell=True, capture_output=True)
    expect("stderr closed", p.returncode == status and json.loads(p.stdout), p.returncode)
    many = tmp / "many"
    many.mkdir()
    (many / "gpus.txt").write_text("$ nvidia-smi -L\n" + "".join(
        f"GPU {i}: NVIDIA A100-SXM4-80GB (UUID: GPU-{i:08x}-0000-0000-0000-000000000000)\n" for i in range(100)))
    p = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" facts --json "$1" | head -1', GPUVET, many], capture_output=True)
    expect("a reader that leaves", p.returncode == 0 and p.stdout == b"{\n" and not p.stderr, p)


def out_of_memory(tmp):
    """With less and less memory: the answer, or one line and 70; never half an answer, never a crash."""
    folder = tmp / "memory"
    folder.mkdir()
    log = b"".join(b"Jan 13 12:%02d:%02d host kernel: %s" % (i // 60 % 60, i % 60, XID.replace(b"41", b"%02x" % (i % 250)))
                   for i in range(5000))
    write(folder / "log.txt", log * 4)
    write(folder / "log.tar", tar_bytes([("a.log", log), ("b.log", log[:400_000])]))
    write(folder / "log.txt.gz", gzip.compress(log, 1))
    full = run("diagnose", "--json", folder)
    size, failed = 192 << 20, 0
    while size > 1 << 20:
        status, out, err = run("diagnose", "--json", folder, limit=size)
        if status == full[0]:
            said = b"archives cannot be read here" in out  # the library for them did not find room
            expect(f"{size >> 10} KiB: the whole answer", out == full[1] or said, len(out))
        elif status == 70:
            failed += 1
            expect(f"{size >> 10} KiB: one line, nothing on stdout", not out and err == b"gpuvet: out of memory\n", (out[:80], err))
        elif status == 127 or b"error while loading shared libraries" in err or (status == -11 and failed and size < 12 << 20):
            break  # not even the loader finds room
        else:
            bad.append(f"{size >> 10} KiB: status {status}: {err[:200]}")
            break
        size = int(size * 0.88) & ~4095
    expect("memory ended at some size", failed > 3, failed)


main([texts, sizes, folders, no_input, outputs] + ([out_of_memory] if LIMITED else []) + ([archives] if ARCHIVES else []))
