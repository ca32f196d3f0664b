#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diagnose --quiet: one line that a monitor can take, whatever the evidence; its word goes with the exit status."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
WORD = {0: "OK ", 1: "WARN ", 2: "FAIL ", 3: "UNKNOWN "}
XID = "[  812.5] NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n"
STEAL = """Linux 6.5.0-41-generic ({host}) 	01/13/26 	_x86_64_	(64 CPU)

12:10:12     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:10:13     all   60.10    0.00    2.10    0.10    0.00    0.10   30.00    0.00    0.00    7.60
12:10:14     all   60.10    0.00    2.10    0.10    0.00    0.10   30.00    0.00    0.00    7.60
Average:     all   60.10    0.00    2.10    0.10    0.00    0.10   30.00    0.00    0.00    7.60
"""
bad = []


def run(*args):
    p = subprocess.run([GPUVET, "diagnose", *map(str, args)], capture_output=True)
    return p.returncode, p.stdout.decode("utf-8"), p.stderr.decode()


def expect(what, ok, said=""):
    if not ok:
        bad.append(f"{what}: {said}")


def one_line(what, out):
    expect(f"{what}: one line", out.count("\n") == 1 and out.endswith("\n"), repr(out))
    expect(f"{what}: length", len(out) <= 201, f"{len(out)} {out}")
    expect(f"{what}: no character that steers", not re.search(r"[\x00-\x09\x0b-\x1f\x7f|]", out), repr(out))


def cases():
    found = sorted(p.parent for p in (ROOT / "tests" / "cases").glob("*/case.json"))
    if len(found) < 50:
        sys.exit(f"only {len(found)} cases")
    for case in found[::7]:
        status, out, _ = run("-q", case / "evidence")
        doc = json.loads(run("--json", case / "evidence")[1])
        one_line(case.name, out)
        expect(f"{case.name}: word", out.startswith(WORD[status]), f"{status} {out}")
        if doc["verdict"] and len(doc["subjects"]) == 1:
            expect(f"{case.name}: verdict", f" {doc['verdict']['kind']} on " in out, out)
            expect(f"{case.name}: summary", doc["verdict"]["summary"][:40] in out or "…" in out, out)
            rest = [f["severity"] for f in doc["findings"] if f["id"] != doc["verdict"]["finding"]]
            for s in ("fail", "warn", "note"):
                n = rest.count(s)
                m = re.search(rf"(\d+) {s}", out.rsplit("[+", 1)[-1]) if "[+" in out else None
                expect(f"{case.name}: {n} further {s}", (int(m[1]) if m else 0) == n, out)


def words(folder):
    one = folder / "one"
    one.mkdir()
    (one / "dmesg.txt").write_text(XID)
    status, out, _ = run("--quiet", one)
    expect("a failure", (status, out) == (2, "FAIL gpu-fell-off-bus on gpu 0000:41:00.0 (n0): GPU 0000:41:00.0 no longer "
                                          "answers on PCIe, Xid 79\n"), f"{status} {out}")
    steal = folder / "steal"
    steal.mkdir()
    (steal / "mpstat.txt").write_text(STEAL.format(host="vm3"))
    status, out, _ = run("-q", steal)
    expect("a warning", status == 1 and out.startswith("WARN cpu-steal on node vm3: "), f"{status} {out}")
    status, out, _ = run("-q", "--fail-on=fail", steal)
    expect("a warning that does not count", status == 0 and out.startswith("WARN cpu-steal on node vm3: "), f"{status} {out}")
    status, out, _ = run("-q", "--require=busy,serving", one)
    expect("a failure, and what is required", status == 2 and out.endswith(" [required but unknown: busy, serving]\n"), out)
    calm = folder / "calm"
    calm.mkdir()
    (calm / "mpstat.txt").write_text(STEAL.format(host="vm4").replace("30.00", " 0.00").replace(" 7.60", "37.60"))
    status, out, _ = run("-q", calm)
    expect("all is well", status == 0 and re.fullmatch(r"OK no GPU seen \(vm4\), \d of 7 stages known\n", out), f"{status} {out}")
    status, out, _ = run("-q", "--require=busy", calm)
    expect("well, but not what is required", status == 3 and out.startswith("UNKNOWN ") and
           out.endswith("[required but unknown: busy]\n"), f"{status} {out}")
    none = folder / "none"
    none.mkdir()
    (none / "x.txt").write_text("hello\n")
    status, out, _ = run("-q", none)
    expect("nothing known", status == 3 and out.startswith("UNKNOWN nothing could be judged: "), f"{status} {out}")
    for pair in (("--quiet", "--json"), ("-q", "--markdown"), ("-q", "--all")):
        status, out, err = run(*pair, one)
        expect(f"{pair}", status == 64 and not out and "--quiet" in err, f"{status} {err}")


def hosts(folder):
    """Several machines: those that are not well, the worst first; as many as there is room for."""
    several = folder / "several"
    for n in range(3):
        (several / f"vm{n}").mkdir(parents=True)
        (several / f"vm{n}" / "mpstat.txt").write_text(STEAL.format(host=f"vm{n}"))
    (several / "vm1" / "dmesg.txt").write_text("Jan 13 10:44:02 vm1 kernel: " + XID)
    shutil.copy(folder / "calm" / "mpstat.txt", several / "calm.txt")
    status, out, _ = run("-q", several)
    one_line("several", out)
    expect("several", status == 2 and re.match(r"FAIL 3 of 4 hosts: vm1 gpu-fell-off-bus on gpu 0000:41:00\.0; "
                                               r"vm0 cpu-steal \(warn\); vm2 cpu-steal \(warn\)( \[\+|\n)", out), out)
    many = folder / "many"
    many.mkdir()
    for n in range(60):
        (many / f"{n}.txt").write_text(STEAL.format(host="node-with-a-long-name-" + str(n)))
    status, out, _ = run("-q", many)
    one_line("many", out)
    expect("many", status == 1 and re.match(r"WARN 60 of 60 hosts: .* and \d+ more", out), out)
    well = folder / "well"
    well.mkdir()
    for n in range(2):
        (well / f"{n}.txt").write_text((folder / "calm" / "mpstat.txt").read_text().replace("vm4", f"w{n}"))
    status, out, _ = run("-q", well)
    expect("all are well", status == 0 and out.startswith("OK 2 hosts, "), f"{status} {out}")


def hostile(folder):
    evil = folder / "evil"
    evil.mkdir()
    (evil / "dmesg.txt").write_text("Jan 13 10:44:02 h|\x1b[2J\x07x" + "y" * 230 + " kernel: " + XID.replace("python3", "a|b\x08c"))
    (evil / "torch.txt").write_text("ImportError: libcud\x07|na.so.8: cannot open shared object file: No such file or directory\n")
    status, out, _ = run("-q", evil)
    one_line("hostile", out)
    expect("hostile", status == 2 and out.startswith("FAIL "), out)


def main():
    cases()
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        words(folder)
        hosts(folder)
        hostile(folder)
    print("\n".join(bad[:40]))
    sys.exit(1 if bad else 0)


main()
