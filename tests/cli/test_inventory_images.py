#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory reads images as they are stored: layers in their order, what a later one removes or covers, links, several platforms."""
import gzip
import hashlib
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import built
import gpu_made

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []
MANIFEST, INDEX = "application/vnd.oci.image.manifest.v1+json", "application/vnd.oci.image.index.v1+json"
ENV = ["PATH=/bin", "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_REQUIRE_CUDA=cuda>=12.4 brand=tesla,driver>=470,driver<471", "LD_LIBRARY_PATH=/opt/first:/opt/second"]


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def library(tmp, soname, needs=(), runpath=None):
    out = tmp / "made" / soname
    out.parent.mkdir(exist_ok=True)
    subprocess.run(["gcc", "-shared", "-nostdlib", "-Wl,--no-as-needed", f"-Wl,-soname,{soname}", "-o", out, "-x", "c", "-", "-x", "none", *needs,
                    *([f"-Wl,--enable-new-dtags,-rpath,{runpath}"] if runpath else [])], input="int x;", text=True, check=True)
    return out


def tar(*entries):
    """A layer: (name, bytes), (name, None) a folder, (name, "-> target") a symbolic link, (name, "== target") a hard one."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, what in entries:
            info = tarfile.TarInfo(name)
            if what is None:
                info.type = tarfile.DIRTYPE
            elif isinstance(what, str):
                info.type, info.linkname = (tarfile.SYMTYPE if what.startswith("->") else tarfile.LNKTYPE), what[3:]
            else:
                info.size = len(what)
            t.addfile(info, io.BytesIO(what) if isinstance(what, bytes) else None)
    return out.getvalue()


def config(arch="amd64", env=ENV):
    return json.dumps({"architecture": arch, "os": "linux", "config": {"Env": env, "Labels": {"com.nvidia.cudnn.version": "9.1", "author": "x"}},
                       "rootfs": {"type": "layers", "diff_ids": []}}).encode()


class Layout:
    """An OCI layout in a folder."""

    def __init__(self, top):
        self.top = top
        self.entries = []
        (top / "blobs/sha256").mkdir(parents=True)
        (top / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')

    def blob(self, data, media, **more):
        digest = hashlib.sha256(data).hexdigest()
        (self.top / "blobs/sha256" / digest).write_bytes(data)
        return {"mediaType": media, "digest": "sha256:" + digest, "size": len(data), **more}

    def manifest(self, layers, conf=None, pack=gzip.compress):
        return self.blob(json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": self.blob(conf or config(), "application/vnd.oci.image.config.v1+json"),
                                     "layers": [self.blob(pack(x), "application/vnd.oci.image.layer.v1.tar+gzip") for x in layers]}).encode(), MANIFEST)

    def add(self, manifest, name=None, **more):
        self.entries.append({**manifest, **({"annotations": {"org.opencontainers.image.ref.name": name}} if name else {}), **more})
        (self.top / "index.json").write_text(json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": self.entries}))
        return self


def packed(folder, out):
    """The same as a tar, index.json at its end as some write it."""
    with tarfile.open(out, "w") as t:
        for p in sorted(folder.rglob("*"), key=lambda p: (p.name == "index.json", str(p))):
            t.add(p, p.relative_to(folder), recursive=False)
    return out


def inventory(*args, status=0):
    r = subprocess.run([GPUVET, "inventory", "--json", *args], capture_output=True, text=True)
    expect(f"status of {args}", r.returncode == status and not r.stderr, (r.returncode, r.stderr))
    return json.loads(r.stdout)


def found(doc, root=""):
    return {(d["file"].removeprefix(root), d["name"]): (d["found"] or "").removeprefix(root) or None for d in doc["libraries"] if d["grade"] == "linked"}


def hidden(doc, root=""):
    return {h["file"].removeprefix(root): (h["layer"], h["hidden_by"]) for h in doc["hidden"]}


def layers(lib, app):
    return [
        tar(("usr", None), ("usr/lib", None), ("lib", "-> usr/lib"), ("usr/lib/libcudart.so.12.4", lib), ("usr/lib/libcudart.so", "-> libcudart.so.12.4"),
            ("opt/a/libcudart.so.12", lib), ("opt/gone/x/app.so", app), ("opt/empty/app.so", app), ("opt/file/app.so", app), ("opt/kept/app.so", app),
            ("opt/hard/app.so", app), ("opt/hard/other.so", "== opt/hard/app.so"), ("usr/lib/old.so", app)),
        tar(("opt/a/.wh.libcudart.so.12", b""), ("opt/.wh.gone", b""), ("opt/empty/.wh..wh..opq", b""), ("opt/empty/new.so", app), ("opt/file", b"a text"),
            ("opt/kept", None), ("opt/hard/.wh.app.so", b""), ("lib/old.so", b"a text, by the other name of its folder"), ("opt/.wh..wh.plnk", b"")),
        tar(("srv/app.so", app), ("opt/gone/x/again.so", app)),
    ]


HIDDEN = {"opt/a/libcudart.so.12": (1, "layer 2 removes it"), "opt/gone/x/app.so": (1, "layer 2 removes opt/gone"),
          "opt/empty/app.so": (1, "layer 2 empties opt/empty"), "opt/file/app.so": (1, "layer 2 replaces opt/file"),
          "usr/lib/old.so": (1, "layer 2 replaces lib/old.so")}
SEEN = {"opt/empty/new.so", "opt/kept/app.so", "opt/hard/other.so", "srv/app.so", "opt/gone/x/again.so"}


def check(what, doc, root=""):
    expect(f"{what}: hidden", hidden(doc, root) == HIDDEN, hidden(doc, root))
    seen = {d["file"].removeprefix(root) for d in doc["libraries"] if d["visible"] and d["grade"] == "linked"}
    expect(f"{what}: seen", seen == SEEN, seen)
    got = found(doc, root)
    expect(f"{what}: found", got["srv/app.so", "libcudart.so.12"] == "usr/lib/libcudart.so.12.4", got)
    need = [(d["name"], d["vendor"], d["driver"], d["quote"]) for d in doc["libraries"] if d["grade"] == "declared"]
    expect(f"{what}: demand", need == [("cuda>=12.4", "nvidia", True, ENV[2])], need)


def forms(tmp):
    """One image in each of its forms is the same."""
    lib = library(tmp, "libcudart.so.12")
    app = library(tmp, "app.so", [lib]).read_bytes()
    three = layers(lib.read_bytes(), app)
    layout = Layout(tmp / "layout")
    layout.add(layout.manifest(three), "v1")
    doc = inventory(layout.top)
    check("layout", doc)
    image = doc["images"][0]
    expect("image", (image["name"], image["platform"], len(image["layers"]), image["labels"]) == ("v1", "linux/amd64", 3, ["com.nvidia.cudnn.version=9.1"]), image)
    expect("env", image["env"] == ENV[1:], image["env"])
    text = subprocess.run([GPUVET, "inventory", "--all", layout.top], capture_output=True, text=True).stdout
    expect("text", "Image v1 for linux/amd64, 3 layers" in text and "shipped, not visible: layer 2 removes opt/gone" in text and "srv/app.so (layer 3)" in text, text)
    check("layout in a tar", inventory(packed(layout.top, tmp / "layout.tar")), "layout.tar!")
    if shutil.which("zstd"):
        z = Layout(tmp / "z")
        z.add(z.manifest(three, pack=lambda x: subprocess.run(["zstd", "-q"], input=x, capture_output=True, check=True).stdout))
        check("zstd", inventory(z.top))
    docker_save(tmp, three)
    others(tmp, layout.top)


def docker_save(tmp, three):
    """The old form: a folder a layer, a layer that is there already as a link; manifest.json at the end."""
    with tarfile.open(tmp / "save.tar", "w") as t:
        def put(name, data):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
        names = [hashlib.sha256(x).hexdigest() for x in three]
        for n, x in zip(names, three):
            put(f"{n}/VERSION", b"1.0")
            if n == names[2]:
                link = tarfile.TarInfo(f"{n}/layer.tar")
                link.type, link.linkname = tarfile.SYMTYPE, "../" + "ab" * 32 + "/layer.tar"
                t.addfile(link)
                put("ab" * 32 + "/layer.tar", x)
            else:
                put(f"{n}/layer.tar", x)
        conf = hashlib.sha256(config()).hexdigest() + ".json"
        put(conf, config())
        put("manifest.json", json.dumps([{"Config": conf, "RepoTags": ["app:1.2"], "Layers": [f"{n}/layer.tar" for n in names]}]).encode())
    doc = inventory(tmp / "save.tar")
    check("docker save", doc, "save.tar!")
    expect("tag", doc["images"][0]["name"] == "app:1.2" and all(x["found"] for x in doc["images"][0]["layers"]), doc["images"])
    subprocess.run(["gzip", "-kf", tmp / "save.tar"], check=True)
    check("docker save, packed", inventory(tmp / "save.tar.gz"), "save.tar.gz!save.tar!" if doc_root(tmp / "save.tar.gz").startswith("save.tar.gz!save") else "save.tar.gz!")


def doc_root(path):
    return inventory(path)["images"][0]["root"]


def others(tmp, layout):
    """What other tools write, where they are installed."""
    if not shutil.which("skopeo"):
        return
    for form in ("dir", "docker-archive", "oci-archive"):
        out = tmp / f"skopeo-{form}"
        r = subprocess.run(["skopeo", "--insecure-policy", "copy", "-q", f"oci:{layout}:v1", f"{form}:{out}" + (":app:1.2" if form == "docker-archive" else "")],
                           capture_output=True, text=True)
        if r.returncode:
            print(f"test_inventory_images: skopeo does not write {form} here: {r.stderr.strip()}")
            continue
        check(f"skopeo {form}", inventory(out), "" if form == "dir" else f"{out.name}!")


def platforms(tmp):
    """Two platforms in an index in an index, with a layer that both have; each finds its own library. An attestation is no image; an older
    manifest that nothing leads to is none either."""
    lib = library(tmp, "libcudart.so.12").read_bytes()
    app = library(tmp, "app.so", [tmp / "made/libcudart.so.12"]).read_bytes()
    o = Layout(tmp / "both")
    both = tar(("base/app.so", app))
    arm = o.manifest([both, tar(("arm/libcudart.so.12", lib))], config("arm64", ["PATH=/bin"]))
    amd = o.manifest([both, tar(("amd/libcudart.so.12", lib), ("amd/app.so", app))], config(env=["PATH=/bin"]))
    o.manifest([tar(("old/app.so", app))])
    seal = o.blob(json.dumps({"schemaVersion": 2, "layers": [o.blob(b"{}", "application/vnd.in-toto+json")]}).encode(), MANIFEST)
    index = o.blob(json.dumps({"schemaVersion": 2, "manifests": [
        {**arm, "platform": {"architecture": "arm64", "os": "linux", "variant": "v8"}}, {**amd, "platform": {"architecture": "amd64", "os": "linux"}},
        {**seal, "platform": {"architecture": "unknown", "os": "unknown"}}]}).encode(), INDEX)
    o.add(index, "two")
    doc = inventory(o.top)
    expect("platforms", [(i["platform"], i["root"]) for i in doc["images"]] == [("linux/arm64/v8", "linux/arm64/v8!"), ("linux/amd64", "linux/amd64!")], doc["images"])
    got = found(doc)
    expect("own library", got["linux/amd64!amd/app.so", "libcudart.so.12"] == "linux/amd64!amd/libcudart.so.12", got)
    expect("common layer", "linux/arm64/v8!base/app.so" in {f for f, _ in got}, got)
    expect("one that nothing leads to", not any(f.startswith("old/") for f, _ in got), got)


def paths(tmp):
    """Which of several copies the loader of the image takes."""
    lib = library(tmp, "libcudart.so.12")
    app, abs_app = library(tmp, "app.so", [lib]).read_bytes(), library(tmp, "abs.so", [lib], "/opt/cuda/lib64").read_bytes()
    lib = lib.read_bytes()
    copies = [(f"{d}/libcudart.so.12", lib) for d in ("aaa", "opt/second", "opt/cuda-12/lib64", "conf/lib", "usr/lib64")]
    o = Layout(tmp / "env")
    o.add(o.manifest([tar(*copies, ("bin/app.so", app), ("bin/abs.so", abs_app), ("opt/cuda", "-> /etc/alternatives/cuda"), ("etc/alternatives/cuda", "-> /opt/cuda-12"))]))
    got = found(inventory(o.top))
    expect("LD_LIBRARY_PATH", got["bin/app.so", "libcudart.so.12"] == "opt/second/libcudart.so.12", got)
    for conf, want in ((b"# first\n/conf/lib\n", "conf/lib"), (b"", "usr/lib64")):
        o = Layout(tmp / f"conf{len(conf)}")
        o.add(o.manifest([tar(*copies, ("bin/app.so", app), ("bin/abs.so", abs_app), ("opt/cuda", "-> /etc/alternatives/cuda"), ("etc/alternatives/cuda", "-> /opt/cuda-12"),
                              ("etc/ld.so.conf.d/x.conf", conf))], config(env=["PATH=/bin"])))
        got = found(inventory(o.top))
        expect("absolute RUNPATH through links", got["bin/abs.so", "libcudart.so.12"] == "opt/cuda-12/lib64/libcudart.so.12", got)
        expect("loader's configuration", got["bin/app.so", "libcudart.so.12"] == f"{want}/libcudart.so.12", got)
    root = tmp / "rootfs"
    for name, data in (*copies, ("usr/bin/app.so", app), ("etc/ld.so.conf", b"/lib/own\n"), ("usr/lib/own/libcudart.so.12", lib)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    (root / "lib").symlink_to("usr/lib")
    (root / "bin").symlink_to("usr/bin")
    (root / "loop").symlink_to("loop")
    (root / "out").symlink_to("../../../../etc")
    got = found(inventory(root))
    expect("root file system", got == {("usr/bin/app.so", "libcudart.so.12"): "usr/lib/own/libcudart.so.12"}, got)


def missing(tmp):
    """A layer that is not there, one that is no archive, documents that say nothing."""
    lib = library(tmp, "libcudart.so.12")
    app = library(tmp, "app.so", [lib]).read_bytes()
    o = Layout(tmp / "missing")
    o.add(o.manifest([tar(("bin/app.so", app)), tar(("x", b"y")), tar()], pack=lambda x: x))
    blob = o.top / "blobs/sha256" / hashlib.sha256(tar(("x", b"y"))).hexdigest()
    blob.unlink()
    doc = inventory(o.top)
    expect("missing", [u["why"] for u in doc["unread"]] == ["a layer of the image that is not in here"] and len(doc["images"]) == 1, doc["unread"])
    blob.write_bytes(b"?" * 20000)
    expect("no archive", [u["why"] for u in inventory(o.top)["unread"]] == ["a layer of the image that is no archive which can be read here"], doc["unread"])
    for text in ('{"manifests": [{"digest": "sha256:../../../x"}, 7, {"digest": 1}]}', '{"manifests": {', "[" * 3000 + '"manifests"', '{"manifests": []}'):
        (o.top / "index.json").write_text(text)
        got = found(inventory(o.top))
        expect("files are read without it", [n for _, n in got] == ["libcudart.so.12"], (text[:40], got))
    digest = hashlib.sha256(b"circle").hexdigest()
    (o.top / "blobs/sha256" / digest).write_text(json.dumps({"manifests": [{"digest": "sha256:" + digest}] * 50}))
    (o.top / "index.json").write_text(json.dumps({"manifests": [{"digest": "sha256:" + digest}]}))
    inventory(o.top)


def changes(tmp):
    """A library that a later layer hides is a change: it is shipped, and nothing can use it."""
    app = gpu_made.library(tmp / "libapp.so", "libapp.so", [library(tmp, "libcudart.so.12")], gpu=gpu_made.fatbin(("elf", "90"))).read_bytes()
    first, hiding = tar(("opt/libapp.so", app)), tar(("opt/.wh.libapp.so", b""))
    sides = {}
    for name, layers_of in (("seen", [first]), ("hidden", [first, hiding]), ("none", [tar(("opt/x", b"a text"))])):
        o = Layout(tmp / name)
        o.add(o.manifest(layers_of))
        saved = tmp / f"{name}.json"
        saved.write_text(json.dumps(inventory(o.top)))
        sides[name] = (o.top, saved)
    for old, new, want, libraries in (("seen", "hidden", {("went", True), ("came", False)}, {"went"}), ("hidden", "seen", {("went", False), ("came", True)}, {"came"}),
                                      ("none", "hidden", {("came", False)}, set()), ("hidden", "hidden", set(), set())):
        for i, k in ((0, 0), (0, 1), (1, 0), (1, 1)):
            doc = inventory("--diff", sides[old][i], sides[new][k], status=int(bool(want)))
            got = {(c["change"], c["visible"]) for c in doc["code"]}, {x["change"] for x in doc["libraries"] if x["name"] == "libcudart.so.12"}
            expect(f"{old} {i} to {new} {k}", got == (want, libraries) and doc["same"] == (not want), (got, doc))
    text = subprocess.run([GPUVET, "inventory", "--diff", sides["seen"][0], sides["hidden"][0]], capture_output=True, text=True).stdout
    expect("in words", "+ opt/libapp.so (shipped, not visible): NVIDIA elf sm_90" in text and "- opt/libapp.so: NVIDIA elf sm_90" in text and
           "\nGPU code\n" not in text, text)


def same_name(tmp):
    """Two archives of one name, with a layer of one name each: neither is taken for the other, whoever is read first."""
    for folder, arch in (("a", "sm_90"), ("b", "sm_80")):
        (tmp / folder).mkdir()
        with tarfile.open(tmp / folder / "img.tar", "w") as t:
            for name, data in (("ab" * 32 + "/layer.tar", tar(("x.bin", gpu_made.fatbin(("elf", arch[3:]))))),
                               ("manifest.json", json.dumps([{"Config": "c", "Layers": ["ab" * 32 + "/layer.tar"]}]).encode())):
                i = tarfile.TarInfo(name)
                i.size = len(data)
                t.addfile(i, io.BytesIO(data))
    one, two = tmp / "a/img.tar", tmp / "b/img.tar"
    doc = inventory(one, two, one)
    got = {(c["file"], c["arch"], c["layer"]) for c in doc["code"]}
    expect("same name", got == {(f"{one}!x.bin", "sm_90", 1), (f"{two}!x.bin", "sm_80", 1)} and len(doc["images"]) == 2, got)
    expect("named twice, read once", len(inventory(one, one)["code"]) == 1)


def main():
    if not built.has(GPUVET, "archives"):
        print("built without archives")
        return 77
    for f in (forms, platforms, paths, missing, changes, same_name):
        with tempfile.TemporaryDirectory() as tmp:
            f(pathlib.Path(tmp))
    for line in bad:
        print(f"test_inventory_images: {line}")
    return 1 if bad else 0


sys.exit(main())
