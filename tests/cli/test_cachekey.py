#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet cachekey: a key from the properties that a cache depends on and from nothing else, none from what is unknown; what of a folder
does not fit."""
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
bad = []

QUERY = "name, compute_cap, memory.total [MiB], driver_version\n"
H100 = "NVIDIA H100 80GB HBM3, 9.0, 81559 MiB, 550.54.15\n"
A100 = "NVIDIA A100-SXM4-80GB, 8.0, 81920 MiB, 550.54.15\n"
UNAME = "Linux node17 6.8.0-52-generic #53-Ubuntu SMP PREEMPT_DYNAMIC Sat Jan 11 00:06:25 UTC 2025 x86_64 x86_64 x86_64 GNU/Linux\n"
ROCMINFO = """\
ROCk module is loaded
=====================
HSA System Attributes
=====================
Runtime Version:         1.14
==========
HSA Agents
==========
*******
Agent 1
*******
  Name:                    AMD EPYC 9654 96-Core Processor
  Uuid:                    CPU-XX
  Marketing Name:          AMD EPYC 9654 96-Core Processor
  Vendor Name:             CPU
  Device Type:             CPU
  Compute Unit:            192
*******
Agent 2
*******
  Name:                    gfx942
  Uuid:                    GPU-5a1b2c3d4e5f6071
  Marketing Name:          AMD Instinct MI300X
  Vendor Name:             AMD
  Device Type:             GPU
  BDFID:                   1280
  Compute Unit:            304
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
*** Done ***
"""


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def run(*args):
    p = subprocess.run([GPUVET, "cachekey", *map(str, args)], capture_output=True, text=True, timeout=60,
                       env={k: v for k, v in os.environ.items() if k != "GPUVET_SITE"})
    return p.returncode, p.stdout, p.stderr


def node(tmp, name, **files):
    folder = tmp / name
    folder.mkdir(parents=True, exist_ok=True)
    for f, text in files.items():
        (folder / f"{f}.txt").write_text(text)
    return folder


def document(*args, status=0):
    got, out, err = run("--json", *args)
    expect(f"{args}: status", got == status, (got, err))
    return json.loads(out)


def values(doc):
    return {p["name"]: p["value"] for p in doc["made_of"]}


def keys(tmp):
    h100 = node(tmp, "h100", smi="$ nvidia-smi --query-gpu=name,compute_cap,memory.total,driver_version --format=csv\n" + QUERY + H100 * 2, uname=UNAME)
    status, out, err = run("--for=cuda", h100)
    key = out.strip()
    expect("a key", status == 0 and re.fullmatch(r"gv1-cuda-sm_90-[0-9a-f]{64}", key) and not err, (status, out, err))
    # the scheme, as docs/cachekey.md has it
    text = "gpuvet cache key 1\ncache\tcuda\narch\tsm_90\ndriver\t550.54.15\n"
    expect("the scheme", key == "gv1-cuda-sm_90-" + hashlib.sha256(text.encode()).hexdigest(), key)
    for same in (("--for=cuda", "--set", "arch=9.0", "--set=driver=550.54.15", node(tmp, "none", uname=UNAME)),
                 ("--for=cuda", "--set=arch=sm_80", "--set=arch=sm_90", "--set=driver=550.54.15", h100)):
        expect(f"one machine, one key: {same}", run(*same)[1].strip() == key, run(*same))
    for other in (("--for=cuda", "--set=driver=550.54.14", h100), ("--for=cuda", "--set=arch=8.9", h100)):
        expect(f"another key: {other}", run(*other)[0] == 0 and run(*other)[1].strip() != key, run(*other))
    # what it does not depend on does not change it
    expect("triton does not matter for cuda", run("--for=cuda", "--set=triton=9", h100)[1].strip() == key)
    doc = document("--for=tensorrt", "--set=tensorrt=10.3.0", "--set=runtime=12.5", h100)
    expect("tensorrt", values(doc) == {"arch": "sm_90", "device": "NVIDIA H100 80GB HBM3", "memory": "81559", "machine": "x86_64",
                                      "runtime": "12.5", "tensorrt": "10.3.0"} and doc["scheme"] == 1, doc)
    expect("where from", {p["name"]: p["from"] for p in doc["made_of"]}["arch"].startswith("smi.txt:"), doc["made_of"])
    expect("why", all(p["source"] and p["basis"] in ("seen", "recalled", "guess") for p in doc["made_of"]), doc["made_of"])
    status, out, _ = run("--for=tensorrt", "--explain", "--set=tensorrt=10.3.0", "--set=runtime=12.5", h100)
    expect("explained", out.splitlines()[0] == doc["key"] and "memory: 81559 MiB (smi.txt:" in out and "tensorrt: 10.3.0 (--set)" in out, out)
    expect("80 columns", all(len(l) <= 80 for l in out.splitlines()[1:]), out)


def amd(tmp):
    mi300 = node(tmp, "mi300", rocminfo=ROCMINFO, uname=UNAME)
    doc = document("--for=miopen", "--set=miopen=3.2.0", "--set=rocm=6.3.1", mi300)
    expect("miopen", values(doc) == {"arch": "gfx942", "units": "304", "miopen": "3.2.0", "rocm": "6.3.1"}, doc)
    doc = document("--for=comgr", "--set=rocm=6.3.1", mi300)
    expect("features", values(doc)["isa"] == "gfx942:sramecc+:xnack-", doc)
    status, out, err = run("--for=tensorrt", mi300)
    expect("another vendor", status == 3 and not out and "another vendor" in err, (status, out, err))


def unknown(tmp):
    """No key from what is unknown, and what would make it known."""
    cut = "Fri Jan 10 10:00:00 2025\n" + (ROOT / "tests/cli/test_json.py").read_text().split('SMI = """\\\n')[1].split('"""')[0].split("\n", 1)[1]
    empty = node(tmp, "empty", uname=UNAME)
    smi = node(tmp, "smi", smi=cut)
    mixed = node(tmp, "mixed", smi="$ nvidia-smi --query-gpu=name,compute_cap,memory.total,driver_version --format=csv\n" + QUERY + H100 + A100, uname=UNAME)
    for args, words in ((("--for=triton", empty), ("arch", "triton", "vendor", "--set triton=VALUE")),
                        (("--for=triton", "--set=vendor=nvidia", empty), ("arch is unknown", "nvidia-smi")),
                        (("--for=cuda", mixed), ("differ", "--gpu")),
                        (("--for=tensorrt", "--set=arch=sm_80", smi), ("tensorrt is unknown", "runtime is unknown", "machine is unknown"))):
        status, out, err = run(*args)
        expect(f"{args}: refused", status == 3 and out == "" and err.count("\n") == 1, (status, out, err))
        expect(f"{args}: says which", all(w in err for w in words), err)
        doc = document(*args, status=3)
        expect(f"{args}: no key in JSON", doc["key"] is None and any(p["value"] is None and p["unknown"] for p in doc["made_of"]), doc)
    expect("a GPU of several", run("--for=cuda", "--gpu=1", mixed)[1].startswith("gv1-cuda-sm_80-"), run("--for=cuda", "--gpu=1", mixed))
    status, out, _ = run("--for=triton", "--explain", empty)
    expect("explained", status == 3 and "triton: unknown" in out and "to get it: python3" in out and "gv1-" not in out, out)
    mig = node(tmp, "mig", smi=cut.replace("Disabled |", " Enabled |"), uname=UNAME)
    status, _, err = run("--for=tensorrt", "--set=tensorrt=10.3.0", "--set=runtime=12.5", "--set=arch=8.0", mig)
    expect("MIG", status == 3 and "MIG is on" in err, (status, err))


def usage(tmp):
    folder = node(tmp, "usage", uname=UNAME)
    for args, word in (((), "--for"), (("--for=tensort",), "tensorrt"), (("--for=triton", "--set=triton", folder), "NAME=VALUE"),
                       (("--for=triton", "--set=tritn=3", folder), "tritn"), (("--for=triton", "--set=triton=", folder), "triton"),
                       (("--for=triton", "--set=triton=3\n1", folder), "triton"), (("--for=cuda", "--set=arch=huge", folder), "arch"),
                       (("--for=cuda", "--set=memory=0", folder), "memory"), (("--for=cuda", "--gpu=7", folder), "--gpu"),
                       (("--for=cuda", "--node=other", folder), "--node")):
        status, out, err = run(*args)
        expect(f"{args}: wrong usage", status == 64 and not out and word in err and err.count("\n") == 1, (status, out, err))
    expect("no such DIR", run("--check=/no/such/dir", folder)[0] == 66)


def stated(tmp):
    """Versions of what is installed, and a target in place of a machine."""
    site = tmp / "venv/lib/python3.12/site-packages"
    for name, version in (("triton", "3.1.0"), ("tensorrt", "10.3.0"), ("numpy", "2.0.0")):
        (site / f"{name}-{version}.dist-info").mkdir(parents=True)
        (site / f"{name}-{version}.dist-info/METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n")
    h100 = tmp / "h100"
    doc = document("--for=triton", "--packages", tmp / "venv", h100)
    key, triton = doc["key"], {p["name"]: p for p in doc["made_of"]}["triton"]
    expect("of what is installed", triton["value"] == "3.1.0" and triton["from"].endswith("triton-3.1.0.dist-info/METADATA"), triton)
    expect("--set goes before", values(document("--for=triton", "--packages", tmp / "venv", "--set=triton=3.2.0", h100))["triton"] == "3.2.0")
    for target in ("sm_90", "NVIDIA H100 80GB HBM3"):
        doc = document("--for=triton", "--target", target, "--set=machine=x86_64", "--set=triton=3.1.0")
        expect(f"a target: {target}", doc["key"] == key, doc)
    doc = document("--for=triton", "--target=sm_90", "--set=triton=3.1.0", status=3)
    expect("this machine is another", values(doc)["machine"] is None, doc)
    expect("a product", values(document("--for=tensorrt", "--target=NVIDIA H100 80GB HBM3", status=3))["device"] == "NVIDIA H100 80GB HBM3")
    expect("no target", run("--for=triton", "--target=sm_9000")[0] == 64, run("--for=triton", "--target=sm_9000"))
    (site / "triton-3.2.0.dist-info").mkdir()
    (site / "triton-3.2.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: triton\nVersion: 3.2.0\n\n")
    status, out, err = run("--for=triton", "--packages", tmp / "venv", h100)
    expect("two versions", status == 64 and "two versions of triton" in err and "3.1.0" in err and "3.2.0" in err, (status, err))
    doc = document("--for=tensorrt", "--packages", tmp / "venv", "--set=runtime=12.5", h100)
    expect("of what this cache does not depend on", values(doc)["tensorrt"] == "10.3.0", doc)


def check(tmp):
    engine = lambda v: b"ptrt" + struct.pack("<IIIQ", 0, 240, 0, 64) + bytes(v) + b"\0" * 32
    cubin = lambda sm: struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01\x33\x07", 2, 190, 124, 0, 64, 64, sm << 16 | 0x500 | sm, 64, 56, 0, 64, 0, 0)
    kernel = lambda arch: json.dumps({"num_warps": 4, "target": {"backend": "cuda", "arch": arch, "warp_size": 32}, "triton_version": "3.1.0"}).encode()
    files = {"a/ours.engine": engine((10, 3, 0, 26)) + cubin(90), "a/theirs.engine": engine((10, 3, 0, 26)) + cubin(80),
             "a/newer.engine": engine((10, 8, 0, 43)) + cubin(90), "a/silent.plan": b"ptrt" + struct.pack("<II", 0x60, 1) + b"\0" * 64,
             "t/90/k.json": kernel(90), "t/80/k.json": kernel(80), "TensorrtExecutionProvider_cache_sm86.timing": b"x",
             "gfx942130.ukdb": b"x", "notes.txt": b"hello"}
    for name, data in files.items():
        (tmp / "dir" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp / "dir" / name).write_bytes(data)
    h100 = tmp / "h100"
    doc = document("--check", tmp / "dir", "--set=tensorrt=10.3.0.26", h100, status=2)
    got = {a["file"]: a["fits"] for a in doc["artefacts"]}
    want = {"a/ours.engine": True, "a/theirs.engine": False, "a/newer.engine": False, "a/silent.plan": None, "t/90/k.json": True,
            "t/80/k.json": False, "TensorrtExecutionProvider_cache_sm86.timing": False, "gfx942130.ukdb": False}
    expect("what fits", got == want, got)
    expect("the kind of finding", all(a["kind"] == ("engine-cache-mismatch" if a["fits"] is False and a["file"] != "t/80/k.json" else None) for a in doc["artefacts"]), doc)
    why = {a["file"]: a["why"] for a in doc["artefacts"]}
    expect("why", why["a/theirs.engine"] == "made for arch sm_80, here it is sm_90" and "tensorrt 10.8.0.43" in why["a/newer.engine"], why)
    expect("no key asked for", doc["key"] is None and doc["cache"] is None and doc["made_of"] == [], doc)
    doc = document("--check", tmp / "dir", "--for=triton", h100)
    expect("of one cache", {a["file"] for a in doc["artefacts"]} == {"t/90/k.json", "t/80/k.json"}, doc["artefacts"])
    # what this machine does not tell is no mismatch
    doc = document("--check", tmp / "dir/a", h100, status=2)
    expect("an unknown version", {a["file"]: a["fits"] for a in doc["artefacts"]}["newer.engine"] is True, doc["artefacts"])
    doc = document("--check", tmp / "dir/a", node(tmp, "blind", uname=UNAME), status=3)
    expect("nothing known here", {a["fits"] for a in doc["artefacts"]} == {None}, doc["artefacts"])
    expect("none of this cache fits", run("--check", tmp / "dir/t/80", h100)[0] == 2)
    expect("all fit", run("--check", tmp / "dir/t/90", h100)[0] == 0)
    status, out, err = run("--check", node(tmp, "bare", notes="x"), h100)
    expect("nothing in there", status == 3 and not out and "no engine" in err, (status, out, err))
    status, out, _ = run("--check", tmp / "dir", h100)
    expect("text", status == 2 and "engine-cache-mismatch:\n" in out and "a/theirs.engine (tensorrt): made for arch sm_80, here it is sm_90\n" in out, out)
    expect("80 columns", all(len(l) <= 80 for l in out.splitlines()), out)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        for f in (keys, amd, unknown, usage, stated, check):
            f(pathlib.Path(tmp))
    for line in bad:
        print(f"test_cachekey: {line}")
    return 1 if bad else 0


sys.exit(main())
