#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/mktable takes right tables whatever their cells hold, and names file and line of what is wrong in others."""
import pathlib
import re
import subprocess
import sys
import tempfile

MKTABLE = pathlib.Path(sys.argv[1]).resolve().parent / "mktable"
failed = 0


def run(folder, files):
    """Writes the files, makes C of them: status, message, the C."""
    for old in folder.iterdir():
        old.unlink()
    paths = []
    for name, text in files.items():
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(str(path))
    out = folder / "out.c"
    p = subprocess.run([MKTABLE, str(out), *paths], capture_output=True, text=True)
    return p.returncode, p.stderr, out.read_text(encoding="ascii") if p.returncode == 0 else ""


def check(what, ok, said=""):
    global failed
    if not ok:
        print(f"{what}: {said}")
        failed += 1


def literals(c):
    """The strings of C text as a compiler reads them."""
    found = []
    for s in re.findall(r'"((?:[^"\\]|\\.)*)"', c):
        raw = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m.group(1), 8)), s)
        found.append(raw.encode("latin-1").decode("utf-8"))
    return found


WRONG = {
    "a\tb\n1\t2\n3\n": (3, "1 columns where the header has 2"),
    "# note\na\tb\n1\t2\t3\n": (3, "3 columns"),
    "a\tb\n1\t2\n\n": (3, "1 columns"),
    "a\tb\n1\t2": (2, "newline"),
    "a\ta\n1\t2\n": (1, "same name"),
    "a\t\n1\t2\n": (1, "without a name"),
    "a\tb\r\n1\t2\r\n": (1, "carriage return"),
    "a\tb\n1\0\t2\n": (2, "NUL"),
    "\t".join("c%d" % i for i in range(65)) + "\nx\n": (1, "too many"),
}

with tempfile.TemporaryDirectory() as d:
    folder = pathlib.Path(d)
    cell = 'a "quote" \\ ??/ é \x01 % \\n 0'
    status, said, c = run(folder, {"two-words.tsv": f"# first\n# second\nkey\tvalue\n{cell}\t7\n\t-\n", "b.tsv": "k\n#x\n"})
    check("right tables", status == 0, said)
    got = literals(c)
    check("cell", cell in got, repr(got))
    check("a comment's sign in a row is a cell", "#x" in got, repr(got))
    check("no comment", "first" not in c and "# second" not in c, c)
    check("registry", c.index("&table_b,") < c.index("&table_two_words,") and "gv_ntables = 2;" in c, c)
    check("size", '{ "two-words", 2, 2, ' in c, c)
    for text, (line, word) in WRONG.items():
        status, said, _ = run(folder, {"t.tsv": text})
        check(repr(text), status == 1 and f"t.tsv:{line}: " in said and word in said, f"status {status}: {said}")
    for files, word in (
        ({"t.tsv": "a\tb\n"}, "no rows"),
        ({"t.tsv": ""}, "no rows"),
        ({"T.tsv": "a\n1\n"}, "name"),
        ({"t.txt": "a\n1\n"}, ".tsv"),
    ):
        status, said, _ = run(folder, files)
        check(repr(files), status == 1 and word in said, f"status {status}: {said}")
    check("missing file", subprocess.run([MKTABLE, str(folder / "o.c"), str(folder / "no.tsv")], capture_output=True).returncode == 1)
    check("usage", subprocess.run([MKTABLE], capture_output=True).returncode == 2)

sys.exit(1 if failed else 0)
