"""Modules. Inputs that are parameters have their paths as names, such as `layers.0.weight`."""

import math

import torch
import torch.nn.functional as F

from .common import case, ids, normal, together


def call(f):
    """For names that are no Python identifiers: f gets one dict."""
    return lambda **named: f(named)


def mlp(activation):
    def run(c):
        x = activation(F.linear(c["x"], c["layers.0.weight"], c["layers.0.bias"]))
        x = activation(F.linear(x, c["layers.1.weight"], c["layers.1.bias"]))
        return F.linear(x, c["layers.2.weight"], c["layers.2.bias"])

    return call(run)


def sinusoidal(count, width, first):
    position = torch.arange(first, first + count)[:, None]
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    table = torch.zeros(count, width)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)[:, : width // 2]
    return table


def relative_bias(c):
    reach, queries, keys = (c["table"].shape[0] - 1) // 2, c["queries"], c["keys"]
    distance = torch.arange(keys)[None, :] - (torch.arange(queries)[:, None] + keys - queries)
    return c["table"][distance.clamp(-reach, reach) + reach]


def alibi(slope, queries, keys):
    distance = torch.arange(keys)[None, :] - (torch.arange(queries)[:, None] + keys - queries)
    return -slope * distance.abs().to(torch.float64)


def all_modules():
    yield case(
        "Linear: with bias",
        lambda x, weight, bias: F.linear(x, weight, bias),
        {"x": normal(2, 3, 4), "weight": normal(5, 4), "bias": normal(5)},
    )
    yield case(
        "Linear: without bias",
        lambda x, weight: F.linear(x, weight),
        {"x": normal(3, 4), "weight": normal(2, 4)},
    )
    yield case(
        "Embedding", lambda ids, table: F.embedding(ids, table), {"ids": ids(7, 2, 4), "table": normal(7, 3)}
    )
    for mode in ("sum", "mean"):
        yield case(
            f"EmbeddingBag: {mode}",
            lambda ids, table, offsets, mode=mode: F.embedding_bag(
                ids, table, torch.tensor(offsets), mode=mode, include_last_offset=True
            ),
            {"ids": ids(6, 8), "table": normal(6, 3)},
            {"offsets": [0, 3, 3, 8]},
        )
    yield case(
        "LayerNorm",
        lambda x, gain, bias: F.layer_norm(x, (5,), gain, bias),
        {"x": normal(2, 3, 5), "gain": normal(5), "bias": normal(5)},
    )
    layers = {
        f"layers.{i}.{name}": normal(*shape)
        for i, (inputs, outputs) in enumerate([(3, 5), (5, 4), (4, 2)])
        for name, shape in {"weight": (outputs, inputs), "bias": (outputs,)}.items()
    }
    for name, activation in {
        "relu": torch.relu,
        "tanh": torch.tanh,
        "gelu": F.gelu,
        "sigmoid": torch.sigmoid,
    }.items():
        yield case(f"Mlp: {name}", mlp(activation), {"x": normal(4, 3), **layers})
    yield case("LearnedPositions: rows 2 to 4", lambda table: table[2:5], {"table": normal(6, 4)})
    for width in (6, 5):
        yield case(
            f"sinusoidal_positions: width {width}", sinusoidal, {}, {"count": 4, "width": width, "first": 3}
        )
    yield case(
        "RelativeBias: more keys than queries",
        call(relative_bias),
        {"table": normal(5)},
        {"queries": 3, "keys": 6},
    )
    yield case(
        "RelativeBias: more queries than keys",
        call(relative_bias),
        {"table": normal(7)},
        {"queries": 5, "keys": 2},
    )
    yield case("alibi: more keys than queries", alibi, {}, {"slope": 0.25, "queries": 2, "keys": 4})


def cases():
    return together(*all_modules())
