#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuvet inventory --policy: a build fails when the wrong library slips in, and only then."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from built import has
from gpu_made import fatbin, library

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []


def expect(what, ok, got=None):
    if not ok:
        bad.append(f"{what}: {got}")


def run(tree, policy, *more):
    file = tree.parent / "policy.yaml"
    file.write_text(policy)
    return subprocess.run([GPUVET, "inventory", "--policy", file, *more, tree], capture_output=True, text=True, timeout=60)


def broken(tree, policy, *more):
    """(rule, what, vendor) of the violations that no exception accepts; the status has to say the same."""
    r = run(tree, policy, "--json", *more)
    doc = json.loads(r.stdout)["policy"]
    left = [(v["rule"], v["what"], v["vendor"]) for v in doc["violations"] if not v["accepted"]]
    expect(f"status under {policy!r}", r.returncode == (2 if left else 0) and doc["broken"] == len(left), (r.returncode, doc))
    return left


def tree_of(tmp):
    top = tmp / "tree"
    cudart = library(top / "lib/libcudart.so.12", "libcudart.so.12")
    hip = library(tmp / "out/libamdhip64.so.6", "libamdhip64.so.6")
    library(top / "app/_fast.so", "_fast.so", [cudart], gpu=fatbin(("elf", "80"), ("elf", "90a"), ("ptx", "90")))
    library(top / "app/_other.so", "_other.so", [hip])
    library(top / "app/_maybe.so", "_maybe.so", code='const char *n = "libcudnn.so.9";')
    return top


def made(site, inside):
    """A package with PTX as text in one file, installed."""
    shutil.rmtree(site, ignore_errors=True)
    (site / inside).parent.mkdir(parents=True)
    (site / inside).write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n")
    info = site / "jit-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: jit\nVersion: 1.0\n")
    (info / "RECORD").write_text(f"{inside},,\njit-1.0.dist-info/METADATA,,\njit-1.0.dist-info/RECORD,,\n")


def rules(top):
    expect("only NVIDIA", broken(top, "vendors: {allow: nvidia}\n") == [("vendors", "libamdhip64.so.6", "amd")])
    expect("no NVIDIA code", broken(top, "layers: {code: {forbid: [nvidia]}}\n") == [("vendors", "_fast.so", "nvidia")])
    got = broken(top, "layers: {runtime: {forbid: all}}\n")
    expect("no runtimes", sorted(got) == [("vendors", "libamdhip64.so.6", "amd"), ("vendors", "libcudart.so.12", "nvidia")], got)
    got = broken(top, "vendors: {forbid: all}\nlayers: {runtime: {allow: all}, code: {allow: all}}\n")
    expect("a layer's own rule", got == [], got)
    got = broken(top, "vendors: {forbid: nvidia}\ngrades: [loaded]\nlayers: {code: {allow: all}, runtime: {allow: all}}\n")
    expect("what may be loaded, where it is asked", got == [("vendors", "libcudnn.so.9", "nvidia")], got)
    for archs, left in (("sm_80", 0), ("sm_86", 0), ("sm_90", 0), ("sm_90a", 0), ("compute_90", 0), ("compute_89", 1), ("gfx942", 0), ("sm_75", 1)):
        expect(f"code for {archs}", len(broken(top, f"architectures: [{archs}]\n")) == left)
    family = top.parent / "family"
    library(family / "_new.so", "_new.so", gpu=fatbin(("elf", "120f")))
    for archs, left in (("sm_120", 0), ("sm_121", 0), ("sm_100", 1)):
        expect(f"code of a family for {archs}", len(broken(family, f"architectures: [{archs}]\n")) == left)
    tests = top.parent / "site"
    for inside, left in (("jit/tests/link.ptx", 0), ("jit/link.ptx", 1)):
        made(tests, inside)
        got = broken(tests, "vendors: {forbid: nvidia}\n")
        expect(f"code in {inside}", len(got) == left, got)
        expect(f"what a package only compiles, {inside}", broken(tests, "architectures: [sm_90]\n") == [])
    got = broken(top, "size: {nvidia: 0, amd: 0}\n")
    expect("no bytes for NVIDIA", got == [("size", "files for GPUs of NVIDIA", "nvidia")], got)
    expect("a budget that holds", broken(top, "size: {total: 1GiB}\n") == [])


def exceptions(top):
    rule = "vendors: {allow: nvidia}\nexceptions:\n  - {what: %s, reason: leaves with the next release, until: %s}\n"
    expect("accepted", broken(top, rule % ('"libamdhip64*"', "2027-03-31"), "--today", "2027-03-31") == [])
    r = run(top, rule % ('"libamdhip64*"', "2027-03-31"), "--today", "2027-03-31")
    expect("shows what it accepted, and why", "accepted in 1 place: libamdhip64*, until 2027-03-31: leaves with the next release" in " ".join(r.stdout.split()), r.stdout)
    expect("the answer before the files", r.stdout.index("Policy ") < r.stdout.index("--all"), r.stdout)
    expect("by the file", broken(top, rule % ("_other.so", "never")) == [])
    expect("of another", len(broken(top, rule % ("_fast.so", "never"))) == 1)
    expect("ended", len(broken(top, rule % ("_other.so", "2027-03-31"), "--today", "2027-04-01")) == 1)
    r = run(top, rule % ("_other.so", "2027-03-31"), "--today", "2027-04-01")
    expect("says that it ended", "ended 2027-03-31" in r.stdout and "broken in 1 place\n" in r.stdout, r.stdout)
    r = run(top, rule % ("libnothing.so", "never"))
    expect("says that it is not needed", "nothing needs the exception for libnothing.so" in r.stdout, r.stdout)
    r = run(top, "vendors: {allow: [nvidia, amd]}\n")
    expect("kept", r.returncode == 0 and ": kept\n" in r.stdout, r.stdout)


def refused(top):
    """A rule that is misspelt is no rule that is passed over."""
    for text, said in (("vendor: {allow: nvidia}\n", "did you mean vendors?"), ("vendors: {allow: nvidea}\n", "did you mean nvidia?"),
                       ("layers: {runtimes: {}}\n", "did you mean runtime?"), ("grades: [linkd]\n", "did you mean linked?"),
                       ("architectures: [hopper]\n", "is no architecture"), ("toolkit: {min: new}\n", "as 12.4"),
                       ("size: {total: much}\n", "as 6GiB"), ("exceptions: [{what: a, reason: b}]\n", 'needs "until"'),
                       ("exceptions: [{what: a, reason: b, until: soon}]\n", "or never"), ("- a\n", "a policy is a map"), ("# vendors: {allow: amd}\n", "no rule"), ("", "no rule"), ("vendors: {}\ngrades: [linked]\n", "no rule")):
        r = run(top, text)
        expect(f"refused: {text!r}", r.returncode == 64 and not r.stdout and said in r.stderr and "policy.yaml:" in r.stderr and r.stderr.count("\n") == 1, (r.returncode, r.stderr))
    (top.parent / "empty").mkdir()
    r = run(top.parent / "empty", "vendors: {allow: nvidia}\n")
    expect("an empty folder keeps no policy", r.returncode == 3 and "no file in here" in r.stdout and ": kept" not in r.stdout, (r.returncode, r.stdout))
    (top / "lib/broken.zip").write_bytes(b"PK\3\4" + bytes(40))
    r = run(top, "vendors: {allow: [nvidia, amd]}\n")
    expect("what was not read is said", r.returncode == 0 and "kept, as far as was read" in r.stdout, (r.returncode, r.stdout))
    r = subprocess.run([GPUVET, "inventory", "--policy", top / "none.yaml", top], capture_output=True, text=True)
    expect("no such policy", r.returncode == 66 and "cannot open the policy" in r.stderr, r.stderr)


if not has(GPUVET, "site files (YAML)"):
    with tempfile.TemporaryDirectory() as d:
        top = tree_of(pathlib.Path(d))
        r = run(top, "vendors: {allow: nvidia}\n")
        expect("without YAML", r.returncode == 64 and "YAML" in r.stderr, (r.returncode, r.stderr))
else:
    with tempfile.TemporaryDirectory() as d:
        top = tree_of(pathlib.Path(d))
        rules(top)
        exceptions(top)
        refused(top)
print("\n".join(bad))
sys.exit(bool(bad))
