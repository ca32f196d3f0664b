#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A replay opens nothing but its evidence and its libraries, runs no program and makes no network call."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = re.compile(r"^(/lib|/usr/lib|/lib64|/usr/local/lib|/etc/ld\.so\.|/etc/gcrypt|/proc/self/(exe|maps|task|cmdline)|/proc/(\d+/)?(maps|cmdline|meminfo)"
                       r"|/sys/kernel/mm|/sys/devices/system/cpu|/proc/sys/vm/overcommit_memory|/proc/filesystems|/dev/null|/proc/self/environ|/proc/cpuinfo|/etc/localtime|/usr/share/zoneinfo)")


def trace(args, stdin=subprocess.DEVNULL):
    with tempfile.NamedTemporaryFile("r") as log:
        p = subprocess.run(["strace", "-f", "-qq", "-e", "trace=file,process,network", "-o", log.name, GPUVET, *args],
                           stdin=stdin, capture_output=True,
                           env={**os.environ, "GPUVET_SITE": "", "ASAN_OPTIONS": "detect_leaks=0"})  # which does not work under ptrace
        if p.returncode not in (0, 1, 2, 3):
            sys.exit(f"{args}: status {p.returncode}: {p.stderr.decode()[-500:]}")
        return log.read().splitlines()


def check(lines, evidence):
    started = False
    for line in lines:
        call = re.sub(r"^\d+\s+", "", line)
        name = call.split("(")[0]
        if name.startswith("execve"):
            if started:
                sys.exit(f"runs a program: {line}")
            started = True
        elif name in ("fork", "vfork", "clone", "clone3") and "CLONE_THREAD" not in call:
            sys.exit(f"starts a process: {line}")
        elif name in ("socket", "connect", "bind", "sendto", "listen"):
            sys.exit(f"touches the network: {line}")
        elif name in ("open", "openat", "creat"):
            path = re.search(r'"((?:[^"\\]|\\.)*)"', call)
            path = path[1] if path else ""
            inside = path.startswith(str(evidence)) or not path.startswith("/")
            if not inside and not LIBRARIES.match(path):
                sys.exit(f"opens {path}: {line}")
            if re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)", call):
                sys.exit(f"opens for writing: {line}")


def main():
    if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode:
        print("strace may not trace here")
        sys.exit(77)
    example = ROOT / "examples/slow-node"
    check(trace(["diagnose", str(example)]), example)
    check(trace(["facts", "--json", str(example)]), example)
    with open(example / "iostat.txt", "rb") as f:
        check(trace(["diagnose", "--json", "-"], f), example)
    with tempfile.TemporaryDirectory() as tmp:
        tar = pathlib.Path(tmp) / "bundle.tar.gz"
        subprocess.run(["tar", "-czf", tar, "-C", example, "."], check=True)
        # a link that points outside must not be followed
        folder = pathlib.Path(tmp) / "folder"
        folder.mkdir()
        (folder / "link.txt").symlink_to("/etc/passwd")
        shutil.copy(example / "free.txt", folder)
        check(trace(["diagnose", "--json", str(tar)]), tar)
        check(trace(["diagnose", "--json", str(folder)]), folder)
    # the checker itself can fail
    try:
        check(['openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3'], example)
    except SystemExit:
        return
    sys.exit("the test does not see what it should")


main()
