#!/usr/bin/env python3
"""Reads the sources and fails where the architecture is broken:

    core <- autograd <- modules, optim <- training <- report <- examples <- predict <- experiments <- cli

A folder includes itself and what stands left of it; modules and optim do not know each other.
Also: an include names its folder, a file has at most 400 lines, FIELDS is the only macro, library
headers include of xtensor only xarray.hpp and xshape.hpp, and the kernels of an instruction level
include nothing of xtensor, directly or through other headers. And a heading of autograd/ops.hpp, or another header of
ops, names the sources that its functions are in.

usage: check_layers.py ROOT    first plants each violation in a scratch tree and checks that it is found.
"""
import re
import sys
import tempfile
from pathlib import Path

RANK = {"core": 0, "autograd": 1, "modules": 2, "optim": 2, "training": 3, "report": 4, "examples": 5, "predict": 6,
        "experiments": 7, "cli": 8}
LIBRARY = {"core", "autograd", "modules", "optim", "training"}
SUFFIXES = {".cpp", ".hpp", ".h", ".inl", ".ipp", ".inc"}
MAX_LINES = 400
MACROS = {"FIELDS"}
LEVEL = "core/kernels/level/"
OPS = ("autograd/ops.hpp", "autograd/linear_attention.hpp", "autograd/rotation.hpp")
HEADING = re.compile(r"^// ----(.*?)----$", re.M | re.S)  # what stands below it, up to the next
FUNCTION = re.compile(r"^(?:[\w:]+|std::vector<Variable>) (\w+)\(", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)")
XTENSOR_IN_HEADERS = {"xtensor/xarray.hpp", "xtensor/xshape.hpp"}


def is_xtensor(name):
    return re.match(r"(xtensor|xtensor-blas|xtl|xsimd)/", name) is not None


def sources(root):
    for folder in RANK:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and "/data/" not in name:
                yield name, path.read_text(encoding="utf-8").splitlines()


def check_include(name, quote, included):
    """What is wrong with one include, or None."""
    folder = name.split("/")[0]
    top, slash, _ = included.partition("/")
    if quote == "<":
        if top == "fovea":
            return f'includes <{included}>; inside the project it is "{included[6:]}"'
        if name.endswith(".hpp") and folder in LIBRARY and is_xtensor(included):
            if included not in XTENSOR_IN_HEADERS:
                return f"is a public header and includes <{included}>; only {sorted(XTENSOR_IN_HEADERS)} are allowed"
        return None
    if included.endswith(".pb.h"):  # made by the build
        return None
    if not slash or top not in RANK:
        return f'includes "{included}", which does not start with one of {list(RANK)}'
    if top != folder and RANK[top] >= RANK[folder]:
        return f'includes "{included}": {folder} must not know {top}'
    return None


def problems(root):
    files = dict(sources(root))
    found, includes = [], {}
    for name, lines in files.items():
        if len(lines) > MAX_LINES:
            found.append(f"{name}: has {len(lines)} lines; at most {MAX_LINES} are allowed")
        for number, line in enumerate(lines, 1):
            if match := INCLUDE.match(line):
                includes.setdefault(name, []).append(match[2])
                if wrong := check_include(name, match[1], match[2]):
                    found.append(f"{name}:{number}: {wrong}")
            elif (match := DEFINE.match(line)) and match[1] not in MACROS:
                found.append(f"{name}:{number}: defines the macro {match[1]}; only {sorted(MACROS)} are allowed")
    for name in files:
        if name.startswith(LEVEL):
            if path := way_to_xtensor(name, includes):
                found.append(f"{name}: the kernels of a level must not see xtensor: {' -> '.join(path)}")
    return found + [misplaced for header in OPS for misplaced in misplaced_ops(header, files)]


def misplaced_ops(header, files):
    """Functions that no source under their heading defines."""
    found = []
    parts = HEADING.split("\n".join(files.get(header, [])))
    for heading, section in zip(["", *parts[1::2]], parts[::2]):
        named = re.findall(r"ops_\w+\.cpp", heading)
        defined = {function for name in named for function in FUNCTION.findall("\n".join(files.get(f"autograd/{name}", [])))}
        for function in FUNCTION.findall(section):
            if function not in defined:
                found.append(f"{header}: {function} is not in {' or '.join(named) or 'any source that a heading names'}")
    return found


def way_to_xtensor(start, includes):
    waiting, seen = [[start]], {start}
    while waiting:
        path = waiting.pop()
        for included in includes.get(path[-1], []):
            if is_xtensor(included):
                return path + [included]
            if included not in seen:
                seen.add(included)
                waiting.append(path + [included])
    return None


CLEAN = {
    "core/a.hpp": '#pragma once\n#include <vector>\n#include <xtensor/xarray.hpp>\n',
    "core/a.cpp": '#include "core/a.hpp"\n#include <xtensor-blas/xlinalg.hpp>\n',
    "core/kernels/level/k.cpp": '#include <cmath>\n',
    "autograd/v.hpp": '#include "core/a.hpp"\n#include "autograd/w.hpp"\n',
    "autograd/ops.hpp": "// ---- one (ops_one.cpp):\n// more ----\n\nVariable one(int x);\n",
    "autograd/ops_one.cpp": "Variable one(int x) { return x; }\nVariable other(int x) {\n",
    "modules/fields.hpp": '#include "autograd/v.hpp"\n#define FIELDS(...) 1\n',
    "optim/o.hpp": '#include "autograd/v.hpp"\n',
    "training/t.hpp": '#include "modules/fields.hpp"\n#include "optim/o.hpp"\n',
    "report/r.hpp": '#include "training/t.hpp"\n',
    "examples/e/e.hpp": '#include "report/r.hpp"\n',
    "examples/e/data/big.inc": "1,\n" * 1000,
    "cli/c.cpp": '#include "examples/e/e.hpp"\n#include "made.pb.h"\n' + "//\n" * 398,
}
# file, text that is planted, words that the report must hold
PLANTED = [
    ("core/bad.hpp", '#include "autograd/v.hpp"\n', "core must not know autograd"),
    ("core/bad.hpp", '  #  include "cli/c.hpp"\n', "core must not know cli"),
    ("autograd/bad.cpp", '#include "modules/fields.hpp"\n', "autograd must not know modules"),
    ("modules/bad.cpp", '#include "optim/o.hpp"\n', "modules must not know optim"),
    ("optim/bad.cpp", '#include "modules/fields.hpp"\n', "optim must not know modules"),
    ("training/bad.cpp", '#include "examples/e/e.hpp"\n', "training must not know examples"),
    ("training/bad.cpp", '#include "report/r.hpp"\n', "training must not know report"),
    ("report/bad.cpp", '#include "examples/e/e.hpp"\n', "report must not know examples"),
    ("examples/e/bad.cpp", '#include "cli/c.hpp"\n', "examples must not know cli"),
    ("experiments/bad.cpp", '#include "cli/c.hpp"\n', "experiments must not know cli"),
    ("core/sub/bad.cpp", '#include "a.hpp"\n', "does not start with one of"),
    ("core/bad.cpp", '#include "../cli/c.hpp"\n', "does not start with one of"),
    ("modules/bad.cpp", "#include <fovea/core/a.hpp>\n", "inside the project it is"),
    ("cli/bad.cpp", "\n" * 401, "has 401 lines"),
    ("modules/bad.hpp", "#define TWICE(x) x x\n", "defines the macro TWICE"),
    ("training/bad.hpp", "#include <xtensor/xview.hpp>\n", "is a public header"),
    ("core/bad.hpp", "#include <xtensor-blas/xlinalg.hpp>\n", "is a public header"),
    ("core/kernels/level/bad.cpp", '#include "core/a.hpp"\n', "must not see xtensor"),
    ("autograd/ops.hpp", "// ---- one (ops_one.cpp) ----\nVariable two(int x);\n", "two is not in ops_one.cpp"),
    ("autograd/ops.hpp", "// ---- one ----\nVariable one(int x);\n", "one is not in any source"),
    ("autograd/linear_attention.hpp", "// ---- two (ops_one.cpp) ----\nVariable two(int x);\n", "two is not in ops_one.cpp"),
    ("autograd/ops.hpp", "Variable one(int x);\n// ---- one (ops_one.cpp) ----\n", "one is not in any source"),
]


def plant(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def self_test():
    """What this check fails to find, or finds where nothing is."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), CLEAN)
        wrong += [f"self-test: a clean tree is reported: {found}" for found in problems(Path(folder))]
    for name, text, words in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            plant(Path(folder), CLEAN | {name: text})
            found = problems(Path(folder))
            if len(found) != 1 or words not in found[0] or not found[0].startswith(name):
                wrong.append(f"self-test: {text.strip()[:60]!r} in {name} gave {found}; expected '{words}'")
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    count = sum(1 for _ in sources(root))
    found = self_test() + problems(root) + ([] if count else [f"no sources under {root}"])
    print("\n".join(found) if found else f"{count} files keep to the layers; {len(PLANTED)} planted violations found")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
