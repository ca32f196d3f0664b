# SPDX-License-Identifier: Apache-2.0
"""What gpuvet answers on many paths: one process each, or with look_tool some dozens in one."""
import json
import subprocess

AT_ONCE = 24


def one(gpuvet, command, path):
    """The document and the exit status."""
    p = subprocess.run([gpuvet, command, "--json", str(path)], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    if p.returncode not in (0, 1, 2, 3):
        raise RuntimeError(f"status {p.returncode}: {p.stderr.decode(errors='replace')[-300:]}")
    return json.loads(p.stdout), p.returncode


def many(tool, command, paths):
    """Of each path the document, or what became of it as a RuntimeError. A process that dies takes no answer of the others along."""
    answers, left = [], list(paths)
    while left:
        p = subprocess.run([tool, command, *map(str, left[:AT_ONCE])], stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        got = p.stdout.split(b"\0")[:-1]
        answers += [json.loads(doc) for doc in got]
        asked = min(AT_ONCE, len(left))
        if p.returncode:
            why = RuntimeError(f"status {p.returncode}: {p.stderr.decode(errors='replace')[-300:]}")
            if len(got) < asked:
                answers.append(why)
                got.append(None)
            else:  # found when it ended: a leak of any of them
                answers[-1] = why
        elif len(got) < asked:
            raise RuntimeError(f"{len(got)} answers on {asked} paths")
        left = left[len(got):]
    return answers
