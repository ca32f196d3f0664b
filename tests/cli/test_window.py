#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--since and --until: which lines and outputs are judged, how often a thing is counted, and what is said of it."""
import json
import pathlib
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
bad = []

AER = "pcieport 0000:00:01.0: AER: Corrected error message received from 0000:01:00.0"
LOST = "NVRM: Xid (PCI:0000:41:00): 79, pid=1234, name=python3, GPU has fallen off the bus."
KILL = "Out of memory: Killed process 4711 (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0"
SMI = """\
{} 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.14              Driver Version: 550.54.14      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:41:00.0 Off |                    {} |
| N/A   41C    P0             265W / 400W |   61234MiB /  81920MiB |     92%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
"""


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {seen}")


def iso(day, clock, text, zone="+0000"):
    return f"2026-01-{day:02}T{clock}{zone} node7 kernel: {text}\n"


def syslog(day, clock, text, month="Jan"):
    return f"{month} {day:2} {clock} node7 kernel: {text}\n"


def call(text, *options):
    p = subprocess.run([GPUVET, "diagnose", "--no-site", *options, "-"], input=text, capture_output=True, text=True, timeout=60)
    return p.returncode, p.stdout, p.stderr


def doc(text, *options):
    status, out, err = call(text, "--json", *options)
    if status > 3:
        bad.append(f"{options}: status {status}: {err}")
        return {"findings": [], "window": {}}
    return json.loads(out)


def kinds(d):
    return sorted(f["kind"] for f in d["findings"])


def finding(d, kind):
    return next((f for f in d["findings"] if f["kind"] == kind), {"summary": "", "evidence": [], "when": None})


def counts():
    log = "".join(iso(10, f"10:00:{s:02}", AER) * 5 for s in range(60)) + "".join(iso(12, f"10:00:{s:02}", AER) for s in range(15))
    d = doc(log)
    expect("all", "315" in finding(d, "pcie-aer")["summary"] and d["window"] is None, d["findings"])
    for options, n, out in ((("--since=2026-01-11",), "15", 300), (("--until=2026-01-11",), "300", 15), (("--since", "2026-01-10 10:00:20"), "215", 100),
                            (("--since=2026-01-10T10:00:30", "--until=2026-01-12T10:00:05Z"), "156", 159),
                            (("--since=2026-01-10T11:00:30+01:00", "--until", "2026-01-12 10:00"), "151", 164),
                            (("--since", "3d ago"), "315", 0), (("--since=1d",), "15", 300), (("--until", "1d 12h ago"), "300", 15)):
        d = doc(log, *options)
        expect(f"{options}: {n} lines", n in finding(d, "pcie-aer")["summary"].split(), finding(d, "pcie-aer")["summary"])
        expect(f"{options}: {out} left out", d["window"]["lines_left_out"] == out, d["window"])
        with tempfile.NamedTemporaryFile("w", suffix=".log") as f:
            f.write(log)
            f.flush()
            p = subprocess.run([GPUVET, "diagnose", "--no-site", "--json", "--max-document=2KB", *options, f.name], capture_output=True, text=True)
        held = json.loads(p.stdout)
        expect(f"{options}: a log that is not held", n in finding(held, "pcie-aer")["summary"].split() and held["window"]["lines_left_out"] == out, held)
    d = doc(log, "--since=2026-01-13")
    expect("nothing is left", kinds(d) == [] and d["window"]["lines_left_out"] == 315, d)
    d = doc(log, "--since=1d")
    expect("ago counts from the last dated line", (d["window"]["since"], d["window"]["last"]) == ("2026-01-11T10:00:14Z", "2026-01-12T10:00:14Z"), d["window"])
    _, text, _ = call(log, "--since=1d")
    flat = " ".join(text.split())
    expect("the text says so", "Span: since 2026-01-11T10:00:14Z (1d before the last dated line): 300 log lines left out" in flat, text)


def years():
    log = syslog(28, "23:00:00", LOST, "Dec") + syslog(3, "01:00:00", KILL)
    for options, left in ((("--since=2026-01-01",), ["oom-killer"]), (("--since=2025-12-01",), ["gpu-fell-off-bus", "oom-killer"]),
                          (("--until=2025-12-31",), ["gpu-fell-off-bus"]), (("--since=2d",), ["oom-killer"]),
                          (("--since=7d",), ["gpu-fell-off-bus", "oom-killer"])):
        expect(f"lines without a year, {options}", kinds(doc(log, *options)) == left, kinds(doc(log, *options)))


def undated():
    job = ("2026-01-10 10:00:00 INFO step 1\nTraceback (most recent call last):\n"
           "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.64 GiB. GPU 0 has a total capacity of 19.92 GiB of which "
           "0.22 GiB is free. Of the allocated memory 19.34 GiB is allocated by PyTorch, and 0.10 GiB is reserved by PyTorch but "
           "unallocated.\n2026-01-12 10:00:00 INFO done\n")
    all_of = kinds(doc(job))
    expect("a traceback is found", all_of, all_of)
    expect("it is as old as the line above it", kinds(doc(job, "--since=2026-01-11")) == [], doc(job, "--since=2026-01-11"))
    expect("it is as old as the line above it, until", kinds(doc(job, "--until=2026-01-11")) == all_of, doc(job, "--until=2026-01-11"))
    first = job.split("\n", 1)[1]
    d = doc(first, "--since=2026-01-11")
    expect("before any date it is kept", kinds(d) == all_of and d["window"]["lines_without_date"] >= 1, d["window"])
    d = doc(f"[  812.5] {LOST}\n", "--since=2026-01-11")
    expect("seconds since boot are kept", kinds(d) == ["gpu-fell-off-bus"] and d["window"]["lines_without_date"] >= 1, d["window"])
    _, text, _ = call(f"[  812.5] {LOST}\n", "--since=2026-01-11")
    expect("and that is said", "without a date kept" in " ".join(text.split()), text)
    d = doc(f"[  812.5] {LOST}\n", "--since=2h")
    expect("nothing is dated", kinds(d) == ["gpu-fell-off-bus"] and d["window"]["since"] is None, d["window"])
    clock = "[    1.250000] rtc_cmos 00:01: setting system clock to 2026-01-10T10:00:01 UTC (1768039201)\n"
    d = doc(clock + f"[  812.500000] {LOST}\n[200000.000000] {KILL}\n", "--since=2026-01-11")
    expect("the kernel says when it set its clock", kinds(d) == ["oom-killer"] and d["window"]["lines_without_date"] == 0, (kinds(d), d["window"]))


def boots():
    start = "Linux version 6.8.0 (gcc) #1 SMP"
    log = "[    0.000000] {}\n[  10.000000] {}\n[  20.000000] {}\n".format(start, LOST, AER) * 2
    log = log.replace(f"[  10.000000] {LOST}\n", "", 1) + f"[  30.000000] {AER}\n"
    d = doc(log, "--since=boot")
    expect("since boot: the last one", kinds(d) == ["gpu-fell-off-bus"] and d["window"]["since_boot"], (kinds(d), d["window"]))
    log = f"[    0.000000] {start}\n[  10.000000] {LOST}\n[    0.000000] {start}\n[  10.000000] {KILL}\n"
    expect("without it the first is history", finding(doc(log), "gpu-fell-off-bus")["when"] == "history", doc(log)["findings"])
    d = doc(log, "--since=boot")
    expect("since boot: not before", kinds(d) == ["oom-killer"] and d["window"]["lines_left_out"] == 2, (kinds(d), d["window"]))
    aer = "".join(f"[  {10 + i}.000000] {AER}\n" for i in range(30))
    d = doc(f"[    0.000000] {start}\n{aer}[    0.000000] {start}\n" + aer[:aer.index("[  25")], "--since=boot")
    expect("since boot: counts", "15" in finding(d, "pcie-aer")["summary"].split(), d["findings"])
    later = iso(10, "10:00:00", LOST) + iso(12, "10:00:00", start) + iso(12, "10:01:00", KILL)
    expect("a boot makes history", finding(doc(later), "gpu-fell-off-bus")["when"] == "history", doc(later)["findings"])
    d = doc(later, "--until=2026-01-11")
    expect("not one after the span", finding(d, "gpu-fell-off-bus")["when"] == "now" and kinds(d) == ["gpu-fell-off-bus"], d["findings"])


def outputs():
    old, new = SMI.format("Sat Jan 10 12:10:11", 2), SMI.format("Mon Jan 12 12:10:11", 0)
    expect("the first look shows errors", finding(doc(old + new), "ecc-uncorrectable")["when"] == "history", doc(old + new)["findings"])
    d = doc(old + new, "--since=2026-01-11")
    expect("it is left out", "ecc-uncorrectable" not in kinds(d) and d["window"]["outputs_left_out"] == 1, (kinds(d), d["window"]))
    d = doc(old + new, "--until=2026-01-11")
    expect("the second is left out", finding(d, "ecc-uncorrectable")["when"] == "now" and d["window"]["outputs_left_out"] == 1, (d["findings"], d["window"]))
    d = doc(old + new, "--since=1d")
    expect("outputs alone: ago counts from the last", "ecc-uncorrectable" not in kinds(d) and d["window"]["outputs_left_out"] == 1, d["window"])


def errors():
    for options, words in ((("--since=soon",), "--since"), (("--until=10:44",), "--until"), (("--since=2026-02-30",), "2026-02-30"),
                           (("--since=2026-1-3",), "--since"), (("--since=",), "--since"), (("--since=2026-01-13T25:00",), "--since"),
                           (("--since=2026-01-13 10:00 often",), "--since"), (("--since=5",), "--since"), (("--since=-2h",), "--since"),
                           (("--until=boot",), "boot"), (("--since=2026-01-13", "--until=2026-01-12"), "before --since"),
                           (("--since=1h", "--until=2h"), "before --since"), (("--since=" + "9" * 5000,), "--since")):
        status, out, err = call(LOST, *options)
        expect(f"{options}: status 64", status == 64, (status, err))
        expect(f"{options}: one line, nothing on stdout", not out and err.count("\n") == 1 and words in err, err)


def main():
    for test in (counts, years, undated, boots, outputs, errors):
        test()
    for b in bad[:40]:
        print(b)
    sys.exit(1 if bad else 0)


main()
