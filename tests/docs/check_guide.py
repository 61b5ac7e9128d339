#!/usr/bin/env python3
"""Fails where a page of docs/ says what is not so:

- a block of C++ (```cpp tour/01_autograd.cpp), or any other that names a file, is a run of whole lines of it;
- every program of tour/ is quoted in library.md, and every map of docs/maps/ in exchange.md;
- every --flag is one that the sources know, and every link leads to a file.

usage: check_guide.py ROOT    first plants each violation in a scratch tree and checks that it is found.
"""
import re
import sys
import tempfile
from pathlib import Path

FENCE = re.compile(r"^```(\S*) ?(.*?)\n(.*?)^```$", re.M | re.S)
FOREIGN = re.compile(r"\b(?:cmake|tensorboard) [^\n`]*")
FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]+)")
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
KNOWN_TO_CLI11 = {"help"}


def flags(root):
    """What stands as a whole text in the sources: "lr", "--resume"."""
    text = "\n".join(path.read_text() for folder in ("cli", "training", "examples")
                     for path in sorted((root / folder).rglob("*.cpp")))
    return set(re.findall(r'"(?:--)?([a-z][a-z-]+)"', text)) | KNOWN_TO_CLI11


PAGES = {"docs/library.md": "tour/*.cpp", "docs/guide.md": None, "docs/exchange.md": "docs/maps/*.toml"}


def problems(root):
    found = []
    known = flags(root)
    for name, pattern in PAGES.items():
        found += problems_of(root / name, root, pattern, known)
    return found


def problems_of(page, root, pattern, known):
    text = page.read_text()
    found, quoted = [], set()
    for fence in FENCE.finditer(text):
        kind, name, block = fence.groups()
        where = f"{page.name}:{text.count(chr(10), 0, fence.start()) + 1}"
        if kind not in ("cpp", "toml", "sh", "python"):
            found.append(f"{where}: a block of kind {kind!r}; expected cpp, toml, sh or python")
        if kind != "cpp" and not name:
            continue
        if not name or not (root / name).is_file():
            found.append(f"{where}: C++ has to name the file that it quotes, and {name!r} is none")
            continue
        quoted.add(name)
        if not block.strip() or "\n" + block not in "\n" + (root / name).read_text():
            found.append(f"{where}: the quote differs from {name}; copy it again")
    for path in sorted(root.glob(pattern)) if pattern else []:
        name = path.relative_to(root).as_posix()
        if name not in quoted:
            found.append(f"{page.name}: {name} is not quoted")
    found += [f"{page.name}: there is no --{flag}" for flag in sorted(set(FLAG.findall(FOREIGN.sub("", text))) - known)]
    found += [f"{page.name}: the link {link} leads nowhere" for link in LINK.findall(FENCE.sub("", text))
              if "://" not in link and not (page.parent / link).exists()]
    return found


CLEAN = {
    "docs/guide.md": "`--lr`\n",
    "docs/library.md": "[t](../tour) `--lr`\n```cpp tour/a.cpp\n  one();\n  two();\n```\n```sh\nx --resume\n```\n",
    "docs/exchange.md": "`--lr`\n```toml docs/maps/m.toml\n\"a\" = \"b\"\n```\n",
    "docs/maps/m.toml": "\"a\" = \"b\"\n",
    "tour/a.cpp": "int main() {\n  one();\n  two();\n}\n",
    "training/config.cpp": 'options.add("lr", lr);',
    "cli/train.cpp": 'add_flag("--resume");',
    "examples/none.cpp": "",
}
# What is replaced in the first page that has it, by what, and words that the report must hold.
PLANTED = [
    ("one();", "one(1);", "differs from tour/a.cpp"),
    ("  one();\n", "one();\n", "differs from tour/a.cpp"),
    ("  two();\n", "  two\n", "differs from tour/a.cpp"),
    ("cpp tour/a.cpp", "cpp", "has to name the file"),
    ("cpp tour/a.cpp", "cpp tour/b.cpp", "has to name the file"),
    ("cpp tour/a.cpp", "sh", "tour/a.cpp is not quoted"),
    ("```sh", "```", "a block of kind ''"),
    ("--resume", "--resum", "there is no --resum"),
    ("../tour", "../tours", "leads nowhere"),
    ('"b"\n', '"c"\n', "differs from docs/maps/m.toml"),
    ("toml docs/maps/m.toml", "toml", "docs/maps/m.toml is not quoted"),
]


def self_test():
    """What this check fails to find, or finds where nothing is."""
    wrong = []
    for before, after, words in [("", "", None)] + PLANTED:
        changed = next(page for page in PAGES if before in CLEAN[page])
        with tempfile.TemporaryDirectory() as folder:
            for name, text in CLEAN.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace(before, after, 1) if name == changed and words else text)
            found = problems(Path(folder))
        if (words is None and found) or (words and not any(words in one for one in found)):
            wrong.append(f"self-test: {before!r} → {after!r} gave {found}; expected {words!r}")
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = self_test() + problems(Path(sys.argv[1]))
    print("\n".join(found) if found else f"the guide holds; {len(PLANTED)} planted mistakes found")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
