#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory knows engines and caches by what they begin with or by their names, and for what they were made."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def engine(version=(10, 3, 0, 26), magic=b"ptrt", word=0, form=240, tail=b"\0" * 64):
    return magic + struct.pack("<IIIQ", word, form, 0, 4096) + bytes(version) + tail


def cubin(sm):
    """An ELF file of machine code for that device, with nothing in it."""
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01\x33\x07", 2, 190, 124, 0, 64, 64, sm << 16 | 0x500 | sm, 64, 56, 0, 64, 0, 0)


TRITON3 = {"hash": "ab" * 32, "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": 4, "num_ctas": 1, "shared": 1024,
           "triton_version": "3.1.0", "name": "add_kernel"}
TRITON_AMD = {**TRITON3, "target": {"backend": "hip", "arch": "gfx942", "warp_size": 64}, "triton_version": "3.2.0"}
TRITON2 = {"num_warps": 4, "target": ["cuda", 80], "shared": 0}
AOT = {"AOTI_DEVICE_KEY": "cuda", "AOTI_PLATFORM": "linux", "AOTI_MACHINE": "x86_64", "AOTI_CPU_ISA": "AVX512", "AOTI_COMPUTE_CAPABILITY": "90"}
DIGEST = "0123456789abcdef" * 4

# path: bytes, and what is to be said of it; None: nothing
FILES = {
    "trt/a.engine": (engine(), ("tensorrt", {"tensorrt": "10.3.0.26"}, True)),
    "trt/a.plan": (engine((8, 6, 1, 6), b"ftrt"), ("tensorrt", {"tensorrt": "8.6.1.6"}, True)),
    "trt/old.engine": (engine((1, 2, 3, 4), b"ftrt", form=213), ("tensorrt", {"tensorrt": "8.4"}, False)),
    "trt/older.engine": (engine(word=0x60), ("tensorrt", {}, True)),
    "trt/exported.engine": (struct.pack("<I", 18) + b'{"version": "8.3"}' + engine(), ("tensorrt", {"tensorrt": "10.3.0.26"}, True)),
    "trt/other.engine": (b"ftrx" + b"\0" * 100, None),
    "trt/cut.engine": (b"ptrt" + b"\0" * 8, None),
    "trt/lies.engine": (struct.pack("<I", 0xffffffff) + b"{" + engine(), None),
    "ort/TensorrtExecutionProvider_TRTKernel_graph_main_1234_0_0_fp16_sm89.engine":
        (engine(), ("onnxruntime", {"tensorrt": "10.3.0.26", "arch": "sm_89"}, True)),
    "ort/TensorrtExecutionProvider_TRTKernel_graph_main_1234_0_0_sm120.profile": (b"\x01", ("onnxruntime", {"arch": "sm_120"}, False)),
    "ort/TensorrtExecutionProvider_cache_sm86.timing": (b"\x01", ("tensorrt-timing", {"arch": "sm_86"}, False)),
    "train.timing": (b"10 s\n", None),
    ".triton/cache/K/add_kernel.json": (json.dumps(TRITON3).encode(), ("triton", {"arch": "sm_90", "triton": "3.1.0"}, True)),
    ".triton/cache/L/add_kernel.json": (json.dumps(TRITON_AMD).encode(), ("triton", {"arch": "gfx942", "triton": "3.2.0"}, True)),
    ".triton/cache/M/add_kernel.json": (json.dumps(TRITON2).encode(), ("triton", {"arch": "sm_80"}, True)),
    ".triton/cache/N/broken.json": (json.dumps(TRITON3).encode()[:160], ("triton", {"arch": "sm_90"}, True)),
    ".triton/cache/K/__grp__add_kernel.json": (b'{"child_paths": {"add_kernel.json": "/x"}}', None),
    "tuned/E=8,N=7168.json": (b'{"1": {"BLOCK_SIZE_M": 16, "num_warps": 4}}', None),
    "torchinductor_me/fxgraph/ab/cd/ef": (b"\x80\x04K\x01.", ("inductor", {}, False)),
    "fxgraph/notes.txt": (b"x", None),
    "vllm/torch_compile_cache/ab/rank_0_0/backbone/cache_key_factors.json": (b'{"code_hash": "1", "env": {}}', ("vllm", {}, True)),
    "miopen/3.5.1.dabb6df2b9/gfx1201_32.ukdb": (b"SQLite format 3\0", ("miopen", {"arch": "gfx1201", "units": "32", "miopen": "3.5.1"}, True)),
    "miopen/gfx942130.HIP.3_2_0_ab12.ufdb.txt": (b"k=v\n", ("miopen", {"arch": "gfx942", "units": "304", "miopen": "3.2.0"}, True)),
    "miopen/gfx90a68.HIP.fdb.txt": (b"k=v\n", ("miopen", {"arch": "gfx90a", "units": "104"}, True)),
    "miopen/gfx906_nosramecc_60.db.txt": (b"k=v\n", ("miopen", {"arch": "gfx906", "units": "60"}, True)),
    "miopen/gfx908.kdb": (b"SQLite format 3\0", ("miopen", {"arch": "gfx908"}, True)),
    "miopen/gfxinfo.kdb": (b"x", None),
    "rocblas/library/TensileLibrary_Type_HH_Contraction_gfx90a.dat": (b"\x81", ("tensile", {"arch": "gfx90a"}, False)),
    "rocblas/library/Kernels.so-000-gfx90a-xnack-.hsaco": (b"x", ("tensile", {"arch": "gfx90a:xnack-"}, False)),
    f"jax/jit_step-{DIGEST}-cache": (b"\x28\xb5\x2f\xfd", ("jax", {}, False)),
    f"jax/jit_step-{DIGEST}-atime": (b"\0" * 8, None),
    "jax/jit_step-xyz-cache": (b"x", None),
    "root/.nv/ComputeCache/1/2/abc": (b"x" * 30 + b"\0\0" + cubin(86), ("cuda", {}, False)),
    ".cache/comgr/llvmcache-AB12": (b"x", ("comgr", {}, False)),
    ".cache/pocl/kcache/AB/program.bc": (b"x", ("pocl", {}, False)),
    ".cache/neo_compiler_cache/ab12.cl_cache": (b"x", ("intel-neo", {}, False)),
}


def inventory(path):
    r = subprocess.run([GPUVET, "inventory", "--json", path], capture_output=True, text=True, timeout=60)
    expect(f"status of {path}", r.returncode == 0, (r.returncode, r.stderr))
    return json.loads(r.stdout)


def told(doc):
    return {a["file"]: (a["cache"], {p["name"]: p["value"] for p in a["made_for"]}, a["confirmed"]) for a in doc["artefacts"]}


def files(tmp):
    top = tmp / "files"
    for name, (data, _) in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)
    got = told(inventory(top))
    for name, (_, want) in FILES.items():
        expect(name, got.get(name) == want, got.get(name))
    with zipfile.ZipFile(tmp / "all.zip", "w") as z:
        for name, (data, _) in FILES.items():
            z.writestr(name, data)
    packed = told(inventory(tmp / "all.zip"))
    expect("the same out of an archive", packed == {f"all.zip!{k}": v for k, v in got.items()},
           {k for k in got if packed.get(f"all.zip!{k}") != got[k]})


def large(tmp):
    """An engine of any size: its first bytes, and the code in it."""
    path = tmp / "large" / "big.engine"
    path.parent.mkdir()
    path.write_bytes(engine() + b"\0" * (40 << 20) + cubin(80) + b"\0" * 100)
    doc = inventory(path.parent)
    expect("large", told(doc) == {"big.engine": ("tensorrt", {"tensorrt": "10.3.0.26"}, True)}, doc["artefacts"])
    expect("its code", [(c["arch"], c["kind"]) for c in doc["code"]] == [("sm_80", "elf")], doc["code"])


def package(tmp):
    """A package of AOTInductor is a zip whose metadata says for what it is."""
    path = tmp / "model.pt2"
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("model/version", "0")
        z.writestr("model/data/aotinductor/model/abc.wrapper_metadata.json", json.dumps(AOT))
    got = told(inventory(path))
    expect("AOTInductor", list(got.values()) == [("aotinductor", {"arch": "sm_90", "machine": "x86_64", "cpu-isa": "AVX512"}, True)], got)


def target(tmp):
    """What was made for another device than the target's: a finding for each kind of cache, none where some entries fit."""
    top = tmp / "target"
    for name, data in {"a.engine": engine() + cubin(80), "b.engine": engine() + cubin(75), "t/x/k.json": json.dumps(TRITON2).encode(),
                       "t/y/k.json": json.dumps(TRITON3).encode(), "gfx942130.ukdb": b"x", "silent.plan": engine()}.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)
    for device, want in (("sm_90", {"a.engine", "gfx942130.ukdb"}), ("sm_80", {"b.engine", "gfx942130.ukdb"}), ("cpu", set())):
        r = subprocess.run([GPUVET, "inventory", "--json", f"--target={device}", top], capture_output=True, text=True, timeout=60)
        got = {f["part"]: f["summary"] for f in json.loads(r.stdout)["findings"] if f["kind"] == "engine-cache-mismatch"}
        expect(f"for {device}", set(got) == want, got)
        if device == "sm_90":
            expect("one for all", got["a.engine"] == "a.engine (tensorrt): made for arch sm_80, here it is sm_90; likewise 1 more", got)


def text(tmp):
    r = subprocess.run([GPUVET, "inventory", tmp / "files/miopen/gfx942130.HIP.3_2_0_ab12.ufdb.txt"], capture_output=True, text=True)
    expect("text", "made by miopen for arch gfx942, units 304, miopen 3.2.0" in r.stdout, r.stdout)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        for f in (files, large, package, target, text):
            f(pathlib.Path(tmp))
    for line in bad:
        print(f"test_inventory_caches: {line}")
    return 1 if bad else 0


sys.exit(main())
