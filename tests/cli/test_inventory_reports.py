#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reports of gpuvet inventory for builds (JUnit, Markdown), and the story in examples/back-door."""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

from built import has
from gpu_made import fatbin, library

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
bad = []


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def run(*args):
    return subprocess.run([GPUVET, "inventory", *args], capture_output=True, text=True, timeout=60)


def junit(tree, policy):
    r = run("--junit", "--target", "sm_90", "--target", "sm_75", *policy, tree)
    expect("JUnit: status", r.returncode == 2, (r.returncode, r.stderr))
    suite = ET.fromstring(r.stdout).find("testsuite")
    cases = suite.findall("testcase")
    failed = {c.get("classname") for c in cases if c.find("failure") is not None}
    expect("JUnit: counts", int(suite.get("tests")) == len(cases) and int(suite.get("failures")) == len(failed), suite.attrib)
    expect("JUnit: who fails", failed == {"sm_75"} | {str(p) for p in policy[1:]}, failed)
    fine = run("--junit", "--target", "sm_90", tree)
    expect("JUnit: all well", fine.returncode == 0 and "<failure" not in fine.stdout and 'failures="0"' in fine.stdout, fine.stdout)


def idle(tree):
    """What lies in a tree for other devices, in bytes."""
    r = run("--json", "--target", "sm_90", "--target", "sm_75", "--target", "cpu", tree)
    got = {t["target"]: (t["code_bytes"], t["idle_bytes"]) for t in json.loads(r.stdout)["targets"]}
    expect("bytes that a target never runs", got == {"sm_90": (160, 80), "sm_75": (160, 160), "cpu": (160, 160)}, got)


def no_characters(tmp):
    """U+FFFE and U+FFFF in a name: XML has no place for them, not even escaped."""
    (tmp / "\ufffe\uffff<&\x1b>.bin").write_bytes(fatbin(("elf", "90")))
    r = run("--junit", "--target", "gfx942", tmp)
    expect("JUnit: any name", "&lt;&amp;" in r.stdout and ET.fromstring(r.stdout) is not None and "\x1b" not in r.stdout, r.stdout)


def markdown(tree, policy):
    r = run("--markdown", "--target", "sm_75", *policy, tree)
    expect("Markdown: status", r.returncode == 2, (r.returncode, r.stderr))
    expect("Markdown: targets", "| **fails** |" in r.stdout and "### Targets" in r.stdout, r.stdout)
    expect("Markdown: code", "| NVIDIA | elf | `sm_90` | 1 |" in r.stdout, r.stdout)
    expect("Markdown: policy", not policy or "broken in 1 place" in r.stdout, r.stdout)
    rows = [line for line in r.stdout.splitlines() if line.startswith("|")]
    expect("Markdown: a name cannot leave its cell", all(line.replace("\\|", "").count("|") in (5, 6) for line in rows), rows)


def together(tree):
    for args, said in ((("--json", "--junit"), "do not go together"), (("--diff", "--markdown", tree), "--json alone"),
                       (("--diff", "--target", "sm_90", tree), "nothing against")):
        r = run(*args, tree)
        expect(f"{args}", r.returncode == 64 and said in r.stderr and not r.stdout, (r.returncode, r.stderr))


def shipped(tmp):
    """A library of a vendor that holds no code and needs nothing is one all the same."""
    library(tmp / "ships/libcudart.so.12", "libcudart.so.12")
    r = run(tmp / "ships")
    expect("a library that is shipped", r.stdout.startswith("GPU code or GPU libraries in 1 of 1 file") and "is a library for GPUs of NVIDIA" in r.stdout, r.stdout)


def story():
    r = subprocess.run(["sh", ROOT / "examples/back-door/run.sh", f"./{GPUVET.name}"], cwd=GPUVET.parent, capture_output=True, text=True, timeout=120)
    expect("the back door", r.returncode == 0 and not r.stderr, (r.returncode, r.stdout[-2000:], r.stderr))
    for line in ("serve 3.1 → tokenline 0.9 → fastops 1.2 → nvidia-cuda-runtime-cu12", "pool-amd (AMD Instinct MI300X (gfx942)): will not run",
                 "comes by serve 3.1 → tokenline 0.9 → fastops 1.2; to change: serve",
                 "pool-amd (AMD Instinct MI300X (gfx942)): runs natively", "Policy policy.yaml: kept", "~ pypi fastops 1.2 → 1.3+rocm6.2"):
        expect(f"the back door says {line!r}", line in " ".join(r.stdout.split()), r.stdout)


with tempfile.TemporaryDirectory() as d:
    tmp = pathlib.Path(d)
    tree = tmp / "tree"
    library(tree / "a|b & <c>/lib`x`.so", "libx.so", gpu=fatbin(("elf", "90"), ("elf", "80")))
    policy = ()
    if has(GPUVET, "site files (YAML)"):
        policy = ("--policy", tmp / "policy.yaml")
        policy[1].write_text("layers: {code: {forbid: nvidia}}\n")
    junit(tree, policy)
    markdown(tree, policy)
    idle(tree)
    together(tree)
    shipped(tmp)
    (tmp / "names").mkdir()
    no_characters(tmp / "names")
if has(GPUVET, "site files (YAML)"):
    story()
print("\n".join(bad))
sys.exit(bool(bad))
