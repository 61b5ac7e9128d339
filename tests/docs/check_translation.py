#!/usr/bin/env python3
"""Fails where a translation of the README (README.zh.md and the like) is not equal to README.md. Section by section:

- headings have the same number and levels, in the same order;
- blocks of code are the same but for their comments (sh: # …, cpp: // …); a list of commands or folders, which is a
  block of no kind and no transcript ($ …), is the same but for what stands beside them;
- tables have the same numbers in each cell of each row, with the same separators;
- images and links lead to the same places, in order; only each page links the other one, and anchors are its own;
- what stands in `backquotes` is the same, in any order.

usage: check_translation.py ROOT    first plants each violation in a scratch tree and checks that it is found.
"""
import re
from collections import Counter
from itertools import zip_longest

import planted

ORIGINAL = "README.md"
HEADING = re.compile(r"(#{1,6}) +(.*)")
COMMENT = {"sh": re.compile(r"(^|\s)#.*"), "cpp": re.compile(r"//.*")}
# What a line of a list names: fovea list of "fovea list      the tasks", tour and docs/ of "tour/    programs     docs/   guides".
NAME = re.compile(r"^\s*\S.*?(?=  |/ |$)|(?<=  )[\w.-]+/(?=\s)", re.A)
NUMBER = re.compile(r"(?:(?<![0-9A-Za-z.])[-−])?[0-9]+(?:[.,][0-9]+)*")
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"(?:(!)\[[^\[\]]*)?\]\(([^)\s]+)")


class Section:
    def __init__(self, line, level, title):
        self.line, self.level, self.title = line, level, title
        self.text, self.rows, self.fences = title, [], []  # rows: (line, text); fences: (line, kind, lines)

    def links(self):
        return [(mark or "") + target for mark, target in LINK.findall(CODE.sub("code", self.text))]

    def spans(self):
        return Counter(" ".join(span.split()) for _, span in CODE.findall(self.text))


def sections(text):
    found, fence = [Section(1, 0, "")], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if fence is None:
                fence = []
                found[-1].fences.append((number, line[3:].strip(), fence))
            else:
                fence = None
        elif fence is not None:
            fence.append(line)
        elif heading := HEADING.match(line):
            found.append(Section(number, len(heading[1]), heading[2]))
        else:
            found[-1].text += "\n" + line
            if line.startswith("|"):
                found[-1].rows.append((number, line))
    return found


def anchor(title):
    """As GitHub makes it."""
    return "#" + re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def same_line(ours, theirs, kind, listing):
    if kind in COMMENT:
        ours, theirs = COMMENT[kind].sub("", ours), COMMENT[kind].sub("", theirs)
    if ours.rstrip() == theirs.rstrip():
        return True
    return listing and not ours.isascii() and NAME.findall(ours) == NAME.findall(theirs)


def problems_of_fences(ours, theirs, where):
    if len(ours.fences) != len(theirs.fences):
        return [f"{where(ours.line)}: {len(ours.fences)} blocks of code; expected {len(theirs.fences)}"]
    found = []
    for (line, kind, block), (_, kind_there, block_there) in zip(ours.fences, theirs.fences):
        if kind != kind_there:
            found.append(f"{where(line)}: a block of kind {kind!r}; expected {kind_there!r}")
        listing = not kind_there and not any(one.startswith("$ ") for one in block_there)
        for one, other in zip_longest(block, block_there):
            line += 1
            if one is None or other is None or not same_line(one, other, kind_there, listing):
                found.append(f"{where(line)}: the code differs: {one!r}; expected {other!r}")
                break
    return found


def cells(row):
    return [NUMBER.findall(cell) for cell in row.split("|")]


def problems_of_tables(ours, theirs, where):
    if len(ours.rows) != len(theirs.rows):
        return [f"{where(ours.line)}: {len(ours.rows)} rows of tables; expected {len(theirs.rows)}"]
    return [f"{where(line)}: the numbers of the row differ: {row}; expected {other}"
            for (line, row), (_, other) in zip(ours.rows, theirs.rows) if cells(row) != cells(other)]


def problems_of(page, original):
    text, found = sections(page.read_text(encoding="utf-8")), []
    there = sections(original.read_text(encoding="utf-8"))
    where = lambda line: f"{page.name}:{line}"
    levels, expected = ([section.level for section in one[1:]] for one in (text, there))
    if levels != expected:  # what is compared section by section would be noise
        return [f"{page.name}: the headings differ: levels {levels}; expected {expected}"]
    anchors = {anchor(other.title): anchor(own.title) for own, other in zip(text[1:], there[1:])}
    anchors[page.name] = original.name
    for ours, theirs in zip(text, there):
        found += problems_of_fences(ours, theirs, where)
        found += problems_of_tables(ours, theirs, where)
        for one, other in zip_longest(ours.links(), (anchors.get(link, link) for link in theirs.links())):
            if one != other:
                found.append(f"{where(ours.line)}: the links differ: {one}; expected {other}")
                break
        if ours.spans() != theirs.spans():
            more, less = ours.spans() - theirs.spans(), theirs.spans() - ours.spans()
            found.append(f"{where(ours.line)}: what is in backquotes differs: {sorted(more.elements())}; "
                         f"expected {sorted(less.elements())}")
    return found


def problems(root):
    original = root / ORIGINAL
    links = [link for section in sections(original.read_text(encoding="utf-8")) for link in section.links()]
    found = [f"{ORIGINAL}: there is no {link}" for link in links
             if re.fullmatch(r"README\.\w+\.md", link) and not (root / link).is_file()]
    for page in sorted(root.glob("README.*.md")):
        found += problems_of(page, original)
    return found


CLEAN = {
    "README.md": """# Name
Text with `--lr`, `--ema` and [中文](README.zh.md).
![a picture](a.svg)

```sh
run --lr 1  # one comment
# another
```
## What it does
See [below](#in-short), [the guide](docs/guide.md#part) and `--lr`.

| what | Fovea | others |
|---|--:|--:|
| B=4, a window | 1,024 | -2.5 (3×) |
| 8-16-1 | 5 | |
### In short
```cpp
one();  // a comment
two();
```
```
$ run
  3 people
```
```
run [FILE]     runs a file
core/       numbers      docs/  guides

end
```
""",
    "README.zh.md": """# Name
文字，含 `--ema`、`--lr` 和 [English](README.md)。
![一幅图](a.svg)

```sh
run --lr 1      # 注释
# 另一条
```
## 用途
见[下文](#简而言之)、[指南](docs/guide.md#part)与 `--lr`。

| 项目 | Fovea | 其他 |
|---|--:|--:|
| B=4，窗口 | 1,024 | -2.5 (3×) |
| 8-16-1 | 5 | |
### 简而言之
```cpp
one();  // 注释
two();
```
```
$ run
  3 people
```
```
run [FILE]     运行一个文件
core/       数值；own/ 在内     docs/  指南

end
```
""",
}
# The page, what is replaced in it, by what, and words that the report must hold.
PLANTED = [
    ("README.zh.md", "### 简", "## 简", "the headings differ"),
    ("README.zh.md", "## 用途\n", "", "the headings differ"),
    ("README.md", "## What", "## More\n## What", "the headings differ"),
    ("README.zh.md", "--lr 1 ", "--lr 2 ", "the code differs"),
    ("README.zh.md", "# 另一条\n", "", "the code differs"),
    ("README.zh.md", "two();", " two();", "the code differs"),
    ("README.zh.md", "two();", "two();\nthree();", "the code differs"),
    ("README.zh.md", "3 people", "3 人", "the code differs"),
    ("README.zh.md", "run [FILE] ", "run FILE ", "the code differs"),
    ("README.zh.md", "core/", "cores/", "the code differs"),
    ("README.zh.md", "docs/  指南", "doc/  指南", "the code differs"),
    ("README.zh.md", "\nend\n", "\nends\n", "the code differs"),
    ("README.zh.md", "```cpp", "```c", "a block of kind 'c'"),
    ("README.zh.md", "```\n```\n$ run", "$ run", "blocks of code"),
    ("README.zh.md", "1,024", "1024", "the numbers of the row differ"),
    ("README.zh.md", "-2.5", "2.5", "the numbers of the row differ"),
    ("README.zh.md", "2.5 (3×)", "3 (2.5×)", "the numbers of the row differ"),
    ("README.zh.md", "| 5 | |", "| | 5 |", "the numbers of the row differ"),
    ("README.zh.md", "B=4", "B=4，5", "the numbers of the row differ"),
    ("README.zh.md", "| 8-16-1 | 5 | |\n", "", "rows of tables"),
    ("README.zh.md", "a.svg", "b.svg", "the links differ"),
    ("README.zh.md", "![一", "[一", "the links differ"),
    ("README.zh.md", "(docs/guide.md#part)", "（docs/guide.md#part）", "the links differ"),
    ("README.zh.md", "#part", "#parts", "the links differ"),
    ("README.zh.md", "#简而言之", "#in-short", "the links differ"),
    ("README.zh.md", "](README.md)", "](README.zh.md)", "the links differ"),
    ("README.zh.md", "`--ema`、", "", "what is in backquotes differs"),
    ("README.zh.md", "`--ema`、`--lr`", "`--lr`、`--lr`", "what is in backquotes differs"),
    ("README.zh.md", "与 `--lr`", "与 `--lr` 与 `--lr`", "what is in backquotes differs"),
    ("README.md", "README.zh.md", "README.fr.md", "there is no README.fr.md"),
]


if __name__ == "__main__":
    planted.run(__doc__, problems, CLEAN, PLANTED, "translations are equal")
