#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site file: what each key does, what is said of it, and one clear line for whatever is wrong with it."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
ENV = {**{k: v for k, v in os.environ.items() if k != "GPUVET_SITE"}, "GPUVET_SITE": ""}
bad = []

DF = """\
Filesystem     1K-blocks      Used Available Use% Mounted on
/dev/sda2      479152840 465000000  14152840  97% /
/dev/nvme1n1  1921802500 801802500 1119999000  42% /data
"""
FULL = DF.replace("465000000  14152840  97%", "479152000       840 100%")
IOSTAT = """\
Linux 6.5.0 (server) 	03/02/2026 	_x86_64_	(32 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          9.10    0.00    2.20    3.40    6.00   79.30

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util
sdc            218.00  27904.00     0.00   0.00   45.20   128.00    0.00      0.00     0.00   0.00    0.00     0.00    9.85  99.60
"""
XID = "[  100.000000] NVRM: Xid (PCI:0000:41:00): {}, pid=1, name=python, {}\n"
XIDS = (XID.format(13, "Graphics SM Warp Exception on (GPC 7, TPC 7, SM 0): Out Of Range Address") +
        XID.format(45, "Ch 00000008"))
SMI_L = "$ nvidia-smi -L\n" + "".join(
    f"GPU {i}: NVIDIA A100-SXM4-80GB (UUID: GPU-0000000{i}-1111-2222-3333-444444444444)\n" for i in range(7))
FIO = """\
t: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=libaio, iodepth=32
fio-3.33
Starting 1 process

t: (groupid=0, jobs=1): err= 0: pid=4121: Mon Mar  2 12:14:10 2026
  read: IOPS=860, BW=860MiB/s (902MB/s)(25800MiB/30001msec)
    clat (usec): min=41, max=11880, avg=5500.0, stdev=11.20

Run status group 0 (all jobs):
   READ: bw=860MiB/s (902MB/s), 860MiB/s-860MiB/s (902MB/s-902MB/s), io=25.2GiB (27.1GB), run=30001-30001msec

Disk stats (read/write):
  nvme0n1: ios=484010/12, merge=0/4, ticks=410021/130, in_queue=410160, util=98.10%
"""
IPERF = """\
Connecting to host 10.1.0.5, port 5201
[  5] local 10.1.0.4 port 40000 connected to 10.1.0.5 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  5.12 GBytes  4.10 Gbits/sec    0             sender
[  5]   0.00-10.00  sec  5.12 GBytes  4.10 Gbits/sec                  receiver

iperf Done.
"""
NFS = "Filesystem     Type 1K-blocks      Used Available Use% Mounted on\nstore:/data    nfs4 479152840 65000000 414152840  14% /data\n"
EVIDENCE = {"df": DF, "full": FULL, "iostat": IOSTAT, "xid": XIDS, "smi": SMI_L, "fio": FIO, "net": IPERF + NFS, "iperf": IPERF,
            "cap": "[  812.5] NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n",
            "docker": SMI_L.replace("$ ", "$ docker exec -it job ")}


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {seen}")


class Site:
    def __init__(self, tmp):
        self.tmp = tmp
        for name, text in EVIDENCE.items():
            (tmp / f"{name}.txt").write_text(text)

    def run(self, evidence, *options, site=None, env=None):
        args = [GPUVET, "diagnose", *options]
        if site is not None:
            path = self.tmp / "site.yaml"
            path.write_bytes(site if isinstance(site, bytes) else site.encode())
            args += ["--site", path]
        p = subprocess.run([*args, *(self.tmp / f"{e}.txt" for e in evidence.split())], capture_output=True, text=True, timeout=60,
                           env={**ENV, **(env or {})})
        return p.returncode, p.stdout, p.stderr

    def doc(self, evidence, *options, **kw):
        status, out, err = self.run(evidence, "--json", *options, **kw)
        if status > 3:
            bad.append(f"{evidence} {options} {kw}: status {status}: {err}")
            return {"findings": [], "verdict": None, "site": None, "window": None, "stages": [], "next": [], "bound": {}}, status
        return json.loads(out), status


def finding(doc, kind):
    return next((f for f in doc["findings"] if f["kind"] == kind), None)


def state(doc, stage):
    return next(s["state"] for s in doc["stages"] if s["stage"] == stage)


def thresholds(s):
    doc, status = s.doc("df")
    expect("97 % full is no finding", (doc["findings"], doc["site"]) == ([], None), (doc["findings"], doc["site"]))
    doc, status = s.doc("df", site="thresholds: {disk-full: 95}")
    f = finding(doc, "disk-full")
    expect("disk-full: 95", f and status == 2 and f["on"]["id"] == "/", (status, doc["findings"]))
    expect("thresholds in JSON", doc["site"]["thresholds"] == [{"name": "disk-full", "value": 95, "default": 99, "unit": "%"}], doc["site"])
    doc, _ = s.doc("iostat")
    expect("iostat without a site file", finding(doc, "storage-saturated") and finding(doc, "cpu-steal")["severity"] == "note", doc["findings"])
    doc, _ = s.doc("iostat", site="thresholds:\n  disk-await: 50 ms\n  disk-read-wait: 50 ms\n  steal: 6\n")
    expect("disk-await: 50 ms", not finding(doc, "storage-saturated"), doc["findings"])
    expect("steal: 6", (finding(doc, "cpu-steal") or {}).get("severity") == "warn", doc["findings"])
    doc, _ = s.doc("iostat", site="thresholds:\n  disk-await: 20\n")
    expect("the built-in value changes nothing", doc["site"]["thresholds"] == [], doc["site"])
    _, text, _ = s.run("df", site="thresholds: {disk-full: 95%, steal: 6}\n")
    expect("the text says so", "site.yaml:" in text and "2 thresholds changed" in " ".join(text.split()), text)


ACCEPT = "accepted:\n  - {{kind: {}, reason: the log volume, until: {}{}}}\n"


def accepted(s):
    plain, status = s.doc("full iostat")
    expect("not accepted", status == 2 and finding(plain, "disk-full")["accepted"] is None, status)
    day = ("--today", "2026-05-01")
    doc, status = s.doc("full", *day, site=ACCEPT.format("disk-full", "2026-05-01", ""))
    f = finding(doc, "disk-full")
    expect("accepted: a note, its last day", f["severity"] == "note" and status == 0, (status, f))
    expect("accepted: in JSON", f["accepted"] == {"reason": "the log volume", "until": "2026-05-01", "severity": "fail"}, f["accepted"])
    expect("accepted: no verdict, stage a note", doc["verdict"] is None and state(doc, "fed") == "note", (doc["verdict"], doc["stages"]))
    expect("accepted: counted", [a["findings"] for a in doc["site"]["accepted"]] == [1], doc["site"])
    _, text, _ = s.run("full", *day, site=ACCEPT.format("disk-full", "2026-05-01", ""))
    flat = " ".join(text.split())
    expect("accepted: in text", "accepted until 2026-05-01: the log volume" in flat and "1 finding accepted" in flat, text)
    doc, status = s.doc("full", "--today", "2026-05-02", site=ACCEPT.format("disk-full", "2026-05-01", ""))
    f = finding(doc, "disk-full")
    expect("expired: counts again", status == 2 and f["severity"] == "fail" and f["accepted"] is None, (status, f))
    expect("expired: in JSON", f["accepted_expired"] == {"reason": "the log volume", "until": "2026-05-01"}, f["accepted_expired"])
    _, text, _ = s.run("full", "--today", "2026-05-02", site=ACCEPT.format("disk-full", "2026-05-01", ""))
    flat = " ".join(text.split())
    expect("expired: in text", "accepted until 2026-05-01, expired" in flat and "1 acceptance expired" in flat, text)
    _, status = s.doc("full", site=ACCEPT.format("disk-full", "1999-01-01", ""))
    expect("expired by the clock", status == 2, status)
    both = ACCEPT.format("disk-full", "2026-01-01", "") + "  - {kind: disk-full, reason: again, until: never}\n"
    doc, status = s.doc("full", *day, site=both)
    expect("another entry holds", status == 0 and finding(doc, "disk-full")["accepted"]["reason"] == "again", status)
    for on, hit in (("/", True), ("/data", False), ('"/*"', True), ('"?"', True), ("sda", False)):
        _, status = s.doc("full", *day, site=ACCEPT.format("disk-full", "never", f", on: {on}"))
        expect(f"on: {on}", (status == 0) == hit, status)
    for on, hit in (("0000:41:00.0", True), ("00000000:41:00", True), ("'*:41:*'", True), ("42:00.0", False), ("n0", True), ("n1", False)):
        _, status = s.doc("cap", *day, site=ACCEPT.format("gpu-fell-off-bus", "never", f", on: {on}"))
        expect(f"on: {on}", (status == 0) == hit, status)
    for node, hit in (("server", True), ("SERV*", True), ("other", False)):
        doc, _ = s.doc("iostat", *day, site=ACCEPT.format("storage-saturated", "never", f", node: {node}, on: sdc"))
        expect(f"node: {node}", (finding(doc, "storage-saturated")["accepted"] is not None) == hit, doc["findings"])
    doc, status = s.doc("full iostat", *day, site=ACCEPT.format("disk-full", "never", ""))
    expect("the others count", status == 2 and doc["verdict"]["kind"] == "storage-saturated", (status, doc["verdict"]))
    plain, _ = s.doc("iostat")
    doc, status = s.doc("iostat", *day, site=ACCEPT.format("storage-saturated", "never", ""))
    expect("what limits is said all the same", doc["bound"]["value"] == plain["bound"]["value"] == "input", (plain["bound"], doc["bound"]))
    expect("accepted explains nothing louder", all(f["severity"] == "note" for f in doc["findings"] if f["caused_by"] == "storage-saturated"), doc["findings"])


def statuses(s):
    site = ACCEPT.format("disk-full", "never", "")
    for options, status in (((), 0), (("--fail-on=warn",), 0), (("--fail-on=fail",), 0), (("--require=fed",), 0),
                            (("--require=visible",), 3), (("--require=visible", "--fail-on=fail"), 3),
                            (("--require=visible", "--fail-on=warn"), 3)):
        got, _, _ = s.run("full", *options, site=site)
        expect(f"accepted, {options}: status {status}", got == status, got)
    steal = "thresholds: {steal: 6, disk-await: 50, disk-read-wait: 50}\n"
    for options, status in (((), 1), (("--fail-on=warn",), 1), (("--fail-on=fail",), 0), (("--require=visible",), 1),
                            (("--require=visible", "--fail-on=fail"), 3), (("--require=fed", "--fail-on=fail"), 0)):
        got, _, _ = s.run("iostat", *options, site=steal)
        expect(f"a warning, {options}: status {status}", got == status, got)
    for options, status in ((("--require=visible", "--fail-on=fail"), 2), (("--require=visible",), 2)):
        got, _, _ = s.run("full", *options)
        expect(f"a failure, {options}: status {status}", got == status, got)
    got, out, err = s.run("full", "--require=")
    expect("--require without a stage", got == 64 and "stage" in err, (got, err))


def xids(s):
    doc, status = s.doc("xid")
    expect("Xid 13 is a finding", finding(doc, "app-kernel-fault") and status == 1, doc["findings"])
    doc, status = s.doc("xid", site="ignore-xids: [31, 13]\n")
    expect("Xid 13 is ignored, and what follows from it", doc["findings"] == [] and status == 0, (status, doc["findings"]))
    expect("ignored Xids in JSON", doc["site"]["ignored_xids"] == [{"code": 31, "lines": 0}, {"code": 13, "lines": 1}], doc["site"])
    _, text, _ = s.run("xid", site="ignore-xids: [13]\n")
    expect("ignored Xids in text", "1 line with an ignored Xid" in text, text)
    doc, _ = s.doc("cap", site="ignore-xids: [13]\n")
    expect("others are not", finding(doc, "gpu-fell-off-bus"), doc["findings"])
    (s.tmp / "pmu.txt").write_text(XID.format(62, "31cf(1fc4) 00000000 00000000") + XID.format(61, "PMU breakpoint"))
    doc, _ = s.doc("pmu")
    expect("Xid 62 names the finding", "62" in finding(doc, "gpu-xid")["summary"], doc["findings"])
    doc, _ = s.doc("pmu", site="ignore-xids: [62]\n")
    expect("without it the other does", "61" in finding(doc, "gpu-xid")["summary"], doc["findings"])


def gpus(s):
    for site, n in (("gpus: 8", 8), ("gpus: 7", None), ("gpus: 4", None), ("gpus: {other: 16, n?: 8}", 8), ("gpus: {other: 16}", None),
                    ("gpus: {n0: 0, '*': 8}", None)):
        doc, _ = s.doc("smi", site=site)
        f = finding(doc, "gpu-missing")
        expect(site, (f is not None) == (n is not None) and (not f or f"{n} that the site file states" in f["summary"]), doc["findings"])
    doc, _ = s.doc("docker", site="gpus: 8")
    expect("a container's list is none of the machine", not finding(doc, "gpu-missing"), doc["findings"])
    doc, _ = s.doc("cap", site="gpus: 8")
    expect("a GPU in a log is no list", not finding(doc, "gpu-missing"), doc["findings"])


def need(s):
    doc, _ = s.doc("fio")
    expect("902 MB/s from NVMe is slow", finding(doc, "storage-slow")["severity"] == "warn", doc["findings"])
    doc, status = s.doc("fio", site="need: 800MB/s\n")
    f = finding(doc, "storage-slow")
    expect("it suffices: a note", f["severity"] == "note" and "needs 800 MB/s" in f["summary"] and status == 0, (status, f))
    expect("need in JSON", doc["site"]["need"]["met"] is True and doc["site"]["need"]["rate"] == 8e8, doc["site"]["need"])
    doc, status = s.doc("fio", "--need", "2.4GB/s", site="need: 1MB/s\n")
    f = finding(doc, "storage-slow")
    expect("--need goes before the file; it is not met", f["severity"] == "warn" and "2.40 GB/s" in f["summary"], f)
    expect("not met in JSON", doc["site"]["need"]["met"] is False and round(doc["site"]["need"]["seen"] / 1e6) == 902, doc["site"]["need"])
    doc, _ = s.doc("fio", "--need=20Gbit/s")
    expect("without a file", doc["site"]["file"] is None and doc["site"]["need"]["rate"] == 2.5e9, doc["site"])
    doc, status = s.doc("df", "--need=1GB/s")
    expect("not measured", doc["site"]["need"] == {"rate": 1e9, "seen": None, "met": None} and status == 0, doc["site"])
    expect("not measured: next", any(n["run"].startswith("fio ") for n in doc["next"]), doc["next"])
    doc, _ = s.doc("df")
    expect("no need, no fio", not any(n["run"].startswith("fio ") for n in doc["next"]), doc["next"])
    doc, _ = s.doc("iostat", "--need=20MB/s")
    f = finding(doc, "storage-saturated")
    expect("the busy disk gives as much", f["severity"] == "note" and "gives as much" in f["summary"], f)
    doc, _ = s.doc("iostat", "--need=200MB/s")
    f = finding(doc, "storage-saturated")
    expect("the busy disk gives less", f["severity"] == "fail" and "needs 200 MB/s" in f["summary"], f)
    doc, _ = s.doc("net", "--need=2GB/s")
    f = finding(doc, "storage-slow")
    expect("the network gives less", f and "/data comes over the network" in f["summary"], doc["findings"])
    doc, _ = s.doc("net", "--need=0.4GB/s")
    expect("the network gives enough", not finding(doc, "storage-slow"), doc["findings"])
    doc, _ = s.doc("iperf", "--need=2GB/s")
    expect("no data comes over the network", not finding(doc, "storage-slow"), doc["findings"])
    (s.tmp / "small.txt").write_text(FIO.replace("1024KiB", "4096B").replace("860MiB", "40MiB").replace("902MB", "42MB"))
    doc, _ = s.doc("small", "--need=2GB/s")
    expect("small requests prove nothing", "needs" not in (finding(doc, "storage-slow") or {"summary": ""})["summary"], doc["findings"])


ENTRY = "accepted:\n  - kind: disk-full\n    reason: x\n    until: never\n"
WRONG = {  # a site file: the line that is named, and words of the message
    "thresholds:\n  dsk-full: 95\n": (2, 'no threshold; did you mean disk-full?'),
    "thresholds:\n  disk-full: much\n": (2, "number from 0 to 100 in %"),
    "thresholds:\n  disk-full: 101\n": (2, "number from 0 to 100"),
    "thresholds:\n  disk-await: 5 %\n": (2, "in ms"),
    "thresholds:\n  disk-await: -1\n": (2, "in ms"),
    "thresholds:\n  disk-await: [5]\n": (2, "in ms"),
    "thresholds: [5]\n": (1, "a map of names"),
    "thresholds:\n  steal: 1\n  iowait: 1\n  steal: 2\n": (4, "twice (first in line 2)"),
    "treshholds: {}\n": (1, "did you mean thresholds?"),
    "what: 1\n": (1, '"what" is no key'),
    "- a\n": (1, "a site file is a map"),
    "just text\n": (1, "a site file is a map"),
    "accepted: {kind: x}\n": (1, "has to be a list"),
    "accepted: [x]\n": (1, "has to be a map"),
    ENTRY.replace("disk-full", "disk-ful"): (2, "did you mean disk-full?"),
    ENTRY.replace("    reason: x\n", ""): (2, 'needs "reason"'),
    ENTRY.replace("reason: x", "reason:"): (3, "reason: has to be a text"),
    ENTRY.replace("reason: x", "reason: ' '"): (3, "reason: has to be a text"),
    ENTRY.replace("    until: never\n", ""): (2, 'needs "until"'),
    ENTRY.replace("never", "tomorrow"): (4, "a date as 2026-05-01"),
    ENTRY.replace("never", "2026-02-30"): (4, "a date as 2026-05-01"),
    ENTRY.replace("never", "2026-05-01T00:00"): (4, "a date as 2026-05-01"),
    ENTRY + "    untill: never\n": (5, "did you mean until?"),
    ENTRY + "    on: [a]\n": (5, "on: has to be a text"),
    "ignore-xids: 13\n": (1, "has to be a list"),
    "ignore-xids: [13, x]\n": (1, "whole number"),
    "ignore-xids:\n  - 13\n  - 3.5\n": (3, "whole number"),
    "ignore-xids: [-1]\n": (1, "whole number"),
    "gpus: many\n": (1, "gpus: has to be a whole number"),
    "gpus: [8]\n": (1, "a number, or a map"),
    "gpus:\n  a: 8\n  b: x\n": (3, "b: has to be a whole number"),
    "gpus: 5000\n": (1, "from 0 to 4096"),
    "need: fast\n": (1, "has to be a rate"),
    "need: 5\n": (1, "has to be a rate"),
    "need: 0MB/s\n": (1, "has to be a rate"),
    "a: &x 1\nb: *x\n": (1, "anchors"),
    "need: !!str 5MB/s\n": (1, "tags"),
    "gpus: 8\n---\ngpus: 8\n": (2, "second document"),
    "gpus: 8\n...\n---\ngpus: 8\n": (3, "second document"),
    "gpus: [8\n": (2, "not valid YAML"),
    "gpus: 8\n\tneed: 5MB/s\n": (2, "not valid YAML"),
    "? [a]\n: b\n": (1, "a key has to be a word"),
    "gpus: {" * 9 + "}" * 9: (1, "nested too deeply"),
    "accepted:\n" + "- {kind: disk-full, reason: x, until: never}\n" * 1001: (1, "more than 1000"),
    "gpus:\n" + "".join(f"  h{i}: 8\n" for i in range(1001)): (1002, "too many keys"),
    b"gpus: 8\nneed: \xff\xfe\n": (2, "not valid YAML"),
    b"gpus: 8\x00\n": (1, "not valid YAML"),
}


def one_line(what, status, out, err, want):
    expect(f"{what}: status {want}", status == want, (status, err))
    expect(f"{what}: nothing on stdout, one line on stderr", not out and err.count("\n") == 1, (out[:100], err))


def errors(s):
    path = s.tmp / "site.yaml"
    for text, (line, words) in WRONG.items():
        status, out, err = s.run("df", site=text)
        what = repr(text[:60])
        one_line(what, status, out, err, 64)
        expect(f"{what}: {path}:{line}: {words}", f"{path}:{line}: " in err and words in err, err)
    for text in ("", "# nothing\n", "---\n", "accepted:\nthresholds: ~\nignore-xids: null\n", "{}\n", "\ufeffgpus: 8\n"):
        status, out, err = s.run("df", site=text)
        expect(f"{text!r} is a site file", status in (0, 3) and "Site file" in out, (status, err))
    for text in ("[" * 1000000, "{" * 1000000, "- " * 500000, "a: " * 300000, "x" * (1 << 20), "a:\n  - b\n" * 100000,
                 "".join(f"k{i}: &a{i} [*a{i}]\n" for i in range(20000)), "? " * 500000, "&a " * 300000, "'" + "\n" * 1000000):
        status, out, err = s.run("df", site=text[:1 << 20])
        one_line(f"{text[:20]!r}...", status, out, err, 64)
    status, out, err = s.run("df", site="#" * ((1 << 20) + 1))
    one_line("too large", status, out, err, 66)
    expect("too large", "1 MiB" in err, err)
    for options, status, words in ((("--site", "/no/such/site.yaml"), 66, "/no/such/site.yaml"), (("--site", str(s.tmp)), 66, "site file"),
                                   (("--today=soon",), 64, "--today"), (("--need=fast",), 64, "--need"),
                                   (("--today=2026-02-30",), 64, "--today")):
        got, out, err = s.run("df", *options)
        one_line(options, got, out, err, status)
        expect(options, words in err, err)


def where(s):
    site = s.tmp / "elsewhere.yaml"
    site.write_text("thresholds: {disk-full: 95}\n")
    for options, env, status in (((), {"GPUVET_SITE": str(site)}, 2), (("--no-site",), {"GPUVET_SITE": str(site)}, 0),
                                 (("--site=",), {"GPUVET_SITE": str(site)}, 0), (("--site", str(site)), {}, 2),
                                 (("--site", str(site), "--no-site"), {}, 0), ((), {"GPUVET_SITE": ""}, 0),
                                 ((), {"GPUVET_SITE": "/no/such"}, 66), (("--site", str(site)), {"GPUVET_SITE": "/no/such"}, 2)):
        got, _, err = s.run("df", *options, env=env)
        expect(f"{options} {env}: status {status}", got == status, (got, err))
    if not pathlib.Path("/etc/gpuvet/site.yaml").exists():
        p = subprocess.run([GPUVET, "diagnose", s.tmp / "df.txt"], capture_output=True, text=True,
                           env={k: v for k, v in ENV.items() if k != "GPUVET_SITE"})
        expect("no file by default is no error", p.returncode == 0 and "Site" not in p.stdout, (p.returncode, p.stderr))
    status, out, err = s.run("df", "--site", str(ROOT / "examples" / "site.yaml"))
    expect("the example is right", status < 64 and "2 thresholds changed" in " ".join(out.split()), (status, out, err))


def page():
    """The manual page lists every threshold as it is."""
    rows = re.findall(r'^THRESHOLD\(\w+, "([^"]+)", ([\d.]+), "([^"]+)", "([^"]+)", ', (ROOT / "src/core/threshold.def").read_text(), re.M)
    text = (ROOT / "man/gpuvet-site.5.scd").read_text()
    expect("thresholds are there", len(rows) > 30, len(rows))
    expect("thresholds are sorted", [r[0] for r in rows] == sorted(r[0] for r in rows), [r[0] for r in rows])
    for name, value, unit, meaning in rows:
        want = f"*{name}* [{float(value):g} {unit}]\n\t{meaning[0].upper() + meaning[1:]}."
        expect(f"man/gpuvet-site.5.scd: {name}", want in text, want)
    named = re.findall(r"^\*([a-z-]+)\* \[", text, re.M)
    expect("no others are", sorted(named) == sorted(r[0] for r in rows), named)


def sources():
    """A threshold that names a row of data/thresholds.tsv has its value."""
    table = [l.split("\t") for l in (ROOT / "data/thresholds.tsv").read_text().splitlines() if not l.startswith("#")]
    rows = re.findall(r'^THRESHOLD\(\w+, "([^"]+)", ([\d.]+), "[^"]+", "[^"]+", "([^"]+)"\)', (ROOT / "src/core/threshold.def").read_text(), re.M)
    for name, value, source in rows:
        values = [float(r[2]) for r in table if r[0] == source and re.fullmatch(r"[\d.]+", r[2])]
        expect(f"{name} is {value}, {source} {values}", source == "-" or float(value) in values)


def without_yaml(s):
    status, out, err = s.run("df", site="gpus: 8\n")
    one_line("a build without YAML", status, out, err, 64)
    expect("a build without YAML", "libyaml" in err, err)
    doc, _ = s.doc("fio", "--need=2GB/s")
    expect("--need needs no YAML", doc["site"]["need"]["met"] is False, doc["site"])


def main():
    version = subprocess.run([GPUVET, "--version"], capture_output=True, text=True).stdout
    lacks = "site files" in (version.split("without", 1) + [""])[1]
    with tempfile.TemporaryDirectory() as tmp:
        s = Site(pathlib.Path(tmp))
        for test in (without_yaml,) if lacks else (thresholds, accepted, statuses, xids, gpus, need, errors, where):
            test(s)
    page()
    sources()
    for b in bad[:40]:
        print(b)
    sys.exit(1 if bad else 0)


main()
