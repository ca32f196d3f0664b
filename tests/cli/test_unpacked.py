#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Saved runs and bundles, as archives and unpacked: what the account of a look says counts for all of its documents."""
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile

from built import has

GPUVET = os.path.abspath(sys.argv[1])
ENV = dict(os.environ, LC_ALL="C", NO_COLOR="1")
PCI = "/sys/bus/pci/devices/"
XID79 = "NVRM: Xid (PCI:0000:18:00): 79, pid=4711, name=python, GPU has fallen off the bus."
XID31 = ("NVRM: Xid (PCI:0000:18:00): 31, pid=4711, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS "
         "GPCCLIENT_T1_0 faulted @ 0x7f_0. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ")


def account(moment, *more):
    return "\n".join(["gpuvet live look 1", "hostname: n1", f"at: 2026-05-04T10:00:00Z {moment}", "user: 0", *more]) + "\n"


def function(bus, cls, vendor, device, driver=None):
    lines = [f"{PCI}{bus}/class:{cls}", f"{PCI}{bus}/vendor:{vendor}", f"{PCI}{bus}/device:{device}",
             f"{PCI}{bus}/power/runtime_status:active"]
    return lines + ([f"{PCI}{bus}/driver -> ../../../bus/pci/drivers/{driver}"] if driver else [])


def sys_of(*functions):
    return "\n".join(function("0000:00:00.0", "0x060000", "0x8086", "0x09a2") + sum(functions, [])) + "\n"


def nvml(n):
    lines = ["dlopen(libnvidia-ml.so.1) = loaded", "nvmlInit_v2() = 0", f"nvmlDeviceGetCount_v2() = 0 deviceCount={n}"]
    for i in range(n):
        lines += [f"nvmlDeviceGetHandleByIndex_v2({i}) = 0",
                  f'nvmlDeviceGetPciInfo_v3({i}) = 0 busId="00000000:{0x18 + i:02X}:00.0" pciDeviceId=0x233010de',
                  f'nvmlDeviceGetName({i}) = 0 "NVIDIA H100 80GB HBM3"',
                  f"nvmlDeviceGetUtilizationRates({i}) = 0 gpu=0 memory=0"]
    return "\n".join(lines) + "\n"


def kmsg(*records):
    boot = (0.5, "Linux version 6.8.0"), (12, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15")
    return "".join(f"3,{i},{int(t * 1e6)},-;{text}\n" for i, (t, text) in enumerate((*boot, *records)))


def findings(path):
    p = subprocess.run([GPUVET, "diagnose", "--json", path], capture_output=True, text=True, env=ENV, timeout=60,
                       stdin=subprocess.DEVNULL)
    assert p.returncode in (0, 1, 2, 3), p.stderr
    return json.loads(p.stdout)


def both(tmp, head, members):
    """The report on the folder, which must be that on the archive."""
    members = {head: "gpuvet bundle 1\n", **members}
    folder = tempfile.mkdtemp(dir=tmp)
    path = folder + ".tar"
    with tarfile.open(path, "w") as tar:
        for name, text in members.items():
            full = os.path.join(folder, name)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as f:
                f.write(text)
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    unpacked = findings(folder)
    packed = findings(path) if has(GPUVET, "archives") else unpacked
    brief = [[(f["kind"], f["severity"], f["when"]) for f in d["findings"]] for d in (unpacked, packed)]
    assert brief[0] == brief[1], brief
    return {f["kind"]: f for f in unpacked["findings"]}, unpacked


def saved(tmp, moment="boot+900000.000 awake+900000.000", more=(), **members):
    names = {"nvml": "live/call/nvml", "sys": "live/sys", "kmsg": "live/dev/kmsg"}
    return both(tmp, "gpuvet-saved-run",
                {"live/call/gpuvet": account(moment, *more), **{names[k]: v for k, v in members.items()}})


def containers(tmp):
    gpus = sys_of(*[function(f"0000:{0x18 + i:02x}:00.0", "0x030200", "0x10de", "0x2330", "nvidia") for i in range(8)])
    for mark in ("own namespace: pid", "container: docker", "container: of a kind that leaves no mark"):
        found, _ = saved(tmp, more=[mark], nvml=nvml(1), sys=gpus)  # one of eight was passed in
        assert "gpu-missing" not in found, (mark, found)
        found, _ = saved(tmp, more=[mark], sys=gpus, nvml="dlopen(libnvidia-ml.so.1) = loaded\nnvmlInit_v2() = 9 (Driver Not Loaded)\n")
        assert "driver-not-loaded" not in found, (mark, found)  # none was
    found, _ = saved(tmp, nvml=nvml(1), sys=gpus)
    assert found["gpu-missing"]["severity"] == "fail", found
    found, _ = saved(tmp, sys=gpus, nvml="dlopen(libnvidia-ml.so.1) = loaded\nnvmlInit_v2() = 9 (Driver Not Loaded)\n")
    assert found["driver-not-loaded"]["severity"] == "fail", found


def clocks(tmp):
    # the kernel's stamps stand still in suspend: this was ten seconds ago, on a machine that slept for nine days
    found, _ = saved(tmp, "boot+900000.000 awake+100000.000", kmsg=kmsg((99990, XID79)))
    assert found["gpu-fell-off-bus"]["when"] == "now", found
    # and this was nine days ago on one that never slept; without the second clock the first is taken for it
    for moment in ("boot+900000.000 awake+900000.000", "boot+900000.000"):
        found, _ = saved(tmp, moment, kmsg=kmsg((99990, XID79)))
        f = found["gpu-fell-off-bus"]
        assert (f["when"], f["severity"]) == ("recent", "fail"), found  # the GPU is still gone
        found, _ = saved(tmp, moment, kmsg=kmsg((99990, XID31)))
        f = found["app-kernel-fault"]
        assert (f["when"], f["severity"]) == ("recent", "note"), found  # the process is, too
    found, _ = saved(tmp, kmsg=kmsg((899000, XID31)))
    assert found["app-kernel-fault"]["severity"] == "warn", found


def journals(tmp):
    def collected(stamp):
        line = f"{stamp} n1 kernel: {XID31}\n"
        return both(tmp, "gpuvet-bundle", {
            "live/call/gpuvet": account("boot+9000000.000 awake+9000000.000"),
            "commands/journalctl_-k_-b_-n_20000_--no-pager_-o_short-iso.txt":
                "$ journalctl -k -b -n 20000 --no-pager -o short-iso\n"
                "2026-01-20T06:00:01+0000 n1 kernel: Linux version 6.8.0\n" + line})[0]["app-kernel-fault"]

    f = collected("2026-04-20T10:00:00+0000")  # the last line of the journal, two weeks before it was asked
    assert (f["when"], f["severity"]) == ("recent", "note"), f
    f = collected("2026-05-04T09:00:00+0000")
    assert (f["when"], f["severity"]) == ("now", "warn"), f


def guests(tmp):
    _, d = saved(tmp, sys=sys_of(function("0000:00:06.0", "0x038000", "0x8086", "0x56c0", "i915")))
    assert "no GPU on the PCI bus" not in str(d["stages"][0]["summary"]), d["stages"][0]
    _, d = saved(tmp, sys=sys_of(function("0000:00:02.0", "0x030000", "0x8086", "0xa780", "i915")))
    assert "no GPU on the PCI bus" in str(d["stages"][0]["summary"]), d["stages"][0]


def main():
    with tempfile.TemporaryDirectory() as tmp:
        containers(tmp)
        clocks(tmp)
        journals(tmp)
        guests(tmp)


main()
