#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed, beside a peer in the same run, interleaved: whole processes, user+system and wall time of each.

Prints the peer's own spread first: a ratio inside it means equal. Exit status 1 where a bar is missed."""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def once(argv):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    t = time.perf_counter()
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - t
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def pair(ours, peer, n):
    a, b = [], []
    for argv in (ours, peer):
        once(argv)
    for _ in range(n):
        a.append(once(ours))
        b.append(once(peer))
    return a, b


def quart(v):
    q = statistics.quantiles(v, n=4)
    return f"{statistics.median(v):7.2f} ms ({q[0]:.2f}..{q[2]:.2f})"


def report(name, ours, peer, n, bar, peer_name):
    a, b = pair(ours, peer, n)
    wa, wb = [x[0] for x in a], [x[0] for x in b]
    print(f"{name}")
    print(f"  {peer_name:24} wall {quart(wb)}   spread of the peer: {max(wb) / min(wb):.2f}x")
    print(f"  {'gpuvet':24} wall {quart(wa)}   ratio {statistics.median(wa) / statistics.median(wb):.2f}")
    got = statistics.median(wa) - (statistics.median(wb) if bar[1] else 0)
    ok = got <= bar[0]
    print(f"  bar: {bar[0]} ms{' over the peer' if bar[1] else ''}: {got:.2f} ms: {'reached' if ok else 'MISSED'}")
    return ok


def bundle(folder):
    """Forty files, as a node is captured: the example's outputs under many names, and a kernel log of 2000 lines."""
    sources = sorted(p for p in (ROOT / "examples/slow-node").iterdir() if p.suffix in (".txt", ".log"))
    for i in range(40):
        src = sources[i % len(sources)]
        (folder / f"{src.stem}.{i:02}{src.suffix}").write_bytes(src.read_bytes())
    with open(folder / "kernel.05.log", "w") as f:
        for i in range(2000):
            f.write(f"Jan 13 11:{i // 60 % 60:02}:{i % 60:02} train-07 kernel: usb 1-1: new device number {i}\n")
    return sorted(str(p) for p in folder.iterdir())


def empty_main(folder):
    src, exe = folder / "empty.c", folder / "empty"
    src.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-O2", "-o", exe, src], check=True)
    return str(exe)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--gpuvet", default="build/gpuvet")
    ap.add_argument("-n", type=int, default=30)
    a = ap.parse_args()
    gpuvet = os.path.abspath(a.gpuvet)
    ok = True
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp) / "bundle"
        folder.mkdir()
        files = bundle(folder)
        size = sum(os.path.getsize(f) for f in files)
        print(f"{os.cpu_count()} CPUs, {a.n} runs each, interleaved; the bundle: {len(files)} files, {size} bytes")
        ok &= report("diagnose --json of a 40-file bundle", [gpuvet, "diagnose", "--json", str(folder)], ["cat", *files], a.n,
                     (30, False), "cat of the same files")
        ok &= report("start-up (gpuvet --version)", [gpuvet, "--version"], [empty_main(pathlib.Path(tmp))], a.n, (3, True),
                     "an empty main")
    sys.exit(0 if ok else 1)


main()
