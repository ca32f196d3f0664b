# SPDX-License-Identifier: Apache-2.0
"""Counts code for GPUs in a file by another way than gpuvet does: the file as a whole, section by section, and AMD's targets out of the
code objects themselves, never out of the names that bundles give them. Slow, and short enough to be checked by reading it."""
import collections
import re
import struct

MACHS = {0x20: "gfx600", 0x21: "gfx601", 0x22: "gfx700", 0x23: "gfx701", 0x24: "gfx702", 0x25: "gfx703", 0x26: "gfx704", 0x28: "gfx801",
         0x29: "gfx802", 0x2a: "gfx803", 0x2b: "gfx810", 0x2c: "gfx900", 0x2d: "gfx902", 0x2e: "gfx904", 0x2f: "gfx906", 0x30: "gfx908",
         0x31: "gfx909", 0x32: "gfx90c", 0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012", 0x36: "gfx1030", 0x37: "gfx1031",
         0x38: "gfx1032", 0x39: "gfx1033", 0x3a: "gfx602", 0x3b: "gfx705", 0x3c: "gfx805", 0x3d: "gfx1035", 0x3e: "gfx1034",
         0x3f: "gfx90a", 0x41: "gfx1100", 0x42: "gfx1013", 0x44: "gfx1103", 0x46: "gfx1101", 0x47: "gfx1102", 0x48: "gfx1200",
         0x4c: "gfx942", 0x4e: "gfx1201", 0x4f: "gfx950", 0x54: "gfx11-generic"}
KINDS = {1: "ptx", 2: "elf", 4: "elf", 8: "ltoir"}


def sections(data):
    """(name, from, to) of what a host's ELF file keeps for programs to read; the file as a whole where it is none."""
    if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", data, 18)[0] in (190, 205, 224):
        return [("", 0, len(data))]
    at, = struct.unpack_from("<Q", data, 40)
    size, n, names = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(n)]
    if not heads:
        return [("", 0, len(data))]
    base = heads[names][4]
    found = []
    for name, kind, flags, _, off, length in heads:
        text = data[base + name:data.find(b"\0", base + name)].decode("latin-1")
        if kind == 1 and not flags & 4 and not text.startswith((".debug", ".comment", ".eh_frame", ".gcc_except", ".note")):
            found.append((text, off, off + length))
    return found


def each(data, magic, lo, hi):
    at = data.find(magic, lo, hi)
    while at >= 0:
        yield at
        at = data.find(magic, at + 1, hi)


def nvidia(data, lo, hi, add):
    """Containers; where they lie is theirs alone."""
    taken = []
    for at in each(data, b"\x50\xed\x55\xba\x01\x00\x10\x00", lo, hi):
        size, = struct.unpack_from("<Q", data, at + 8)
        p, end, entries = at + 16, at + 16 + size, []
        while p + 64 <= end <= hi:
            kind, _, head, payload = struct.unpack_from("<HHIQ", data, p)
            sm, = struct.unpack_from("<I", data, p + 28)
            flags, = struct.unpack_from("<Q", data, p + 40)
            if head < 64 or kind not in KINDS:
                break
            suffix = "a" if flags & 0x100000 else "f" if flags & 0x200000 else ""
            entries.append(("nvidia", KINDS[kind], f"{'sm' if KINDS[kind] == 'elf' else 'compute'}_{sm}{suffix}"))
            p += head + payload
        if p == end and not any(a <= at < b for a, b in taken):
            taken.append((at, end))
            for e in entries:
                add(*e)
    return taken


def amd_target(data, at):
    abi = data[at + 8]
    flags, = struct.unpack_from("<I", data, at + 48)
    if abi == 0:  # the note says it
        n = data.find(b"AMD\0", at)
        while n >= 0 and struct.unpack_from("<I", data, n - 4)[0] != 3:
            n = data.find(b"AMD\0", n + 1)
        major, minor, step = struct.unpack_from("<III", data, n + 8)
        # as the runtime of ROCm does: the old numbers of gfx802, and xnack where gfx9 objects of then could have had it
        name = {(8, 0, 0): "gfx802", (8, 0, 4): "gfx803"}.get((major, minor, step), f"gfx{major}{minor}{step:x}")
        return name + (":xnack-" if major == 9 else "")
    arch = MACHS[flags & 0xff]
    if abi == 1:
        has = arch in ("gfx801", "gfx810") or arch.startswith(("gfx90", "gfx101"))
        ecc = arch in ("gfx906", "gfx908", "gfx90a")
        return arch + ((":sramecc" + "-+"[bool(flags & 0x200)]) if ecc else "") + ((":xnack" + "-+"[bool(flags & 0x100)]) if has else "")
    return arch + {2: ":sramecc-", 3: ":sramecc+"}.get(flags >> 10 & 3, "") + {2: ":xnack-", 3: ":xnack+"}.get(flags >> 8 & 3, "")


def inside(at, taken):
    return any(a <= at < b for a, b in taken)


def elves(data, lo, hi, taken, add):
    for m in re.compile(rb"\x7fELF\x02\x01\x01").finditer(data, lo, hi):
        at = m.start()
        if inside(at, taken) or at + 64 > hi:
            continue
        machine, = struct.unpack_from("<H", data, at + 18)
        flags, = struct.unpack_from("<I", data, at + 48)
        if machine == 224:
            add("amd", "elf", amd_target(data, at))
        elif machine == 190:
            new = data[at + 8] >= 8
            # 0x800 of the old layout: a file that has it holds its own PTX, which says ".target sm_90a"
            add("nvidia", "elf", f"sm_{flags >> 8 & 255 if new else flags & 255}{'a' if not new and flags & 0x800 else ''}")


def spirv(data, lo, hi, add):
    for at in each(data, b"\x03\x02\x23\x07", lo, hi):
        if at + 28 <= hi and data[at + 4] == 0 and data[at + 6] == 1 and data[at + 7] == 0 and data[at + 20:at + 24] == b"\x11\0\x02\0":
            add("any", "spirv", "")


def count(data):
    """(vendor, kind, arch) -> images."""
    n = collections.Counter()

    def add(*what):
        n[what] += 1

    for _, lo, hi in sections(data):
        taken = nvidia(data, lo, hi, add)
        elves(data, lo, hi, taken, add)
        spirv(data, lo, hi, add)
    if data[:4] == b"BC\xc0\xde" and (b"ocl" in data or b"amdgcn" in data):  # only ROCm's libraries are tried
        add("amd", "bitcode", "")
    return n
