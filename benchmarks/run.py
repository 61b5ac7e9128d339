"""Runs the workloads and reports: see script/bench, which builds first.

    script/bench                            ours and the peers' in turns; prints tables, writes docs/benchmarks.md
    script/bench --peer-python PATH …       peers of that interpreter (PyTorch, JAX); may be given twice
    script/bench --only W1,W2:512           only these, and only prints unless -o names a file
    script/bench --json                     ours alone, as JSON lines
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import report
from turns import Runner, measure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PROGRAM = ROOT / "build/release/benchmarks/fovea_bench"

# torch.compile takes ten seconds for each: a few figures tell enough.
COMPILED = {"W1:128", "W1:512", "W2:512", "W3", "W7", "W8", "W9"}
# With more threads every second length will do; what is all overhead has nothing that they could share.
ONE_THREAD = {"W1:32", "W1:64", "W1:256", "W1:4096", "W2:32", "W2:64", "W2:256", "W2:1024", "W2c:512", "W2w:512", "W7", "W10",
              "W11:1024", "W11r:1024", *(f"W12{kind}:{length}" for kind in ("", *"washrlf") for length in (4096, 16384)),
              "W13:10000", "W13p:10000", "W14:10000", "W14p:10000"}


def lines_of(*arguments):
    output = subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def all_works(described):
    """["W1:32", …, "W3", …]"""
    return [name for work in described for name in names_of(work["id"], work["lengths"])]


def names_of(work, lengths):
    return [f"{work}:{length}" for length in lengths] or [work]


def chosen(only, described):
    """Those works that `--only` names: by id, or with a length of its own."""
    lengths = {work["id"]: work["lengths"] for work in described}
    works = []
    for name in only.split(",") if only else lengths:
        work, _, length = name.partition(":")
        if work not in lengths or (length and not (lengths[work] and length.isdecimal() and int(length))):
            raise SystemExit(f"script/bench: there is no workload \"{name}\"; known are {', '.join(lengths)}")
        works += [name] if length else names_of(work, lengths[work])
    return works


def peer(name, python, script, *options, environment=(), **more):
    """A runner, or the reason why there is none."""
    command = [python, str(HERE / "peers" / script)]
    try:
        about = subprocess.run([*command, "--about"], capture_output=True, text=True, timeout=120,
                               env={**os.environ, **dict(environment)})
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{name} is left out: {error}"
    if about.returncode:
        return f"{name} is left out: {(about.stderr.strip().splitlines() or ['it does not start'])[-1]} ({python})"
    lengths = json.loads(subprocess.run([*command, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    works = frozenset(one for work in lengths for one in names_of(work, lengths[work]))
    return Runner(name, (*command, "--turns", "{work}", "--threads", "{threads}", *options), more.pop("works", works),
                  tuple(environment), version=about.stdout.strip(), **more)


def peers(pythons, blas_kernel):
    """What these interpreters can import, and why the others are left out."""
    # Debian's PyTorch would take OpenBLAS's SSE3 kernel on many CPUs; the peer is to be at its best.
    environment = (("OPENBLAS_CORETYPE", blas_kernel), ("PYTHONDONTWRITEBYTECODE", "1"))
    found, absent = [], []

    def first(name, script, *options, **more):
        answers = [peer(name, python, script, *options, environment=environment, **more) for python in pythons]
        there = [answer for answer in answers if isinstance(answer, Runner)]
        found.extend(there[:1])
        if not there:
            absent.extend(answers)
        return bool(there)

    if first("PyTorch", "torch_peer.py"):
        first("torch.compile", "torch_peer.py", "--compile", works=frozenset(COMPILED), one_thread_only=True)
    first("JAX", "jax_peer.py")
    return found, absent


def say(text):
    """Progress: one line that changes on a terminal, else line by line."""
    terminal = sys.stderr.isatty()
    print(f"\r\033[K{text}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)


def compare(options, described):
    about = lines_of("about")[0]
    works = chosen(options.only, described)
    there, absent = peers(options.peer_python or ["python3"], about["blas_kernel"])
    ours = Runner("Fovea", (str(PROGRAM), "turns", "{work}", "{threads}"), frozenset(works))
    figures, limits = [], []
    for threads in options.threads:
        for number, work in enumerate(works):
            if threads > 1 and work in ONE_THREAD and not options.only:
                continue
            if number % 4 == 0:
                limits += lines_of("limits", threads)
            say(f"{work}, {threads} thread{'s' * (threads > 1)} ({number + 1} of {len(works)})")
            runners = [ours, *(one for one in there if one.can(work, threads))]
            figures.append(measure(work, threads, runners, options.rounds))
    ops = []
    if not options.only or options.out:
        say("small ops")
        ops = lines_of("ops")
    if sys.stderr.isatty():
        say("")
    return report.Run(about, described, there, absent, figures, limits, ops, options.rounds)


def thread_counts(text):
    counts = [int(part) for part in text.split(",")]
    if min(counts) < 1:
        raise ValueError
    return counts


def main():
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="ours alone, as JSON lines, each from a fresh process")
    parser.add_argument("--only", metavar="W1,W2:512", help="workloads, with a length T or with all of theirs")
    parser.add_argument("--threads", type=thread_counts, metavar="1,2", help="default: 1 and 2; with --json 1")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="at most N rounds for each figure")
    parser.add_argument("--peer-python", action="append", metavar="PATH",
                        help="an interpreter that has a peer (default: python3)")
    parser.add_argument("-o", "--out", type=Path, help="the report (default: docs/benchmarks.md)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    described = lines_of("workloads")
    if options.json:
        for threads in options.threads or [1]:
            for work in chosen(options.only, described):
                subprocess.run([PROGRAM, work, str(threads)], check=True)
        return
    options.threads = options.threads or sorted({1, min(2, os.cpu_count() or 1)})
    run = compare(options, described)
    print(report.tables(run))
    out = options.out or (None if options.only else ROOT / "docs/benchmarks.md")
    if out:
        out.write_text(report.document(run), encoding="utf-8")
        print(f"written: {out}", file=sys.stderr)


if __name__ == "__main__":
    main()
