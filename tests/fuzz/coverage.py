#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints which share of the lines of each reader, and of the folders of src/, the recorded runs reached.

usage: coverage.py EXECUTABLE PROFILE
"""
import collections
import json
import subprocess
import sys

out = subprocess.run(["llvm-cov", "export", "-summary-only", sys.argv[1], "-instr-profile", sys.argv[2]], check=True, capture_output=True)
lines = {}
for f in json.loads(out.stdout)["data"][0]["files"]:
    path = f["filename"].split("/src/")[-1]
    if "/src/" in f["filename"]:
        lines[path] = (f["summary"]["lines"]["covered"], f["summary"]["lines"]["count"])

folders = collections.defaultdict(lambda: [0, 0])
for path, (covered, count) in lines.items():
    folder = path.split("/")[0]
    folders[folder][0] += covered
    folders[folder][1] += count
    if folder == "format":
        print(f"{covered * 100 / max(count, 1):5.1f} %  {covered:5} of {count:5}  {path}")
print()
for folder, (covered, count) in sorted(folders.items()):
    print(f"{covered * 100 / max(count, 1):5.1f} %  {covered:5} of {count:5}  src/{folder}")
