"""What the checks of pages have in common: they first plant mistakes in a scratch tree and see that each is found."""
import sys
import tempfile
from pathlib import Path


def self_test(problems, clean, planted):
    """What a check fails to find, or finds where nothing is. `problems(root)` lists what is wrong below a folder;
    `clean` is a tree, name to text; `planted` has (file, what is replaced, by what, words that a problem must hold)."""
    wrong = []
    for page, before, after, words in [(next(iter(clean)), "", "", None)] + planted:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in clean.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                changed = text.replace(before, after, 1) if name == page and words else text
                path.write_text(changed, encoding="utf-8")
            found = problems(Path(folder))
        if before not in clean[page] or (words is None and found) or (words and not any(words in one for one in found)):
            wrong.append(f"self-test: {before!r} → {after!r} in {page} gave {found}; expected {words!r}")
    return wrong


def run(about, problems, clean, planted, holds):
    """The check of the tree that the command line names, after its self-test."""
    if len(sys.argv) != 2:
        sys.exit(about)
    found = self_test(problems, clean, planted) + problems(Path(sys.argv[1]))
    print("\n".join(found) if found else f"{holds}; {len(planted)} planted mistakes found")
    sys.exit(1 if found else 0)
