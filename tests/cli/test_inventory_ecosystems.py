#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory reads packages of conda, npm, Debian, RPM and Alpine: whose a library is, who asks for it, what is downloaded."""
import io
import json
import pathlib
import sqlite3
import struct
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
    r = subprocess.run([GPUVET, "inventory", "--json", *paths], capture_output=True, text=True)
    expect(f"status of {paths}", r.returncode in (0, 1, 2), (r.returncode, r.stderr))
    return json.loads(r.stdout)


def library(path, *names):
    """A library that names others, as those do that load them at run time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    code = "".join(f'const char *x{i} = "{n}";' for i, n in enumerate(names))
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", path, "-x", "c", "-"], input=code, text=True, check=True)
    return path.read_bytes()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text))


def tar(members, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as t:
        for name, data in members.items():
            data = data if isinstance(data, bytes) else data.encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def needs(doc, grade):
    return {(d["file"], d["name"]): d for d in doc["libraries"] if d["grade"] == grade}


def via(doc, grade, file, name):
    d = needs(doc, grade).get((file, name))
    return d and d["via"]


def conda_environment(tmp):
    """What was asked for, what that needs, whose a library is, what the driver has to be able to do."""
    env = tmp / "env"
    library(env / "lib/libtorch_cuda.so", "libcudart.so.12")
    library(env / "lib/libnobody.so", "libcudart.so.12")
    meta = env / "conda-meta"
    write(meta / "history", "==> 2026-01-01 00:00:00 <==\n# update specs: ['infer-service']\n")
    write(meta / "infer-service-1-0.json", {"name": "infer-service", "version": "1", "build": "0", "depends": ["pytorch"], "files": ["etc/x"]})
    write(meta / "pytorch-2.6.0-cuda126_0.json", {"name": "pytorch", "version": "2.6.0", "build": "cuda126_py312_0", "depends": ["libcublas >=12.6"],
                                                  "constrains": ["__cuda >=12.6"], "files": ["lib/libtorch_cuda.so"]})
    doc = inventory(env)
    expect("library of a conda package", via(doc, "loaded", "lib/libtorch_cuda.so", "libcudart.so.12") ==
           "infer-service 1 → pytorch 2.6.0 → libtorch_cuda.so → libcudart.so.12", doc["libraries"])
    expect("library of none", via(doc, "loaded", "lib/libnobody.so", "libcudart.so.12") == "libnobody.so → libcudart.so.12", doc["libraries"])
    d = needs(doc, "declared")
    file = "conda-meta/pytorch-2.6.0-cuda126_0.json"
    expect("depends", d[file, "libcublas"]["via"] == "infer-service 1 → pytorch 2.6.0 → libcublas" and
           d[file, "libcublas"]["change"] == "infer-service (conda-meta/history:2)", d)
    expect("virtual package", d[file, "__cuda"]["driver"] and d[file, "__cuda"]["quote"] == "__cuda >=12.6", d)


def conda_packages(tmp):
    """Both kinds of archives; metadata and files are in two parts of the newer one."""
    so = library(tmp / "b/libx.so", "libcufft.so.11")
    index = json.dumps({"name": "x", "version": "1.2", "build": "cuda126_0", "depends": ["cuda-cudart >=12.6", "python"]})
    top = tmp / "pkgs"
    top.mkdir()
    (top / "x-1.2-cuda126_0.tar.bz2").write_bytes(tar({"info/index.json": index, "lib/libx.so": so}, "w:bz2"))
    with zipfile.ZipFile(top / "x-1.2-cuda126_1.conda", "w") as z:
        z.writestr("metadata.json", '{"conda_pkg_format_version": 2}')
        z.writestr("pkg-x-1.2-cuda126_1.tar.zst", tar({"lib/libx.so": so}))  # what is in it is told by its bytes, not its name
        z.writestr("info-x-1.2-cuda126_1.tar.zst", tar({"info/index.json": index}))
    for name, lib in (("x-1.2-cuda126_0.tar.bz2", "x-1.2-cuda126_0.tar.bz2!lib/libx.so"),
                      ("x-1.2-cuda126_1.conda", "x-1.2-cuda126_1.conda!pkg-x-1.2-cuda126_1.tar.zst!lib/libx.so")):
        doc = inventory(top / name)
        expect(name, via(doc, "loaded", lib, "libcufft.so.11") == "x 1.2 → libx.so → libcufft.so.11", doc)
        expect(name, [d["quote"] for d in doc["libraries"] if d["grade"] == "declared"] == ["cuda-cudart >=12.6"], doc["libraries"])


def npm(tmp):
    """A project's wish brings a package for CUDA by its optional dependencies; another one downloads when it is installed."""
    app = tmp / "app"
    write(app / "package.json", '{\n  "name": "app",\n  "dependencies": {\n    "llm": "^1.0"\n  }\n}\n')
    write(app / "node_modules/llm/package.json", {"name": "llm", "version": "1.2.3", "dependencies": {"onnxruntime-node": "1"},
                                                 "optionalDependencies": {"@node-llama-cpp/linux-x64-cuda": "3"}})
    cuda = app / "node_modules/@node-llama-cpp/linux-x64-cuda"
    write(cuda / "package.json", {"name": "@node-llama-cpp/linux-x64-cuda", "version": "3.22.1", "os": ["linux"], "cpu": ["x64"]})
    library(cuda / "bins/libggml-cuda.so", "libcublas.so.13")
    ort = app / "node_modules/onnxruntime-node"
    write(ort / "package.json", {"name": "onnxruntime-node", "version": "1.30.0", "scripts": {"postinstall": "node ./script/install"}})
    doc = inventory(app)
    expect("npm", via(doc, "loaded", "node_modules/@node-llama-cpp/linux-x64-cuda/bins/libggml-cuda.so", "libcublas.so.13") ==
           "llm 1.2.3 → @node-llama-cpp/linux-x64-cuda 3.22.1 → libggml-cuda.so → libcublas.so.13", doc["libraries"])
    d = needs(doc, "declared")["node_modules/llm/package.json", "@node-llama-cpp/linux-x64-cuda"]
    expect("optional", d["optional"] and d["change"] == "llm (package.json:4)" and d["found"].endswith("linux-x64-cuda/package.json"), d)
    f = [d for d in doc["libraries"] if d["grade"] == "fetched"]
    expect("fetched", [(d["file"], d["vendor"], d["quote"]) for d in f] ==
           [("node_modules/onnxruntime-node/package.json", "nvidia", "postinstall: node ./script/install")], f)
    expect("by whom", f[0]["via"] == "llm 1.2.3 → onnxruntime-node 1.30.0 → CUDA and TensorRT providers of ONNX Runtime", f)
    lock = {"lockfileVersion": 3, "packages": {"": {"dependencies": {"llm": "^1"}}, "node_modules/llm": {
        "version": "1.2.3", "optionalDependencies": {"@node-llama-cpp/linux-x64-cuda": "3"}}}}
    write(tmp / "lock/package-lock.json", json.dumps(lock, indent=2))
    doc = inventory(tmp / "lock")
    d = doc["libraries"]
    expect("lock file alone", len(d) == 1 and d[0]["via"] == "llm 1.2.3 → @node-llama-cpp/linux-x64-cuda" and d[0]["found"] is None and
           d[0]["change"] == "llm (package-lock.json:6)", d)


def debian(tmp):
    """A root file system with dpkg's lists, and a .deb."""
    root = tmp / "deb"
    so = library(root / "usr/lib/x86_64-linux-gnu/libapp.so.1", "libcudart.so.12")
    status = ("Package: app\nStatus: install ok installed\nVersion: 3-1\nDepends: libapp1\n\n"
              "Package: libapp1\nStatus: install ok installed\nVersion: 1.2-3\nDepends: libc6, libcudart12 (>= 12.0)\nDescription: x\n y\n\n")
    write(root / "var/lib/dpkg/status", status)
    write(root / "var/lib/dpkg/info/libapp1:amd64.list", "/.\n/lib/x86_64-linux-gnu/libapp.so.1\n")
    doc = inventory(root)
    expect("dpkg", via(doc, "loaded", "usr/lib/x86_64-linux-gnu/libapp.so.1", "libcudart.so.12") ==
           "app 3-1 → libapp1 1.2-3 → libapp.so.1 → libcudart.so.12", doc["libraries"])
    expect("dpkg depends", via(doc, "declared", "var/lib/dpkg/status", "libcudart12") == "app 3-1 → libapp1 1.2-3 → libcudart12", doc["libraries"])
    members = {"debian-binary": b"2.0\n", "control.tar.gz": tar({"./control": "Package: libapp1\nVersion: 1.2-3\nDepends: libcudart12\n",
                                                                  "./postinst": "#!/bin/sh\nset -e\nwget https://repo.radeon.com/x.deb\n"}, "w:gz"),
               "data.tar.gz": tar({"./usr/lib/libapp.so.1": so}, "w:gz")}
    deb = b"!<arch>\n"
    for name, data in members.items():
        deb += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
    (tmp / "libapp1.deb").write_bytes(deb)
    doc = inventory(tmp / "libapp1.deb")
    expect(".deb", via(doc, "loaded", "libapp1.deb!data.tar.gz!usr/lib/libapp.so.1", "libcudart.so.12") == "libapp1 1.2-3 → libapp.so.1 → libcudart.so.12",
           doc["libraries"])
    expect(".deb declares", ("libapp1.deb!control.tar.gz!control", "libcudart12") in needs(doc, "declared"), doc["libraries"])
    expect(".deb fetches", needs(doc, "fetched")["libapp1.deb!control.tar.gz!postinst", "https://repo.radeon.com/x.deb"]["vendor"] == "amd", doc["libraries"])


def rpm_header(name, version, release, requires, files):
    """A header as RPM keeps it in its database: entries, then their values."""
    dirs = sorted({f.rsplit("/", 1)[0] + "/" for f in files})
    strings = lambda v: b"".join(s.encode() + b"\0" for s in v)
    tags = [(1000, 6, 1, strings([name])), (1001, 6, 1, strings([version])), (1002, 6, 1, strings([release])),
            (1116, 4, len(files), b"".join(struct.pack(">I", dirs.index(f.rsplit("/", 1)[0] + "/")) for f in files)),
            (1049, 8, len(requires), strings(requires)), (1117, 8, len(files), strings(f.rsplit("/", 1)[1] for f in files)), (1118, 8, len(dirs), strings(dirs))]
    entries = data = b""
    for tag, kind, count, value in tags:
        data += b"\0" * (-len(data) % 4)
        entries += struct.pack(">IIII", tag, kind, len(data), count)
        data += value
    return struct.pack(">II", len(tags), len(data)) + entries + data


def rpm(tmp):
    """A database of SQLite with headers that fit a page and one that goes over several."""
    root = tmp / "rpm"
    library(root / "usr/lib64/libapp.so", "libcudart.so.12")
    (root / "var/lib/rpm").mkdir(parents=True)
    many = [f"/usr/share/x/{i:05}" for i in range(4000)]
    headers = [rpm_header("app", "3", "1", ["libapp"], []), rpm_header("libapp", "1.2", "3.el9", ["cuda-cudart-12-4", "libcuda.so.1()(64bit)"],
                                                                        many + ["/usr/lib64/libapp.so"])]
    headers += [rpm_header(f"other{i}", "1", "1", ["glibc"], []) for i in range(300)]
    db = sqlite3.connect(root / "var/lib/rpm/rpmdb.sqlite")
    db.execute("CREATE TABLE Packages (hnum INTEGER PRIMARY KEY AUTOINCREMENT, blob BLOB NOT NULL)")
    db.execute("CREATE TABLE Name (key TEXT NOT NULL, hnum INTEGER NOT NULL)")
    db.executemany("INSERT INTO Packages (blob) VALUES (?)", [(h,) for h in headers])
    db.executemany("INSERT INTO Name VALUES (?, ?)", [(f"name{i}", i) for i in range(300)])
    db.commit()
    db.close()
    doc = inventory(root)
    expect("rpm", via(doc, "loaded", "usr/lib64/libapp.so", "libcudart.so.12") == "app 3-1 → libapp 1.2-3.el9 → libapp.so → libcudart.so.12", doc["libraries"])
    d = needs(doc, "declared")
    file = "var/lib/rpm/rpmdb.sqlite"
    expect("rpm requires", {n for f, n in d if f == file} == {"cuda-cudart-12-4", "libcuda.so.1"} and d[file, "libcuda.so.1"]["driver"], d)
    data = (root / "var/lib/rpm/rpmdb.sqlite").read_bytes()
    for i in range(0, len(data), 997):  # damaged anywhere, it ends
        (tmp / "var/lib/rpm").mkdir(parents=True, exist_ok=True)
        if i % 20 == 0:
            (tmp / "var/lib/rpm/rpmdb.sqlite").write_bytes(data[:i] + b"\xff\xff\xff\xff" + data[i + 4:])
            inventory(tmp / "var")


def alpine(tmp):
    root = tmp / "alpine"
    library(root / "usr/lib/libapp.so.1", "libcudart.so.12")
    write(root / "lib/apk/db/installed", "P:app\nV:3-r0\nD:libapp\n\nP:libapp\nV:1.2-r0\nD:so:libcuda.so.1\nF:usr/lib\nR:libapp.so.1\n\n")
    write(root / "etc/apk/world", "app\n")
    doc = inventory(root)
    expect("apk", via(doc, "loaded", "usr/lib/libapp.so.1", "libcudart.so.12") == "app 3-r0 → libapp 1.2-r0 → libapp.so.1 → libcudart.so.12", doc["libraries"])
    expect("apk depends", needs(doc, "declared")["lib/apk/db/installed", "libcuda.so.1"]["change"] == "app (etc/apk/world:1)", doc["libraries"])


def scripts(tmp):
    """A Dockerfile and a script that download; the look-alikes: for CPUs, comments, what is printed."""
    top = tmp / "scripts"
    write(top / "Dockerfile", "FROM nvidia/cuda:12.4.1-runtime\nRUN apt-get update \\\n && apt-get install -y \\\n    libcudnn9-cuda-12\nRUN pip install torch\n")
    doc = inventory(top)
    f = needs(doc, "fetched")
    expect("Dockerfile", {n: d["line"] for (_, n), d in f.items()} == {"nvidia/cuda:12.4.1-runtime": 1, "libcudnn9-cuda-12": 4, "torch": 5}, f)
    expect("quoted", f["Dockerfile", "torch"]["quote"] == "RUN pip install torch", f)
    cpu = tmp / "cpu"
    write(cpu / "Dockerfile", "FROM python:3.12\n# FROM nvidia/cuda:12.4\nRUN pip install torch --index-url https://host/whl/cpu\nRUN apt-get install -y curl\n")
    write(cpu / "install.sh", "#!/bin/sh\n# wget https://repo.radeon.com/x\necho see https://developer.download.nvidia.com/compute\napt-get remove libcudnn9\n")
    write(cpu / "README.md", "wget https://developer.download.nvidia.com/x.run\n")
    doc = inventory(cpu)
    expect("nothing is fetched", not doc["libraries"], doc["libraries"])


def main():
    with tempfile.TemporaryDirectory() as tmp:
        for f in (conda_environment, conda_packages, npm, debian, rpm, alpine, scripts):
            d = pathlib.Path(tmp) / f.__name__
            d.mkdir()
            f(d)
    for line in bad:
        print(f"test_inventory_ecosystems: {line}")
    return 1 if bad else 0


sys.exit(main())
