# SPDX-License-Identifier: Apache-2.0
"""Small files with GPU code in them and libraries that need others, for the tests of gpuvet inventory."""
import struct
import subprocess

KINDS = {"ptx": 1, "elf": 2, "ltoir": 8}
SUFFIXES = {"": 0, "a": 0x100000, "f": 0x200000}


def fatbin(*entries):
    """A container of NVIDIA's with an entry each of ("elf", "90a") or ("ptx", "80", (8, 6)): its version of the language."""
    body = b""
    for kind, sm, *isa in entries:
        number = sm.rstrip("af")
        major, minor = isa[0] if isa else (8, 0)
        payload = bytes(16)
        body += struct.pack("<HHIQIIHHIIIQQQ", KINDS[kind], 0x101, 64, len(payload), 0, 64, minor, major, int(number), 0, 0,
                            0x11 | SUFFIXES[sm[len(number):]], 0, 0) + payload
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def library(path, soname, needs=(), rpath=None, code="int x;", gpu=None):
    """A shared library with that SONAME that is linked to those, by the compiler; gpu: bytes for a section of GPU code."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if gpu:
        blob = path.with_suffix(".gpu")
        blob.write_bytes(gpu)
        code += f'\n__asm__(".section .nv_fatbin,\\"a\\"\\n.balign 8\\n.incbin \\"{blob}\\"\\n.text");'
    args = ["gcc", "-shared", "-nostdlib", "-Wl,--no-as-needed", f"-Wl,-soname,{soname}", "-o", path, "-x", "c", "-"]
    args += ["-x", "none", *needs] + ([f"-Wl,--enable-new-dtags,-rpath,{rpath}"] if rpath else [])
    subprocess.run(args, input=code, text=True, check=True)
    if gpu:
        blob.unlink()
    return path
