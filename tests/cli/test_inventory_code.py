#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory names the code for GPUs that compilers made, and nothing else: objects of clang without any SDK, bundles, containers,
archives, and the AMD runtime library of the distribution, where they are there."""
import collections
import glob
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

from built import has

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []
left_out = []


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def inventory(*paths):
    r = subprocess.run([GPUVET, "inventory", "--json", *paths], capture_output=True, text=True)
    expect(f"status of {paths}", r.returncode == 0, (r.returncode, r.stderr))
    return json.loads(r.stdout)


def told(*paths):
    """(vendor, kind, arch) -> images, of all files."""
    n = collections.Counter()
    for c in inventory(*paths)["code"]:
        n[c["vendor"], c["kind"], c["arch"] or ""] += c["count"]
    return dict(n)


def text_of(*paths):
    return " ".join(subprocess.run([GPUVET, "inventory", "--all", *paths], capture_output=True, text=True).stdout.split())


def same(what, path, want):
    """Alone, and as a member of archives, where it comes in pieces."""
    got = told(path)
    expect(what, got == want, f"{got}, not {want}")
    with tempfile.TemporaryDirectory() as tmp:
        packed = pathlib.Path(tmp) / "a.whl"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
            z.write(path, "pkg/member.bin")
        got = told(packed) if has(GPUVET, "archives") else want
        expect(f"{what}, in a wheel", got == want, f"{got}, not {want}")
        tarred = pathlib.Path(tmp) / "a.tar.gz"
        with tarfile.open(tarred, "w:gz") as t:
            t.add(path, "pkg/member.bin")
        got = told(tarred) if has(GPUVET, "archives") else want
        expect(f"{what}, in a tar", got == want, f"{got}, not {want}")


# ---- what clang makes ----

KERNEL = """
typedef struct { unsigned x, y, z; } dim3;
extern "C" int LAPILaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
extern "C" int __LAPIPushCallConfiguration(dim3, dim3, unsigned long, void *);
extern "C" int __LAPIPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);
__attribute__((global)) void k(int *p) { *p = 1; }
"""
PLAIN = "void k(int *p) { *p = 1; }\n"
OPENMP = "void f(int *p)\n{\n#pragma omp target\n    p[0] = 1;\n}\n"


def clang(out, *args, text):
    """Whether this clang could; some lack a target or a linker for it."""
    source = out.with_name(out.name + ".source") # it is read once for each target
    source.write_text(text)
    r = subprocess.run(["clang", *args, "-o", out, source], capture_output=True, text=True)
    if r.returncode:
        left_out.append(f"clang {' '.join(args)}: {(r.stderr.splitlines() or ['?'])[0]}")
    return not r.returncode


def amd(*archs, kind="elf"):
    return {("amd", kind, a): 1 for a in archs}


def bare(tmp):
    """Code objects, bitcode and PTX by themselves; what is for hosts is nothing."""
    for arch in ("gfx803", "gfx906", "gfx90a", "gfx1030"):
        f = tmp / f"{arch}.o"
        if clang(f, "-x", "c", "-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib", "-c", text=PLAIN):
            same(f"object for {arch}", f, amd(arch))
    for version, want in (("3", "gfx90a:sramecc+:xnack+"), ("4", "gfx90a")): # the older one cannot leave it open
        f = tmp / f"version{version}.o"
        if clang(f, "-x", "c", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", f"-mcode-object-version={version}", "-nogpulib", "-c", text=PLAIN):
            same(f"object of version {version}", f, amd(want))
    objects = sorted(tmp.glob("gfx*.o"))
    if objects:
        a = tmp / "libdevice.a"
        subprocess.run(["ar", "rcs", a, *objects], check=True)
        same("archive of objects for devices", a, amd(*[o.stem for o in objects]))
    for target, want in (("amdgcn-amd-amdhsa", "amd"), ("nvptx64-nvidia-cuda", "nvidia"), ("spir64", "any"), ("x86_64-linux-gnu", None)):
        f = tmp / f"{target}.bc"
        if clang(f, "-x", "c", "-target", target, "-nogpulib", "-Wno-unused-command-line-argument", "-emit-llvm", "-c", text=PLAIN):
            same(f"bitcode for {target}", f, {(want, "bitcode", ""): 1} if want else {})
    f = tmp / "amdgcn-amd-amdhsa.bc"
    if f.exists():
        r = subprocess.run([GPUVET, "inventory", f], capture_output=True, text=True)
        expect("bitcode in words", "bitcode for no certain GPU (1 image" in r.stdout, r.stdout)
    f = tmp / "k.ptx"
    if clang(f, "-x", "c", "-target", "nvptx64-nvidia-cuda", "-march=sm_70", "-S", text=PLAIN):
        same("PTX", f, {("nvidia", "ptx", "compute_70"): 1})


def hip(tmp):
    """Objects of HIP hold a bundle; of several, one each; with code to be linked, sections of bitcode."""
    args = ["-x", "hip", "-nogpulib", "-nogpuinc"]
    archs = ("gfx90a:xnack+", "gfx1030", "gfx906:sramecc-:xnack-")
    text = KERNEL.replace("LAPI", "hip")
    f = tmp / "k.o"
    if clang(f, *args, *[f"--offload-arch={a}" for a in archs], "-c", text=text):
        same("object of HIP", f, amd(*archs))
        sections = {c["section"] for c in inventory(f)["code"]}
        expect("section", sections == {".hip_fatbin"}, sections)
        a = tmp / "libk.a"
        subprocess.run(["ar", "rcs", a, f, f], check=True)
        subprocess.run(["ar", "qcs", a, f], check=True)
        same("archive of objects", a, {k: 2 for k in amd(*archs)})
    f = tmp / "rdc.o"
    if clang(f, *args, "--offload-arch=gfx906:xnack-", "--offload-arch=gfx1030", "-fgpu-rdc", "-c", text=text):
        same("object of HIP to be linked", f, amd("gfx906:xnack-", "gfx1030", kind="bitcode"))
    f = tmp / "k.hipfb"
    if clang(f, *args, "--offload-arch=gfx803", "--offload-arch=gfx1030", "--cuda-device-only", "-c", text=text):
        same("bundle of HIP", f, amd("gfx803", "gfx1030"))
        compressed(tmp, f.read_bytes(), amd("gfx803", "gfx1030"))


def compressed(tmp, bundle, want):
    """The three versions of the header; packed bytes end where it says, whatever they hold."""
    zstd = shutil.which("zstd")
    methods = [(0, "zlib", zlib.compress(bundle, 9))]
    if zstd:
        methods.append((1, "zstd", subprocess.run([zstd, "-q", "--long=27", "-c"], input=bundle, capture_output=True, check=True).stdout))
    for method, name, packed in methods:
        for version in (1, 2, 3):
            size = {1: 20, 2: 24, 3: 32}[version] + len(packed)
            numbers = {1: struct.pack("<I", len(bundle)), 2: struct.pack("<II", size, len(bundle)), 3: struct.pack("<QQ", size, len(bundle))}[version]
            f = tmp / f"v{version}-{name}.co"
            one = b"CCOB" + struct.pack("<HH", version, method) + numbers + bytes(8) + packed
            f.write_bytes(one + bytes(-len(one) % 4096) + one)
            if has(GPUVET, name):
                same(f"compressed bundle {version} {name}", f, {k: 2 for k in want})
            else:
                same(f"compressed bundle {version} {name}, unread", f, {("amd", "elf", "gfx?"): 2})
            got = inventory(f)["code"]
            expect(f"confirmed {version} {name}", all(c["confirmed"] == (version > 1 and has(GPUVET, name)) for c in got), got)


def openmp(tmp):
    f = tmp / "o.o"
    if clang(f, "-x", "c", "-fopenmp", "-fopenmp-targets=amdgcn-amd-amdhsa", "-Xopenmp-target", "-march=gfx90a", "-nogpulib", "-c", text=OPENMP):
        got = {k[::2] for k in told(f)}
        expect("object of OpenMP", got == {("amd", "gfx90a")}, told(f))


def container(*images):
    """Of NVIDIA: (kind, architecture, flags) each."""
    body = b"".join(struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, 24, 0, 0, 4 if kind == 1 else 7, 8 if kind == 1 else 1, sm, 0, 0, flags, 0, 0) +
                    bytes(24) for kind, sm, flags in images)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def cuda(tmp):
    """clang's object around a container, which the toolkit's own tools would make."""
    fatbin = tmp / "k.fatbin"
    fatbin.write_bytes(container((2, 90, 0x100011), (1, 90, 0x8011), (8, 80, 0x11)))
    want = {("nvidia", "elf", "sm_90a"): 1, ("nvidia", "ptx", "compute_90"): 1, ("nvidia", "ltoir", "compute_80"): 1}
    same("container", fatbin, want)
    f = tmp / "cuda.o"
    if clang(f, "-x", "cuda", "--cuda-host-only", "-nocudalib", "-nocudainc", "-Wno-unknown-cuda-version", "-Xclang", "-fcuda-include-gpubinary",
             "-Xclang", str(fatbin), "-c", text=KERNEL.replace("LAPI", "cuda")):
        same("object of CUDA", f, want)
        sections = {c["section"] for c in inventory(f)["code"]}
        expect("section of CUDA", sections == {".nv_fatbin"}, sections)
        expect("all that is announced is there", "announces" not in text_of(f), text_of(f))
        f.write_bytes(f.read_bytes().replace(b"\x50\xed\x55\xba", b"\x51\xed\x55\xba"))
        expect("what is announced and not there is missed", "announces 1 containers" in text_of(f), text_of(f))
    f = tmp / "cuda.bc"
    if clang(f, "-x", "cuda", "--cuda-gpu-arch=sm_70", "--cuda-device-only", "-nocudalib", "-nocudainc", "-emit-llvm", "-c",
             text=KERNEL.replace("LAPI", "cuda")):
        same("bitcode of CUDA", f, {("nvidia", "bitcode", ""): 1})


# ---- what the distribution ships ----

def runtime_of_amd():
    """Its trap handlers lie in .data as bare code objects: counted here by another way."""
    found = sorted(glob.glob("/usr/lib/*/libhsa-runtime64.so.1.*"))
    if not found:
        left_out.append("no libhsa-runtime64 here")
        return
    data = pathlib.Path(found[0]).read_bytes()
    n, at = 0, data.find(b"\x7fELF\x02\x01\x01", 1)
    while at > 0:
        n += struct.unpack_from("<H", data, at + 18)[0] == 224
        at = data.find(b"\x7fELF\x02\x01\x01", at + 1)
    got = told(found[0])
    expect("the AMD runtime", n and sum(got.values()) == n and all(k[:2] == ("amd", "elf") and k[2].startswith("gfx") for k in got), (n, got))
    if "5.2.3" in subprocess.run(["dpkg-query", "-W", "libhsa-runtime64-1"], capture_output=True, text=True).stdout:
        archs = "700 700 701 702 801 802 802 803 805 810 900 900:xnack- 902 904 906 908 909 90a 90c 1010 1011 1012 1013 1030 1031 1032 1033 1034 1035"
        want = collections.Counter(("amd", "elf", f"gfx{a}") for a in archs.split())
        expect("the AMD runtime of Debian 12", got == dict(want), got)


def vectors():
    """Small objects whose architectures are known, where there is a folder of them (CONTRIBUTING.md, GPUVET_CORPUS)."""
    folder = pathlib.Path(os.environ.get("GPUVET_CORPUS") or pathlib.Path(__file__).resolve().parents[2] / "../shared") / "facts/fatbin-vectors"
    four = amd("gfx942", "gfx90a:xnack+", "gfx1201", "gfx11-generic")

    def nv(**archs):
        return {("nvidia", kind, a): 1 for kind, names in archs.items() for a in names.split()}

    known = {
        "a.cu": {}, "k.hip": {}, "o.c": {},
        "a.fatbin": nv(elf="sm_75 sm_80 sm_90a sm_100f sm_120", ptx="compute_120"),
        "a_dc.o": nv(elf="sm_80", ptx="compute_80"),
        "a_lto.o": nv(ltoir="compute_80"),
        "m_size.fatbin": nv(elf="sm_75 sm_90", ptx="compute_75"),
        "m_speed.fatbin": nv(elf="sm_75 sm_90", ptx="compute_75"),
        "k19.o": four, "k22.o": four, "k19--offload-compress.o": four, "k22--offload-compress.o": four,
        "kd22--offload-compress.hipfb": amd("gfx942"),
        "o.o": {("amd", "bitcode", "gfx942"): 1, ("nvidia", "elf", "sm_80"): 1},
    }
    if not folder.is_dir() or not has(GPUVET, "zstd"):
        left_out.append("no folder with vectors, or no zstd")
        return
    for path in sorted(folder.iterdir()):
        expect("a known vector", path.name in known, path.name)
        same(path.name, path, known.get(path.name, {}))


def hosts():
    """Libraries of this system that are for no GPU."""
    names = ("libc.so.6", "libstdc++.so.6", "libpython3*.so.1.0", "libcrypto.so.3", "libsqlite3.so.0", "libxml2.so.2", "libz.so.1", "libzstd.so.1")
    paths = [p for n in names for p in glob.glob(f"/usr/lib/*/{n}")]
    got = told(*[os.path.realpath(p) for p in paths])
    expect("no code in libraries of hosts", paths and not got, got)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        if shutil.which("clang"):
            for f in (bare, hip, openmp, cuda):
                f(tmp)
        else:
            left_out.append("no clang here")
    runtime_of_amd()
    vectors()
    hosts()
    for line in left_out:
        print(f"left out: {line}")
    for line in bad:
        print(f"test_inventory_code: {line}")
    return 1 if bad else 0


sys.exit(main())
