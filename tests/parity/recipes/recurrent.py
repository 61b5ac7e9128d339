"""LSTM and GRU, the modules. Inputs that are parameters have Fovea's paths as names."""

import torch
from torch import nn
from torch.func import functional_call
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .common import case, normal, of_shape, together

KINDS = {"LSTM": (nn.LSTM, 4), "GRU": (nn.GRU, 3)}
INPUTS, HIDDEN, ITEMS, STEPS = 2, 3, 3, 5
LENGTHS = [4, 5, 2]


def paths(kind, layers, bidirectional):
    """Fovea's path of each parameter, with PyTorch's name and its shape."""
    gates = KINDS[kind][1] * HIDDEN
    directions = ["forward", "backward"] if bidirectional else ["forward"]
    for layer in range(layers):
        width = INPUTS if layer == 0 else HIDDEN * len(directions)
        shapes = {"weight_ih": (gates, width), "weight_hh": (gates, HIDDEN), "bias_ih": (gates,), "bias_hh": (gates,)}
        for direction in directions:
            for name, shape in shapes.items():
                theirs = f"{name}_l{layer}" + ("_reverse" if direction == "backward" else "")
                yield f"layers.{layer}.{direction}.{name}", theirs, shape


def runner(kind, layers, bidirectional):
    """A function of named inputs, `lengths` among them where they are given, to outputs and states."""
    module = KINDS[kind][0](INPUTS, HIDDEN, layers, batch_first=True, bidirectional=bidirectional)
    names = {theirs: ours for ours, theirs, _ in paths(kind, layers, bidirectional)}

    def run(lengths=None, **c):
        state = (c["hidden"], c["cell"]) if "cell" in c else c.get("hidden")
        x = c["x"] if lengths is None else pack_padded_sequence(c["x"], lengths, True, enforce_sorted=False)
        parameters = {theirs: c[ours] for theirs, ours in names.items()}
        outputs, last = functional_call(module, parameters, (x, state))
        if lengths is not None:
            outputs = pad_packed_sequence(outputs, True, total_length=STEPS)[0]
        states = {"hidden": last[0], "cell": last[1]} if kind == "LSTM" else {"hidden": last}
        return {"outputs": outputs, **states}

    return run


def inputs(kind, layers, bidirectional, given):
    drawn = {"x": normal(ITEMS, STEPS, INPUTS)}
    drawn |= {ours: normal(*shape) for ours, _, shape in paths(kind, layers, bidirectional)}
    states = ["hidden", "cell"] if kind == "LSTM" else ["hidden"]
    return drawn | {name: normal(layers * (1 + bidirectional), ITEMS, HIDDEN) for name in states if given}


def settings(layers, bidirectional, **others):
    return {"layers": layers, "bidirectional": int(bidirectional), **others}


def modules():
    for kind in KINDS:
        for name, layers, both, given, packed in [
            ("one layer", 1, False, False, False),
            ("one layer, padded, from a state", 1, False, True, True),
            ("two layers, both directions, padded, from a state", 2, True, True, True),
        ]:
            run = runner(kind, layers, both)
            told = settings(layers, both, **({"lengths": LENGTHS} if packed else {}))
            yield case(
                f"{kind}: {name}",
                lambda layers, bidirectional, run=run, **c: run(**c),
                inputs(kind, layers, both, given),
                told,
            )


def training():
    """Ten steps of Adam: the loss of each, and what the parameters are then. A large eps, for the first steps
    are g / (|g| + eps), and single precision knows a small g to some 1e-8 only."""
    for kind in KINDS:
        name = f"{kind} training: two layers, both directions, padded"
        c = {key: draw(f"{name}/{key}") for key, draw in inputs(kind, 2, True, False).items()}
        c["target"] = normal(ITEMS, STEPS, 2 * HIDDEN)(f"{name}/target")
        start = {key: of_shape(x) for key, x in c.items()}
        leaves = {ours: c[ours].requires_grad_() for ours, _, _ in paths(kind, 2, True)}
        told = {"rate": 0.02, "eps": 1e-3, "lengths": LENGTHS}
        method = torch.optim.Adam(leaves.values(), told["rate"], eps=told["eps"])
        losses = []
        for _ in range(10):
            method.zero_grad()
            y = runner(kind, 2, True)(LENGTHS, **{key: x for key, x in c.items() if key != "target"})
            loss = ((y["outputs"] - c["target"]) ** 2).mean() + (y["hidden"] ** 2).mean()
            loss.backward()
            losses.append(loss.item())
            method.step()
        after = {"losses": torch.tensor(losses), **leaves}
        outputs = {key: {"value": of_shape(x)} for key, x in after.items()}
        yield {name: {"inputs": start, "outputs": outputs, "settings": settings(2, True, **told)}}


def cases():
    return together(*modules(), *training())
