#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live looks at NVML, with libraries in its place that are well, old, sick, silent, crashing or lying (tests/fakes/nvml.c):
what is found, what is kept, and that it ends in time."""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

GPUVET = pathlib.Path(sys.argv[1]).resolve()
FAKES = GPUVET.parent / "tests/fakes"
bad = []


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {str(seen)[:600]}")


def run(*args, **env):
    p = subprocess.run([GPUVET, *map(str, args)], capture_output=True, timeout=120, stdin=subprocess.DEVNULL,
                       env={**os.environ, **env})
    expect(f"status of {args}", p.returncode in (0, 1, 2, 3), (p.returncode, p.stderr))
    return p


PCI = pathlib.Path("/sys/bus/pci/devices")
# Where the bus cannot be seen (a chroot without /sys) a GPU may be there for all that gpuvet knows.
NVIDIA_HERE = not PCI.exists() or any("10de" in p.read_text() for p in PCI.glob("*/vendor"))


class Look:
    """A look at a stand-in, live, and at its transcript as a file. The transcript alone says the same on every machine: the
    live report holds what else is wrong with the machine that tests, which may be a container, too."""

    def __init__(self, tmp, scenario, library="fake-nvml", span="0.3", timeout="1"):
        self.name = f"{library or 'absent'}/{scenario}"
        where = tmp / self.name
        where.mkdir(parents=True)
        if library:
            (where / "libnvidia-ml.so.1").symlink_to(FAKES / f"{library}.so")
        began = time.monotonic()
        p = run("diagnose", "--json", "--for", span, "--timeout", timeout, "--save", where / "saved.tar",
                LD_LIBRARY_PATH=str(where), FAKE_NVML=scenario)
        self.took = time.monotonic() - began
        self.live = json.loads(p.stdout)
        with tarfile.open(where / "saved.tar") as tar:
            self.text = tar.extractfile("live/call/nvml").read().decode()
        self.lines = self.text.splitlines()
        (where / "nvml").write_text(self.text)
        self.doc = json.loads(run("diagnose", "--json", where / "nvml").stdout)
        self.facts = json.loads(run("facts", "--json", where / "nvml").stdout)

    def found(self, doc=None):
        return {(f["kind"], f["on"]["id"]) for f in (doc or self.doc)["findings"] if f["severity"] != "note"}

    def finds(self, *wanted, live=True):
        """Exactly these (kind, id) at warn or fail from the transcript, each with a quote that stands in it."""
        expect(f"{self.name}: findings", self.found() == set(wanted), self.found())
        for f in self.doc["findings"]:
            for e in f["evidence"]:
                expect(f"{self.name}: quote of {f['kind']}", e["text"].rstrip("…") in self.lines[e["line"] - 1], e)
        if live:
            nodes = {(k, i) for k, i in wanted if i == "n0"}
            expect(f"{self.name}: live", set(wanted) - nodes <= self.found(self.live), self.found(self.live))

    def quote(self, kind):
        return [e["text"] for f in self.doc["findings"] if f["kind"] == kind for e in f["evidence"]]

    def confidence(self, kind):
        return next((f["confidence"] for f in self.doc["findings"] if f["kind"] == kind), None)

    def has(self, *lines):
        for line in lines:
            expect(f"{self.name}: transcript has {line}", line in self.lines, self.lines[-3:])

    def lacks(self, *pieces):
        for piece in pieces:
            expect(f"{self.name}: transcript lacks {piece}", piece not in self.text,
                   [x for x in self.lines if piece in x][:3])

    def ends_within(self, seconds):
        expect(f"{self.name}: in time", self.took < seconds, f"{self.took:.1f} s")

    def gpus(self, n):
        expect(f"{self.name}: {n} GPUs", self.doc["subjects"][0]["gpus"] == n, self.doc["subjects"])

    def fact(self, entity, name):
        """(value, reason, state) of a fact of the first entity of this id."""
        for e in self.facts["entities"]:
            if e["id"] == entity:
                for f in e["facts"]:
                    if f["name"] == name:
                        return f
        return {}


def bus(i):
    return f"0000:{0x10 + i * 8:02x}:00.0"


def well(tmp):
    for scenario, n in (("well", 8), ("sixteen", 16), ("wide", 8), ("crowd", 8)):
        x = Look(tmp, scenario)
        x.gpus(n)
        expect(f"{x.name}: nothing is wrong", x.found() <= {("gpu-shared", bus(i)) for i in range(n)}, x.found())
        expect(f"{x.name}: no call hung", not [u for u in x.doc["unread"] + x.live["unread"] if "nvml" in u["file"]], x.live["unread"])
        x.has('nvmlSystemGetDriverVersion() = 0 "550.54.15"', f"nvmlDeviceGetCount_v2() = 0 deviceCount={n}",
              'nvmlDeviceGetName(0) = 0 "NVIDIA H100 80GB HBM3"',
              f'nvmlDeviceGetPciInfo_v3({n - 1}) = 0 busId="00000000:{0x10 + (n - 1) * 8:02X}:00.0" pciDeviceId=0x233010de',
              "nvmlDeviceGetPowerUsage(0) = 0 power_mW=623456")
        x.lacks("not in this library")
        who = max(i for i, line in enumerate(x.lines) if line.startswith("nvmlDeviceGetUUID("))
        how = min(i for i, line in enumerate(x.lines) if line.startswith("nvmlDeviceGetRemappedRows("))
        expect(f"{x.name}: who they are comes first", who < how, (who, how))
        ticks = [line for line in x.lines if line.startswith("@") and line.endswith("nvmlDeviceGetUtilizationRates(0) = 0 gpu=97 memory=43")]
        stamps = [float(line[1:line.index(" ")]) for line in ticks]
        expect(f"{x.name}: samples", stamps and stamps == sorted(set(stamps)), ticks)
        expect(f"{x.name}: every GPU at each tick", sum(" nvmlDeviceGetUtilizationRates(" in line for line in x.lines
                                                       if line.startswith("@")) == n * len(ticks), ticks)
        expect(f"{x.name}: it is shut down", x.lines[-1].endswith("nvmlShutdown() = 0"), x.lines[-1])
        power = x.fact(bus(0), "power")
        expect(f"{x.name}: power", power.get("value") == 623.456, power)
    processes = [line for line in x.lines if line.startswith("nvmlDeviceGetComputeRunningProcesses_v3(2)[")]
    expect("crowd: all processes of a GPU, of the wide struct", len(processes) == 300 and
           processes[0].endswith("pid=4002001 usedGpuMemory=N/A") and "pid=4002300 " in processes[299], processes[:2])
    x = Look(tmp, "none")
    x.gpus(0)
    x.finds()


def older_drivers(tmp):
    for library in ("fake-nvml-partial", "fake-nvml-old"):
        x = Look(tmp, "well", library)
        x.gpus(8)
        x.finds()
        x.has("nvmlDeviceGetRemappedRows: not in this library")
        expect(f"{x.name}: told once", x.text.count("nvmlDeviceGetRemappedRows: ") == 1)
        lacks = x.fact(bus(0), "remap.pending")
        expect(f"{x.name}: unknown, with the reason", lacks.get("value") is None and "lacks the call" in str(lacks), lacks)
        memory = x.fact(bus(0), "memory.total")
        expect(f"{x.name}: memory by the older call", memory.get("value") == 81559, memory)
        expect(f"{x.name}: the process", x.fact("4000001", "gpu_memory").get("value") == 61234, x.fact("4000001", "gpu_memory"))
    x.has('nvmlDeviceGetPciInfo_v2(0) = 0 busId="0000:10:00.0" pciDeviceId=0x233010de', "nvmlInit() = 0")


def faults(tmp):
    for scenario, wanted in {
        "throttle": [("throttle-thermal", bus(4))],
        "ecc": [("ecc-uncorrectable", bus(5)), ("row-remap-pending", bus(5))],
        "full": [("gpu-memory-full", bus(0)), ("gpu-shared", bus(0))],
        "narrow": [("pcie-link-degraded", bus(7))],
        "link": [("nvlink-down", bus(2))],
        "fabric": [("fabric-manager-down", "n0")],
        "reset": [("gpu-reset-required", bus(6))],
        "mig": [],
        "garbage": [],
    }.items():
        x = Look(tmp, scenario)
        x.finds(*wanted)
        if scenario == "mig":
            util = x.fact(bus(0), "util")
            expect("mig: why utilisation is not known", "while MIG is on" in str(util), util)
            expect("mig: not asked again and again", x.text.count("nvmlDeviceGetUtilizationRates(0)") == 1)
            expect("mig: devices", x.fact(bus(0), "mig_devices").get("value") == 2, x.fact(bus(0), "mig_devices"))
        if scenario == "garbage":
            expect("garbage: lines are lines", all(" " <= c <= "~" for line in x.lines for c in line))
            x.has("nvmlDeviceGetComputeRunningProcesses_v3(1) = 0 infoCount=4000000000")
            expect("garbage: no process is made of it", "pid=" not in x.text)
            expect("garbage: growing lists end", any(line.startswith("nvmlDeviceGetComputeRunningProcesses_v3(0) = 7 ")
                                                     for line in x.lines))


def lost(tmp):
    x = Look(tmp, "lost")
    x.gpus(8)
    x.finds(("gpu-fell-off-bus", bus(3)))
    expect("lost: quote", x.quote("gpu-fell-off-bus") == ["nvmlDeviceGetName(3) = 15 (GPU is lost)"], x.quote("gpu-fell-off-bus"))
    expect("lost: it is asked no further", x.text.count("(3") == 3, [line for line in x.lines if "(3" in line][:8])
    x.has('nvmlDeviceGetName(4) = 0 "NVIDIA H100 80GB HBM3"')
    x = Look(tmp, "lost-handle")
    x.finds(("gpu-fell-off-bus", "gpu3"))
    x = Look(tmp, "unknown")
    x.finds(("gpu-fell-off-bus", bus(1)), live=False)  # in a container the device cgroup answers so


def clients_of_mps(tmp):
    x = Look(tmp, "mps")
    x.has("nvmlDeviceGetComputeRunningProcesses_v3(0) = 0 infoCount=2", "nvmlDeviceGetMPSComputeRunningProcesses_v3(0) = 0 infoCount=2")
    x.finds()  # not gpu-shared
    x = Look(tmp, "mps", "fake-nvml-old")
    x.has("nvmlDeviceGetMPSComputeRunningProcesses(0) = 0 infoCount=2")
    x.finds()


def no_driver(tmp):
    for scenario, kind, line in (
        ("not-loaded", "driver-not-loaded", "nvmlInit_v2() = 9 (Driver Not Loaded)"),
        ("mismatch", "driver-mismatch", "nvmlInit_v2() = 18 (Driver/library version mismatch)"),
        ("no-permission", "device-permission", "nvmlInit_v2() = 4 (Insufficient Permissions)"),
        ("init-unknown", "cgroup-device-denied", "nvmlInit_v2() = 999 (Unknown Error)"),
    ):
        x = Look(tmp, scenario)
        x.finds((kind, "n0"))
        there = scenario != "not-loaded" or NVIDIA_HERE  # the library alone needs no driver
        expect(f"{scenario}: live", (kind in {k for k, _ in x.found(x.live)}) == there, x.found(x.live))
        expect(f"{scenario}: quote", x.quote(kind)[:1] == [line], x.quote(kind))
        x.lacks("nvmlDeviceGet", "nvmlShutdown")
    expect("mismatch: the library's version", Look(tmp / "again", "mismatch").has('nvmlSystemGetNVMLVersion() = 0 "12.550.90.07"') is None)
    # no library at all, where there is no GPU of NVIDIA's either
    x = Look(tmp, "well", "")
    if not NVIDIA_HERE:
        expect("absent: looked for", x.lines[0].startswith("dlopen(libnvidia-ml.so.1) = NULL ("), x.lines[:1])
        x.finds()
        expect("absent: no finding live", not {k for k, _ in x.found(x.live)} & {"driver-not-loaded", "missing-shared-library"},
               x.found(x.live))


def silence(tmp):
    x = Look(tmp, "hang")
    x.ends_within(20)
    x.gpus(8)
    x.finds(("driver-hung", bus(2)))
    line = "nvmlDeviceGetPowerUsage(2): no answer within 1 s"
    x.has(line)
    expect("hang: quote", x.quote("driver-hung") == [line], x.quote("driver-hung"))
    expect("hang: confidence", x.confidence("driver-hung") == "high", x.confidence("driver-hung"))
    expect("hang: in unread", any("nvmlDeviceGetPowerUsage(2)" in u["file"] for u in x.live["unread"]), x.live["unread"])
    # what came before is kept, the others are asked on, this one is not
    x.has('nvmlDeviceGetUUID(2) = 0 "GPU-00000003-1111-2222-3333-444455556666"', "nvmlDeviceGetUtilizationRates(2) = 0 gpu=97 memory=43",
          "nvmlDeviceGetPowerUsage(3) = 0 power_mW=623456", "nvmlDeviceGetEnforcedPowerLimit(7) = 0 limit_mW=700000")
    expect("hang: once", x.text.count("(2): no answer") == 1)
    x.lacks("nvmlDeviceGetEnforcedPowerLimit(2)")
    expect("hang: each call stands there once", len(set(x.lines)) == len(x.lines))
    expect("hang: why power is not known", "did not answer" in str(x.fact(bus(2), "power")), x.fact(bus(2), "power"))
    x = Look(tmp, "hang-init")
    x.ends_within(15)
    x.finds(("driver-hung", "n0"))
    expect("hang-init: confidence", x.confidence("driver-hung") == "medium")
    expect("hang-init: nothing further", x.lines[-1] == "nvmlInit_v2(): no answer within 1 s", x.lines)


def crashes(tmp):
    for scenario in ("crash", "exit"):
        x = Look(tmp, scenario)
        x.ends_within(15)
        x.gpus(8)
        x.finds(("driver-hung", bus(1)))
        expect(f"{scenario}: confidence", x.confidence("driver-hung") == "medium")
        expect(f"{scenario}: quote", [q.startswith("nvmlDeviceGetTotalEccErrors(1, UNCORRECTED, VOLATILE): ended the process (")
                                      for q in x.quote("driver-hung")] == [True], x.quote("driver-hung"))
        x.has('nvmlDeviceGetName(1) = 0 "NVIDIA H100 80GB HBM3"', "nvmlDeviceGetTotalEccErrors(2, UNCORRECTED, VOLATILE) = 0 eccCounts=0")
        x.lacks("nvmlDeviceGetTotalEccErrors(1, CORRECTED")


with tempfile.TemporaryDirectory() as d:
    for part in (well, older_drivers, faults, lost, no_driver, clients_of_mps, silence, crashes):
        (pathlib.Path(d) / part.__name__).mkdir()
        part(pathlib.Path(d) / part.__name__)
for line in bad:
    print("test_nvml:", line)
sys.exit(1 if bad else 0)
