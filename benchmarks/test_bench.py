"""Checks the driver's sums and report, and fovea_bench where it has been built: test_bench.py PROGRAM"""
import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import report  # noqa: E402 (the files beside this one)
import run  # noqa: E402
import turns  # noqa: E402

PROGRAM = Path(sys.argv.pop()) if len(sys.argv) > 1 else None
DESCRIBED = [{"id": "W2", "about": "attention", "lengths": [32, 512]}, {"id": "W9", "about": "norms", "lengths": []}]

# Answers as fovea_bench and the peers do, with a time that it is told.
FAKE = """
import json, sys
def answer(): print(json.dumps({"id": "W2", "T": 32, "ms": float(sys.argv[1]), "rss_work_mb": 1.0}), flush=True)
answer()
for line in sys.stdin: answer()
"""


def fake(name, ms, program=FAKE):
    return turns.Runner(name, (sys.executable, "-c", program, str(ms)), frozenset({"W2:32"}), version="1.0")


class Driver(unittest.TestCase):
    def test_what_is_chosen(self):
        self.assertEqual(run.chosen("", DESCRIBED), ["W2:32", "W2:512", "W9"])
        self.assertEqual(run.chosen("W9,W2:64", DESCRIBED), ["W9", "W2:64"])
        for wrong in ("W1", "W9:5", "W2:x", "W2:0"):
            with self.subTest(wrong), self.assertRaises(SystemExit):
                run.chosen(wrong, DESCRIBED)

    def test_ratios_are_paired(self):
        ratio, spread = turns.paired([2, 40, 6], [1, 20, 2])  # a slow round slows both
        self.assertEqual(ratio, 2)
        self.assertEqual(spread, 0.5)

    def test_rounds(self):
        self.assertEqual([turns.rounds_for(ms) for ms in (1, 1000, 10000)], [7, 3, 1])

    def test_figure(self):
        broken = fake("JAX", 1, "raise SystemExit('no such thing')")
        figure = turns.measure("W2:32", 1, [fake("Fovea", 2), fake("PyTorch", 5), broken], most_rounds=2)
        self.assertEqual(figure.ms, {"Fovea": 2, "PyTorch": 5})
        self.assertEqual(figure.ratio["PyTorch"], 2.5)
        self.assertEqual(figure.failed, {"JAX": "no such thing"})

    def test_absent_peer(self):
        self.assertIn("left out", run.peer("JAX", "/no/such/python", "jax_peer.py"))


class Report(unittest.TestCase):
    def test_flops(self):
        self.assertEqual(report.flops("W2:512"), 14 * 4 * 512**2 * 64)
        pairs = {"W2c": lambda i, j: j <= i, "W2w": lambda i, j: 0 <= i - j < 64}
        for work, sees in pairs.items():
            for T in (40, 100):
                count = sum(sees(i, j) for i in range(T) for j in range(T))
                self.assertEqual(report.flops(f"{work}:{T}"), 14 * 4 * count * 64)
        self.assertEqual(report.flops("W3"), 24 * 2048 * 256**2 + 14 * 16 * 128**2 * 256)
        self.assertEqual(report.flops("W4"), 8 * 2048 * 128 * (3 * 128 + 2 * 64))
        self.assertEqual(report.flops("W8"), 6 * 1024 * 512**2)
        self.assertIsNone(report.flops("W1:32"))

    def test_document(self):
        figure = turns.Figure("W2:512", 1, {"Fovea": 10, "PyTorch": 25}, {"Fovea": 9, "PyTorch": 20},
                              {"PyTorch": 2.5, "Fovea": 1}, {"PyTorch": 0.1}, {"JAX": "out of memory"})
        limits = [{"limit": "fma", "width": "avx2", "threads": 1, "gflops": 100.0},
                  {"limit": "copy", "threads": 1, "gb_per_s": 16.0}]
        about = {"fovea": "0.1.0", "compiler": "g++ 12", "cpu": "CPU", "kernels": "v3", "blas": "OpenBLAS 0.3.21",
                 "blas_kernel": "Zen"}
        ops = [{"op": "add", "ns": 300, "allocations": 6, "backward_ns": 700, "backward_allocations": 12}]
        peers = [fake("PyTorch", 1), fake("JAX", 1)]
        this = report.Run(about, DESCRIBED, peers, ["compiled is left out: why"], [figure], limits, ops)
        share = 14 * 4 * 512**2 * 64 / 1e7 / 100
        for text in (report.tables(this), report.document(this)):
            for words in (f"| W2 | 512 | 10.0 | {100 * share:.0f} % | 25.0 (**2.50×**) | failed |", "out of memory",
                          "left out: why", "16.0 GB/s", "| `add` | 300 | 6 |"):
                self.assertIn(words, text)
        figure.spread["PyTorch"] = 0.5
        self.assertIn("(~**2.50×**)", report.tables(this))


def newer_than_its_sources():
    built = PROGRAM.stat().st_mtime
    return all(source.stat().st_mtime <= built for source in Path(__file__).parent.glob("*.[ch]pp"))


@unittest.skipUnless(PROGRAM and PROGRAM.exists() and newer_than_its_sources(),
                     "fovea_bench has not been built from these sources")
class Program(unittest.TestCase):
    def output(self, *arguments, **more):
        return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=60, **more).stdout

    def test_lists_its_workloads(self):
        described = [json.loads(line) for line in self.output("workloads").splitlines()]
        listed = [" ".join([work["id"], *map(str, work["lengths"])]) for work in described]
        self.assertEqual(self.output().splitlines(), listed)
        self.assertIn("W7", [work["id"] for work in described])

    def test_times_a_small_one(self):
        lines = [json.loads(line) for line in self.output("W7", "1", "3").splitlines()]
        lines += [json.loads(line) for line in self.output("turns", "W7", input="0.01\n0.01\n").splitlines()]
        self.assertEqual(len(lines), 1 + 3)
        for line in lines:
            self.assertEqual((line["id"], line["T"], line["threads"], line["peer"]), ("W7", None, 1, "fovea"))
            self.assertTrue(0 < line["ms"] < 1000 and math.isfinite(line["rss_work_mb"]) and line["rss_mb"] > 1)

    def test_says_what_it_does_not_know(self):
        for wrong in ("W77", "W7:32", "W1"):
            said = subprocess.run([PROGRAM, wrong], capture_output=True, text=True, timeout=60)
            self.assertEqual((said.returncode, said.stdout), (2, ""))
            self.assertIn(wrong, said.stderr)


if __name__ == "__main__":
    unittest.main()
