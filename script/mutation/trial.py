"""Builds a mutant in a scratch copy of the tree and asks the tests: see script/mutate."""
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time

WHOLE = "~[slow]~[memory]"  # every test that takes no minutes
# A mutant may ask for all memory there is, dump its core at every crash, or write past the end of a block.
LIMITED = ("sh", "-c", 'ulimit -c 0; ulimit -v 8000000; exec "$0" "$@"')
GUARDED = {"ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=8000"}


class Tree:
    """A scratch copy of the sources with builds of its own: plain, and guarded by the address sanitizer."""

    def __init__(self, root, folder):
        self.root, self.folder, self.source = root, folder, folder / "source"

    def sync(self):
        """Copies what differs, so that a build of an earlier run is of use."""
        files = repository_files(self.root)
        for path in files:
            target = self.source / path
            content = (self.root / path).read_bytes()
            if not target.exists() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        wanted = set(files)
        for old in [p for p in self.source.rglob("*") if p.is_file()]:
            if old.relative_to(self.source).as_posix() not in wanted:
                old.unlink()

    def run(self, build, *command, timeout=None):
        environment = os.environ | GUARDED | {"CCACHE_DISABLE": "1", "FOVEA_LEVEL": "plain"}
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", env=environment, start_new_session=True,
                                   cwd=self.folder / build)
        try:
            output, _ = process.communicate(timeout=timeout)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "timeout"

    def configure(self, build):
        (self.folder / build).mkdir(parents=True, exist_ok=True)
        # Each mutant is linked; a fast linker saves a tenth of the time.
        linker = next((name for name in ("mold", "lld", "gold") if shutil.which(f"ld.{name}")), None)
        return self.run(build, "cmake", "-G", "Ninja", "-S", str(self.source), "-B", ".",
                        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g0 -D_GLIBCXX_ASSERTIONS",
                        f"-DCMAKE_EXE_LINKER_FLAGS={f'-fuse-ld={linker}' if linker else ''}",
                        f"-DFOVEA_SANITIZE={'address' if build == 'guarded' else ''}",
                        "-DFOVEA_TEST_REALS=f64;f32", "-DFOVEA_PROGRAM=OFF", "-DFOVEA_LEVELS=OFF")

    def compile(self, build, real):
        return self.run(build, "ninja", "-j1", f"tests_{real}")

    def test(self, build, real, tests, timeout=None):
        limits = LIMITED if build == "plain" else ()
        return self.run(build, *limits, f"tests/tests_{real}", tests, "--abort", timeout=timeout)

    def try_mutant(self, mutant, stages, timeouts):
        path = self.source / mutant.file
        original = path.read_text(encoding="utf-8")
        path.write_text(original[:mutant.start] + mutant.new + original[mutant.end:], encoding="utf-8")
        try:
            for stage in stages:
                if self.compile(*stage[:2])[0] != 0:
                    return "invalid"
                if self.test(*stage, timeout=timeouts[stage])[0] != 0:
                    return "killed"
            return "survived"
        finally:
            path.write_text(original, encoding="utf-8")


def repository_files(root):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                            check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


def prepare(trees, stages):
    """Builds the unchanged trees for these stages; returns for each the seconds after which a test hangs."""
    failures = []

    def build(tree):
        for place in dict.fromkeys(place for place, _, _ in stages):
            steps = [tree.configure(place)]
            for target in dict.fromkeys(stage[:2] for stage in stages if stage[0] == place):
                steps.append(tree.compile(*target))
            failures.extend(output for code, output in steps if code != 0)

    for_each(trees, build)
    if failures:
        errors = [line[:300] for line in failures[0].splitlines() if re.search("error|undefined", line, re.I)]
        print(*errors[:10], sep="\n", file=sys.stderr)
        sys.exit("mutate: the unchanged sources do not build")
    timeouts = {}
    for stage in stages:
        began = time.monotonic()
        code, output = trees[0].test(*stage)
        timeouts[stage] = max(10.0, 8 * (time.monotonic() - began))
        if code != 0 or "No tests ran" in output:
            sys.exit(f"{output[-3000:]}\nmutate: the tests {' '.join(stage)} fail on the unchanged sources")
    return timeouts


def try_all(mutants, trees, stages_of, minutes):
    """Tries them in their order by the stages of each, as far as the time goes; the rest keep their verdict."""
    timeouts = prepare(trees, list(dict.fromkeys(stage for mutant in mutants for stage in stages_of(mutant))))
    waiting = queue.SimpleQueue()
    for mutant in mutants:
        waiting.put(mutant)
    end = time.monotonic() + 60 * minutes
    said = threading.Lock()
    done = [0]

    def work(tree):
        while time.monotonic() < end:
            try:
                mutant = waiting.get_nowait()
            except queue.Empty:
                return
            mutant.verdict = tree.try_mutant(mutant, stages_of(mutant), timeouts)
            with said:
                done[0] += 1
                print(f"[{done[0]}/{len(mutants)}] {mutant.verdict:9}{mutant.function:20} {mutant.kind:10}"
                      f"{mutant.file}:{mutant.line}  {mutant.after[:90]}", flush=True)

    for_each(trees, work)


def for_each(trees, work):
    threads = [threading.Thread(target=work, args=(tree,)) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
