#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The completion script in a real bash: commands, options, their words, stages, kinds and files."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GPUVET = pathlib.Path(sys.argv[1]).resolve()
STAGES = ["visible", "stack", "busy", "fed", "scaling", "scheduler", "serving"]
bad = []


def out(*args):
    return subprocess.run([GPUVET, *args], capture_output=True, text=True, check=True).stdout


def complete(script, words, cwd):
    """What bash is offered for the last word."""
    quoted = " ".join("'" + w.replace("'", "'\\''") + "'" for w in words)
    p = subprocess.run(["bash", "--norc", "--noprofile", "-euc", f"""
source '{script}'
COMP_WORDS=({quoted}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_LINE="${{COMP_WORDS[*]}}"; COMP_POINT=${{#COMP_LINE}}
set +eu
_gpuvet gpuvet "${{COMP_WORDS[COMP_CWORD]}}"
((${{#COMPREPLY[@]}})) && printf '%s\\n' "${{COMPREPLY[@]}}"
exit 0
"""], cwd=cwd, capture_output=True, text=True)
    if p.returncode or p.stderr:
        bad.append(f"{words}: status {p.returncode}: {p.stderr}")
    return sorted(p.stdout.split("\n")[:-1])


def options_of(command):
    found = re.findall(r"^ +(?:-\w, )?--([\w-]+)(=?)", out(command, "--help").split("\nOptions:\n")[1], re.M)
    return sorted(f"--{name}{sign}" for name, sign in found)


def choices_of(command):
    """Of the help text: option to its words."""
    text = out(command, "--help").split("\nOptions:\n")[1]
    for block in re.split(r"\n(?=  )(?! {20})", text):
        m = re.match(r" *(?:-\w, )?--([\w-]+)=", block)
        words = re.search(r"\(one\s+of\s+([^)]*)\)", block)
        if m and words:
            yield m[1], sorted(re.split(r",\s*", words[1]))


def main():
    if not shutil.which("bash"):
        print("no bash here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        script = folder / "completion.bash"
        script.write_text(out("completion", "bash"))
        work = folder / "work"
        work.mkdir()
        for name in ("dmesg.txt", "a file with blanks", "$(touch gone)", "-"):
            (work / name).write_text("x")
        (work / "logs").mkdir()
        commands = re.findall(r"^  (\w+) ", out("--help").split("Commands:\n")[1].split("\nOptions:")[0], re.M)

        def expect(words, want):
            got = complete(script, ["gpuvet", *words], work)
            if got != sorted(want):
                bad.append(f"{words}: {got}, not {sorted(want)}")

        files = ["dmesg.txt", "a file with blanks", "$(touch gone)", "-", "logs"]
        expect([""], commands + ["help", "--help", "--version"])
        expect(["dia"], ["diagnose"])
        expect(["help", ""], commands)
        expect(["help", "facts", ""], [])
        for c in commands:
            expect([c, "-"], options_of(c))
            for option, words in choices_of(c):
                expect([c, f"--{option}", "="], words)
                expect([c, f"--{option}", ""], words)
                expect([c, f"--{option}", "=", words[0][:-1]], [w for w in words if w.startswith(words[0][:-1])])
                expect([c, f"--{option}={words[0]}"], [f"--{option}={words[0]}"])
        expect(["diagnose", "--fail"], ["--fail-on="])
        expect(["diagnose", "--fail-on", "=", "w"], ["warn"])
        expect(["diagnose", "--fail-on", "w"], ["warn"])
        expect(["diagnose", "--fail-on=w"], ["--fail-on=warn"])
        expect(["diagnose", "--require", "="], STAGES)
        expect(["diagnose", "--require", "=", "s"], ["stack", "scaling", "scheduler", "serving"])
        expect(["diagnose", "--require", "=", "busy,s"], ["busy,stack", "busy,scaling", "busy,scheduler", "busy,serving"])
        expect(["diagnose", "--require", "busy,fed,b"], [])
        expect(["diagnose", "--max-line", "="], [])
        expect(["diagnose", "--max-line", ""], [])
        expect(["diagnose", ""], files)
        expect(["diagnose", "--json", "a f"], ["a file with blanks"])
        expect(["diagnose", "x", "d"], ["dmesg.txt"])
        expect(["diagnose", "--", "-"], ["-"])
        expect(["facts", "d"], ["dmesg.txt"])
        kinds = re.findall(r"^  (\S+) ", out("explain"), re.M)
        expect(["explain", ""], kinds + ["xid", "sxid"])
        expect(["explain", "throttle"], ["throttle-power", "throttle-thermal"])
        expect(["completion", ""], ["bash"])
        expect(["nothing", ""], [])
        if (work / "gone").exists():
            bad.append("a file's name was run")
        # without programmable completion's environment nothing else is asked for
        p = subprocess.run(["bash", "--norc", "-c", f"source '{script}'; complete -p gpuvet"], capture_output=True, text=True)
        if p.stdout.strip() != "complete -F _gpuvet gpuvet":
            bad.append(f"complete -p: {p.stdout}{p.stderr}")
    for args, word in (((), "which shell"), (("zsh",), "only bash"), (("bash", "bash"), "only bash")):
        p = subprocess.run([GPUVET, "completion", *args], capture_output=True, text=True)
        if p.returncode != 64 or word not in p.stderr or p.stdout:
            bad.append(f"completion {args}: {p.returncode} {p.stderr}")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


main()
