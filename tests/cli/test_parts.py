#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a build may lack: --version says what it has, a part that is there works, and one that is not says so.

usage: test_parts.py GPUVET [RUN]; RUN starts it where GPUVET is for another processor.
"""
import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zlib

from built import built

GPUVET = pathlib.Path(sys.argv[-1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
XID = b"[  812.5] NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n"
bad = []


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {seen!r}" if seen != "" else what)


def run(*args, stdin=b""):
    p = subprocess.run([GPUVET, *map(str, args)], input=stdin, capture_output=True, timeout=120)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def archives(there, tmp):
    path = tmp / "evidence.tar"
    with tarfile.open(path, "w") as tar:
        member = tarfile.TarInfo("dmesg.txt")
        member.size = len(XID)
        tar.addfile(member, io.BytesIO(XID))
    status, out, _ = run("diagnose", "--json", path)
    report = json.loads(out)
    if there:
        expect("a tar is read", status == 2 and report["verdict"]["kind"] == "gpu-fell-off-bus", report["verdict"])
        return
    expect("a tar cannot be judged", status == 3 and report["verdict"] is None, status)
    expect("and why is said", report["unread"] == [
        {"file": "evidence.tar", "why": "archives cannot be read: built without libarchive"}], report["unread"])
    _, text, _ = run("diagnose", path)
    expect("and why stands in the text", "archives cannot be read: built without libarchive" in text, text[-200:])


def site(there, tmp):
    path = tmp / "site.yaml"
    path.write_text("gpus: 8\n")
    (tmp / "dmesg.txt").write_bytes(XID)
    status, out, err = run("diagnose", "--json", f"--site={path}", tmp / "dmesg.txt")
    if there:
        expect("a site file is read", status == 2 and not err, (status, err))
        return
    expect("a site file cannot be read", status == 64 and not out, (status, out[:200]))
    expect("and why is said", err.count("\n") == 1 and "libyaml" in err, err)


def search(there, tmp):
    """With Vectorscan or without: the same lines are found."""
    path = tmp / "long.txt"
    path.write_bytes(b"nothing of note\n" * 1000 + XID + b"nothing of note\n" * 1000)
    report = json.loads(run("diagnose", "--json", path)[1])
    quoted = [q["line"] for f in report["findings"] for q in f["evidence"]]
    expect("a line in a long log is found", quoted == [1001], quoted)


def xml(there, tmp):
    path = tmp / "q.xml"
    path.write_text("<nvidia_smi_log>\n<gpu id=\"00000000:41:00.0\">\n<remapped_rows>\n<remapped_row_failure>Yes</remapped_row_failure>\n"
                    "</remapped_rows>\n</gpu>\n</nvidia_smi_log>\n")
    status, out, _ = run("diagnose", "--json", path)
    report = json.loads(out)
    if there:
        expect("XML is read", status == 2 and report["verdict"]["kind"] == "row-remap-failed", report["verdict"])
        return
    expect("XML cannot be judged", status == 3 and report["verdict"] is None, status)
    expect("and why is said", report["unread"] == [
        {"file": "q.xml", "why": "XML cannot be read: built without expat"}], report["unread"])


def packed(name, method, payload):
    """A compressed bundle of GPU code: an empty one, but for an entry for gfx942."""
    def test(there, tmp):
        path = tmp / f"{name}.co"
        size = 32 + len(payload)
        path.write_bytes(b"CCOB" + struct.pack("<HHQQQ", 3, method, size, len(BUNDLE), 0) + payload)
        code = json.loads(run("inventory", "--json", path)[1])["code"]
        expect(f"code compressed with {name}", [c["arch"] for c in code] == ["gfx942" if there else "gfx?"], code)
        text = run("inventory", path)[1]
        expect(f"why it is not known ({name})", there == ("no library for it is here" not in " ".join(text.split())), text)
    return test


ID = b"hipv4-amdgcn-amd-amdhsa--gfx942"
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<QQQQ", 1, 128, 16, len(ID)) + ID
BUNDLE += bytes(128 - len(BUNDLE)) + b"\x7fELF" + bytes(12)
STORED = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(BUNDLE)) + struct.pack("<I", 1 | len(BUNDLE) << 3)[:3] + BUNDLE

PARTS = {"archives": archives, "site files (YAML)": site, "Vectorscan": search, "XML": xml, "zlib": packed("zlib", 0, zlib.compress(BUNDLE)),
         "zstd": packed("zstd", 1, STORED)}


def main():
    status, out, _ = run("--version")
    lines = out.splitlines()
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
    expect("--version ends well", status == 0)
    expect("--version names the version", lines[:1] == [f"gpuvet {version}"], lines)
    has, lacks = built(GPUVET)
    expect("--version says what is built in, and each part is tested here", has is not None and has | lacks == set(PARTS), lines)
    with tempfile.TemporaryDirectory() as tmp:
        for part, test in PARTS.items():
            test(part in (has or ()), pathlib.Path(tmp))
    for b in bad:
        print(b)
    sys.exit(1 if bad else 0)


main()
