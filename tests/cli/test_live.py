#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The live look: this machine, recorded trees, saved runs, other users and namespaces."""
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile

from built import has

GPUVET = os.path.abspath(sys.argv[1])
ENV = dict(os.environ, LC_ALL="C", NO_COLOR="1")
STAGES = ["visible", "stack", "busy", "fed", "scaling", "scheduler", "serving"]


def run(*args, prefix=(), status=None, **kw):
    p = subprocess.run([*prefix, GPUVET, *args], capture_output=True, text=True, env=ENV, timeout=120, **kw)
    if status is not None:
        assert p.returncode == status, f"{args}: status {p.returncode}: {p.stderr}"
    assert p.returncode in (0, 1, 2, 3, 64, 66, 70), f"{args}: status {p.returncode}: {p.stderr}"
    return p


def document(*args, prefix=(), **kw):
    p = run(*args, "--json", prefix=prefix, **kw)
    assert p.returncode < 64, p.stderr
    d = json.loads(p.stdout)
    assert d["schema"] == "gpuvet.diagnose.v1"
    assert [s["stage"] for s in d["stages"]] == STAGES
    return d


def without_how(d):
    for s in d["subjects"]:
        s["how"] = None
    return d


def put(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w") as f:
        f.write(text)


def this_machine():
    d = document("diagnose", "--for", "500ms")
    assert [s["how"] for s in d["subjects"]] == ["live"], d["subjects"]
    assert d["subjects"][0]["host"] == os.uname().nodename.split(".")[0].lower(), d["subjects"]
    fed = d["stages"][3]
    assert fed["state"] != "unknown", fed  # /proc is there on every Linux
    facts = json.loads(run("facts", "--for", "0", "--json").stdout)
    assert facts["schema"] == "gpuvet.facts.v1"
    text = run("diagnose", "--for", "0").stdout
    assert "Seen: " in text
    p = run("diagnose", "--for", "0", input="eth0: link down\n")
    assert "where - is named" in p.stderr, p.stderr


def saved(tmp):
    """A saved run gives the same report but for `how`, and is its owner's alone."""
    path = os.path.join(tmp, "run.tar")
    log = os.path.join(tmp, "job.log")
    with open(log, "w") as f:
        f.write("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
    with open(os.path.join(tmp, "binary"), "wb") as f:
        f.write(bytes(range(256)) * 8)
    live = document("diagnose", "--for", "300ms", "--live", log, os.path.join(tmp, "binary"), "--save", path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    if has(GPUVET, "archives"):
        again = document("diagnose", path)
        assert {s["how"] for s in again["subjects"]} == {"bundle"}
        assert without_how(live) == without_how(again)
        assert any(u["file"] == "binary" for u in again["unread"]), again["unread"]
        assert any(f["kind"] == "oom-capacity" for f in again["findings"]), again["findings"]
    with tarfile.open(path) as t:
        for m in t.getmembers():
            assert not m.name.startswith("/") and ".." not in m.name.split("/"), m.name
    p = run("diagnose", "--for", "0", "--save", os.path.join(tmp, "no", "such", "run.tar"), status=70)
    assert "cannot write" in p.stderr and not p.stdout


def recorded(tmp):
    """--root reads a tree in place of /, and no link leads out of it."""
    root = os.path.join(tmp, "root")
    put(root, "proc/sys/kernel/hostname", "gpu-a17\n")
    put(root, "proc/uptime", "1000.00 3000.00\n")
    put(root, "proc/stat", "cpu  100 0 100 9800 0 0 0 0 0 0\ncpu0 100 0 100 9800 0 0 0 0 0 0\nbtime 1700000000\n"
        "procs_running 1\nprocs_blocked 0\n")
    put(root, "dev/kmsg", "6,1,1000000,-;Linux version 6.1.0\n3,2,900000000,-;NVRM: Xid (PCI:0000:41:00): 79, pid=1, "
        "GPU has fallen off the bus.\n")
    base = "sys/bus/pci/devices/0000:41:00.0/"
    put(root, base + "class", "0x030200\n")
    put(root, base + "vendor", "0x10de\n")
    put(root, base + "device", "0x2330\n")
    put(root, "sys/class/net/eth9/mtu", "9000\n")
    put(root, "sys/class/net/eth9/operstate", "up\n")
    outside = os.path.join(tmp, "outside")
    with open(outside, "w") as f:
        f.write("secret of the machine\n")
    os.makedirs(os.path.join(root, "proc/self"), exist_ok=True)
    os.symlink(outside, os.path.join(root, "proc/cmdline"))
    os.symlink("../../../../../../../../etc/hostname", os.path.join(root, "proc/version"))
    os.mkfifo(os.path.join(root, "proc/modules"))
    path = os.path.join(tmp, "rec.tar")
    d = document("diagnose", "--root", root, "--save", path)
    assert d["subjects"][0]["host"] == "gpu-a17", d["subjects"]
    assert d["verdict"] and d["verdict"]["kind"] == "gpu-fell-off-bus", d["verdict"]
    # /sys is read by a helper process: it looks at the tree, too
    seen = json.loads(run("facts", "--root", root, "--json").stdout)
    nics = [e["id"] for e in seen["entities"] if e["type"] == "nic"]
    assert nics == ["eth9"], nics
    with tarfile.open(path) as t:
        for m in t.getmembers():
            assert b"secret of the machine" not in t.extractfile(m).read(), m.name
    # a quiet machine: what the log says last may be long ago
    put(root, "proc/uptime", "900000.00 3000.00\n")
    d = document("diagnose", "--root", root)
    assert [f["when"] for f in d["findings"] if f["kind"] == "gpu-fell-off-bus"] == ["recent"], d["findings"]
    p = run("diagnose", "--root", os.path.join(tmp, "nowhere"), status=66)
    assert "cannot open" in p.stderr and not p.stdout


def options(tmp):
    path = os.path.join(tmp, "empty")
    with open(path, "w") as f:
        f.write("x\n")
    for o in (["--for", "1s"], ["--root", "/"], ["--wake"], ["--no-load"], ["--timeout", "1s"]):
        p = run("diagnose", *o, path, status=64)
        assert o[0] in p.stderr and not p.stdout, p.stderr
    for o in (["--for", "-1"], ["--for", "100d"], ["--for", "soon"], ["--timeout", "0"], ["--timeout", "2h"]):
        run("diagnose", *o, status=64)
    assert "--for" in run("diagnose", "--help").stdout


def everybody(tmp):
    """Users without root, and looks out of namespaces: all that can be seen is, and what cannot is said."""
    binary = os.path.join(tmp, "gpuvet")
    shutil.copy(GPUVET, binary)
    os.chmod(binary, 0o755)
    os.chmod(tmp, 0o755)
    global_binary = globals()["GPUVET"]
    globals()["GPUVET"] = binary
    skipped = []
    try:
        if os.geteuid() == 0 and shutil.which("setpriv"):
            d = document("diagnose", "--for", "0",
                         prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], cwd="/")
            assert any("ordinary user" in u["why"] for u in d["remarks"]), d["remarks"]
            assert d["stages"][3]["state"] != "unknown", d["stages"]
        else:
            skipped.append("no root")
        unshare = ["unshare", "-Urpmf", "--mount-proc"]
        if shutil.which("unshare") and not subprocess.run([*unshare, "true"], capture_output=True).returncode:
            d = document("diagnose", "--for", "0", prefix=unshare, cwd="/")
            assert any("PID namespace" in u["why"] for u in d["remarks"]), d["remarks"]
            assert d["stages"][3]["state"] != "unknown", d["stages"]
        else:
            skipped.append("no namespaces")
    finally:
        globals()["GPUVET"] = global_binary
    return skipped


def main():
    skipped = []
    this_machine()
    for part in (saved, recorded, options, everybody):
        with tempfile.TemporaryDirectory() as tmp:
            skipped += part(tmp) or []
    if skipped:
        print("skipped in part:", ", ".join(skipped))
    return 0


if __name__ == "__main__":
    sys.exit(main())
