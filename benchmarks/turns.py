"""Processes that time one workload whenever they are told to, and figures from several of them in turns.

Neighbours on a machine slow everything down for seconds at a time. So all that are compared hold their workload
ready and take short turns; a ratio is the median of the ratios within a round, not a quotient of two medians.
"""
import json
import os
import select
import statistics
import subprocess
import tempfile
from dataclasses import dataclass, field

TURN_SECONDS = 0.12
TIMEOUT = 180  # of one answer, also of the first, for which a peer may have to compile


class Failed(Exception):
    pass


@dataclass(frozen=True)
class Runner:
    """Who does the work: its name in tables, its command, and the work that it can do."""
    name: str
    command: tuple
    works: frozenset
    environment: tuple = ()
    one_thread_only: bool = False
    version: str = ""

    def can(self, work, threads):
        return work in self.works and (threads == 1 or not self.one_thread_only)


@dataclass
class Figure:
    work: str
    threads: int
    ms: dict = field(default_factory=dict)      # by runner's name
    mb: dict = field(default_factory=dict)      # peak memory that the work took
    ratio: dict = field(default_factory=dict)   # runner's time by ours
    spread: dict = field(default_factory=dict)  # (largest - smallest) / median of the paired ratios
    failed: dict = field(default_factory=dict)  # why there is no figure


class Process:
    def __init__(self, runner, work, threads):
        self.errors = tempfile.TemporaryFile()
        command = [part.replace("{work}", work).replace("{threads}", str(threads)) for part in runner.command]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        env={**os.environ, **dict(runner.environment)})
        try:
            self.warm_up = self.answer()
        except BaseException:
            self.close()
            raise

    def answer(self):
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT)
        if not ready:
            raise Failed(f"no answer within {TIMEOUT} s")
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            said = self.errors.read().decode(errors="replace").strip().splitlines()
            raise Failed(said[-1][:200] if said else f"ended with {self.process.returncode}")
        return json.loads(line)

    def turn(self, seconds):
        try:
            self.process.stdin.write(f"{seconds}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says why
        return self.answer()

    def close(self):
        """No later figure may find this one still at work."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()


def rounds_for(slowest_ms):
    """Fewer rounds of what takes long: neighbours' seconds are short against it anyway."""
    return 7 if slowest_ms < 200 else 3 if slowest_ms < 4000 else 1


def paired(times, ours):
    """Median and relative spread of time by our time, over the rounds."""
    ratios = [a / b for a, b in zip(times, ours)]
    middle = statistics.median(ratios)
    return middle, (max(ratios) - min(ratios)) / middle


def measure(work, threads, runners, most_rounds=7):
    """One figure for all `runners`, the first of which is ours."""
    figure, processes, times = Figure(work, threads), {}, {}

    def ask(name, question):
        try:
            return question()
        except (Failed, OSError, ValueError) as error:
            figure.failed[name] = str(error)
            if name in processes:
                processes.pop(name).close()
            return None

    try:
        for runner in runners:
            if process := ask(runner.name, lambda: Process(runner, work, threads)):
                processes[runner.name], times[runner.name] = process, []
        slowest = max((process.warm_up["ms"] for process in processes.values()), default=0)
        for number in range(min(most_rounds, rounds_for(slowest))):
            names = list(processes)
            for name in names if number % 2 == 0 else names[::-1]:
                if line := ask(name, lambda: processes[name].turn(TURN_SECONDS)):
                    times[name].append(line["ms"])
                    figure.mb[name] = line["rss_work_mb"]
    finally:
        for process in processes.values():
            process.close()
    for name in processes:
        figure.ms[name] = statistics.median(times[name])
        if runners[0].name in processes:
            figure.ratio[name], figure.spread[name] = paired(times[name], times[runners[0].name])
    return figure
