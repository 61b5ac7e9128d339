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
TIMED = "(median, with the least and the greatest)"  # of rounds, not of seeds
# Tables of what is no draw: counted, or measured once.
COUNTED = {"memory_T", "memory_d", "memory_dot", "memory_additive", "parameters", "there", "rate"}


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


def tables_of(page):
    """The tables of a page's figures: title, rows, columns, cells."""
    found = []
    for title, text in re.findall(r"^([^|\n]+):\n\n((?:\|.*\n)+)", page.split("\n## Figures\n")[-1], re.M):
        lines = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
                 for line in text.splitlines() if not line.startswith("|---")]
        found.append((title, [line[0] for line in lines[1:]], lines[0][1:], [cell for line in lines[1:] for cell in line[1:]]))
    return found


def check_tables(name, rows, page):
    """What is wrong with the tables of a page and its figures."""
    measured = {}  # table: its lines
    for row in rows:
        measured.setdefault(row["table"], []).append(row)
    titles = {}  # of tables that have these rows and columns
    wrong = []
    for title, own_rows, own_columns, cells in tables_of(page):
        titles.setdefault((tuple(own_rows), tuple(own_columns)), []).append(title)
        if not any(re.search(r"\d", cell) for cell in cells):
            wrong.append(f"{name}: the table \"{title}\" has no number")
    every = [title for those in titles.values() for title in those]
    if not every:
        wrong.append(f"{name}: the page has no table")
    wrong += [f"{name}: two tables are called \"{title}\"" for title in sorted(set(every)) if every.count(title) > 1]
    shapes = {table: tuple(tuple(dict.fromkeys(line[kind] for line in lines)) for kind in ("row", "column"))
              for table, lines in measured.items()}
    wrong += [f"{name}: the table \"{title}\" is of no figures"
              for shape, those in titles.items() if shape not in shapes.values() for title in those]
    for table, lines in measured.items():
        told = titles.get(shapes[table], [])
        if not any(math.isfinite(float(line["value"])) for line in lines):
            wrong.append(f"{name}: the table {table} has no number")
        is_timed = told and all(title.endswith(TIMED) for title in told)
        if is_timed or table in COUNTED:
            continue
        seeds = {}
        for line in lines:
            seeds.setdefault((line["row"], line["column"]), set()).add(line["seed"])
        wrong += [f"{name}: {table}, {row}, {column} is of one seed alone, which shows no spread"
                  for (row, column), own in seeds.items() if len(own) < 2]
    if found := re.search(r"[^|\n]{0,40}\b(nan|inf)\b", page):
        wrong.append(f"{name}: the page tells a number that is none: {found[0].strip()}")
    return wrong


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
            page = files[1].read_text(encoding="utf-8")
            wrong += [f"rehearsal of {fault}" for fault in check_tables(name, rows_of(files[0]), page)]
            if not re.search(r"\*\*(yes|no|in part)\*\*", page):
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
    if not pages.is_dir():
        return ["docs/experiments is missing; fovea experiment all writes it"]
    wrong = []
    for name in all_names:
        missing = [name + kind for kind in KINDS if not (pages / (name + kind)).exists()]
        wrong += [f"docs/experiments/{file} is missing" for file in missing]
        if not missing:
            wrong += differing(fovea, pages, name)
            page = (pages / (name + ".md")).read_text(encoding="utf-8")
            wrong += [f"docs/experiments: {fault}" for fault in check_tables(name, rows_of(pages / (name + ".csv")), page)]
            if "--quick" in page:
                wrong.append(f"docs/experiments/{name}.md is of a rehearsal")
    with tempfile.TemporaryDirectory() as folder:
        for name in all_names if not wrong else []:
            call(fovea, [name, "--from", str(pages / (name + ".csv")), "--pages", folder], folder)
        index = Path(folder, "README.md")
        if index.exists() and index.read_bytes() != (pages / "README.md").read_bytes():
            wrong.append("docs/experiments/README.md is not what the figures give")
    known = {name + kind for name in all_names for kind in KINDS} | {"README.md"}
    return wrong + [f"docs/experiments/{file.name} belongs to no experiment" for file in sorted(pages.iterdir()) if file.name not in known]


def self_test_of_tables():
    """Faults of a made-up page must be found."""
    head = "# t: t?\n\n## Figures\n\n"
    good = [{"table": "e", "row": "8", "column": "a|b", "seed": seed, "value": value} for seed, value in (("1", "2"), ("2", "nan"))]
    page = head + "errors, %:\n\n| d | a\\|b |\n|---|--:|\n| 8 | 2, 1 of 2 diverged |\n"
    cases = [("", good, page),
             ("one seed alone", good[:1], page),
             ("", good[:1], page.replace(", %:", f" {TIMED}:")),
             ("the table e has no number", [{**row, "value": "nan"} for row in good], page),
             ("\"errors, %\" has no number", good, page.replace("2, 1 of 2 ", "")),
             ("of no figures", [{**row, "row": "16"} for row in good], page),
             ("no table", good, head),
             ("two tables", good, page + page.split("## Figures\n")[1]),
             ("a number that is none", good, page.replace("## Figures", "it was nan\n## Figures"))]
    told = [(expected, check_tables("t", rows, text)) for expected, rows, text in cases]
    return [f"self-test: expected \"{expected}\", got {faults}" for expected, faults in told
            if bool(faults) != bool(expected) or expected not in " ".join(faults)]


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
    wrong += self_test_of_tables() + rehearse(fovea, all_names) + check_pages(fovea, pages, all_names)
    if not wrong:
        wrong = self_test(fovea, pages, all_names[0])
    print("\n".join(wrong) if wrong else f"{len(all_names)} experiments rehearsed; their pages agree with their figures")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
