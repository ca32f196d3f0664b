#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory says who needs which library, through whom, and which requirement to change: on libraries made by the compiler."""
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from built import has
from gpu_made import library

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def inventory(*paths, status=0):
    r = subprocess.run([GPUVET, "inventory", "--json", *paths], capture_output=True, text=True)
    expect(f"status of {paths}", r.returncode == status, (r.returncode, r.stderr))
    return json.loads(r.stdout)


def deps(doc, file, grade="linked"):
    return {d["name"]: d for d in doc["libraries"] if d["file"] == file and d["grade"] == grade}


def linked(tmp):
    """An extension is linked to a library of its own that is linked to CUDA's; one runtime is in a folder of another package."""
    top = tmp / "site"
    cudart = library(top / "nvidia/cuda_runtime/lib/libcudart.so.12", "libcudart.so.12")
    cuda = library(tmp / "elsewhere/libcuda.so.1", "libcuda.so.1")
    core = library(top / "fast/lib/libfastcore.so", "libfastcore.so", [cudart, cuda], "$ORIGIN/../../nvidia/cuda_runtime/lib")
    library(top / "fast/_ext.so", "_ext.so", [core], "$ORIGIN/lib")
    doc = inventory(top)
    direct = deps(doc, "fast/lib/libfastcore.so")
    expect("direct", set(direct) == {"libcudart.so.12", "libcuda.so.1"}, direct)
    expect("found by RUNPATH", direct["libcudart.so.12"]["found"] == "nvidia/cuda_runtime/lib/libcudart.so.12", direct)
    expect("the driver's is nowhere", direct["libcuda.so.1"]["found"] is None and direct["libcuda.so.1"]["driver"], direct)
    through = deps(doc, "fast/_ext.so")
    expect("through", set(through) == {"libcudart.so.12", "libcuda.so.1"} and not any(d["direct"] for d in through.values()), through)
    expect("by which way", through["libcudart.so.12"]["via"] == "_ext.so → libfastcore.so → libcudart.so.12", through)
    expect("vendor", {d["vendor"] for d in doc["libraries"]} == {"nvidia"}, doc["libraries"])


def streamed(tmp):
    """Out of an archive nothing stays: names that lie far from what refers to them, and a list of folders longer than a name."""
    cudart = library(tmp / "rt/libcudart.so.12", "libcudart.so.12")
    far = """__asm__(".section .note.far,\\"a\\",@note\\n.zero 5000000\\n.section .rodata\\n.zero 3000000\\n.text");"""
    big = library(tmp / "s/big.so", "big.so", [cudart], code=far)
    folders = ":".join(f"$ORIGIN/../place_{i:03}/lib" for i in range(80)) + ":$ORIGIN/../rt"
    many = library(tmp / "s/many.so", "many.so", [cudart], folders)
    with zipfile.ZipFile(tmp / "s.zip", "w", zipfile.ZIP_DEFLATED) as z:
        for inside, f in (("app/big.so", big), ("app/many.so", many), ("rt/libcudart.so.12", cudart)):
            z.write(f, inside)
    doc = inventory(tmp / "s.zip")
    for f in ("big", "many"):
        d = deps(doc, f"s.zip!app/{f}.so")
        expect(f"names of {f}", d.get("libcudart.so.12", {}).get("found") == "s.zip!rt/libcudart.so.12", d)
    expect("all is known", doc["unread"] == [], doc["unread"])


def nearest(tmp):
    """Of two libraries of one name, that which the loader takes; a circle ends."""
    top = tmp / "near"
    for n in "ab":
        library(top / n / "libamdhip64.so.6", "libamdhip64.so.6")
        library(top / n / "libapp.so", "libapp.so", [top / n / "libamdhip64.so.6"])
    doc = inventory(top)
    for n in "ab":
        d = deps(doc, f"{n}/libapp.so")["libamdhip64.so.6"]
        expect("beside it", d["found"] == f"{n}/libamdhip64.so.6" and d["vendor"] == "amd", d)
    ring = tmp / "ring"
    library(ring / "libb.so", "libb.so")
    library(ring / "liba.so", "liba.so", [ring / "libb.so"])
    cudart = library(tmp / "out/libcublas.so.12", "libcublas.so.12")
    library(ring / "libb.so", "libb.so", [ring / "liba.so", cudart])
    doc = inventory(ring)
    expect("round a circle", set(deps(doc, "liba.so")) == {"libcublas.so.12"} and deps(doc, "liba.so")["libcublas.so.12"]["via"] ==
           "liba.so → libb.so → libcublas.so.12", doc["libraries"])


def static(tmp):
    """Who registers code and is linked to no runtime has it inside; who is linked to one has not."""
    code = "int __cudaRegisterFatBinary(void) { return 1; }"
    top = tmp / "static"
    cudart = library(tmp / "rt/libcudart.so.12", "libcudart.so.12")
    library(top / "inside.so", "inside.so", code=code)
    library(top / "outside.so", "outside.so", [cudart], code=code)
    library(top / "none.so", "none.so", code='const char *x = "__cudaRegisterFatBinary";')
    doc = inventory(top)
    expect("static", {d["file"] for d in doc["libraries"] if d["grade"] == "static"} == {"inside.so"}, doc["libraries"])


def loaded(tmp):
    """A name between quotation marks or zeros is one that may be loaded; one in a sentence is not."""
    top = tmp / "loaded"
    top.mkdir()
    library(top / "a.so", "a.so", code='const char *x = "libnvrtc.so.12", *y = "needs libcufft.so to run", *z = "/opt/rocm/lib/librocblas.so";')
    (top / "b.py").write_text('import ctypes\nctypes.CDLL("libcudart.so")\n# libcublas.so is not wanted\n')
    doc = inventory(top)
    got = {(d["file"], d["name"]) for d in doc["libraries"]}
    expect("loaded", got == {("a.so", "libnvrtc.so.12"), ("a.so", "librocblas.so"), ("b.py", "libcudart.so")}, got)


def silence(tmp):
    """Host libraries are none of its business."""
    top = tmp / "host"
    z = library(top / "libz.so.1", "libz.so.1")
    library(top / "libcurl.so.4", "libcurl.so.4", [z], code='const char *x = "libssl.so.3";')
    doc = inventory(top)
    expect("silence", not doc["libraries"] and not doc["code"], doc)
    text = subprocess.run([GPUVET, "inventory", top], capture_output=True, text=True).stdout
    expect("said", text.startswith("No GPU code and no GPU library in 2 files"), text)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        for f in (linked, nearest, static, loaded, silence) + ((streamed,) if has(GPUVET, "archives") else ()):
            f(tmp)
    r = subprocess.run([GPUVET, "inventory", "/nowhere/at/all"], capture_output=True, text=True)
    expect("no such path", r.returncode == 66 and not r.stdout and "nowhere" in r.stderr, r)
    r = subprocess.run([GPUVET, "inventory"], capture_output=True, text=True)
    expect("no path", r.returncode == 64 and not r.stdout, r)
    for line in bad:
        print(f"test_inventory_resolve: {line}")
    return 1 if bad else 0


sys.exit(main())
