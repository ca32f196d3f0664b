#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program needs of the machine it runs on: libraries, versions of glibc, instructions, size; and how it is hardened.

usage: test_floor.py GPUVET [RUN]; RUN starts it where GPUVET is for another processor.
A sanitizer build is another program: of it only the notes about libraries that are loaded later are looked at.
"""
import pathlib
import re
import subprocess
import sys

from built import has

GPUVET = pathlib.Path(sys.argv[1]).resolve()
RUN = pathlib.Path(sys.argv[-1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
GLIBC = (2, 34)  # RHEL 9, Ubuntu 22.04
LIBRARIES = {"libc.so.6", "libm.so.6", "libpcre2-8.so.0", "libyaml-0.so.2", "libexpat.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
SIZE = 4 << 20  # stripped
SIZE_VECTORSCAN = 5 << 20  # more, with its code for several generations of processors
bad = []


def expect(what, condition, seen=""):
    if not condition:
        bad.append(f"{what}: {seen}" if seen else what)


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, GPUVET], capture_output=True, text=True, check=True).stdout


def libraries():
    dynamic = readelf("-d")
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    expect("the libraries could be read", "libc.so.6" in needed, needed)
    expect("links only what every machine has", needed <= LIBRARIES, needed - LIBRARIES)
    expect("no path to libraries is built in", "RPATH" not in dynamic and "RUNPATH" not in dynamic)
    return dynamic


def versions(symbols):
    seen = re.findall(r"(\S+)@+GLIBC_(\S+)", symbols)
    expect("symbols have versions", len(seen) > 20, len(seen))
    for name, version in seen:
        numbers = tuple(int(n) for n in version.split(".")) if re.fullmatch(r"[\d.]+", version) else (99,)
        expect(f"runs with glibc {'.'.join(map(str, GLIBC))}", numbers <= GLIBC, f"{name} is of {version}")


def hardening(dynamic, symbols):
    header, segments = readelf("-h"), readelf("-l")
    stack = re.search(r"GNU_STACK.*", segments)
    expect("position-independent", "DYN" in header and "PIE" in dynamic)
    expect("relocations are read-only", "GNU_RELRO" in segments and "BIND_NOW" in dynamic and "TEXTREL" not in dynamic)
    expect("the stack cannot be executed", stack and "RWE" not in stack[0], stack and stack[0])
    expect("no segment can be written and executed", not re.search(r"LOAD.* RWE ", segments))
    expect("the stack is guarded", "__stack_chk_fail" in symbols)
    expect("lengths are checked (_FORTIFY_SOURCE)", "__snprintf_chk" in symbols)


def size():
    """Bytes up to the last that is loaded: what strip leaves, but for a table of sections."""
    end = max(int(off, 16) + int(n, 16) for off, n in
              re.findall(r"LOAD\s+(0x\w+)\s+0x\w+\s+0x\w+\s+(0x\w+)", readelf("-l")))
    limit = SIZE + (SIZE_VECTORSCAN if has(RUN, "Vectorscan") else 0)
    expect(f"not over {limit} bytes", 100_000 < end <= limit, end)


def instructions():
    """Nothing above plain x86-64 in what was compiled here; libraries that choose at run time are not looked at."""
    objects = [p for d in ("libgpuvet.a.p", "gpuvet.p") for p in sorted((GPUVET.parent / d).glob("*.o"))]
    expect("objects are beside the program", len(objects) > 50, len(objects))
    p = subprocess.run(["objdump", "-d", "--no-show-raw-insn", *objects], capture_output=True, text=True, check=True)
    wide = re.findall(r"^.*\tv\w+ .*%[xyz]mm.*$", p.stdout, re.M)
    expect("objects hold code", p.stdout.count("\tret") > 500, p.stdout.count("\tret"))
    expect("plain x86-64", not wide, wide[:3])


def notes():
    """Each library that may be loaded is named in .note.dlopen, and no other."""
    want = set()
    optional = {"libz.so.1": "zlib", "libzstd.so.1": "zstd"}  # both in one file
    for source in [*ROOT.glob("src/sys/*.c"), *ROOT.glob("src/vendor/*.c"), *ROOT.glob("src/source/*.c")]:
        if source.name == "libarchive.c" and not has(RUN, "archives"):
            continue
        want |= {m.rpartition("/")[2] for m in re.findall(r'"([\w/.-]+\.so\.\d+)"', source.read_text())}
    want = {name for name in want if name not in optional or has(RUN, optional[name])}
    section = readelf("-p", ".note.dlopen") if ".note.dlopen" in readelf("-S") else ""
    named = {n for group in re.findall(r'"soname":\[([^]]*)\]', section) for n in re.findall(r'"([^"]+)"', group)}
    expect("libraries that may be loaded are named in .note.dlopen", want == named, f"{named}, want {want}")


def main():
    symbols = readelf("--dyn-syms")
    notes()
    if re.search(r"__(asan|ubsan|tsan|msan|sanitizer_cov)_", symbols) or "__asan" in readelf("-s"):
        print("a sanitizer build: libraries, versions, size and hardening are those of another program")
    else:
        hardening(libraries(), symbols)
        versions(symbols)
        size()
        if "X86-64" in readelf("-h"):
            instructions()
    for b in bad:
        print(b)
    sys.exit(1 if bad else 0)


main()
