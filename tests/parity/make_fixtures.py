#!/usr/bin/env python3
"""Writes fixtures/*.json: what PyTorch computes, for test_*.cpp to compare with.

    python3 tests/parity/make_fixtures.py        (PyTorch 1.13 or newer, numpy)

Everything is computed in double. Each input has its own seed, made from the names of its case and itself, so
that a new case leaves the others as they are; inputs are multiples of 1/1024, which both precisions hold
exactly. A case's name starts with what it is a case of: `huber: delta 0.5`.
"""

import sys
from pathlib import Path

import torch

from recipes import attention, draws, losses, modules, ops, optimizers, recurrent, schedules, transformer
from recipes.common import write

FOLDER = Path(__file__).resolve().parent / "fixtures"


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    FOLDER.mkdir(exist_ok=True)
    total = 0
    for recipe in (ops, losses, modules, recurrent, attention, transformer, optimizers, schedules, draws):
        path = FOLDER / f"{recipe.__name__.split('.')[-1]}.json"
        write(path, recipe.cases())
        total += path.stat().st_size
        print(f"{path.name:20} {path.stat().st_size:7} bytes", file=sys.stderr)
    print(f"{'together':20} {total:7} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
