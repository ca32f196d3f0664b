#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The inventory of packages as they are published, against tables that were established in another way (./dev test inventory-real).

usage: inventory_real.py --gpuvet PROGRAM [--folder DIR] [--only WORD] [--recount [--cuobjdump PROGRAM]]

Packages come into DIR (build-real by default) through npm, pip and apt-get; what is there already is not fetched again. Expected is what
tests/data/inventory-real.tsv says: a line for each package, file, vendor, kind and architecture, with the number of images.
--recount makes that table anew, by tests/inventory_count.py, and where cuobjdump is named says where its lists differ.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import inventory_count

ROOT = pathlib.Path(__file__).resolve().parent
TABLE = ROOT / "data/inventory-real.tsv"
PIP = ["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11", "--implementation", "cp",
       *[a for p in ("_2_28", "_2_27", "_2_24", "_2_17", "2014", "1") for a in ("--platform", f"manylinux{p}_x86_64")]]

# how it is fetched, the name it has there, and that of the file
PACKAGES = [
    ("npm", "@node-llama-cpp/linux-x64-cuda@3.22.1", "node-llama-cpp-linux-x64-cuda-3.22.1.tgz"),
    ("npm", "@node-llama-cpp/linux-x64-cuda-ext@3.22.1", "node-llama-cpp-linux-x64-cuda-ext-3.22.1.tgz"),
    ("npm", "@node-llama-cpp/linux-x64-vulkan@3.22.1", "node-llama-cpp-linux-x64-vulkan-3.22.1.tgz"),
    ("npm", "@fugood/node-llama-linux-x64-cuda@1.7.15", "fugood-node-llama-linux-x64-cuda-1.7.15.tgz"),
    ("npm", "onnxruntime-node@1.30.0", "onnxruntime-node-1.30.0.tgz"),
    ("apt", "librocsparse0", "librocsparse0_5.3.0+dfsg-2_amd64.deb"),
    ("apt", "libhsa-runtime64-1", "libhsa-runtime64-1_5.2.3-3_amd64.deb"),
    ("apt", "libamdhip64-5", "libamdhip64-5_5.2.3-8_amd64.deb"),
    ("apt", "rocm-device-libs", "rocm-device-libs_5.2.3-2_amd64.deb"),
    ("pip", "torchvision==0.20.1", "torchvision-0.20.1-cp311-cp311-manylinux1_x86_64.whl"),
    ("pip", "onnxruntime-gpu==1.20.2", "onnxruntime_gpu-1.20.2-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"),
    ("pip", "bitsandbytes==0.45.5", "bitsandbytes-0.45.5-py3-none-manylinux_2_24_x86_64.whl"),
    ("pip", "cupy-cuda12x==13.3.0", "cupy_cuda12x-13.3.0-cp311-cp311-manylinux2014_x86_64.whl"),
    ("pip", "cupy-rocm-5-0==13.3.0", "cupy_rocm_5_0-13.3.0-cp311-cp311-manylinux2014_x86_64.whl"),
    ("pip", "onnxruntime==1.20.1", "onnxruntime-1.20.1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"),
]


def fetch(how, name, path):
    """Whether it is there."""
    if path.exists():
        return True
    command = {"npm": ["npm", "pack", "--silent", name], "pip": [*PIP, name], "apt": ["apt-get", "download", "-qq", name]}[how]
    print(f"fetching {name}", file=sys.stderr)
    try:
        subprocess.run(command, cwd=path.parent, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=3600)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return path.exists()


def members(path):
    """(name, bytes) of each file in a package."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as z:
            for i in z.infolist():
                yield i.filename, z.read(i)
    elif path.suffix == ".tgz":
        with tarfile.open(path) as t:
            for m in t:
                if m.isfile():
                    yield m.name, t.extractfile(m).read()
    else:
        with tempfile.TemporaryDirectory(dir=path.parent) as tmp:
            subprocess.run(["dpkg-deb", "-x", path, tmp], check=True)
            for p in sorted(pathlib.Path(tmp).rglob("*")):
                if p.is_file() and not p.is_symlink():
                    yield str(p.relative_to(tmp)), p.read_bytes()


def by_cuobjdump(program, data):
    """Its lists: no letter behind the architecture, but for "a"; no code that is to be linked."""
    n = collections.Counter()
    with tempfile.NamedTemporaryFile(suffix=".so") as f:
        f.write(data)
        f.flush()
        out = subprocess.run([program, "-all", "-lelf", "-lptx", f.name], capture_output=True, text=True).stdout
    for kind, arch in re.findall(r"^(ELF|PTX) file +\d+: .*\.sm_(\w+)\.(?:cubin|ptx)$", out, re.M):
        n[kind.lower(), arch] += 1
    return n


def recount(path, cuobjdump):
    rows = []
    for name, data in members(path):
        n = inventory_count.count(data)
        rows += [(path.name, name, *what, str(images)) for what, images in sorted(n.items())]
        if cuobjdump and any(w[0] == "nvidia" for w in n):
            theirs, ours = by_cuobjdump(cuobjdump, data), collections.Counter()
            for (_, kind, arch), images in n.items():
                if kind != "ltoir":
                    ours[kind, re.sub(r"^(sm|compute)_|f$", "", arch)] += images
            print(f"{path.name} {name}: cuobjdump lists {'the same' if theirs == ours else f'{dict(theirs)}, not {dict(ours)}'}", file=sys.stderr)
    return rows


def told(gpuvet, path):
    r = subprocess.run([gpuvet, "inventory", "--json", path], capture_output=True, text=True, check=True)
    n, doc = collections.Counter(), json.loads(r.stdout)
    for u in doc["unread"]:  # also: the linker announces more containers than were found
        n[u["file"], "unread", u["why"], ""] += 1
    for c in doc["code"]:
        n[re.sub(r"^.*!", "", c["file"]), c["vendor"], c["kind"], c["arch"] or ""] += c["count"]
    return n


def table():
    want = collections.defaultdict(collections.Counter)
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#") and not line.startswith("package\t"):
            package, file, vendor, kind, arch, images = line.split("\t")
            if vendor != "-":
                want[package][file, vendor, kind, arch.replace("-", "", 1) if arch == "-" else arch] = int(images)
            else:
                want[package] = collections.Counter()
    return want


def compare(gpuvet, path, want):
    """(right, told, expected), and prints what differs."""
    got = told(gpuvet, path)
    for what in sorted(got.keys() | want.keys()):
        if got[what] != want[what]:
            print(f"    {' '.join(what)}: {got[what]} images, not {want[what]}")
    return len(got.keys() & want.keys()), len(got), len(want), got == want


def f1(right, said, want):
    return 2 * right / (said + want) if said + want else 1.0


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("--gpuvet", required=True, type=pathlib.Path)
    o.add_argument("--folder", type=pathlib.Path, default=ROOT.parent / "build-real")
    o.add_argument("--only", default="")
    o.add_argument("--recount", action="store_true")
    o.add_argument("--cuobjdump")
    o = o.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    gpuvet, folder = o.gpuvet.resolve(), o.folder.resolve()
    want = {} if o.recount else table()
    sums, failed, skipped, rows = [0, 0, 0], 0, 0, []
    for how, name, file in PACKAGES:
        if o.only not in name:
            continue
        path = folder / file
        if not fetch(how, name, path):
            print(f"skipped {name}: {file} cannot be fetched here")
            skipped += 1
        elif o.recount:
            rows += recount(path, o.cuobjdump) or [(file, "-", "-", "-", "-", "0")]
        elif file not in want:
            print(f"FAILED {name}: not in {TABLE.name}")
            failed += 1
        else:
            right, said, expected, same = compare(gpuvet, path, want[file])
            print(f"{name}: F1 {f1(right, said, expected):.2f} ({right} right of {said} told and {expected} expected){'' if same else '  DIFFERS'}")
            sums = [a + b for a, b in zip(sums, (right, said, expected))]
            failed += not same
    if o.recount:
        print("package\tfile\tvendor\tkind\tarch\timages")
        for r in rows:
            print("\t".join(c or "-" for c in r))
        return 0
    print(f"F1 {f1(*sums):.4f} on (file, vendor, kind, arch); {failed} packages differ, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
