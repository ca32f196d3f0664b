# SPDX-License-Identifier: Apache-2.0
"""The expressions of data/signatures.tsv as ripgrep's own engine takes them. Names of groups go, possessive quantifiers become
plain ones, and assertions about what stands before or behind (which that engine does not have, and its PCRE2 is some ten times
slower) are left out: that is less work for ripgrep, and a few more lines that match."""
import re

ASSERTION = re.compile(r"\(\?(?:!|=|<!|<=)")
NAMED = re.compile(r"\(\?<[A-Za-z_]\w*>")


def group_end(p, i):
    depth, k, in_class = 0, i, False
    while k < len(p):
        c = p[k]
        if c == "\\":
            k += 2
            continue
        if in_class:
            in_class = c != "]"
        elif c == "[":
            in_class = True
            k += p[k + 1:k + 2] == "^"
            k += p[k + 1:k + 2] == "]"
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                return k + 1
        k += 1
    raise ValueError(p)


def translate(p):
    out, i, in_class, left_out = "", 0, False, 0
    while i < len(p):
        c = p[i]
        if c == "\\":
            out += p[i + 1] if p[i + 1] in "\"'" else p[i:i + 2]
            i += 2
        elif c > "\x7f": # its bytes: without Unicode classes it takes no other characters
            out += "".join(f"\\x{b:02X}" for b in c.encode())
            i += 1
        elif in_class:
            in_class = c != "]"
            out += c
            i += 1
        elif c == "[":
            in_class = True
            out += c
            i += 1
        elif ASSERTION.match(p, i):
            i = group_end(p, i)
            left_out += 1
        elif p.startswith("(?|", i): # groups whose alternatives share their numbers
            out += "(?:"
            i += 3
        elif NAMED.match(p, i):
            out += "(?:"
            i = NAMED.match(p, i).end()
        elif c in "{}":
            counts = re.match(r"\{\d+(,\d*)?\}", p[i:])
            out += counts.group() if counts else "\\" + c
            i += counts.end() if counts else 1
        elif c == "+" and p[i - 1] in "+*?}" and i and p[i - 2:i - 1] != "\\":
            i += 1
        else:
            out += c
            i += 1
    return out, left_out


def patterns(table):
    """The expressions, and how many lost an assertion."""
    rows = [line.split("\t") for line in table.read_text().splitlines() if line and not line.startswith("#")]
    at = rows[0].index("pattern")
    made = [translate(r[at]) for r in rows[1:]]
    return [m[0] for m in made], sum(m[1] > 0 for m in made)
