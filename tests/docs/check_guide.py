#!/usr/bin/env python3
"""Fails where a page of docs/ says what is not so:

- a block of C++ (```cpp tour/01_autograd.cpp), or any other that names a file, is a run of whole lines of it;
- every program of tour/ is quoted in library.md, and every map of docs/maps/ in exchange.md;
- every --flag is one that the sources know, and every link leads to a file.

usage: check_guide.py ROOT    first plants each violation in a scratch tree and checks that it is found.
"""
import re

import planted

FENCE = re.compile(r"^```(\S*) ?(.*?)\n(.*?)^```$", re.M | re.S)
FOREIGN = re.compile(r"\b(?:cmake|tensorboard) [^\n`]*")
FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]+)")
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
KNOWN_TO_CLI11 = {"help"}


def flags(root):
    """What stands as a whole text in the sources: "lr", "--resume"."""
    text = "\n".join(path.read_text() for folder in ("cli", "training", "examples", "experiments")
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


if __name__ == "__main__":
    pages = [(next(page for page in PAGES if before in CLEAN[page]), before, after, words)
             for before, after, words in PLANTED]
    planted.run(__doc__, problems, CLEAN, pages, "the guide holds")
