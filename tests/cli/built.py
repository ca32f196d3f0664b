# SPDX-License-Identifier: Apache-2.0
"""What the build under test has, by its --version."""
import re
import subprocess


def built(gpuvet):
    """Its parts and those it lacks, two sets of names; None where --version does not say."""
    out = subprocess.run([gpuvet, "--version"], capture_output=True, text=True, timeout=60).stdout
    line = re.search(r"^built(?: with ([^;\n]+?))?;?(?: without ([^;\n]+))?$", out, re.M)
    return [set((g or "").split(", ")) - {""} for g in line.groups()] if line else (None, None)


def has(gpuvet, part):
    return part in (built(gpuvet)[0] or ())
