#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory --target says what runs where, on packages that are made here: words, files, verdicts, exit statuses, the table."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

from built import has

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def fatbin(*images):
    """A container: ("elf", 90, "a") or ("ptx", 80, "", 8, 4)."""
    body = b""
    for kind, arch, suffix, *isa in images:
        flags = 0x11 | {"": 0, "a": 0x100000, "f": 0x200000}[suffix]
        major, minor = isa or (0, 0)
        entry = struct.pack("<HHIQIIHHIIIQQQ", 1 if kind == "ptx" else 2, 0x101, 64, 16, 0, 0, minor, major, arch, 0, 0, flags, 0, 0)
        body += entry + bytes(16)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def library(path, soname, code=b"", needs=()):
    """A shared library with that code for GPUs, linked to those."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = ",".join(map(str, code)) or "0"
    where = '".nv_fatbin"' if code else '".data"'
    source = f"__attribute__((section({where}), aligned(8))) unsigned char blob[] = {{{data}}};"
    args = ["gcc", "-shared", "-nostdlib", "-Wl,--no-as-needed", f"-Wl,-soname,{soname}", "-o", path, "-x", "c", "-", "-x", "none", *needs]
    subprocess.run(args, input=source, text=True, check=True)
    return path


def wheel(path, name, version, files, requires=()):
    """A wheel with a METADATA and a RECORD."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for inside, src in files.items():
            z.write(src, inside)
        z.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {r}\n" for r in requires))
        z.writestr(f"{info}/RECORD", "".join(f"{f},,\n" for f in [*files, f"{info}/METADATA", f"{info}/RECORD"]))
    return path


def run(*args):
    return subprocess.run([GPUVET, "inventory", *args], capture_output=True, text=True)


def judged(*args):
    """Exit status, verdicts by target, kinds of findings with their severities."""
    r = run("--json", *args)
    doc = json.loads(r.stdout) if r.stdout else {}
    return r.returncode, {t["target"]: t for t in doc.get("targets", [])}, [(f["severity"], f["kind"], f["target"]) for f in doc.get("findings", [])]


def made(tmp):
    """A wheel that has no code for new devices but PTX, linked to CUDA 12."""
    cudart = library(tmp / "rt/libcudart.so.12", "libcudart.so.12")
    cuda = library(tmp / "rt/libcuda.so.1", "libcuda.so.1")
    ext = library(tmp / "b/_ext.abi3.so", "_ext.abi3.so", fatbin(("elf", 80, ""), ("ptx", 80, "", 8, 4)), [cudart, cuda])
    return wheel(tmp / "fastops-1.2-cp39-abi3-linux_x86_64.whl", "fastops", "1.2", {"fastops/_ext.abi3.so": ext}, ["nvidia-cuda-runtime-cu12"])


def verdicts(tmp, whl):
    rows = [
        ("sm_86", 0, "native", []),
        ("sm_90", 0, "jit", []),
        ("sm_75", 2, "no", [("fail", "no-kernel-image")]),
        ("NVIDIA H100 80GB HBM3,driver=550.54.15", 0, "jit", []),
        ("H100,driver=535.104.05", 2, "no", [("fail", "cuda-driver-too-old")]),
        ("A100,driver=470.223.02", 2, "no", [("fail", "cuda-driver-too-old")]),
        ("A100,driver=535.104.05", 0, "native", []),
        ("gfx942", 2, "no", [("fail", "wrong-backend-build")]),
        ("rocm", 2, "no", [("fail", "wrong-backend-build")]),
        ("cpu", 2, "no", [("fail", "hidden-cuda-dependency")]),
        ("cuda", 0, "native", []),
        ("driver=525.60.13", 0, "native", []),
    ]
    for target, status, verdict, findings in rows:
        got, targets, found = judged("--target", target, whl)
        t = targets[target]
        expect(f"{target}: status", got == status, got)
        expect(f"{target}: verdict", t["verdict"] == verdict, t)
        expect(f"{target}: findings", [f[:2] for f in found] == findings, found)
    _, targets, _ = judged("--target", "sm_90", whl)
    t = targets["sm_90"]
    expect("driver for PTX", t["needs_driver"] == "550", t)
    expect("needs", t["needs"] == ["libcudart.so.12"], t)
    expect("part", [(p["name"], p["package"], p["verdict"], p["required"]) for p in t["parts"]] == [("fastops 1.2", "fastops", "jit", True)], t)
    expect("why", "PTX for compute_80, version 8.4" in t["why"], t)


def files(tmp, whl):
    """Targets in files; a folder of them; the table."""
    if not has(GPUVET, "site files (YAML)"):
        r = run("--target", tmp / "none.yaml", whl)
        expect("without YAML", r.returncode in (64, 66), r)
        return
    d = tmp / "nodes"
    d.mkdir()
    (d / "a100.yaml").write_text("device: NVIDIA A100-SXM4-80GB\ndriver: 550.54.15\ntoolkit: \"12.4\"\n")
    (d / "mi300.yaml").write_text("name: mi300\ndevice: MI300X\n")
    (d / "notes.txt").write_text("no target")
    status, targets, found = judged("--targets", d, whl)
    expect("folder", status == 2 and {n: t["verdict"] for n, t in targets.items()} == {"a100": "native", "mi300": "no"}, targets)
    expect("on the host", targets["a100"]["needs"] == [] and targets["a100"]["arch"] == "sm_80", targets["a100"])
    plain = tmp / "plain"
    plain.mkdir()
    (plain / "x.txt").write_text("nothing")
    r = run("--targets", d, whl, plain)
    rows = [line.split() for line in r.stdout.splitlines()[2:5]]
    expect("table", rows[0] == ["a100", "mi300"] and rows[1][1:] == ["native", "fails"] and rows[2][1:] == ["nothing", "nothing"], r.stdout)
    status, targets, found = judged("--targets", d, plain)
    expect("nothing in it", status == 0 and not found and {t["verdict"] for t in targets.values()} == {"none"}, targets)
    (d / "bad.yaml").write_text("device: MI300X\ndrivr: 1\n")
    r = run("--targets", d, whl)
    expect("misspelt key", r.returncode == 64 and "bad.yaml:2: " in r.stderr and "did you mean driver?" in r.stderr and not r.stdout, r)
    r = run("--target", d / "nowhere.yaml", whl)
    expect("no such file", r.returncode == 66 and "nowhere.yaml" in r.stderr, r)
    (tmp / "empty").mkdir()
    r = run("--targets", tmp / "empty", whl)
    expect("no target in it", r.returncode == 66, r)
    r = run("--target", d / "a100.yaml", "--targets", d, whl)
    expect("twice", r.returncode == 64, r)


def missing(tmp, whl):
    """A host of which is said what it has lacks what it has not; a plug-in that nobody is linked to may lack it."""
    if not has(GPUVET, "site files (YAML)"):
        return
    (tmp / "old.yaml").write_text("device: A100\ntoolkit: \"11.8\"\n")
    status, targets, found = judged("--target", tmp / "old.yaml", whl)
    expect("missing", status == 2 and [f[:2] for f in found] == [("fail", "missing-shared-library")] and targets["old"]["verdict"] == "no", found)
    infer = library(tmp / "rt/libnvinfer.so.10", "libnvinfer.so.10")
    top = tmp / "plug"
    library(top / "libplug.so", "libplug.so", fatbin(("elf", 80, "")), [infer])
    status, targets, found = judged("--target", tmp / "old.yaml", top)
    expect("plug-in", status == 0 and not found and targets["old"]["needs"] == ["libnvinfer.so.10"], (status, found, targets))


def driver(tmp):
    """libcuda of the driver must not be shipped; a stub of the toolkit may be; one for forward compatibility may be."""
    for name, status in (("lib/libcuda.so.1", 1), ("lib/stubs/libcuda.so.1", 0), ("cuda-12.4/compat/libcuda.so.550.54.15", 0)):
        top = tmp / name.replace("/", "_")
        library(top / name, "libcuda.so.1")
        library(top / "app.abi3.so", "app.abi3.so", fatbin(("elf", 80, "")))
        got, _, found = judged("--target", "sm_80", top)
        expect(name, got == status and [f[1] for f in found] == ["driver-mismatch"] * status, (got, found))


def declared(tmp):
    """A package that asks for NVIDIA's packages, on another target; its own build for the CPU on a GPU target."""
    plain = library(tmp / "b/_x.abi3.so", "_x.abi3.so")
    whl = wheel(tmp / "slim-1-py3-none-any.whl", "slim", "1", {"slim/_x.abi3.so": plain}, ["nvidia-cublas-cu12>=12", 'nvidia-nccl-cu12; extra == "dist"'])
    status, targets, found = judged("--target", "rocm", whl)
    expect("declared", status == 1 and [f[:2] for f in found] == [("warn", "hidden-cuda-dependency")] and targets["rocm"]["verdict"] == "none", found)
    text = run("--target", "rocm", whl).stdout
    expect("by which way", "nvidia-cublas-cu12" in text and "nccl" not in text.split("slim-1")[0], text)
    status, _, found = judged("--target", "sm_90", whl)
    expect("at home", status == 0 and not found, found)
    whl = wheel(tmp / "torch-2.4.1+cpu-py3-none-any.whl", "torch", "2.4.1+cpu", {"torch/_x.abi3.so": plain})
    status, _, found = judged("--target", "sm_90", whl)
    expect("CPU build", status == 2 and [f[:2] for f in found] == [("fail", "cpu-only-build")], found)
    status, _, found = judged("--target", "cpu", whl)
    expect("CPU build at home", status == 0 and not found, found)


def words(whl):
    for word, said in (("rcom", "did you mean rocm?"), ("9.0", "sm_90"), ("RTX 6000", "several devices"), ("sm_90,rocm", "does not go with"),
                       ("driver=new", "no version"), ("Voodoo 2", "no device"), ("", "empty")):
        r = run("--target", word, whl)
        expect(f"word {word}", r.returncode == 64 and said in r.stderr and not r.stdout, r)
    r = run("--live", whl)
    expect("live", r.returncode in (0, 1, 2, 3) and "live" in r.stdout, r)
    if "no GPU is seen" in r.stdout:
        expect("live unknown", r.returncode == 3, r)


def main():
    if not has(GPUVET, "archives"):
        print("test_inventory_targets: skipped, this build reads no wheels")
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        whl = made(tmp)
        verdicts(tmp, whl)
        files(tmp, whl)
        missing(tmp, whl)
        driver(tmp)
        declared(tmp)
        words(whl)
    for line in bad:
        print(f"test_inventory_targets: {line}")
    return 1 if bad else 0


sys.exit(main())
