#!/usr/bin/env python3
"""Rehearses every experiment, and checks that the pages in docs/experiments say what their figures say: each is told
again from its CSV and must come out as it stands there, to the byte.

usage: check_experiments.py ROOT FOVEA    FOVEA: the program
"""
import csv
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = (".csv", ".md", ".svg")


def call(fovea, words, folder):
    """What is wrong with a call, or None."""
    done = subprocess.run([fovea, "experiment", *words], cwd=folder, capture_output=True, text=True)
    return None if done.returncode == 0 else f"experiment {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()[-500:]}"


def names(fovea):
    help_text = subprocess.run([fovea, "experiment", "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  ([a-z][a-z-]*) ", help_text.split("Subcommands:")[1], re.M)
    return [name for name in listed if name != "all"]


def rows_of(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("# ")]
    return list(csv.DictReader(lines))


def rehearse(fovea, all_names):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        if fault := call(fovea, ["all", "--quick", "--out", "out", "--pages", "pages"], folder):
            return [fault]
        for name in all_names:
            files = [Path(folder, "pages", name + kind) for kind in KINDS]
            wrong += [f"{name}: the rehearsal wrote no {file.name}" for file in files if not file.exists()]
            if not all(file.exists() for file in files):
                continue
            rows = rows_of(files[0])
            if not rows or not any(math.isfinite(float(row["value"])) for row in rows):
                wrong.append(f"{name}: the rehearsal measured nothing")
            if len({row["seed"] for row in rows}) < 2:
                wrong.append(f"{name}: the rehearsal has one seed alone, which shows no spread")
            if not re.search(r"\*\*(yes|no|in part)\*\*", files[1].read_text(encoding="utf-8")):
                wrong.append(f"{name}: the page has no verdict")
    return wrong


def differing(fovea, pages, name):
    """Whether the page says something else than its figures."""
    with tempfile.TemporaryDirectory() as folder:
        words = [name, "--from", str(pages / (name + ".csv")), "--pages", folder]
        if fault := call(fovea, words, folder):
            return [fault]
        told = {kind: Path(folder, name + kind).read_bytes() for kind in KINDS}
        return [f"{name}{kind} is not what its figures give; fovea experiment {name} --from docs/experiments/{name}.csv writes it anew"
                for kind in KINDS if told[kind] != (pages / (name + kind)).read_bytes()]


def check_pages(fovea, pages, all_names):
    wrong = []
    for name in all_names:
        missing = [name + kind for kind in KINDS if not (pages / (name + kind)).exists()]
        wrong += [f"docs/experiments/{file} is missing" for file in missing]
        if not missing:
            wrong += differing(fovea, pages, name)
            if "--quick" in (pages / (name + ".md")).read_text(encoding="utf-8"):
                wrong.append(f"docs/experiments/{name}.md is of a rehearsal")
    with tempfile.TemporaryDirectory() as folder:
        for name in all_names if not wrong else []:
            call(fovea, [name, "--from", str(pages / (name + ".csv")), "--pages", folder], folder)
        index = Path(folder, "README.md")
        if index.exists() and index.read_bytes() != (pages / "README.md").read_bytes():
            wrong.append("docs/experiments/README.md is not what the figures give")
    known = {name + kind for name in all_names for kind in KINDS} | {"README.md"}
    return wrong + [f"docs/experiments/{file.name} belongs to no experiment" for file in sorted(pages.iterdir()) if file.name not in known]


def self_test(fovea, pages, name):
    """A page with another digit, and figures with another digit, must be found."""
    wrong = []
    for kind in (".md", ".csv"):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder)
            for each in KINDS:
                (copy / (name + each)).write_bytes((pages / (name + each)).read_bytes())
            path = copy / (name + kind)
            lines = path.read_text(encoding="utf-8").split("\n")
            at = next(i for i, line in enumerate(lines) if (line.startswith("| ") or kind == ".csv") and re.search(r"\d\D*$", line) and not line.startswith("#") and "seed" not in line)
            lines[at] = re.sub(r"(\d)(\D*)$", lambda found: str((int(found[1]) + 5) % 10) + found[2], lines[at])
            if kind == ".csv":  # the last digit of a number is not seen in a table
                lines[at] = re.sub(r"[^,]*$", "123456", lines[at])
            path.write_text("\n".join(lines), encoding="utf-8")
            if not differing(fovea, copy, name):
                wrong.append(f"self-test: a change of {name}{kind}, line {at + 1}, was not found")
    return wrong


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, fovea = Path(sys.argv[1]), sys.argv[2]
    pages = root / "docs" / "experiments"
    all_names = names(fovea)
    wrong = [] if all_names else ["the program lists no experiment"]
    wrong += rehearse(fovea, all_names) + check_pages(fovea, pages, all_names)
    if not wrong:
        wrong = self_test(fovea, pages, all_names[0])
    print("\n".join(wrong) if wrong else f"{len(all_names)} experiments rehearsed; their pages agree with their figures")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
