#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the first inputs of the fuzzers, a folder a target, and their dictionary.

usage: seeds.py [--share N] BUILD OUT [FOLDER...]

From tests/cases and examples, and further folders where named: of their documents every N-th; and recorded findings
(tests/data/fuzz).
"""
import argparse
import bz2
import gzip
import hashlib
import io
import json
import lzma
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import tarfile
import zipfile

import seeds_inspect

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--share", type=int, default=1)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("folders", type=pathlib.Path, nargs="*")
O = parser.parse_args()
OUT = O.out
LARGEST = 32_000
TARGETS = re.findall(r"TARGET\((\w+),", (ROOT / "tests/fuzz/target.def").read_text().split("*/")[1])


def save(target, name, data):
    (OUT / target / name).write_bytes(data)


def documents():
    folders = [ROOT / "examples", ROOT / "tests" / "cases", *O.folders]
    files = sorted(p for f in folders for p in f.rglob("*") if p.is_file() and p.name not in ("case.json", "README", "README.md"))
    return [p for p in files if 0 < p.stat().st_size <= LARGEST][::O.share]


def unit_texts():
    """What the unit tests of readers give them."""
    found = set()
    for p in sorted((ROOT / "tests/unit").glob("test_format_*.c")):
        code = re.sub(r"/\*.*?\*/", "", p.read_text(), flags=re.S)
        for name, text in re.findall(r'^#define (\w+)[ \t]+("[^\n]*")$', code, re.M):
            code = re.sub(rf"\b{name}\b", lambda m: text, code)
        for literals in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', code):
            text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals)).encode()
            text = re.sub(rb"\\(x[0-9a-f]{1,2}|[0-7]{1,3}|.)", unescaped, text)
            if b"\n" in text and 30 < len(text) <= LARGEST:
                found.add(text)
    return sorted(found)[::O.share]


def metadata():
    """What the unit tests of an inventory's documents give them: a path and then, by itself or by its name, a text."""
    for p in sorted((ROOT / "tests/unit").glob("test_inspect_*.c")):
        code = p.read_text()
        literal = r'((?:"(?:[^"\\\n]|\\.)*"\s*)+)'
        texts = dict(re.findall(r"const char (\w+)\[\] =\s*" + literal, code))
        for path, text, name in re.findall(r'"([^"\\\n]+)",\s*(?:' + literal + r"|(\w+))", code):
            text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text or texts.get(name, ""))).encode()
            if text:
                yield path.encode() + b"\n" + re.sub(rb"\\(x[0-9a-f]{1,2}|[0-7]{1,3}|.)", unescaped, text)


def rpm_database():
    """A database of SQLite in small pages, with a header of a package that fits one and another that does not."""
    path = OUT / "rpmdb.sqlite"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.execute("PRAGMA page_size = 512")
    db.execute("CREATE TABLE Packages (hnum INTEGER PRIMARY KEY AUTOINCREMENT, blob BLOB NOT NULL)")
    for names in (["cuda"], ["libcuda.so.1()(64bit)"] * 60):
        values = b"app\0", b"1\0", b"".join(n.encode() + b"\0" for n in names)
        entries, data = b"", b""
        for tag, value, count in zip((1000, 1001, 1049), values, (1, 1, len(names))):
            entries += struct.pack(">IIII", tag, 8, len(data), count)
            data += value
        db.execute("INSERT INTO Packages (blob) VALUES (?)", [struct.pack(">II", 3, len(data)) + entries + data])
    db.commit()
    db.close()
    return path.read_bytes()


def unescaped(m):
    c = m[1]
    if c[:1] == b"x":
        return bytes([int(c[1:], 16)])
    if c.isdigit():
        return bytes([int(c, 8) & 255])
    return {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}.get(c, c)


def live_look():
    """A look at this machine, for the readers of /proc and /sys: an archive, None where it cannot be had."""
    path = OUT / "look.tar"
    subprocess.run([O.build / "gpuvet", "diagnose", "--for", "0.3s", "--save", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path if path.exists() else None


def archives(texts):
    some = texts[::max(1, len(texts) // 12)][:12]
    tar, packed = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as t:
        for i, text in enumerate(some[:4]):
            info = tarfile.TarInfo(("d/" * (i * 30)) + f"n{i}.txt")
            info.size = len(text[:600])
            t.addfile(info, io.BytesIO(text[:600]))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo(f"k{kind.decode()}")
            info.type, info.linkname = kind, "../" * 9 + "etc/passwd"
            t.addfile(info)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
        for i, text in enumerate(some[:3]):
            z.writestr(f"../z{i}.txt", text[:900])
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as z:
        z.writestr("/a.gz", gzip.compress(some[0][:400]))
    tar = tar.getvalue()
    plain = [tar, packed.getvalue(), stored.getvalue()]
    made = {"tar": tar, "zip": plain[1], "stored": plain[2], "nested": gzip.compress(gzip.compress(plain[1]))}
    for name, squeeze in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        made[name] = squeeze(some[0][:2000])
        made["t" + name] = squeeze(tar)
    for tool in ("zstd", "lz4"):
        if shutil.which(tool):
            made[tool] = subprocess.run([tool, "-c"], input=some[1][:2000], capture_output=True).stdout
            made["t" + tool] = subprocess.run([tool, "-c"], input=tar, capture_output=True).stdout
    return made


def tar_of(*entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, data in entries:
            info = tarfile.TarInfo(name)
            if isinstance(data, str):
                info.type, info.linkname = tarfile.SYMTYPE if data.startswith("->") else tarfile.LNKTYPE, data[2:]
            else:
                info.size = len(data)
            t.addfile(info, io.BytesIO(data) if isinstance(data, bytes) else None)
    return out.getvalue()


def inventories():
    """Small images, wheels, and what is in them."""
    fatbin = struct.pack("<IHHQ", 0xba55ed50, 1, 16, 80) + struct.pack("<HHIQIIHHIQQ", 2, 0, 64, 16, 0, 0, 0, 0, 90, 0, 0x11).ljust(64, b"\0") + bytes(16)
    elf = pathlib.Path(O.build, "tests/fakes").glob("*.so")
    libs = [fatbin, *(p.read_bytes()[:6000] for p in sorted(elf)[:1]), b'"libcudart.so.12"\0"libamdhip64.so.6"\0']
    low = tar_of(("usr/lib/a.so", libs[-1]), ("lib", "->usr/lib"), ("opt/b", libs[0]), ("opt/c", "==opt/b"), ("etc/ld.so.conf", b"/opt\n"))
    high = tar_of(("opt/.wh.b", b""), ("usr/.wh..wh..opq", b""), ("lib/a.so", libs[0]))
    digest = lambda b: hashlib.sha256(b).hexdigest()
    conf = json.dumps({"architecture": "amd64", "os": "linux", "config": {"Env": ["NVIDIA_REQUIRE_CUDA=cuda>=12.4", "LD_LIBRARY_PATH=/opt"]}}).encode()
    layers = [gzip.compress(low), high]
    manifest = json.dumps({"config": {"digest": "sha256:" + digest(conf)}, "layers": [{"digest": "sha256:" + digest(x)} for x in layers]}).encode()
    index = json.dumps({"manifests": [{"digest": "sha256:" + digest(manifest), "annotations": {"org.opencontainers.image.ref.name": "v1"}}]}).encode()
    oci = tar_of(*((f"blobs/sha256/{digest(x)}", x) for x in (*layers, conf, manifest)), ("index.json", index))
    save = tar_of((f"{digest(low)}/layer.tar", low), (f"{digest(high)}/layer.tar", "->../" + "ab" * 32 + "/layer.tar"), ("ab" * 32 + "/layer.tar", high), ("c.json", conf),
                  ("manifest.json", json.dumps([{"Config": "c.json", "RepoTags": ["a:1"], "Layers": [f"{digest(low)}/layer.tar", f"{digest(high)}/layer.tar"]}]).encode()))
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a/x.so", libs[0])
        z.writestr("a-1.dist-info/METADATA", b"Name: a\nVersion: 1+cu124\nRequires-Dist: nvidia-cublas-cu12\n")
    return {"oci": oci, "save": save, "wheel": wheel.getvalue(), "packed": gzip.compress(oci), "deep": tar_of(("x.whl", wheel.getvalue()), ("y.tar", save)),
            **{f"lib{i}": x for i, x in enumerate(libs)}}


JSON = [b'{"a": [1, -2.5e10, true, false, null, "x\\u00e9\\ud83d\\ude00\\n"], "b": {"c": {}}, "d": []}', b"[[[[[[]]]]]]", b'"\\ud800"',
        b'{"file": "a.log", "line": 3, "text": "a \\"quote\\""}', b"[NaN, Infinity, -Infinity]", b'\xef\xbb\xbf{}', b"{}\n{}\n[1]\n", b"1e999"]
QUANTITIES = ["61234MiB", "92%", "2850 MiB/s", "32.2 Gbits/sec", "1-03:12:44", "5d3h2m", "1h 30min 2.5s", "0-15,32-47", "00000000:41:00.0",
              "PCI:0000:41:00", "0x41", "--size=3GiB -f --text x", "--count 7 -- -f", "--choice two --time 2m", "1,234", "0-1048575"]
SITE = [b"a: &x [1, *x]\n", b"%YAML 1.1\n---\na: !!str b\n...\n", b"? [a]\n: b\n", b"a: >-\n  x\n  y\n", b"{a: {b: {c: {d: [[[[[[[[]]]]]]]]}}}}",
        b"accept: [{kind: gpu-missing, reason: x, until: 2026-05-01}]\nneed: 2.4GB/s\n", b"2h ago", b"2026-01-13 12:10:11+01:00", b"gpu-*-1?"]
TREE = b"Root\n    Name : x\n    Alpha\n        Beta\n            Used : 12 MiB\n        Gamma\n            Used : 1 MiB\n        Mode : Enabled\n    Skip\n        Used : 3\nTwo Words : Enabled\n"


def words():
    """Literals of readers and signatures, as a libFuzzer dictionary."""
    found = set()
    for p in sorted([*(ROOT / "src/format").glob("*.c"), *(ROOT / "src/core").glob("*.c"), *(ROOT / "src/inspect").glob("*.c")]):
        found |= {w for w in re.findall(r'"((?:[^"\\\n]|\\["\\])+)"', p.read_text()) if 2 <= len(w) <= 40 and "%" not in w and not w.endswith(".h")}
    table = (ROOT / "data/signatures.tsv").read_text().splitlines()
    rows = [l.split("\t") for l in table if l and not l.startswith("#")]
    column = rows[0].index("literal")
    found |= {w.replace("\\", "\\\\").replace('"', '\\"') for r in rows[1:] for w in r[column].split("||") if 2 <= len(w) <= 60}
    plain = {w for w in found if w.isascii() and w.isprintable() and not re.search(r"\\[^\"\\]", w)}
    return sorted(plain | {"0", "nan", "1e309", "-1", "18446744073709551616", "4294967295", "N/A", "[N/A]", "ERR!"})


def main():
    for t in TARGETS:
        (OUT / t).mkdir(parents=True, exist_ok=True)
    paths = documents()
    texts = [p.read_bytes() for p in paths]
    look = live_look()
    if look:
        paths.append(look)
    (OUT / "unit").mkdir(exist_ok=True)
    for i, text in enumerate(unit_texts()):
        paths.append(OUT / "unit" / f"{i}.txt")
        paths[-1].write_bytes(text)
        texts.append(text)
    subprocess.run([O.build / "tests/fuzz/fuzz_seeds", OUT, *paths], check=True)
    for i, text in enumerate(texts):
        save("whole", f"doc{i}", text)
        save("evidence", f"doc{i}", text[:6000])
        if i % 4 == 0:
            save("stream", f"doc{i}", text[:16000])
        if i % 2 == 0:
            save("redact", f"doc{i}", text[:4000])
        if i % 8 == 0:
            save("terminal", f"doc{i}", b"\x50" + text[:2000])
            save("tree", f"doc{i}", text[:2000])
            save("quantities", f"line{i}", text.split(b"\n")[0][:200])
    for p in sorted((ROOT / "docs/findings").glob("*.md"))[::6]:
        save("terminal", p.stem, b"\x51" + p.read_bytes()[:4000])
    for name, data in archives(texts).items():
        save("archive", name, data)
        save("whole", "archive-" + name, data)
    for name, data in inventories().items():
        save("inventory", name, data)
    for i, text in enumerate(JSON):
        for mode in range(4):
            save("json", f"json{i}-{mode}", bytes([mode]) + text)
    for i, text in enumerate(metadata()):
        save("metadata", f"unit{i}", text[:8000])
    save("metadata", "rpmdb", b"var/lib/rpm/rpmdb.sqlite\n" + rpm_database())
    for i, text in enumerate(QUANTITIES):
        save("quantities", f"q{i}", text.encode())
    save("tree", "own", TREE)
    for name, data in seeds_inspect.files():
        save("inspect", name, data)
    site = (ROOT / "examples/site.yaml").read_bytes()
    save("site", "example", site)
    save("site", "bare", re.sub(rb"(?m)^ *#.*\n", b"", site))
    for p in sorted((ROOT / "tests/data").rglob("*redact*")):
        if p.is_file():
            save("redact", p.name, p.read_bytes()[:8000])
    for i, text in enumerate(SITE):
        save("site", f"site{i}", text)
    for p in sorted((ROOT / "tests/data/fuzz").glob("*-*")):
        if p.name.split("-")[0] in TARGETS:
            save(p.name.split("-")[0], p.name, p.read_bytes())
    (OUT / "words.dict").write_text("".join(f'"{w}"\n' for w in words()))

main()
