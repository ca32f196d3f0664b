#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads recordings of other projects and compares facts with tests/fixtures.expect.

usage: fixtures.py --gpuvet PROGRAM [--only WORD] [--expect FILE] FIXTURES

A line of the file of expectations: path, a tab, fact@entity=value. '#' begins a comment.
  path     below FIXTURES; "x.tar.gz!sub" is a part of an archive, unpacked into a temporary folder. "x.tar.gz!sub/" is a
           recorded tree, which is looked at with --root; "x.tar.gz!/sys/class" is one where that is unpacked there
  fact     a name that `gpuvet facts` prints; "count:TYPE" is the number of entities of a type, "event:SIGNATURE" or
           "event:SIGNATURE:CODE" how many such lines the log has
  entity   type:id or type:key, where a key is an index, a bus id, a UUID or a pid; type:* is the only one of its type;
           "*" alone with count and event: wherever they are
  value    a number within 0.1 % or 0.005, yes or no, a text; "unknown" and "n/a" say that there must be no value
Ends with 0 where all are right, 1 where one is wrong or none was checked, 77 where there is no folder FIXTURES.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tarfile
import tempfile

STATES = {"unknown": "unknown", "n/a": "not-applicable"}


class Wrong(Exception):
    pass


def parse(path):
    """[(line number, path, fact, entity, value)]"""
    rows = []
    with open(path, encoding="utf-8") as f:
        for no, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            where, tab, rest = line.partition("\t")
            fact, at, rest = rest.partition("@")
            entity, eq, value = rest.partition("=")
            if not (tab and at and eq and where and fact and entity):
                sys.exit(f"{path}:{no}: not 'path<TAB>fact@entity=value'")
            rows.append((no, where, fact, entity, value))
    return rows


def unpack(archive, sub, folder):
    """Path of `sub` of an archive, below `folder`. What could lead out of it is left out."""
    target = os.path.join(folder, os.path.basename(archive))
    if not os.path.isdir(target):
        os.mkdir(target)
        with tarfile.open(archive) as tar:
            for m in tar.getmembers():
                name = os.path.normpath(m.name)
                if (m.isfile() or m.isdir()) and not name.startswith(("/", "..")):
                    m.name = name
                    m.mode = 0o755 if m.isdir() else 0o644
                    tar.extract(m, target)
    return os.path.join(target, sub)


def recorded(archive, sub, folder):
    """The option that looks at an archive as a tree in place of /."""
    if not sub.startswith("/"):
        return "--root=" + unpack(archive, sub, folder)
    root = os.path.join(folder, "root." + os.path.basename(archive))
    os.makedirs(root, exist_ok=True)
    inner = os.path.join(root, sub.strip("/"))
    if not os.path.isdir(inner):
        os.makedirs(os.path.dirname(inner), exist_ok=True)
        os.rename(unpack(archive, "", root), inner)
    return "--root=" + root


def facts(gpuvet, path):
    r = subprocess.run([gpuvet, "facts", "--json", path], capture_output=True, timeout=60)
    if r.returncode not in (0, 3):
        raise Wrong(f"gpuvet facts ended with {r.returncode}: {r.stderr.decode(errors='replace').strip()}")
    return json.loads(r.stdout)


def entity_of(doc, name):
    kind, _, id = name.partition(":")
    found = [e for e in doc["entities"]
             if e["type"] == kind and (id in ("*", e["id"]) or id in (v for k, v in e["keys"].items() if k != "minor"))]
    if len(found) != 1:
        raise Wrong(f"{len(found)} entities are {name}; of that type there are: " +
                    (", ".join(e["id"] for e in doc["entities"] if e["type"] == kind) or "none"))
    return found[0]


def count(doc, fact, entity):
    what, _, rest = fact.partition(":")
    if what == "count":
        return sum(e["type"] == rest for e in doc["entities"])
    signature, _, code = rest.partition(":")
    place = entity.partition(":")[2]
    return sum(e["count"] for e in doc["events"]
               if e["signature"] == signature and (not code or str(e["code"]) == code) and
               (entity == "*" or place in (e["bus"], e["gpu"], e["subject"])))


def agrees(got, want):
    if isinstance(got, bool):
        return want == ("yes" if got else "no")
    if isinstance(got, (int, float)):
        try:
            w = float(want)
        except ValueError:
            return False
        return abs(got - w) <= max(0.005, 0.001 * abs(w))
    return got == want


def check(doc, fact, entity, want):
    if fact.startswith(("count:", "event:")):
        got = count(doc, fact, entity)
    else:
        e = entity_of(doc, entity)
        f = next((f for f in e["facts"] if f["name"] == fact), None)
        if f is None:
            raise Wrong(f"no fact {fact} of {entity.partition(':')[0]}")
        if want in STATES or f["state"] != "known":
            if STATES.get(want) != f["state"]:
                raise Wrong(f"is {f['state']}: {f['reason'] or f['value']}")
            return
        got = f["value"]
    if not agrees(got, want):
        raise Wrong(f"is {got!r}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpuvet", default="build/gpuvet")
    p.add_argument("--only", default="", help="paths with this word")
    p.add_argument("--expect", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures.expect"))
    p.add_argument("fixtures")
    a = p.parse_args()
    if not os.path.isdir(a.fixtures):
        print(f"no folder {a.fixtures}")
        return 77

    by_path = collections.OrderedDict()
    for row in parse(a.expect):
        if a.only in row[1]:
            by_path.setdefault(row[1], []).append(row)
    checked = wrong = 0
    with tempfile.TemporaryDirectory(prefix="gpuvet-fixtures.") as tmp:
        for path, rows in by_path.items():
            archive, bang, sub = path.partition("!")
            file = os.path.join(a.fixtures, archive)
            try:
                if bang:
                    tree = sub.startswith("/") or sub.endswith("/")
                    file = recorded(file, sub, tmp) if tree else unpack(file, sub, tmp)
                doc, trouble = facts(a.gpuvet, file), None
            except (Wrong, OSError, tarfile.TarError, subprocess.TimeoutExpired, ValueError) as e:
                doc, trouble = None, e
            for no, _, fact, entity, want in rows:
                checked += 1
                try:
                    if trouble:
                        raise Wrong(trouble)
                    check(doc, fact, entity, want)
                except Wrong as e:
                    wrong += 1
                    print(f"fixtures.expect:{no}: {path}: {fact}@{entity}={want}: {e}")
    print(f"{checked} expectations over {len(by_path)} files, {wrong} wrong")
    if not checked:
        print("nothing was checked")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
