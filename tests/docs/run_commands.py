#!/usr/bin/env python3
"""Runs every command that the README and the guides show, as a reader would: in the order of the page, in a folder
that looks like a clone. Fails where one fails, or names a program or script that is not there.

What is shortened, for time: a training takes a few steps, and the bundled data are some of their lines. What stands
in for the real thing: script/build and script/bootstrap (whoever runs this has run them), and what REASONS tells.

usage: run_commands.py ROOT BUILD FOLDER    ROOT: the sources, BUILD: where fovea was built, FOLDER: to work in
"""
import os
import re
import shutil
import stat
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

PAGES = ["README.md", "docs/guide.md", "docs/library.md", "docs/exchange.md"]
SCRIPTS_THAT_RUN = {"train"}
# What a page says is there.
BEFORE = {"docs/exchange.md": [(0, "fovea train copy")]}
# Commands, by how they begin, that are not run.
REASONS = {
    "script/test": "it is what runs this",
    "sudo apt install": "needs root; tests/package unpacks and uses the packages",
    "fovea completion fish | source": "is for another shell",
}
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.M | re.S)
INLINE = re.compile(r"`((?:fovea|script/\w+|build/release/fovea|source|cmake)(?: [^`]+)?)`")
# A form, not a command: `fovea verify-resume TASK [settings]`.
FORM = re.compile(r"…|\b[A-Z]\b|\b[A-Z]{3,}\b|\[")

FOVEA = r"""#!/usr/bin/env bash
# The program, with a few steps wherever it would train for long.
steps=()
arguments=()
case "$1" in
  train) steps=(--steps 6) ;;
  verify-resume) steps=(--steps 8) ;;
  compare) steps=(--steps 2) ;;
  experiment) steps=(--quick) ;;
esac
while (($# > 0)); do
  case "$1" in
    --resume | --print-rates | --help) steps=() ;;  # goes on to where it was to go, or does not train
    --steps | --epochs) ((${#steps[@]} == 0)) || { shift 2; continue; } ;;
    --interrupt-at) arguments+=("$1"); shift; set -- 3 "${@:2}" ;;
  esac
  arguments+=("$1")
  shift
done
exec PROGRAM "${arguments[@]}" "${steps[@]}"
"""

TEXTS = "".join(f"{label}\t{text} {n}\n" for n in range(60) for label, text in (("good", "I liked it"), ("bad", "not again")))
TABLE = "day,sold\n" + "".join(f"{date(2020, 1, 1) + timedelta(n)},{5 + n % 7}\n" for n in range(500))
# Data of the reader's own that the pages name.
OWN = {"pairs.tsv": "".join(f"{n}\t{n % 10} {n // 10}\n" for n in range(200)), "texts.tsv": TEXTS, "table.csv": TABLE}


def commands(page):
    """(line, command) of a page, in order."""
    text = page.read_text()
    line = lambda at: text.count("\n", 0, at) + 1
    found = []
    for fence in FENCE.finditer(text):
        kind, block = fence.groups()
        if kind == "sh":
            found.append((line(fence.start()) + 1, block))
        elif not kind and block.startswith("$ "):
            found += [(line(fence.start()) + 1, one[2:]) for one in block.splitlines() if one.startswith("$ ")]
    without = FENCE.sub(lambda fence: "\n" * fence.group().count("\n"), text)
    at = lambda place: without.count("\n", 0, place) + 1
    found += [(at(one.start()), one.group(1)) for one in INLINE.finditer(without) if not FORM.search(one.group(1))]
    return sorted(found)


def is_name(command):
    """`script/bench` and `fovea list` are also how the text calls them."""
    words = command.split()
    return len(words) == 1 or (len(words) == 2 and words[0].endswith("fovea"))


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def make_clone(root, build, folder):
    """A folder that looks like a clone that was built."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for one in root.iterdir():
        if one.name not in ("build", "runs", "script", ".git", "examples"):
            (folder / one.name).symlink_to(one)
    for one in (root / "script").iterdir():
        if one.name in SCRIPTS_THAT_RUN:
            executable(folder / "script" / one.name, one.read_text())
        elif one.is_file():
            executable(folder / "script" / one.name, "#!/bin/sh\n")
    release = folder / "build/release"
    release.mkdir(parents=True)
    for one in build.iterdir():
        if one.name != "fovea":
            (release / one.name).symlink_to(one)
    executable(release / "fovea", FOVEA.replace("PROGRAM", str(build / "fovea")))
    for source in (root / "examples").rglob("*"):
        copy = folder / "examples" / source.relative_to(root / "examples")
        if not source.is_file():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        lines = source.read_text().splitlines(keepends=True)
        copy.write_text("".join(lines[:1] + lines[1::20] if source.suffix == ".tsv" else lines))
    for name, text in OWN.items():
        (folder / name).write_text(text)
    executable(folder / "stand-ins/sudo", "#!/bin/sh\n")
    if not shutil.which("man"):
        executable(folder / "stand-ins/man", "#!/bin/sh\ncat >/dev/null\n")


def run(page, root, folder):
    """What of a page does not work."""
    wrong, script = [], ["set -eE -o pipefail",
                         'trap \'code=$?; [[ $code == 130 ]] || { echo "FAILED at $AT (exit code $code): $BASH_COMMAND"; exit 1; }\' ERR']
    for line, command in sorted(commands(root / page) + BEFORE.get(page, [])):
        where = f"{page}:{line}"
        first = command.split()[0]
        if first.startswith("script/") and not (root / first).is_file():
            wrong.append(f"{where}: there is no {first}")
            continue
        if is_name(command):
            if first.endswith("fovea") and len(command.split()) == 2:
                command += " --help"
            elif first != "script/train":
                continue
        kept = "\n".join(one for one in command.splitlines() if not one.startswith(tuple(REASONS)))
        script.append(f"AT={where}\n{kept}")
    environment = dict(os.environ, HOME=str(folder / "home"), FOVEA_EXAMPLES=str(folder / "examples"),
                       PATH=f"{folder}/stand-ins:{folder}/build/release:{os.environ['PATH']}")
    (folder / "home").mkdir(exist_ok=True)
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        wrong.append(done.stdout[-3000:])
    return wrong


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    root, build, folder = (Path(one).resolve() for one in sys.argv[1:])
    wrong, count = [], 0
    pages = PAGES + [page.name for page in root.glob("README.*.md")]
    for page in pages:
        make_clone(root, build, folder)
        count += len(commands(root / page))
        wrong += run(page, root, folder)
    everything = "\n".join((root / page).read_text() for page in pages)
    wrong += [f"no page says {begin!r} any more, which is not run because {reason}"
              for begin, reason in REASONS.items() if begin not in everything]
    print("\n".join(wrong) if wrong else f"{count} commands of {len(pages)} pages work")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
