#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed, beside a peer in the same run, interleaved, of whole processes.

Prints the peer's own spread first: a ratio inside it means equal. Exit status 1 where a bar is missed. docs/performance.md says
what the lines mean. Each line is a function of this file with @line; it prints, and returns whether its bar was reached."""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import make_log
import rg_patterns

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = []


def line(fn):
    LINES.append(fn)
    return fn


def once(argv, cores=None):
    """Milliseconds: wall, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    t = time.perf_counter()
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None)
    wall = time.perf_counter() - t
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def pair(ours, peer, n, our_cores=None, peer_cores=None):
    a, b = [], []
    once(ours, our_cores)
    once(peer, peer_cores)
    for _ in range(n):
        a.append(once(ours, our_cores))
        b.append(once(peer, peer_cores))
    return a, b


def quart(v):
    q = statistics.quantiles(v, n=4)
    return f"{statistics.median(v):8.2f} ms ({q[0]:.2f}..{q[2]:.2f})"


def verdict(text, ok):
    print(f"  bar: {text}: {'reached' if ok else 'MISSED'}")
    return ok


def at_most(name, ours, peer, n, limit, over_peer, peer_name):
    """Wall time of ours, or what it is over the peer's, is at most so many milliseconds."""
    a, b = pair(ours, peer, n)
    wa, wb = [x[0] for x in a], [x[0] for x in b]
    print(name)
    print(f"  {peer_name:24} wall {quart(wb)}   spread of the peer: {max(wb) / min(wb):.2f}x")
    print(f"  {'gpuvet':24} wall {quart(wa)}   ratio {statistics.median(wa) / statistics.median(wb):.2f}")
    got = statistics.median(wa) - (statistics.median(wb) if over_peer else 0)
    return verdict(f"{limit} ms{' over the peer' if over_peer else ''}: {got:.2f} ms", got <= limit)


def times_as_fast(name, ours, peer, n, factor, cpu, our_cores, peer_cores, peer_name):
    """At least so many times the peer's speed; `cpu`: by user and system time, where both have one core."""
    a, b = pair(ours, peer, n, our_cores, peer_cores)
    print(name)
    for who, v, spread in ((peer_name, b, True), ("gpuvet", a, False)):
        wall, busy = [x[0] for x in v], [x[1] for x in v]
        used = busy if cpu else wall
        tail = f"   spread of the peer: {max(used) / min(used):.2f}x" if spread else ""
        print(f"  {who:24} wall {quart(wall)}   user+system {quart(busy)}{tail}")
    k = 1 if cpu else 0
    got = statistics.median([x[k] for x in b]) / statistics.median([x[k] for x in a])
    return verdict(f"{factor}x the peer's speed ({'user+system' if cpu else 'wall'}): {got:.2f}x", got >= factor)


def anonymous_memory(argv):
    """The largest RssAnon seen while a program runs, in KiB."""
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while p.poll() is None:
        try:
            for row in open(f"/proc/{p.pid}/status"):
                if row.startswith("RssAnon:"):
                    most = max(most, int(row.split()[1]))
        except OSError:
            break
        time.sleep(0.005)
    p.wait()
    return most


def make_bundle(folder):
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


@line
def bundle(a, tmp):
    folder = tmp / "bundle"
    folder.mkdir()
    files = make_bundle(folder)
    size = sum(os.path.getsize(f) for f in files)
    return at_most(f"diagnose --json of a 40-file bundle ({size} bytes)", [a.gpuvet, "diagnose", "--json", str(folder)], ["cat", *files],
                   a.n, 30, False, "cat of the same files")


@line
def start(a, tmp):
    small = tmp / "small.txt"
    small.write_text("[  812.503311] NVRM: Xid (PCI:0000:41:00): 79, pid=1, name=python3, GPU has fallen off the bus.\n")
    empty = empty_main(tmp)
    ok = at_most("start-up (gpuvet --version)", [a.gpuvet, "--version"], [empty], a.n, 3, True, "an empty main")
    return at_most("start-up (diagnose of one line)", [a.gpuvet, "diagnose", str(small)], [empty], a.n, 3, True, "an empty main") and ok


def largest_resident(argv):
    """KiB that the largest of its processes had resident at the most."""
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return os.wait4(p.pid, 0)[2].ru_maxrss


@line
def look(a, tmp):
    """Meant for a machine without GPU, where nothing is asked but the kernel."""
    tools = [t for t in ("lscpu", "lspci", "iostat") if not shutil.which(t)]
    if tools:
        print(f"live look: no {', '.join(tools)} here (packages util-linux, pciutils, sysstat): not measured")
        return False
    ours = [a.gpuvet, "diagnose", "--for", "0"]
    a_, b = pair(ours, ["sh", "-c", "lscpu; lspci; iostat -d"], a.n)
    mine, peer = [w for w, _ in a_], [w for w, _ in b]
    print(f"live look (--for 0)\n  lscpu, lspci and iostat -d together {quart(peer)}\n  gpuvet {quart(mine)}")
    ratio = statistics.median(mine) / statistics.median(peer)
    ok = verdict(f"no slower than the three together: {ratio:.2f} of their time", ratio <= 1)
    memory = largest_resident(ours)
    return verdict(f"at most 16 MiB resident: {memory / 1024:.1f} MiB", memory <= 16 << 10) and ok


def search_logs(a, tmp):
    """Lines of logs: the same expressions, ripgrep without Unicode classes (its faster way), counting lines."""
    rg = shutil.which("rg")
    if not rg:
        print("logs: no ripgrep here (package ripgrep): not measured")
        return False
    made, without = rg_patterns.patterns(ROOT / "data/signatures.tsv")
    (tmp / "patterns").write_text("\n".join(made) + "\n")
    cores = sorted(os.sched_getaffinity(0))
    one, two = {cores[-1]}, set(cores[:2])
    ok = True
    print(f"logs of {a.size} MiB, {len(made)} expressions, {without} of which lose an assertion for ripgrep")
    for name, every, factor in (("one line in twenty hits", 20, 2.0), ("no line hits", 0, 2.5)):
        log = tmp / "kernel.log"
        make_log.write(log, a.size << 20, every)
        ours, peer = [a.gpuvet, "diagnose", "--json", str(log)], [rg, "--no-unicode", "-c", "-f", str(tmp / "patterns"), str(log)]
        tried = subprocess.run(peer, capture_output=True, text=True)
        if tried.returncode > 1: # it refused an expression: that takes no time at all
            print(f"log, {name}: ripgrep did not search: {tried.stderr.strip()[:300]}")
            return False
        ok &= times_as_fast(f"log, {name}, one core", ours, peer, a.log_n, factor, True, one, one, "ripgrep")
        if len(two) > 1:
            ok &= times_as_fast(f"log, {name}, two cores", ours, peer, a.log_n, 2 * factor, False, two, one, "ripgrep, one core")
        memory = anonymous_memory(ours)
        ok &= verdict(f"RssAnon at most 64 MiB: {memory / 1024:.1f} MiB", memory <= 64 << 10)
    return ok


@line
def log(a, tmp):
    return search_logs(a, tmp)


# What is told of a folder of libraries without gpuvet: which are linked to what, which sections they have, which names and architectures stand
# in them. cuobjdump would read one vendor's section of it, auditwheel what readelf -d says.
PEER = """find "$1" -type f | while read -r f; do
    readelf -dSW "$f" 2>/dev/null | grep -E 'NEEDED|RUNPATH|fatbin'
    strings -a -n 5 "$f" | grep -aoE 'lib(cu|nv|hip|roc|ze_|sycl)[a-z0-9_]*[.]so[.0-9]*|sm_[0-9]+a?|compute_[0-9]+|gfx[0-9a-f]+' | sort -u
done"""


def make_libraries(folder, mib):
    """Libraries as large ones are: few instructions, many containers of packed device code; each with other bytes."""
    noise = os.urandom(16 << 20)
    folder.mkdir()
    src = folder.parent / "library.c"
    src.write_text('const char *const load[] = {"libcudart.so.12", "libnvrtc.so.12"};\n')
    lib = folder.parent / "library.so"
    subprocess.run(["cc", "-shared", "-o", lib, src], check=True)
    for i in range(5):
        with open(folder / f"lib{i}.so", "wb") as f:
            f.write(lib.read_bytes().ljust(1 << 20, b"\0"))
            while f.tell() < (mib << 20) // 5:
                n = (3 << 20) + 4096 * (f.tell() % 97)
                at = f.tell() * 31 % (8 << 20)
                f.write(struct.pack("<IHHQHHIQIIHHIQQ", 0xba55ed50, 1, 16, n + 64, 2, 0, 64, n, 0, 0, 0, 0, 70 + 10 * (i % 3), 0, 0x11).ljust(80, b"\0") + noise[at:at + n])
                f.write(noise[:4096 - (n + 80) % 4096])
    return folder


@line
def inventory(a, tmp):
    tools = [t for t in ("readelf", "strings", "unzip") if not shutil.which(t)]
    if tools:
        print(f"inventory: no {', '.join(tools)} here (packages binutils, unzip): not measured")
        return False
    folder = pathlib.Path(a.libraries) if a.libraries else make_libraries(tmp / "libraries", a.libraries_size)
    files = [p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()]
    size = sum(p.stat().st_size for p in files)
    script = tmp / "peer.sh"
    script.write_text(PEER)
    ours = [a.gpuvet, "inventory", "--json", str(folder)]
    once(["cat", *map(str, files)])
    mine, peer = pair(ours, ["sh", str(script), str(folder)], a.log_n)
    print(f"inventory of {size / 1e9:.1f} GB in {len(files)} files\n  readelf, strings, grep       {quart([x[0] for x in peer])}\n  gpuvet {quart([x[0] for x in mine])}"
          f"   user+system {quart([x[1] for x in mine])}")
    wall = statistics.median([x[0] for x in mine])
    ok = verdict(f"1500 ms: {wall:.0f} ms", wall <= 1500)
    ratio = statistics.median([x[0] for x in peer]) / wall
    ok &= verdict(f"20x the script's speed: {ratio:.0f}x", ratio >= 20)
    memory = anonymous_memory(ours)
    ok &= verdict(f"RssAnon at most 64 MiB: {memory / 1024:.1f} MiB", memory <= 64 << 10)
    wheel = tmp / "a.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
        for p in sorted(files, key=lambda p: p.stat().st_size)[-1:]:
            with open(p, "rb") as f:
                z.writestr(p.name, f.read(256 << 20))
    ours = [a.gpuvet, "inventory", "--json", str(wheel)]
    mine, peer = pair(ours, ["unzip", "-p", str(wheel)], a.log_n)
    wm, wp = [x[0] for x in mine], [x[0] for x in peer]
    print(f"inventory of a wheel of {wheel.stat().st_size / 1e6:.0f} MB\n  unzip -p to nowhere      {quart(wp)}\n  gpuvet {quart(wm)}")
    ratio = statistics.median(wm) / statistics.median(wp)
    ok &= verdict(f"no slower than to unpack it: {ratio:.2f} of the time", ratio <= 1)
    memory = anonymous_memory(ours)
    return verdict(f"RssAnon at most 64 MiB: {memory / 1024:.1f} MiB", memory <= 64 << 10) and ok


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--gpuvet", default="build/gpuvet")
    ap.add_argument("-n", type=int, default=30, help="runs of each, for small inputs")
    ap.add_argument("--log-n", type=int, default=5, help="runs of each, for logs")
    ap.add_argument("--size", type=int, default=256, help="of the logs, in MiB")
    ap.add_argument("--libraries", help="a folder of real libraries for the inventory, instead of made ones")
    ap.add_argument("--libraries-size", type=int, default=2560, help="of those that are made, in MiB")
    ap.add_argument("--only", action="append", choices=[f.__name__ for f in LINES])
    a = ap.parse_args()
    a.gpuvet = os.path.abspath(a.gpuvet)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; {a.n} runs of each ({a.log_n} for logs), interleaved")
    ok = True
    for fn in LINES:
        if not a.only or fn.__name__ in a.only:
            with tempfile.TemporaryDirectory() as tmp:
                ok &= fn(a, pathlib.Path(tmp))
    sys.exit(0 if ok else 1)


main()
