"""Figures as tables, and as docs/benchmarks.md."""
import os
import platform
import statistics
from dataclasses import dataclass

PEERS = ["PyTorch", "torch.compile", "JAX"]
WIDE = 0.3  # a ratio whose rounds lie further apart is marked


@dataclass
class Run:
    about: dict      # of fovea_bench about
    described: list  # of fovea_bench workloads
    peers: list      # turns.Runner
    absent: list     # why a peer is missing
    figures: list    # turns.Figure
    limits: list     # of fovea_bench limits, several times
    ops: list        # of fovea_bench ops
    rounds: int = 7  # at most, for each figure


def attention_flops(items, pairs, width):
    """14 for each pair of a query and a key and each dimension of a head (width: of all heads together).

    Forward: q·k and p·v. Backward: q·k again, which is cheaper than to keep it; dv = pᵀ·do, dp = do·vᵀ, dq = ds·k,
    dk = dsᵀ·q. That is seven products of two operations each.
    """
    return 14 * items * pairs * width


def linear_flops(rows, inputs, outputs):
    """Three products: y = x·Wᵀ, dx = dy·W, dW = dyᵀ·x."""
    return 6 * rows * inputs * outputs


def flops(work):
    """Useful operations of a workload, forward and backward; None where they are not multiply-adds."""
    name, _, length = work.partition(":")
    T = int(length or 0)
    if name == "W2":
        return attention_flops(4, T * T, 64)
    if name == "W2c":  # the triangle
        return attention_flops(4, T * (T + 1) // 2, 64)
    if name == "W2w":  # 64 keys for each query, fewer for the first 63
        seen = min(T, 64)
        return attention_flops(4, seen * (seen + 1) // 2 + (T - seen) * 64, 64)
    if name == "W3":  # four projections 256 → 256 of 16 · 128 rows, four heads of 64
        return linear_flops(16 * 128, 256, 4 * 256) + attention_flops(16, 128 * 128, 256)
    if name == "W4":  # 64 + 128 inputs of 4 · 128 gates, 32 · 64 steps; nobody asks for the gradient of x
        return 2 * 32 * 64 * 512 * (3 * 128 + 2 * 64)
    if name == "W8":
        return linear_flops(1024, 512, 512)
    return None


def number(value):
    """Three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3g}"


def table(head, rows, left=1):
    rule = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def best_of(limits, key, **where):
    """What the cores can do is the best of what was seen: neighbours only take away."""
    values = [line[key] for line in limits if all(line.get(k) == v for k, v in where.items())]
    return max(values, default=None)


def fma_limit(run, threads):
    """The best vector width's, in Gflop/s."""
    widths = {line["width"] for line in run.limits if line["limit"] == "fma"}
    found = [best_of(run.limits, "gflops", limit="fma", width=width, threads=threads) for width in widths]
    return max((value for value in found if value), default=None)


def share(run, figure):
    count, limit = flops(figure.work), fma_limit(run, figure.threads)
    if not count or not limit or "Fovea" not in figure.ms:
        return ""
    return f"{100 * count / (figure.ms['Fovea'] * 1e6) / limit:.0f} %"


def columns(run):
    there = {peer.name for peer in run.peers}
    return [name for name in PEERS if name in there and any(name in f.ms or name in f.failed for f in run.figures)]


def label(work):
    name, _, length = work.partition(":")
    return [name, length]


def speed_table(run, threads):
    names = columns(run)

    def cell(figure, name):
        if name in figure.failed:
            return "failed"
        if name not in figure.ms:
            return ""
        wide = "~" if figure.spread.get(name, 0) > WIDE else ""
        ratio = f" ({wide}**{number(figure.ratio[name])}×**)" if name in figure.ratio else ""
        return number(figure.ms[name]) + ratio

    rows = [[*label(f.work), cell(f, "Fovea").split(" ")[0], share(run, f), *(cell(f, name) for name in names)]
            for f in run.figures if f.threads == threads]
    return table(["work", "T", "Fovea, ms", "of FMA limit", *(f"{name}, ms" for name in names)], rows)


def memory_table(run):
    names, threads = ["Fovea", *columns(run)], run.figures[0].threads
    rows = [[*label(f.work), *(number(f.mb[name]) if name in f.mb else "" for name in names)]
            for f in run.figures if f.threads == threads]
    return table(["work", "T", *(f"{name}, MB" for name in names)], rows)


def limits_table(run):
    rows = []
    for threads in sorted({line["threads"] for line in run.limits}):
        for width in sorted({line["width"] for line in run.limits if line["limit"] == "fma"}):
            value = best_of(run.limits, "gflops", limit="fma", width=width, threads=threads)
            rows.append([f"fused multiply-adds, {width}, f32", str(threads), f"{value:.0f} Gflop/s"])
        value = best_of(run.limits, "gb_per_s", limit="copy", threads=threads)
        rows.append(["copy of memory, read + written", str(threads), f"{value:.1f} GB/s"])
    return table(["limit", "threads", "measured"], rows)


def ops_table(run):
    rows = [[f"`{line['op']}`", number(line["ns"]), f"{line['allocations']:g}", number(line["backward_ns"]),
             f"{line['backward_allocations']:g}"] for line in run.ops]
    return table(["op", "ns", "allocations", "with backward, ns", "allocations"], rows)


def failures(run):
    return [f"{name} failed at {f.work} with {f.threads} thread{'s' * (f.threads > 1)}: {why}"
            for f in run.figures for name, why in f.failed.items()]


def thread_counts(run):
    return sorted({figure.threads for figure in run.figures})


def tables(run):
    """For the terminal: a time and in brackets how many times ours it is."""
    parts = []
    for threads in thread_counts(run):
        parts += [f"{threads} thread{'s' * (threads > 1)}", speed_table(run, threads), ""]
    parts += ["Memory that the work takes", memory_table(run), "", limits_table(run)]
    if run.ops:
        parts += ["", ops_table(run)]
    return "\n".join([*parts, *([""] if run.absent else []), *run.absent, *failures(run)])


def spread(run):
    """How far apart the rounds of a figure are, for the median figure."""
    values = [value for figure in run.figures for name, value in figure.spread.items() if name != "Fovea"]
    return f"{100 * statistics.median(values):.0f} %" if values else None


def machine(run):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return [["CPU", f"{run.about['cpu']}, {os.cpu_count()} cores seen"], ["memory", f"{memory:.0f} GB"],
            ["system", f"{platform.system()} {platform.machine()}"]]


def versions(run):
    rows = [["Fovea", f"{run.about['fovea']}, {run.about['compiler']}, single precision, kernels {run.about['kernels']}"],
            ["its BLAS", f"{run.about['blas']}, kernel {run.about['blas_kernel']}"]]
    return rows + [[peer.name, peer.version] for peer in run.peers]


def document(run):
    works = table(["id", "work (forward and backward unless it says more)"],
                  [[work["id"], work["about"].replace("|", "\\|")] for work in run.described], left=2)
    parts = ["# Benchmarks", "",
             "Written by `script/bench`; every figure comes from one run on one machine. Run it on yours: ratios travel, times do",
             "not.", "",
             table(["", ""], machine(run) + versions(run), left=2), ""]
    parts += [f"- {why}" for why in run.absent] + [""] * bool(run.absent)
    parts += ["## The work", "", works, "",
              "W2w is a local attention: PyTorch gets it as a boolean mask, JAX as `local_window_size`. W10 stands for the cost of",
              "recording: its milliseconds are nanoseconds for each op, with its part of the backward pass and of freeing the graph.", "",
              "## Speed", "",
              "Milliseconds, and in brackets how many times Fovea's time that is: above 1 Fovea is faster. A ratio",
              f"with ~ is loose: its rounds lie more than {100 * WIDE:.0f} % apart.", ""]
    for threads in thread_counts(run):
        parts += [f"### {threads} thread{'s' * (threads > 1)}", "", speed_table(run, threads), ""]
    parts += [f"- {why}" for why in failures(run)] + [""] * bool(failures(run))
    parts += ["`torch.compile` is tried on some of the work, on one thread.", ""] * ("torch.compile" in columns(run))
    parts += ["The share of the limit counts useful operations: 14·B·T²·d for W2 (seven products; of the pairs that a mask allows",
              "in W2c and W2w), 24·B·T·w² + 14·B·T²·w for W3, 8·B·T·h·(3·h + 2·d) for W4, 6·B·n² for W8. `benchmarks/report.py` has",
              "the formulas. W1's inner loop is",
              "a division for each query, key and hidden unit, hence no share.", "",
              "## Memory", "",
              "Peak resident memory of a fresh process that does only that work, less what it held before (of a peer: with its library",
              "loaded). What a library loads or compiles at its first use counts.", "", memory_table(run), "",
              "## Limits of the cores", "", limits_table(run), ""]
    if run.ops:
        parts += ["## Small ops", "", OPS.strip(), "", ops_table(run), ""]
    parts += ["## How it was measured", "", METHOD.strip().format(rounds=run.rounds)]
    if spread(run):
        parts.append(f"- The largest and the smallest ratio of a figure's rounds lie {spread(run)} apart: the median over all figures.")
    return "\n".join([*parts, "", "## How to read it", "", READING.strip(), ""])


OPS = """
Tensors of 4 × 8, recorded, one thread. Allocations are calls of operator new, counted by a replacement of it in the
program. The elements of tensors are not among them: `core/memory.hpp` hands blocks out again without asking the system.
"""
METHOD = """
- Each figure comes from processes of its own that do nothing else. All who are compared hold the work ready and take turns of
  0.12 s, forwards and backwards in order: {rounds} rounds, at most 3 where a run takes more than 0.2 s, 1 from 4 s on. Before
  the first there is one run that does not count; `torch.compile` and `jax.jit` compile in it.
- A turn's time is the median of its runs, a figure the median of its turns. A ratio is the median of the ratios within rounds:
  what slows the machine down for seconds slows both sides of a round.
- Inputs are normal random numbers of single precision. Gradients of inputs and parameters add up in Fovea and PyTorch; JAX
  returns them.
- PyTorch gets `torch.set_num_threads`, Fovea `set_threads`, JAX as many cores to run on.
- `OPENBLAS_CORETYPE` tells a peer that uses OpenBLAS the kernel that Fovea found: alone it may take one for CPUs of 2006.
- The limits are measured between the figures, in the same run, and the best counts: chains of multiply-adds in registers,
  copies of 64 MB.
"""
READING = """
- Lengths matter more than anything: at T = 32 a figure shows overhead, at T = 1024 arithmetic and memory.
- A workload is not a training run. Data, optimiser and evaluation take their part there.
- A share of the limit near 100 % says that only less work could be faster, not better code.
- Shared machines change their speed. Compare ratios of two runs, not times; a difference below the spread is none.
"""
