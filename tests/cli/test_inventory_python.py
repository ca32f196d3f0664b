#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory reads what Python packages, lists of requirements and lock files say: in folders, wheels and source archives."""
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def inventory(*paths):
    r = subprocess.run([GPUVET, "inventory", "--json", *paths], capture_output=True, text=True, timeout=120)
    expect(f"status of {paths}", r.returncode == 0, (r.returncode, r.stderr))
    return json.loads(r.stdout)


def text(*paths):
    return " ".join(subprocess.run([GPUVET, "inventory", "--all", *paths], capture_output=True, text=True, timeout=120).stdout.split())


def declared(doc, file=None):
    return {d["name"]: d for d in doc["libraries"] if d["grade"] == "declared" and file in (None, d["file"])}


def metadata(name, version, requires=(), extras=()):
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    return "\n".join(lines + [f"Provides-Extra: {e}" for e in extras] + [f"Requires-Dist: {r}" for r in requires]) + "\n\nA description.\n"


def dist(name, version, requires=(), files=None, requested=False, extras=()):
    """The files of an installed package, by path."""
    folder = f"{name.replace('-', '_')}-{version}.dist-info"
    files = dict(files or {})
    files[f"{folder}/METADATA"] = metadata(name, version, requires, extras)
    if requested:
        files[f"{folder}/REQUESTED"] = ""
    files[f"{folder}/RECORD"] = "".join(f"{f},sha256=x,1\n" for f in [*files, f"{folder}/RECORD"])
    return files


def put(top, files):
    for path, content in files.items():
        p = top / path
        p.parent.mkdir(parents=True, exist_ok=True)
        p.write_text(content)
    return top


def wheel(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in files.items():
            z.writestr(name, content)
    return path


LOADS = 'import ctypes\nctypes.CDLL("libcublas.so.12")\n'


def environment(tmp):
    """app asks for fastops, which brings NVIDIA's cuBLAS: what is to be changed is what the user asked for."""
    top = tmp / "env"
    put(top, dist("app", "1.0", ["fastops>=1", "numpy"], requested=True))
    put(top, dist("fastops", "1.2", ["nvidia-cublas-cu12==12.4.5.8; platform_system == 'Linux'", "cupy-cuda12x; extra == 'gpu'"],
                  {"fastops/load.py": LOADS}, extras=["gpu"]))
    put(top, dist("nvidia-cublas-cu12", "12.4.5.8"))
    put(top, {"stray/load.py": LOADS})
    doc = inventory(top)
    d = declared(doc, "fastops-1.2.dist-info/METADATA")
    expect("names", set(d) == {"nvidia-cublas-cu12", "cupy-cuda12x"}, d)
    blas, cupy = d["nvidia-cublas-cu12"], d["cupy-cuda12x"]
    expect("path", blas["via"] == "app 1.0 → fastops 1.2 → nvidia-cublas-cu12", blas)
    expect("to change", blas["change"] == "app", blas)
    expect("it is in here", blas["found"] == "nvidia_cublas_cu12-12.4.5.8.dist-info/METADATA" and not blas["by_name"], blas)
    expect("quoted", blas["quote"].startswith("Requires-Dist: nvidia-cublas-cu12==") and blas["line"] == 5, blas)
    expect("an extra that nobody wants", cupy["optional"] and cupy["by_name"] and cupy["found"] is None, cupy)
    loads = {d["file"]: d for d in doc["libraries"] if d["grade"] == "loaded"}
    expect("whose file", loads["fastops/load.py"]["via"] == "app 1.0 → fastops 1.2 → load.py → libcublas.so.12", loads)
    expect("nobody's file", loads["stray/load.py"]["via"] == "load.py → libcublas.so.12" and loads["stray/load.py"]["change"] is None, loads)
    expect("in words", "declares nvidia-cublas-cu12, cupy-cuda12x (by its name, optional) comes by app 1.0 → fastops 1.2; to change: app" in text(top), text(top))


def extras(tmp):
    """An extra that somebody asks for is no option any more, through as many packages as it takes."""
    top = tmp / "extras"
    (top / "site").mkdir(parents=True)
    put(top, {"requirements.txt": "serve[fast]\n"})
    put(top / "site", dist("serve", "1", ["ops[GPU_all]; extra == 'fast'", "other; extra == 'slow'"]))
    put(top / "site", dist("ops", "2", ["cupy-cuda12x; extra == 'gpu-all'", "triton-rocm; extra == 'amd'"]))
    d = declared(inventory(top))
    expect("wanted", not d["cupy-cuda12x"]["optional"], d["cupy-cuda12x"])
    expect("by whom", d["cupy-cuda12x"]["via"] == "serve 1 → ops 2 → cupy-cuda12x" and d["cupy-cuda12x"]["change"] == "serve (requirements.txt:1)", d["cupy-cuda12x"])
    expect("not wanted", d["triton-rocm"]["optional"], d["triton-rocm"])


def builds(tmp):
    """The name "torch" is CUDA's build only where nothing says otherwise."""
    asks = dist("app", "1", ["torch>=2"])
    for version, vendor in (("2.4.0+cpu", None), ("2.4.0+cu124", "nvidia"), ("2.4.0+rocm6.1", "amd"), ("2.4.0", None)):
        top = tmp / f"torch-{version}"
        put(top, asks)
        put(top, dist("torch", version, files={"torch/__init__.py": ""}))
        doc = inventory(top)
        d = declared(doc, "app-1.dist-info/METADATA")
        expect(f"a need of {version}", (d.get("torch") or {}).get("vendor") == vendor, d)
        p = [p for p in doc["packages"] if p["name"] == "torch"]
        expect("one package", len(p) == 1 and p[0]["version"] == version, p)
    # that of PyPI which brings CUDA is shown by what it needs
    top = put(tmp / "proven", {**asks, **dist("torch", "2.4.0", ["nvidia-cublas-cu12; platform_system == 'Linux'"])})
    d = declared(inventory(top), "app-1.dist-info/METADATA")
    expect("proven", d["torch"]["vendor"] == "nvidia" and not d["torch"]["by_default"], d)
    # and where none is there, it is what comes by default
    d = declared(inventory(put(tmp / "alone", asks)))
    expect("by default", d["torch"]["by_default"] and d["torch"]["by_name"] and d["torch"]["vendor"] == "nvidia", d)
    d = declared(inventory(put(tmp / "index", {"requirements.txt": "--index-url https://server/whl/cpu\ntorch\n", **asks})))
    expect("from an index for CPUs", not d, d)


def archives(tmp):
    """Wheels and source archives, alone and in a folder; a file of a wheel is its package's."""
    top = tmp / "archives"
    top.mkdir()
    wheel(top / "fastops-1.2-py3-none-any.whl", dist("fastops", "1.2", ["nvidia-nccl-cu12"], {"fastops/load.py": LOADS}))
    wheel(top / "torch-2.4.0+cu124-cp311-cp311-linux_x86_64.whl", dist("torch", "2.4.0+cu124"))
    with tarfile.open(top / "kernels-3.0.tar.gz", "w:gz") as t:
        for name, content in {
            "kernels-3.0/PKG-INFO": metadata("kernels", "3.0"),
            "kernels-3.0/setup.py": "setup(name=NAME,\n  ext_modules=[CUDAExtension('k', [])],\n  install_requires=['torch'])\n",
            "kernels-3.0/pyproject.toml": "[build-system]\nrequires = ['setuptools']\n",
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            t.addfile(info, io.BytesIO(content.encode()))
    doc = inventory(top)
    whl = "fastops-1.2-py3-none-any.whl!"
    expect("wheel", declared(doc, whl + "fastops-1.2.dist-info/METADATA")["nvidia-nccl-cu12"]["via"] == "fastops 1.2 → nvidia-nccl-cu12", doc["libraries"])
    loads = [d for d in doc["libraries"] if d["file"] == whl + "fastops/load.py"]
    expect("its file", [d["via"] for d in loads] == ["fastops 1.2 → load.py → libcublas.so.12"], loads)
    d = declared(doc, "torch-2.4.0+cu124-cp311-cp311-linux_x86_64.whl!torch-2.4.0+cu124.dist-info/METADATA")
    expect("a local version", d["torch"]["vendor"] == "nvidia" and d["torch"]["via"] == "kernels 3.0 → torch 2.4.0+cu124", d)
    d = declared(doc, "kernels-3.0.tar.gz!kernels-3.0/setup.py")
    expect("built at installation", d["nvcc"]["via"] == "kernels 3.0 → nvcc" and d["nvcc"]["line"] == 2, d)
    expect("packages", {p["name"] for p in doc["packages"]} == {"fastops", "torch", "kernels"}, doc["packages"])


def lists(tmp):
    """Without the packages: what names and versions say, marked so, and the line to change."""
    top = tmp / "lists"
    put(top / "a", {"requirements.txt": "fastapi\nonnxruntime-gpu==1.18  # fast\nonnxruntime\n"})
    put(top / "b", {"requirements.txt": "# by a tool\nfastops==1.2\n    # via -r requirements.in\nnvidia-cublas-cu12==12.4.5.8 \\\n    --hash=sha256:00\n"
                                        "    # via torch\ntorch==2.4.0\n    # via fastops\n"})
    put(top / "c", {"pyproject.toml": "[project]\nname = 'app'\ndependencies = [\n  'numpy',\n  'fastops',\n]\n",
                    "uv.lock": "version = 1\n\n[[package]]\nname = 'app'\nversion = '0.1'\nsource = { virtual = '.' }\ndependencies = [{ name = 'fastops' }]\n\n"
                               "[[package]]\nname = 'fastops'\nversion = '1.2'\ndependencies = [{ name = 'nvidia-cublas-cu12', marker = \"sys_platform == 'linux'\" }]\n\n"
                               "[[package]]\nname = 'nvidia-cublas-cu12'\nversion = '12.4.5.8'\n"})
    d = declared(inventory(top / "a"))
    expect("asked for", set(d) == {"onnxruntime-gpu"} and d["onnxruntime-gpu"]["change"] == "onnxruntime-gpu (requirements.txt:2)", d)
    expect("by its name", d["onnxruntime-gpu"]["by_name"] and not d["onnxruntime-gpu"]["by_default"], d)
    d = declared(inventory(top / "b"))
    expect("resolved", d["nvidia-cublas-cu12"]["via"] == "fastops 1.2 → torch 2.4.0 → nvidia-cublas-cu12 12.4.5.8", d)
    expect("its line", d["nvidia-cublas-cu12"]["change"] == "fastops (requirements.txt:2)", d)
    d = declared(inventory(top / "c"))
    expect("locked", d["nvidia-cublas-cu12"]["via"].startswith("app") and d["nvidia-cublas-cu12"]["via"].endswith("→ fastops 1.2 → nvidia-cublas-cu12 12.4.5.8"), d)
    expect("the project's line", d["nvidia-cublas-cu12"]["change"] == "fastops (pyproject.toml:5)", d)
    expect("in words", "nvidia-cublas-cu12 (by its name)" in text(top / "c"), text(top / "c"))


def policy(tmp):
    """A policy that forbids a vendor's libraries sees what is declared; a framework is another layer."""
    top = tmp / "policy"
    put(top, {"requirements.txt": "nvidia-cublas-cu12\nonnxruntime-gpu\nnvidia-ml-py\n"})
    (tmp / "p.yaml").write_text("layers: {library: {forbid: [nvidia]}}\ngrades: [declared]\n")
    r = subprocess.run([GPUVET, "inventory", "--json", "--policy", tmp / "p.yaml", top], capture_output=True, text=True, timeout=60)
    if r.returncode == 64 and "libyaml" in r.stderr:
        return
    expect("policy", r.returncode == 2 and "declares nvidia-cublas-cu12" in r.stdout, (r.returncode, r.stdout, r.stderr))
    expect("other layers", "declares onnxruntime-gpu" not in r.stdout and "declares nvidia-ml-py" not in r.stdout, r.stdout)


def hostile(tmp):
    """What is damaged, endless or strange is told in a line, and costs no more than other files do."""
    top = tmp / "hostile"
    put(top, {"uv.lock": "a = " + "[" * 200000, "x/uv.lock": "[[package]]\nname = 'torch'\nversion = ", "y/Pipfile.lock": '{"default": {"torch": ',
              "z/requirements.txt": "torch\n" * 50000, "w/pyproject.toml": "[project]\nname = 3\ndependencies = 'torch'\n"})
    (top / "s-1.dist-info").mkdir()
    (top / "s-1.dist-info/METADATA").write_bytes(b"Metadata-Version: 2.1\nName: \xff\x00\nRequires-Dist: \x00\x1b[31mtorch\n" + b"Requires-Dist: torch; " + b"(" * 100000 + b"\n")
    (top / "s-1.dist-info/RECORD").write_bytes(b'"' * 100000 + b"\n" + b"../" * 50000 + b"x.so,,\n")
    doc = inventory(top)
    expect("no control characters", "\x1b" not in json.dumps(doc, ensure_ascii=False), None)
    told = text(top)
    expect("told", "line 1 is no TOML" in told and "no JSON from line 1 on" in told, told)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        for f in (environment, extras, builds, archives, lists, policy, hostile):
            f(tmp)
    for line in bad:
        print(f"test_inventory_python: {line}")
    return 1 if bad else 0


sys.exit(main())
