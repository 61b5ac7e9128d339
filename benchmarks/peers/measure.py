"""What the peers share: how a workload is timed, and how script/bench asks for it.

A peer hands over its name, the lengths T that it can do for each workload, and a function that loads its
library and returns the workloads: {id: make}, where make(T) returns a function that runs the work once.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

LENGTHS = {"W1": [32, 64, 128, 256, 512, 1024], "W2": [32, 64, 128, 256, 512, 1024, 2048],
           "W2c": [512, 2048], "W2w": [512, 2048], "W11": [1024], "W11r": [1024]}


def timed_ms(step, seconds, least, most):
    times, start = [], time.perf_counter()
    while len(times) < least or (time.perf_counter() - start < seconds and len(times) < most):
        began = time.perf_counter()
        step()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e3


def peak_mb():
    try:  # what getrusage tells may be the memory of the process that started this one
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_one(load, work, threads, options):
    """One workload in this process. With --turns: the warm-up first, then as long as each line of stdin says."""
    name, _, length = work.partition(":")
    length = int(length) if length else None
    peer, table = load(threads, options)
    before = peak_mb()  # after the library was loaded: what the work itself takes

    def line(ms):
        print(json.dumps({"id": name, "T": length, "threads": threads, "ms": round(ms, 5), "rss_mb": round(peak_mb()),
                          "rss_work_mb": round(peak_mb() - before, 1), "peer": peer}), flush=True)

    step = table[name](length)
    warm_up = timed_ms(step, 0, 1, 1)
    if not options.turns:
        line(timed_ms(step, 1.5, 3, 400))
        return
    line(warm_up)
    for seconds in sys.stdin:
        line(timed_ms(step, float(seconds), 1, 2000))


def main(doc, load, works):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default=",".join(works), help="such as W1,W2:512")
    parser.add_argument("--compile", action="store_true", help="PyTorch: through torch.compile")
    parser.add_argument("--about", action="store_true", help="print the version and stop")
    parser.add_argument("--list", action="store_true", help="print the workloads and stop")
    parser.add_argument("--turns", metavar="ID[:T]", help="time one for as many seconds as each line of stdin says")
    parser.add_argument("--one", metavar="ID[:T]", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list:
        print(json.dumps({work: LENGTHS.get(work, []) for work in works}))
    elif options.about:
        print(load(options.threads, options)[0])
    elif options.turns or options.one:
        run_one(load, options.turns or options.one, options.threads, options)
    else:  # a fresh process for each figure, so that the peak memory is its own
        for name in options.only.split(","):
            for work in [name] if ":" in name or name not in LENGTHS else [f"{name}:{T}" for T in LENGTHS[name]]:
                command = [sys.executable, os.path.abspath(sys.argv[0]), "--threads", str(options.threads), "--one", work]
                subprocess.run(command + ["--compile"] * options.compile, check=True)
