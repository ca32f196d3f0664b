#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""collect: the bundle holds what the look saw and no name, and diagnose of it finds what the live run finds."""
import io
import json
import os
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import time

from built import has

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start jobs in the background with it ignored

GPUVET = os.path.abspath(sys.argv[1])
SECRETS = {
    "MY_API_TOKEN": "tok-8f3a91c27be54d0d9f6e",
    "DB_PASSWORD": "korrekt-pferd-batterie",
    "HF_TOKEN": "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",
}
LOG = """\
2026-01-13 12:10:11 connecting as alice.example to https://alice:gEheim17@store.internal.example/bucket
2026-01-13 12:10:12 loading /home/alice/projects/secret-model/weights.bin from 10.20.30.40
2026-01-13 12:10:13 Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLW9mLXRlc3Q
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
"""
IN_LOG = ["gEheim17", "secret-model", "10.20.30.40", "c2lnbmF0dXJlLW9mLXRlc3Q"]


def run(*args, env=None, status=0, **kw):
    p = subprocess.run([GPUVET, *args], capture_output=True, env=dict(os.environ, LC_ALL="C", **(env or {})),
                       timeout=300, **kw)
    assert p.returncode == status, f"{args}: status {p.returncode}: {p.stderr}"
    return p


def members(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as t:
        return {m.name: t.extractfile(m).read() for m in t.getmembers()}


def kinds(*args, **kw):
    p = subprocess.run([GPUVET, "diagnose", "--json", *args], capture_output=True, timeout=300, **kw)
    return {(f["kind"], f["severity"]) for f in json.loads(p.stdout)["findings"]}


def load(found):
    """What depends on how busy this machine is at the moment."""
    return {k for k in found if k[0] not in ("cpu-saturated", "cpu-hot-core", "cpu-steal", "iowait", "memory-pressure",
                                             "storage-saturated", "storage-slow", "swap-thrash")}


def main():
    with tempfile.TemporaryDirectory() as tmp:
        log = os.path.join(tmp, "job.log")
        with open(log, "w") as f:
            f.write(LOG)
        out = os.path.join(tmp, "node.tar")
        p = run("collect", "-o", out, "--for", "200ms", "--log", log, env=SECRETS)
        assert b"names redacted" in p.stdout, p.stdout
        assert stat.S_IMODE(os.stat(out).st_mode) == 0o600
        with open(out, "rb") as f:
            bundle = members(f.read())
        assert list(bundle)[0] == "gpuvet-bundle"
        assert bundle["gpuvet-bundle"].startswith(b"gpuvet bundle 1\n")
        assert "live/proc/stat" in bundle and "logs/job.log" in bundle, list(bundle)
        assert any(n.startswith("commands/") for n in bundle), list(bundle)
        everything = b"\n".join([*bundle.values(), *[n.encode() for n in bundle]])
        for s in [*SECRETS.values(), *IN_LOG]:
            assert s.encode() not in everything, f"{s} is in the bundle"
        # the same findings as those of the live run with the same log
        if has(GPUVET, "archives"):
            assert load(kinds("--for", "200ms", "--live", log)) <= load(kinds(out)), (kinds(out))
            p = run("facts", "--json", out)
            assert json.loads(p.stdout)["schema"] == "gpuvet.facts.v1"

        p = run("collect", "-o", "-", "--for", "0", "--keep-names", "--log", log, env=SECRETS)
        bundle = members(p.stdout)
        assert bundle["logs/job.log"] == LOG.encode()
        assert SECRETS["HF_TOKEN"].encode() in bundle["commands/env.txt"]

        p = run("collect", "-o", out, "--for", "0", "--json")
        d = json.loads(p.stdout)
        assert d["schema"] == "gpuvet.collect.v1" and d["documents"] > 5 and d["redacted"] is True, d
        assert any(line.startswith("ran: ") for line in d["account"]), d["account"]

        # a log that is not there is told; a bundle that cannot be written leaves what was there
        p = run("collect", "-o", out, "--for", "0", "--log", os.path.join(tmp, "nowhere"))
        assert b"nowhere" in p.stdout, p.stdout
        before = os.stat(out).st_mtime_ns
        p = run("collect", "-o", "/dev/full", "--for", "0", status=70)
        assert b"cannot write" in p.stderr and not p.stdout
        p = run("collect", "-o", os.path.join(tmp, "no", "x.tar"), "--for", "0", status=70)
        assert os.stat(out).st_mtime_ns == before
        assert sorted(os.listdir(tmp)) == ["job.log", "node.tar"], os.listdir(tmp)
        # who is interrupted leaves nothing behind
        for sig in (signal.SIGINT, signal.SIGTERM):
            p = subprocess.Popen([GPUVET, "collect", "-o", os.path.join(tmp, "late.tar"), "--for", "60s"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            give_up = time.monotonic() + 30
            while not any(n.startswith("late.tar.") for n in os.listdir(tmp)) and time.monotonic() < give_up:
                time.sleep(0.02)
            assert any(n.startswith("late.tar.") for n in os.listdir(tmp)), "no draft was begun"
            p.send_signal(sig)
            assert p.wait(30) == -sig
            assert sorted(os.listdir(tmp)) == ["job.log", "node.tar"], os.listdir(tmp)
        for args in (["collect"], ["collect", "-o", "x.tar.gz"], ["collect", "-o", out, "more"],
                     ["collect", "-o", "-", "--json"]):
            p = run(*args, status=64)
            assert p.stderr and not p.stdout, args
    return 0


if __name__ == "__main__":
    sys.exit(main())
