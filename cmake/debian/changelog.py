#!/usr/bin/env python3
"""Writes Debian's changelog from ours: what the newest version added, changed and fixed.

usage: changelog.py CHANGELOG.md VERSION MAINTAINER    fails where the newest version is not VERSION.
"""
import email.utils
import os
import re
import sys
import textwrap
import time
from datetime import datetime, timezone
from pathlib import Path

HEADING = re.compile(r"^## (\S+) - (unreleased|\d{4}-\d\d-\d\d)$", re.M)


def entry(text, version, maintainer):
    headings = list(HEADING.finditer(text))
    if not headings or headings[0][1] != version:
        sys.exit(f"CHANGELOG.md: the newest version is {headings[0][1] if headings else 'missing'}; the project's is {version}")
    end = headings[1].start() if len(headings) > 1 else len(text)
    items = re.findall(r"^- (.*?)(?=^- |^#|\Z)", text[headings[0].end():end], re.M | re.S)
    released = headings[0][2] != "unreleased"
    when = (datetime.fromisoformat(headings[0][2]).replace(tzinfo=timezone.utc).timestamp() if released
            else int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    lines = [f"fovea ({version}-1) {'unstable' if released else 'UNRELEASED'}; urgency=medium", ""]
    for item in items:
        lines += textwrap.wrap(" ".join(item.split()), 78, initial_indent="  * ", subsequent_indent="    ")
    return "\n".join(lines + ["", f" -- {maintainer}  {email.utils.formatdate(when)}"])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(entry(Path(sys.argv[1]).read_text(encoding="utf-8"), *sys.argv[2:]))
