#!/usr/bin/env python3
"""Fails where a program has instructions of AVX outside of the kernels that are chosen at run time for newer CPUs: it
would end with an illegal instruction on an older one.

usage: check_levels.py PROGRAM
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(\S+)\s*(.*)$")
LEVEL = re.compile(r"5fovea3f\d\d2(v[34])")  # the namespace of a level in a mangled name
NEW = re.compile(r"%[yz]mm|%k[0-7]")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    command = ["objdump", "--disassemble", "--no-show-raw-insn", sys.argv[1]]
    function, found, levels = "", {}, set()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listing:
        for line in listing.stdout:
            if match := FUNCTION.match(line):
                function = match[1]
            elif match := INSTRUCTION.match(line):
                # Every vector instruction of AVX begins with a v; those that are older, and are no vectors', do not.
                if NEW.search(match[2]) or (match[1].startswith("v") and "%xmm" in match[2]):
                    if level := LEVEL.search(function):
                        levels.add(level[1])
                    else:
                        found.setdefault(function, line.strip())
    if listing.returncode != 0:
        sys.exit(f"{' '.join(command)} failed")
    for function, line in sorted(found.items()):
        print(f"{function}: {line}")
    if levels != {"v3", "v4"}:
        sys.exit(f"kernels of the levels {sorted(levels)} were found; expected v3 and v4: is this looking right?")
    sys.exit(f"{len(found)} functions need AVX" if found else 0)


if __name__ == "__main__":
    main()
