#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A made-up kernel log of any size: make_log.py FILE SIZE EVERY

One line in EVERY is one that a log signature matches (0: none is). The lines are modelled on what kernels of GPU nodes
print: stamps rise, addresses, process numbers and times vary; the same arguments give the same bytes."""
import random
import sys

GPUS = ["0000:1b:00", "0000:43:00", "0000:52:00", "0000:61:00", "0000:9d:00", "0000:c3:00", "0000:d1:00", "0000:df:00"]

NOISE = [
    "usb 1-{a}: new high-speed USB device number {b} using xhci_hcd",
    "usb 1-{a}: New USB device found, idVendor=1d6b, idProduct=0104, bcdDevice= 1.00",
    "docker0: port {a}(veth{h}) entered blocking state",
    "docker0: port {a}(veth{h}) entered forwarding state",
    "veth{h}: renamed from eth0",
    "eth0: renamed from veth{h}",
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth{h}: link becomes ready",
    "device veth{h} left promiscuous mode",
    "audit: type=1400 audit({t}.{b}:{n}): apparmor=\"STATUS\" operation=\"profile_load\" profile=\"unconfined\" name=\"docker-default\" pid={n} comm=\"apparmor_parser\"",
    "audit: type=1325 audit({t}.{b}:{n}): table=nat family=2 entries={b} op=xt_replace pid={n} comm=\"iptables\"",
    "EXT4-fs (dm-{a}): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none.",
    "XFS (nvme{a}n1p1): Ending clean mount",
    "systemd[1]: Started Session {n} of User runner.",
    "systemd[1]: run-docker-runtime\\x2drunc-moby-{h}{h}.mount: Deactivated successfully.",
    "nvidia 0000:{g}:00.0: enabling device (0140 -> 0142)",
    "nvidia-uvm: Loaded the UVM driver, major device number {b}.",
    "[drm] Initialized nvidia-drm 0.0.0 20160202 for 0000:{g}:00.0 on minor {a}",
    "mlx5_core 0000:{g}:00.0: firmware version: 28.39.{n}",
    "infiniband mlx5_{a}: set_ib_port_state:{b}:(pid {n}): port 1 is active",
    "perf: interrupt took too long ({n} > {n}), lowering kernel.perf_event_max_sample_rate to {n}",
    "TCP: request_sock_TCP: Possible SYN flooding on port {n}. Sending cookies.  Check SNMP counters.",
    "workqueue: blk_mq_run_work_fn hogged CPU for >10000us {b} times, consider switching to WQ_UNBOUND",
    "pcieport 0000:{g}:01.0: PME: Signaling with IRQ {b}",
    "process '{h}/bin/python3' started with executable stack",
]

HITS = [
    "NVRM: Xid (PCI:{gpu}): 13, pid={n}, name=python3, Graphics SM Warp Exception on (GPC {a}, TPC 2, SM 0): Out Of Range Address",
    "NVRM: Xid (PCI:{gpu}): 31, pid={n}, name=python3, Ch 0000000{a}, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f{h}_00000000",
    "NVRM: Xid (PCI:{gpu}): 43, pid={n}, name=python3, Ch 0000000{a}",
    "NVRM: Xid (PCI:{gpu}): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.",
    "pcieport {gpu}.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
    "pcieport {gpu}.0: AER: Corrected error received: {gpu}.0",
    "nfs: server 10.0.{a}.9 not responding, still trying",
    "nfs: server 10.0.{a}.9 OK",
    "Memory cgroup out of memory: Killed process {n} (python3) total-vm:{n}000kB, anon-rss:{n}00kB, file-rss:80652kB, shmem-rss:0kB, UID:1000 pgtables:400kB oom_score_adj:0",
    "INFO: task python3:{n} blocked for more than 120 seconds.",
    "mce: CPU{b}: Core temperature is above threshold, cpu clock is throttled (total events = {n})",
    "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0x{h} offset:0x0 grain:32 syndrome:0x0)",
]


def blocks(every, lines=4096):
    """Endlessly, some thousand lines at a time."""
    r = random.Random(7)
    forms = []
    for i in range(lines):
        words = {"a": r.randrange(1, 10), "b": r.randrange(100, 999), "n": r.randrange(1000, 99999), "h": f"{r.randrange(1 << 28):07x}",
                 "g": f"{r.randrange(16, 240):02x}", "t": 1768300000 + i, "gpu": r.choice(GPUS)}
        forms.append(r.choice(HITS if every and i % every == every - 1 else NOISE).format(**words))
    stamp = 1000
    while True:
        out = []
        for form in forms:
            stamp += 1
            ms = stamp * 37
            s = ms // 1000 % 2_400_000
            out.append(f"Jan {1 + s // 86400:2} {s // 3600 % 24:02}:{s // 60 % 60:02}:{s % 60:02} gpu-node-07 kernel: "
                       f"[{ms // 1000:7}.{ms % 1000:03}{stamp % 1000:03}] {form}\n")
        yield "".join(out).encode()


def write(path, size, every):
    left = size
    with open(path, "wb") as f:
        for block in blocks(every):
            if len(block) > left:
                block = block[:block.rfind(b"\n", 0, left) + 1]
                f.write(block)
                return
            f.write(block)
            left -= len(block)


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
