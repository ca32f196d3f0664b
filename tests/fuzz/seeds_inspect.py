# SPDX-License-Identifier: Apache-2.0
"""First inputs of the target `inspect`: small files with GPU code, and documents of packages, for each name that the target has."""
import pathlib
import re
import struct
import zlib

TARGET = pathlib.Path(__file__).with_name("inspect.c")


def elf(machine, osabi, abi, version, flags, notes=b""):
    body = notes + bytes(-len(notes) % 8)
    return (b"\x7fELF\2\1\1" + bytes([osabi, abi]) + bytes(7) + struct.pack("<HHIQQQIHHHHHH", 2, machine, version, 0, 0, 64 + len(body), flags, 64, 56, 0, 64, 1, 0) +
            body + bytes(64))


def note(owner, kind, desc):
    owner += b"\0"
    return struct.pack("<III", len(owner), len(desc), kind) + owner + bytes(-len(owner) % 4) + desc + bytes(-len(desc) % 4)


def fatbin(*images):
    body = b"".join(struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(data), 0, 0, 4, 8, sm, 0, 0, flags, 0, 0) + data for kind, sm, flags, data in images)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def bundle(*entries):
    head = 32 + sum(24 + len(i) for i, _ in entries)
    table, data = b"", b""
    for name, code in entries:
        table += struct.pack("<QQQ", head + len(data), len(code), len(name)) + name
        data += code
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)) + table + data


def ccob(version, method, of, packed):
    head = {1: 20, 2: 24, 3: 32}[version]
    sizes = {1: struct.pack("<I", len(of)), 2: struct.pack("<II", head + len(packed), len(of)), 3: struct.pack("<QQ", head + len(packed), len(of))}
    return b"CCOB" + struct.pack("<HH", version, method) + sizes[version] + bytes(8) + packed


def stored(data):
    """A zstd frame of one block that is not packed."""
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) + struct.pack("<I", 1 | len(data) << 3)[:3] + data


def offload(version, kind, triple, arch, image):
    head, pair = (40 if version > 2 else 32), (24 if version > 1 else 16)
    texts = head + 40 + 2 * pair
    words = b"triple\0" + triple + b"\0arch\0" + arch + b"\0"
    at = texts + len(words)
    strings = b""
    for key, value, n in ((0, 7, len(triple)), (8 + len(triple), 13 + len(triple), len(arch))):
        strings += struct.pack("<QQ", texts + key, texts + value) + (struct.pack("<Q", n) if version > 1 else b"")
    return (b"\x10\xff\x10\xad" + struct.pack("<IQQQ", version, at + len(image), head, 1 if version > 1 else 40) + (bytes(8) if version > 2 else b"") +
            struct.pack("<HHIQQQQ", kind, 1, 0, head + 40, 2, at, len(image)) + strings + words + image)


def spirv():
    return struct.pack("<17I", 0x07230203, 0x10500, 0, 8, 0, 0x20011, 1, 0x3000E, 0, 1, 0x50036, 1, 2, 0, 3, 0x100FD, 0x10038)


def codes():
    amd = elf(224, 64, 2, 1, 0x73F)
    old = elf(224, 64, 0, 1, 0, note(b"AMD", 3, struct.pack("<HHIII", 4, 7, 7, 0, 0) + b"AMD\0AMDGPU\0"))
    new = elf(190, 0x41, 8, 1, 0x06006404, note(b"NVIDIA Corp", 0x3E8, struct.pack("<HHHH", 2, 100, 130, 0)) + note(b"NVIDIA Corp", 0x7D0, b"ptxas\0-arch sm_100f -m 64 "))
    both = bundle((b"host-x86_64-unknown-linux", b""), (b"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", amd))
    return {
        "amd": amd, "amd2": old, "cubin": elf(190, 0x33, 7, 124, 0x5A0D5A), "cubin8": new,
        "zebin": elf(205, 0, 0, 1, 0, note(b"IntelGT", 6, struct.pack("<I", 20 << 22 | 1 << 14))),
        "fatbin": fatbin((2, 90, 0x100011, elf(190, 0x33, 7, 124, 0x5A055A)), (1, 80, 0x8011, bytes(24)), (8, 80, 0x18011, bytes(16))),
        "bundle": both, "ccob1": ccob(1, 0, both, zlib.compress(both)), "ccob2": ccob(2, 1, both, stored(both)), "ccob3": ccob(3, 0, both, zlib.compress(both)),
        "offload1": offload(1, 1, b"amdgcn-amd-amdhsa", b"gfx942", amd), "offload2": offload(2, 5, b"nvptx64-nvidia-cuda", b"sm_80", b".version 8.4\n"),
        "offload3": offload(3, 6, b"spirv64", b"", spirv()), "spirv": spirv() * 2, "ptx": b".version 8.4\n.target sm_90a\n.address_size 64\n\0",
        "archive": b"!<arch>\n" + b"x.o/            0           0     0     644     %-10d`\n" % len(amd) + amd,
        "names": b"\0libcudart.so.12\0__cudaRegisterFatBinary\0__hipRegisterFatBinary\0libamdhip64-1a2b3c4d.so.6\0",
    }


TEXTS = {
    "METADATA": b"Metadata-Version: 2.1\nName: fastops\nVersion: 1.2+cu124\nRequires-Dist: nvidia-cublas-cu12==12.4.5.8; platform_system == \"Linux\"\n",
    "RECORD": b"fastops/_ext.so,sha256=abc,1234\nnvidia/cublas/lib/libcublas.so.12,sha256=abc,99\n",
    "variant.json": b'{"variants":{"cu12":{"nvidia":{"cuda_version_lower_bound":["12.8"],"sm_arch":["120_real"]}}}}',
    "requirements.txt": b"--extra-index-url https://example.org/cu124\ntorch==2.6.0+cu124 \\\n  --hash=sha256:abc\nnvidia-nccl-cu12>=2.20 ; sys_platform == 'linux'\n-r more.txt\n",
    ".lock": b'version = 1\n[[package]]\nname = "torch"\nversion = "2.6.0"\ndependencies = [{ name = "nvidia-cublas-cu12", marker = "sys_platform == \'linux\'" }]\n',
    "setup.py": b"import urllib.request\nurllib.request.urlretrieve('https://example.org/libcudart.so.12')\n",
    ".yml": b"name: x\nchannels:\n  - nvidia\ndependencies:\n  - cuda-version=12.4\n  - pip:\n    - torch==2.6.0\n",
    ".json": b'{"name":"x","version":"1","build":"cuda124py311h_0","depends":["cuda-version >=12.4,<13","__cuda"],"dependencies":{"onnxruntime-node":"^1"},'
             b'"scripts":{"postinstall":"node fetch-cuda.js"}}',
    "status": b"Package: librocsparse0\nStatus: install ok installed\nVersion: 5.3\nDepends: libamdhip64-5\n\n",
    "installed": b"P:libx\nV:1.0-r0\nD:so:libOpenCL.so.1\nF:usr/lib\nR:libx.so\n\n",
    ".engine": b"ftrt" + bytes(60),
    ".sh": b"#!/bin/sh\nwget https://example.org/cuda_12.4.run\n",
}


def files():
    """(name, bytes): the first byte is the index of the name that the target has."""
    names = re.findall(r'^\t"([^"]+)",$', TARGET.read_text(), re.M)
    for name, data in codes().items():
        yield name, b"\0" + data
    for i, name in enumerate(names):
        for end, text in TEXTS.items():
            if name.endswith(end):
                yield f"doc{i}", bytes([i]) + text
