#!/usr/bin/env python3
"""Proves that weights go from PyTorch and numpy to Fovea and back, by files.

    cmake --build build/release --target fovea fovea_exchange
    python3 tests/exchange/round_trip.py build/release          (needs torch, numpy and safetensors)

Each module is made on one side and computed on both, from the same inputs; outputs agree to 1e-5. Then checkpoints
of trained models are read, written anew in every way that numpy and safetensors have, and imported: equal bits.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy
import safetensors.torch
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

MAPS = Path(__file__).resolve().parents[2] / "docs/maps"
# As exchange.cpp has them.
WIDTH, HEADS, INNER, INPUTS, HIDDEN, REACH = 8, 2, 12, 5, 6, 3
B, T, S = 3, 4, 6
TOLERANCE = 1e-5

passed = 0


def check(holds, what, tell=True):
    global passed
    if not holds:
        sys.exit(f"FAILED: {what}")
    passed += 1
    if tell:
        print(f"ok  {what}")


def close(ours, theirs, what):
    check(ours.keys() == theirs.keys(), f"{what}: outputs {sorted(theirs)}", tell=False)
    worst = 0.0
    for name, y in theirs.items():
        check(ours[name].shape == tuple(y.shape), f"{what}: {name} has shape {tuple(y.shape)}", tell=False)
        worst = max(worst, float(np.abs(ours[name] - y).max()))
    check(worst <= TOLERANCE, f"{what}: largest difference {worst:.1e}")


def save(path, arrays):
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    else:
        safetensors.numpy.save_file({name: np.ascontiguousarray(x) for name, x in arrays.items()}, path)


def load(path):
    if path.suffix == ".npz":
        with np.load(path) as file:
            return {name: file[name] for name in file.files}
    return safetensors.numpy.load_file(path)


# The modules on this side: each runs named inputs and returns named outputs.


def beyond(lengths, count):
    return torch.arange(count)[None, :] >= torch.as_tensor(lengths).long()[:, None]


class MultiHead(nn.MultiheadAttention):
    def __init__(self):
        super().__init__(WIDTH, HEADS, batch_first=True)

    def run(self, x, memory, lengths):
        context, weights = self(
            x, memory, memory, key_padding_mask=beyond(lengths, S), average_attn_weights=False
        )
        return {"context": context, "weights": weights}


class SeparateProjections(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def run(self, x, memory, lengths):
        def heads_of(y):
            return y.unflatten(-1, (HEADS, -1)).transpose(1, 2)

        q, k, v = (heads_of(project(y)) for project, y in
                   ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory)))
        scores = q @ k.mT / (WIDTH // HEADS) ** 0.5
        weights = scores.masked_fill(beyond(lengths, S)[:, None, None], -torch.inf).softmax(-1)
        return {"context": self.o_proj((weights @ v).transpose(1, 2).flatten(2)), "weights": weights}


def recurrent(kind):
    class Recurrent(kind):
        def __init__(self):
            super().__init__(INPUTS, HIDDEN, 2, batch_first=True, bidirectional=True)

        def run(self, x, lengths):
            packed = pack_padded_sequence(x, lengths.long(), True, enforce_sorted=False)
            y, last = self(packed)
            states = {"hidden": last[0], "cell": last[1]} if kind is nn.LSTM else {"hidden": last}
            return {"outputs": pad_packed_sequence(y, True, total_length=T)[0], **states}

    return Recurrent


class EncoderLayer(nn.TransformerEncoderLayer):
    def __init__(self):
        super().__init__(WIDTH, HEADS, INNER, 0.0, batch_first=True)

    def run(self, x, lengths):
        return {"y": self(x, src_key_padding_mask=beyond(lengths, T))}


class DecoderLayer(nn.TransformerDecoderLayer):
    def __init__(self):
        super().__init__(WIDTH, HEADS, INNER, 0.0, batch_first=True)

    def run(self, x, memory, lengths):
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        return {"y": self(x, memory, tgt_mask=later, memory_key_padding_mask=beyond(lengths, S))}


def numpy_additive(w, query, keys):
    """Additive attention with a bias for each distance, from the arrays that Fovea calls by these paths."""
    a = query @ w["score.query.weight"].T
    b = keys @ w["score.key.weight"].T + w["score.key.bias"]
    scores = np.tanh(a[:, :, None] + b[:, None]) @ w["score.v"]
    distance = np.arange(S)[None] - (np.arange(T)[:, None] + S - T)
    scores = scores + w["bias.table"][np.clip(distance, -REACH, REACH) + REACH]
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return {"context": weights @ keys, "weights": weights}


class Bahdanau(nn.Module):
    """The same, with weights [inputs, outputs] and names of its own."""

    def __init__(self):
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(WIDTH, HIDDEN))
        self.W_key = nn.Parameter(torch.randn(INPUTS, HIDDEN))
        self.b = nn.Parameter(torch.randn(HIDDEN))
        self.v = nn.Parameter(torch.randn(HIDDEN, 1))
        self.bias = nn.ParameterDict({"table": nn.Parameter(torch.randn(2 * REACH + 1))})

    def run(self, query, keys):
        a, b = query @ self.W_query, keys @ self.W_key + self.b
        scores = (torch.tanh(a[:, :, None] + b[:, None]) @ self.v)[..., 0]
        distance = torch.arange(S)[None] - (torch.arange(T)[:, None] + S - T)
        weights = (scores + self.bias["table"][distance.clamp(-REACH, REACH) + REACH]).softmax(-1)
        return {"context": weights @ keys, "weights": weights}


def normal(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def lengths(*values):
    return np.array(values, np.float32)


X, MEMORY, SHORT = normal(B, T, WIDTH), normal(B, S, WIDTH), normal(B, T, INPUTS)
ATTENTION = {"x": X, "memory": MEMORY, "lengths": lengths(6, 2, 4)}
MODULES = {  # name: (Fovea's module, map, ours, inputs)
    "MultiheadAttention": ("multi_head", "multi_head.toml", MultiHead, ATTENTION),
    "separate projections": ("multi_head", "separate_projections.toml", SeparateProjections, ATTENTION),
    "LSTM": ("lstm", "recurrent.toml", recurrent(nn.LSTM), {"x": SHORT, "lengths": lengths(4, 1, 3)}),
    "GRU": ("gru", "recurrent.toml", recurrent(nn.GRU), {"x": SHORT, "lengths": lengths(2, 4, 3)}),
    "EncoderLayer": ("encoder_layer", "transformer.toml", EncoderLayer, {"x": X, "lengths": lengths(4, 3, 1)}),
    "DecoderLayer": ("decoder_layer", "transformer.toml", DecoderLayer, ATTENTION),
    "Bahdanau": ("additive", "bahdanau.toml", Bahdanau, {"query": X, "keys": normal(B, S, INPUTS)}),
}


def modules(build, folder):
    def exchange(*words):
        subprocess.run([build / "tests/exchange/fovea_exchange", *words], check=True)

    for name, (fovea, names, make, inputs) in MODULES.items():
        np.savez(folder / "in.npz", **inputs)
        tensors = {key: torch.from_numpy(x) for key, x in inputs.items()}
        for ending in (".safetensors", ".npz"):
            weights = folder / f"weights{ending}"
            arguments = (MAPS / names, folder / "in.npz", folder / "out.npz")
            torch.manual_seed(3)
            module = make().train()  # in evaluation PyTorch may take another path, which pads differently
            with torch.no_grad():
                for parameter in module.parameters():  # biases too, which start at zero
                    parameter.add_(0.1 * torch.randn_like(parameter))
            state = {key: x.detach().numpy() for key, x in module.state_dict().items()}
            save(weights, state)
            exchange(fovea, "take", weights, *arguments)
            with torch.no_grad():
                theirs = {key: y.numpy() for key, y in module.run(**tensors).items()}
            close(load(folder / "out.npz"), theirs, f"{name}{ending}, PyTorch to Fovea")

            weights.unlink()
            exchange(fovea, "give", weights, *arguments)
            given = load(weights)
            check(given.keys() == state.keys(), f"{name}{ending}, Fovea to PyTorch: {len(given)} names", tell=False)
            module.load_state_dict({key: torch.from_numpy(x) for key, x in given.items()})
            with torch.no_grad():
                theirs = {key: y.numpy() for key, y in module.run(**tensors).items()}
            close(load(folder / "out.npz"), theirs, f"{name}{ending}, Fovea to PyTorch")

    inputs = MODULES["Bahdanau"][3]
    np.savez(folder / "in.npz", **inputs)
    for ending in (".safetensors", ".npz"):
        weights = folder / f"additive{ending}"
        exchange("additive", "give", weights, "-", folder / "in.npz", folder / "out.npz")
        close(load(folder / "out.npz"), numpy_additive(load(weights), **inputs), f"additive{ending}, in numpy")


def same_bits(a, b):
    return a.keys() == b.keys() and all(
        a[key].dtype == b[key].dtype and a[key].shape == b[key].shape and a[key].tobytes() == b[key].tobytes()
        for key in a
    )


def checkpoints(build, folder):
    def fovea(*words, code=0):
        done = subprocess.run([build / "fovea", *words], capture_output=True, text=True, cwd=folder)
        what = f"fovea {' '.join(words)}: {done.returncode} {done.stderr[-400:]}"
        check(done.returncode == code, what, tell=False)
        return done.stdout

    for task, *settings in (["copy", "--steps", "20"], ["g2p", "--preset", "quick", "--steps", "5"]):
        fovea("train", task, *settings, "--out", task)
        fovea("train", task, *settings, "--out", f"{task}-2", "--lr", "0.0021")
        best, other = f"{task}/checkpoints/best.fovea", f"{task}-2/checkpoints/best.fovea"
        fovea("export", best, "-o", f"{task}.npz")
        fovea("export", best, "-o", f"{task}.safetensors")
        arrays = load(folder / f"{task}.npz")
        single = all(x.dtype == np.float32 for x in arrays.values())
        check(len(arrays) > 5 and single, f"{task}: {len(arrays)} arrays of float32")
        check(same_bits(arrays, load(folder / f"{task}.safetensors")), f"{task}: npz and safetensors agree")
        with safetensors.safe_open(folder / f"{task}.safetensors", "np") as file:
            check(file.metadata()["task"] == task, f"{task}: the metadata name the task")
        shown = json.loads(fovea("inspect", best, "--json"))
        shown = shown["parameters"] | shown["buffers"]
        shapes = {key: list(x.shape) for key, x in arrays.items()}
        same = shapes == {key: facts["shape"] for key, facts in shown.items()}
        check(same, f"{task}: paths and shapes are those of inspect")

        np.savez(folder / "a.npz", **arrays)
        np.savez_compressed(folder / "b.npz", **arrays)
        np.savez(folder / "c.npz", **{key: np.asfortranarray(x) for key, x in arrays.items()})
        np.savez_compressed(folder / "d.npz", **{key: x.astype(np.float64) for key, x in arrays.items()})
        safetensors.numpy.save_file(arrays, folder / "e.safetensors")
        tensors = {key: torch.from_numpy(x) for key, x in arrays.items()}
        safetensors.torch.save_file(tensors, folder / "f.safetensors")
        measured = fovea("evaluate", best, "--json")
        for file in ("a.npz", "b.npz", "c.npz", "d.npz", "e.safetensors", "f.safetensors", best):
            fovea("import", file, "--into", other, "-o", "new.fovea")
            fovea("inspect", "new.fovea", f"{task}.npz")
            check(fovea("evaluate", "new.fovea", "--json") == measured, f"{task}: {file} measures the same")
        fovea("inspect", other, f"{task}.npz", code=1)  # what was replaced was another model

        path = max(arrays, key=lambda key: arrays[key].size)
        changed = {path: arrays[path].copy()}
        changed[path].flat[-1] += 1
        np.savez(folder / "one.npz", **changed)
        fovea("import", "one.npz", "--into", best, "-o", "new.fovea", code=4)
        fovea("import", "one.npz", "--into", best, "-o", "new.fovea", "--match", path)
        found = json.loads(fovea("inspect", f"{task}.npz", "new.fovea", "--json", code=1))["differences"]
        check([(one["name"], one["differing"]) for one in found] == [(path, 1)], f"{task}: one value of {path} differs")
        check(found[0]["first"]["index"] == [n - 1 for n in arrays[path].shape], f"{task}: … the last one")
        check(abs(found[0]["largest_absolute"] - 1) < 1e-6, f"{task}: … by 1")


def main():
    build = Path(sys.argv[1]).resolve()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, numpy {np.__version__}, safetensors {safetensors.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        modules(build, Path(folder))
        checkpoints(build, Path(folder))
    print(f"all {passed} checks passed")


if __name__ == "__main__":
    main()
