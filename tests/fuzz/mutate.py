#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spoils real documents and holds gpuvet to its contract: it ends in time with a documented status, its JSON is one
valid document, verdict and status fit the findings, and every quote stands where it says.

usage: mutate.py GPUVET [--count N] [--seed N] [--keep FOLDER] [--limit SECONDS] [FOLDER...]

Without FOLDER: examples/ and tests/cases/. A document that breaks something is kept in --keep, with its seed as name.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX = 900_000  # bytes of a document
NUMBERS = [b"0", b"-1", b"-0", b"nan", b"NaN", b"inf", b"1e309", b"-1e-320", b"0x", b"0xffffffffffffffffff",
           b"18446744073709551616", b"9223372036854775807", b"-9223372036854775809", b"4294967295", b"2147483648", b"65536",
           b"255", b"99999999999999999999999999999999", b"1,234,567", b"12,5", b"1e5", b"0.000001", b"1/0", b"007"]
PREFIXES = [b"> ", b">>> ", b"    ", b"\t", b"[  812.503311] ", b"[Tue Jan 13 12:10:11 2026] ", b"Jan 13 12:10:11 host kernel: ",
            b"Jan 13 12:10:11 host app[1]: ", b"2026-01-13T12:10:11.123456Z ", b"2026-01-13T12:10:11+01:00 host kernel: ",
            b"worker-0  | ", b"INFO 01-13 12:10:11 ", b"I0113 12:10:11.123456 1 x.cc:1] ", b"root@n1:~# ", b"$ ", b"# ", b"| ",
            b"\x1b[1;31m", b"- ", b"* ", b"rank0: ", b"[rank1]: ", b"<6>"]
BYTES = [b"\x00", b"\xff", b"\xfe", b"\xc3", b"\xe2\x82", b"\xf0\x9f", b"\x1b", b"\x1b[", b"\x1b]", b"\r", b"\x08", b"\x7f", b"\n",
         b"\t", b" ", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x0b", b"\x0c", b"[", b"]", b"{", b"}", b"%", b":", b",",
         b"|", b"/", b"(", b")", b"-", b"=", b"\"", b"'", b"\\", b"!"]


def some(rng, lines, share=0.1):
    """The numbers of a few lines, at least one."""
    n = max(1, int(len(lines) * rng.random() * share))
    return sorted(rng.randrange(len(lines)) for _ in range(n))


def drop_lines(rng, lines, corpus):
    gone = set(some(rng, lines, 0.5))
    return [l for i, l in enumerate(lines) if i not in gone]


def double_lines(rng, lines, corpus):
    out = list(lines)
    for i in reversed(some(rng, lines)):
        out[i:i] = [lines[i]] * rng.choice((1, 1, 2, 5, 300))
    return out


def cut_off(rng, lines, corpus):
    text = b"\n".join(lines)
    a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return rng.choice((text[:a], text[a:], text[a:b], text[:a] + text[b:])).split(b"\n")


def flip_bytes(rng, lines, corpus):
    text = bytearray(b"\n".join(lines))
    for _ in range(rng.choice((1, 1, 3, 30))):
        if text:
            text[rng.randrange(len(text))] = rng.randrange(256) if rng.random() < 0.3 else rng.randrange(32, 127)
    return bytes(text).split(b"\n")


def put_bytes(rng, lines, corpus):
    text = b"\n".join(lines)
    for _ in range(rng.choice((1, 3, 10))):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(BYTES) * rng.choice((1, 1, 1, 2, 40)) + text[at:]
    return text.split(b"\n")


def other_numbers(rng, lines, corpus):
    out = list(lines)
    for i in some(rng, lines, 0.4):
        out[i] = re.sub(rb"\d+(?:\.\d+)?", lambda m: rng.choice(NUMBERS) if rng.random() < 0.4 else m[0], out[i])
    return out


def swap_columns(rng, lines, corpus):
    out = list(lines)
    for i in some(rng, lines, 0.4):
        words = re.split(rb"(\s+)", out[i])
        if len(words) > 2:
            a, b = rng.randrange(0, len(words), 2), rng.randrange(0, len(words), 2)
            words[a], words[b] = words[b], words[a]
        out[i] = b"".join(words)
    return out


def drop_columns(rng, lines, corpus):
    out = list(lines)
    for i in some(rng, lines, 0.4):
        words = out[i].split()
        if words:
            del words[rng.randrange(len(words)):][:rng.randrange(1, 4)]
            out[i] = b" ".join(w for w in words if rng.random() > 0.2)
    return out


def prefix(rng, lines, corpus):
    p = rng.choice(PREFIXES)
    few = set(some(rng, lines, 1)) if rng.random() < 0.5 else range(len(lines))
    return [p + l if i in few else l for i, l in enumerate(lines)]


def blanks(rng, lines, corpus):
    how = rng.randrange(4)
    if how == 0:
        return [l.replace(b"\t", b"        ") for l in lines]
    if how == 1:
        return [re.sub(rb" {2,}", b"\t", l) for l in lines]
    if how == 2:
        return [re.sub(rb"[ \t]+", b" ", l).strip() for l in lines]
    return [l + rng.choice((b"\r", b"  ", b"\t")) for l in lines]


def shuffle(rng, lines, corpus):
    """Pieces of several documents in any order."""
    pieces = [lines] + [rng.choice(corpus).split(b"\n") for _ in range(rng.randrange(1, 5))]
    cut = []
    for p in pieces:
        a, b = sorted((rng.randrange(len(p) + 1), rng.randrange(len(p) + 1)))
        cut += [p[:a], p[a:b], p[b:]]
    rng.shuffle(cut)
    return [l for p in cut[:rng.randrange(2, len(cut) + 1)] for l in p]


def graft(rng, lines, corpus):
    """Single lines of other documents amid this one."""
    out = list(lines)
    for i in reversed(some(rng, lines, 0.3)):
        out[i:i] = [rng.choice(rng.choice(corpus).split(b"\n"))]
    return out


def join_lines(rng, lines, corpus):
    out = list(lines)
    for i in reversed(some(rng, lines)):
        if i + 1 < len(out):
            out[i:i + 2] = [out[i] + rng.choice((b"", b" ", b"  ")) + out[i + 1]]
    return out


def repeat(rng, lines, corpus):
    size = max(1, sum(map(len, lines)) + len(lines))
    return lines * min(rng.choice((2, 3, 20, 200)), max(1, MAX // 4 // size))


def renumber(rng, lines, corpus):
    """Many alike things: the same text with a counter in place of one number."""
    numbers = re.findall(rb"\d+", b"\n".join(lines))
    if not numbers:
        return lines
    old = rng.choice(numbers)
    size = max(1, sum(map(len, lines)) + len(lines))
    out = []
    for k in range(min(rng.choice((3, 30)), max(1, MAX // 4 // size))):
        out += [l.replace(old, b"%d" % k) for l in lines]
    return out


WAYS = [drop_lines, double_lines, cut_off, flip_bytes, put_bytes, other_numbers, other_numbers, swap_columns, drop_columns, prefix,
        blanks, shuffle, shuffle, graft, join_lines, repeat, renumber]


def make(seed, corpus):
    rng = random.Random(seed)
    lines = rng.choice(corpus).split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        lines = rng.choice(WAYS)(rng, lines, corpus) or [b""]
    return b"\n".join(lines)[:MAX]


def no_json(word):
    raise ValueError(f"{word} is no JSON")


def quotes_stand(quotes, lines):
    for q in quotes:
        line = lines[q["line"] - 1].decode(errors="replace") if 0 < q["line"] <= len(lines) else ""
        if not q["text"] or q["text"].removesuffix("…") not in line:
            return f"line {q['line']} does not say {q['text']!r}"
    return None


def judge_diagnosis(doc, status, lines):
    severities = [f["severity"] for f in doc["findings"]]
    want = 2 if "fail" in severities else 1 if "warn" in severities else None
    if want != (status if status in (1, 2) else None):
        return f"status {status} for {severities}"
    if (doc["verdict"] is None) != (want is None):
        return f"verdict {doc['verdict']} for {severities}"
    for f in doc["findings"]:
        if f["severity"] != "note" and not f["evidence"]:
            return f"{f['kind']} at {f['severity']} quotes nothing"
        why = quotes_stand(f["evidence"], lines)
        if why:
            return f"{f['kind']}: {why}"
    if (doc["bound"]["value"] == "unknown") != (not doc["bound"]["evidence"]):
        return f"bound {doc['bound']['value']} with {len(doc['bound']['evidence'])} quotes"
    return quotes_stand(doc["bound"]["evidence"], lines)


def judge_facts(doc, lines):
    for e in doc["events"]:
        why = quotes_stand(e["evidence"], lines)
        if why:
            return f"event {e['signature']}: {why}"
    for e in doc["entities"]:
        for f in e["facts"]:
            if f.get("line") and not 0 < f["line"] <= len(lines):
                return f"fact {f['name']} at line {f['line']} of {len(lines)}"
    return None


def run(gpuvet, args, path, limit):
    """Status, stdout, what is wrong."""
    start = time.monotonic()
    try:
        p = subprocess.run([gpuvet, *args, path], capture_output=True, timeout=max(60, limit * 10),
                           env={**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"})
    except subprocess.TimeoutExpired:
        return None, b"", "hangs"
    took = time.monotonic() - start
    if p.returncode not in (0, 1, 2, 3):
        return p.returncode, p.stdout, f"status {p.returncode}: {p.stderr.decode(errors='replace')[:4000]}"
    if p.stderr:
        return p.returncode, p.stdout, f"stderr: {p.stderr.decode(errors='replace')[:4000]}"
    if limit and took > limit:
        return p.returncode, p.stdout, f"takes {took:.1f} s"
    return p.returncode, p.stdout, None


def try_document(gpuvet, text, path, limit):
    """What is wrong with how gpuvet takes this document; None where nothing is."""
    path.write_bytes(text)
    lines = text.split(b"\n")
    status, out, why = run(gpuvet, ["diagnose", "--json"], path, limit)
    if why:
        return "diagnose --json: " + why
    try:
        why = judge_diagnosis(json.loads(out.decode(), parse_constant=no_json), status, lines)
    except (ValueError, KeyError, TypeError) as e:
        why = f"bad JSON: {e!r}"
    if why:
        return "diagnose --json: " + why
    text_status, out, why = run(gpuvet, ["diagnose", "--all"], path, limit)
    if why or text_status != status:
        return "diagnose: " + (why or f"status {text_status}, with --json {status}")
    if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", out):
        return "diagnose: control characters in the text"
    try:
        out.decode()
        status, out, why = run(gpuvet, ["facts", "--json"], path, limit)
        why = why or judge_facts(json.loads(out.decode(), parse_constant=no_json), lines)
    except (ValueError, KeyError, TypeError) as e:
        why = f"bad output: {e!r}"
    if why:
        return "facts --json: " + why
    return None


def read_corpus(folders):
    files = sorted(p for f in folders for p in pathlib.Path(f).rglob("*") if p.is_file() and p.suffix not in (".json", ".md", ".tsv"))
    texts = [p.read_bytes() for p in files if p.stat().st_size <= MAX]
    return [t for t in texts if t.strip() and b"\0" not in t]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpuvet", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300, help="documents (300)")
    parser.add_argument("--seed", type=int, default=1, help="of the first document; each has the next one (1)")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for documents that break something")
    parser.add_argument("--limit", type=float, default=0, help="seconds that one command may take (0: none but a minute)")
    o = parser.parse_intermixed_args()
    corpus = read_corpus(o.folders or [ROOT / "examples", ROOT / "tests" / "cases"])
    bad = 0
    if not corpus:
        sys.exit("there are no documents to spoil")
    with tempfile.TemporaryDirectory() as tmp:
        for seed in range(o.seed, o.seed + o.count):
            text = make(seed, corpus)
            why = try_document(o.gpuvet.resolve(), text, pathlib.Path(tmp) / "document.txt", o.limit)
            if not why:
                continue
            bad += 1
            print(f"seed {seed}: {why}", flush=True)
            if o.keep:
                o.keep.mkdir(parents=True, exist_ok=True)
                (o.keep / str(seed)).write_bytes(text)
    print(f"{o.count} documents, {bad} broke something")
    sys.exit(1 if bad else 0)


main()
