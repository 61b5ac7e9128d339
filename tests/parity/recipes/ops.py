"""Every function of autograd/ops.hpp and autograd/linear_attention.hpp that is no loss."""

import torch
import torch.nn.functional as F
from torch.func import functional_call
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .common import case, distribution, ids, keep, normal, numbers, off_zero, these_ids, together, uniform

EXTREME = [-90, -40, -12, -3, -1, 0, 1, 3, 12, 40, 80]


def elementwise():
    meetings = {
        "equal shapes": ((2, 3), (2, 3)),
        "a row": ((2, 3), (3,)),
        "both repeated": ((2, 1), (1, 3)),
        "a scalar": ((2, 2, 2), ()),
        "more axes": ((3, 1), (2, 1, 2)),
    }
    two = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}
    for name, run in two.items():
        for meeting, (a, b) in meetings.items():
            yield case(
                f"{name}: {meeting}", lambda a, b, run=run: run(a, b), {"a": normal(*a), "b": off_zero(*b)}
            )
    one = {
        "neg": (torch.neg, normal),
        "exp": (torch.exp, normal),
        "tanh": (torch.tanh, normal),
        "sigmoid": (torch.sigmoid, normal),
        "relu": (torch.relu, off_zero),
        "abs": (torch.abs, off_zero),
        "gelu": (F.gelu, normal),
        "softplus": (F.softplus, normal),
    }
    for name, (run, draw) in one.items():
        yield case(f"{name}: normal numbers", lambda x, run=run: run(x), {"x": draw(3, 7)})
    for name, run in {"log": torch.log, "sqrt": torch.sqrt}.items():
        yield case(f"{name}: positive numbers", lambda x, run=run: run(x), {"x": uniform(0.1, 9, 3, 7)})
    # PyTorch's softplus is the identity from 20 on, which is off by 2e-9 there; logaddexp is not.
    far = {
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "relu": torch.relu,
        "abs": torch.abs,
        "gelu": F.gelu,
        "softplus": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
    }
    for name, run in far.items():
        yield case(f"{name}: far from zero and at it", lambda x, run=run: run(x), {"x": numbers(EXTREME)})
    yield case("scale: by a factor", lambda x, factor: x * factor, {"x": normal(3, 4)}, {"factor": -2.5})
    for exponent, x in {
        3: normal(2, 5),
        2: numbers([-2, 0, 0.5]),
        0: normal(4),
        1: normal(4),
        -2: off_zero(5),
        0.5: uniform(0.1, 4, 5),
        2.5: uniform(0.1, 4, 5),
    }.items():
        yield case(
            f"pow: exponent {exponent}", lambda x, exponent: x**exponent, {"x": x}, {"exponent": exponent}
        )


def choices():
    # Without ties: max of an axis then has one derivative, whoever computes it.
    largest = lambda x, axis, keep: x.max(axis, keepdim=bool(keep)).values
    yield case("max: last axis", largest, {"x": normal(3, 5)}, {"axis": -1, "keep": 0})
    yield case("max: first axis, kept", largest, {"x": normal(4, 2, 3)}, {"axis": 0, "keep": 1})
    yield case(
        "where: equal shapes",
        torch.where,
        {"condition": keep(3, 4), "input": normal(3, 4), "other": normal(3, 4)},
    )
    yield case(
        "where: all three repeated",
        torch.where,
        {"condition": keep(3, 1), "input": normal(1, 4), "other": normal(2, 1, 1)},
    )


def products():
    def product(a, b, transpose_a=0, transpose_b=0):
        return (a.mT if transpose_a else a) @ (b.mT if transpose_b else b)

    shapes = {
        "two matrices": ((2, 3), (3, 4)),
        "batches": ((2, 3, 4), (2, 4, 2)),
        "one matrix for a batch": ((2, 3, 4), (4, 2)),
        "batches that repeat": ((2, 1, 2, 3), (3, 3, 2)),
    }
    for name, (a, b) in shapes.items():
        yield case(f"matmul: {name}", product, {"a": normal(*a), "b": normal(*b)})
    for name, a, b, settings in [
        ("a transposed", (2, 4, 3), (2, 4, 2), {"transpose_a": 1}),
        ("b transposed", (2, 3, 4), (5, 4), {"transpose_b": 1}),
        ("both transposed", (4, 3), (2, 5, 4), {"transpose_a": 1, "transpose_b": 1}),
    ]:
        yield case(f"matmul: {name}", product, {"a": normal(*a), "b": normal(*b)}, settings)
    yield case(
        "weighted_sum: own values",
        lambda weights, values: weights @ values,
        {"weights": distribution(2, 3, 4), "values": normal(2, 4, 5)},
    )
    yield case(
        "weighted_sum: shared values",
        lambda weights, values: weights @ values,
        {"weights": distribution(2, 3, 4), "values": normal(1, 4, 2)},
    )
    def dot(query, keys, values):
        return F.scaled_dot_product_attention(query, keys, values, scale=0.5)

    def scores(a, b, v):
        return (v * torch.tanh(a[..., :, None, :] + b[..., None, :, :])).sum(-1)

    yield case(
        "dot_attention: scale 0.5",
        dot,
        {"query": normal(2, 3, 4), "keys": normal(2, 5, 4), "values": normal(2, 5, 3)},
    )
    def packed(packed):
        query, keys, values = (x.unflatten(-1, (2, 3)).transpose(1, 2) for x in packed.chunk(3, -1))
        return F.scaled_dot_product_attention(query, keys, values).transpose(1, 2).flatten(-2)

    yield case("packed_attention: two heads", packed, {"packed": normal(2, 4, 18)})
    additive = {"a": normal(2, 3, 5), "b": normal(2, 4, 5), "v": normal(5)}
    yield case(
        "additive_attention: own values",
        lambda a, b, v, values: scores(a, b, v).softmax(-1) @ values,
        {**additive, "values": normal(2, 4, 3)},
    )
    yield case("additive_scores: own keys", scores, additive)
    yield case(
        "linear: with bias", F.linear, {"input": normal(2, 3, 4), "weight": normal(5, 4), "bias": normal(5)}
    )
    yield case("linear: without bias", F.linear, {"input": normal(3, 4), "weight": normal(2, 4)})


def linear_attention():
    yield case("elu_plus_one: off zero", lambda x: F.elu(x) + 1, {"x": off_zero(3, 7)})
    yield case("elu_plus_one: far from zero and at it", lambda x: F.elu(x) + 1, {"x": numbers(EXTREME)})

    def features(x, directions, heads):
        x = x.unflatten(-1, (heads, -1)) / directions.shape[1] ** 0.25
        exponents = x @ directions.T - (x * x).sum(-1, keepdim=True) / 2
        scales = exponents.amax(-1, keepdim=True)
        values = (exponents - scales).exp() / directions.shape[0] ** 0.5
        return {"features": values.flatten(-2), "log_scale": scales.squeeze(-1)}

    yield case(
        "random_features: two heads",
        features,
        {"x": normal(2, 3, 8), "directions": normal(5, 4)},
        {"heads": 2},
        constant=("directions",),
    )

    # As the paper writes it, sum by sum; keys and queries beyond their lengths count for nothing.
    def attend(query, key, values, heads, causal, log_scale=None, lengths=None):
        q, k, v = (x.unflatten(-1, (heads, -1)) for x in (query, key, values))
        if log_scale is not None:
            k = k * log_scale.exp().unsqueeze(-1)
        if lengths is not None:
            k = k * (torch.arange(k.shape[1]) < torch.tensor(lengths)[:, None])[:, :, None, None]
        sums, keys = torch.einsum("bthf,bthd->bthfd", k, v), k
        if causal:
            sums, keys = sums.cumsum(1), keys.cumsum(1)
            y = torch.einsum("bthf,bthfd->bthd", q, sums) / (q * keys).sum(-1, keepdim=True)
        else:
            y = torch.einsum("bthf,bhfd->bthd", q, sums.sum(1)) / torch.einsum("bthf,bhf->bth", q, keys.sum(1))[..., None]
        return y.flatten(-2)

    def inputs(queries, keys):
        return {"query": uniform(0.1, 2, 2, queries, 6), "key": uniform(0.1, 2, 2, keys, 6), "values": normal(2, keys, 8)}

    yield case("linear_attention: all keys", attend, inputs(3, 5), {"heads": 2, "causal": 0})
    yield case("linear_attention: causal", attend, inputs(7, 7), {"heads": 2, "causal": 1})
    yield case("linear_attention: lengths", attend, inputs(3, 5), {"heads": 2, "causal": 0, "lengths": [2, 5]})
    scaled = {**inputs(6, 6), "log_scale": normal(2, 6, 2)}
    yield case("linear_attention: causal, log scales", attend, scaled, {"heads": 2, "causal": 1})


def recurrence():
    """PyTorch's own layers, whose input weight is the identity and whose other bias is 0."""

    def layer(module, gates, states):
        def run(inputs, weight, bias=None, hidden=None, cell=None, lengths=None, reverse=0):
            hidden_size, width = weight.shape[1], gates * weight.shape[1]
            both = module(width, hidden_size, batch_first=True, bidirectional=bool(reverse))
            bias = torch.zeros(width) if bias is None else bias
            of = {"weight_ih": torch.eye(width), "weight_hh": weight, "bias_ih": torch.zeros(width), "bias_hh": bias}
            parameters = {f"{name}_l0{end}": x for name, x in of.items() for end in ("", "_reverse")[: 1 + reverse]}
            start = None if hidden is None else [torch.stack([x] * (1 + reverse)) for x in (hidden, cell)[:states]]
            if lengths:
                inputs = pack_padded_sequence(inputs, lengths, True, enforce_sorted=False)
            start = start[0] if start and states == 1 else start
            outputs, last = functional_call(both, parameters, (inputs, start))
            if lengths:
                outputs = pad_packed_sequence(outputs, True, total_length=4)[0]
            last = dict(zip(("hidden", "cell"), last if states == 2 else (last,)))
            return {"outputs": outputs[..., reverse * hidden_size :], **{key: x[-1] for key, x in last.items()}}

        return run

    def lstm_layer(x, input_weight, weight, bias, hidden, cell):
        module = torch.nn.LSTM(x.shape[-1], weight.shape[1], batch_first=True)
        parameters = {"weight_ih_l0": input_weight, "weight_hh_l0": weight, "bias_ih_l0": bias,
                      "bias_hh_l0": torch.zeros(len(bias))}
        outputs, (hidden, cell) = functional_call(module, parameters, (x, (hidden[None], cell[None])))
        return {"outputs": outputs, "hidden": hidden[0], "cell": cell[0]}

    yield case(
        "lstm_layer: from a state",
        lstm_layer,
        {"x": normal(3, 4, 2), "input_weight": normal(20, 2), "weight": normal(20, 5), "bias": normal(20),
         "hidden": normal(3, 5), "cell": normal(3, 5)},
    )
    def attentive_lstm(inputs, weight, context_weight, query_weight, v, keys, values, hidden, cell, lengths=None):
        outputs, contexts = [], []
        for x in inputs.unbind(1):
            scores = torch.tanh((hidden @ query_weight.T)[:, None] + keys) @ v
            if lengths:
                scores = scores.masked_fill(torch.arange(scores.shape[1]) >= torch.tensor(lengths)[:, None], -torch.inf)
            context = (torch.softmax(scores, -1)[:, None] @ values)[:, 0]
            i, f, g, o = (x + hidden @ weight.T + context @ context_weight.T).chunk(4, -1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(cell)
            outputs.append(hidden)
            contexts.append(context)
        return {"outputs": torch.stack(outputs, 1), "contexts": torch.stack(contexts, 1), "hidden": hidden, "cell": cell}

    attended = {"inputs": normal(3, 4, 20), "weight": normal(20, 5), "context_weight": normal(20, 3),
                "query_weight": normal(6, 5), "v": normal(6), "keys": normal(3, 7, 6), "values": normal(3, 7, 3),
                "hidden": normal(3, 5), "cell": normal(3, 5)}
    yield case("attentive_lstm: all keys", attentive_lstm, attended)
    yield case("attentive_lstm: padded keys", attentive_lstm, attended, {"lengths": [3, 7, 1]})
    for name, gates, states, others in [("lstm", 4, 2, {}), ("gru", 3, 1, {"bias": normal(15)})]:
        run = layer({"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[name], gates, states)
        inputs = {"inputs": normal(3, 4, 5 * gates), "weight": normal(5 * gates, 5), **others}
        start = {key: normal(3, 5) for key in ("hidden", "cell")[:states]}
        yield case(f"{name}: from zero", run, inputs)
        yield case(f"{name}: from a state", run, inputs | start)
        one = inputs | start | {"inputs": normal(3, 1, 5 * gates)}
        yield case(f"{name}: one step", run, one)
        for way, reverse in {"padded": 0, "padded, in reverse": 1}.items():
            yield case(f"{name}: {way}", run, inputs | start, {"lengths": [2, 4, 1], "reverse": reverse})


def rotated(x, heads, first, base):
    """Rotary positions as a product of complex numbers."""
    batch, time, width = x.shape
    pairs = torch.view_as_complex(x.reshape(batch, time, heads, -1, 2).contiguous())
    rates = base ** (-torch.arange(pairs.shape[-1]) / pairs.shape[-1])
    angles = (first + torch.arange(time))[:, None, None] * rates
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).reshape(x.shape)


def sums_and_layout():
    for name, heads, first, base in [("one head", 1, 0, 10000), ("two heads, later", 2, 7, 100)]:
        yield case(
            f"rotate_pairs: {name}", rotated, {"x": normal(2, 3, 8)}, {"heads": heads, "first": first, "base": base}
        )
    for name, run in {"sum": torch.sum, "mean": torch.mean}.items():
        along = lambda x, axis, keep, run=run: run(x, axis, keepdim=bool(keep))
        yield case(f"{name}: all elements", lambda x, run=run: run(x), {"x": normal(2, 3, 2)})
        yield case(f"{name}: middle axis", along, {"x": normal(2, 3, 4)}, {"axis": 1, "keep": 0})
        yield case(f"{name}: last axis, kept", along, {"x": normal(2, 5)}, {"axis": -1, "keep": 1})
    yield case(
        "reshape: other axes", lambda x, shape: x.reshape(shape), {"x": normal(2, 3, 2)}, {"shape": [4, 3]}
    )
    yield case(
        "permute: three axes", lambda x, axes: x.permute(axes), {"x": normal(2, 3, 4)}, {"axes": [2, 0, 1]}
    )
    yield case(
        "slice: middle of an axis",
        lambda x, axis, begin, end: x.narrow(axis, begin, end - begin),
        {"x": normal(2, 4, 2)},
        {"axis": 1, "begin": 1, "end": 3},
    )
    parts = {"a": normal(2, 1, 2), "b": normal(2, 3, 2), "c": normal(2, 2, 2)}
    yield case("concat: three parts", lambda a, b, c, axis: torch.cat([a, b, c], axis), parts, {"axis": 1})
    yield case(
        "split: three parts",
        lambda x, axis, parts: dict(zip("abc", torch.chunk(x, parts, axis))),
        {"x": normal(2, 6, 2)},
        {"axis": 1, "parts": 3},
    )
    for name, axis in {"last axis": -1, "first axis": 0}.items():
        yield case(
            f"stack: {name}",
            lambda a, b, c, axis: torch.stack([a, b, c], axis),
            {key: normal(2, 3) for key in "abc"},
            {"axis": axis},
        )


def bag(mode):
    return lambda ids, table, offsets: F.embedding_bag(
        ids, table, torch.tensor(offsets), mode=mode, include_last_offset=True
    )


def tables():
    yield case("gather: ids with repeats", F.embedding, {"input": ids(5, 2, 6), "weight": normal(5, 3)})
    yield case(
        "gather: padding",
        lambda input, weight, padding: F.embedding(input, weight, padding_idx=padding),
        {"input": these_ids([[0, 1, 1], [3, 1, 0]]), "weight": normal(4, 2)},
        {"padding": 1},
    )
    for mode in ("sum", "mean"):  # the third bag is empty
        yield case(
            f"embedding_bag: {mode}",
            bag(mode),
            {"ids": ids(6, 9), "table": normal(6, 3)},
            {"offsets": [0, 1, 5, 5, 9]},
        )


def normalisers():
    far = numbers([[1000, 998, 0], [-900, -900, -901]])
    for name, run in {"softmax": torch.softmax, "log_softmax": torch.log_softmax}.items():
        along = lambda x, axis, run=run: run(x, axis)
        yield case(f"{name}: last axis", along, {"x": normal(3, 5)}, {"axis": -1})
        yield case(f"{name}: middle axis", along, {"x": normal(2, 4, 3)}, {"axis": 1})
        yield case(f"{name}: first axis", along, {"x": normal(4, 3)}, {"axis": 0})
        yield case(f"{name}: far apart", along, {"x": far}, {"axis": -1})
    masked = lambda x, keep: x.masked_fill(~keep, -torch.inf).softmax(-1)
    yield case("masked_softmax: own mask", masked, {"x": normal(2, 3, 5), "keep": keep(2, 3, 5)})
    yield case("masked_softmax: one mask for a batch", masked, {"x": normal(3, 2, 4), "keep": keep(2, 4)})
    yield case(
        "masked_softmax: one mask for all queries", masked, {"x": normal(2, 3, 4), "keep": keep(2, 1, 4)}
    )

    def sparsemax(x, keep=None):  # by sorting, as in the paper
        z = x if keep is None else x.masked_fill(~keep, -1e4)
        best = z.sort(-1, descending=True).values
        count = torch.arange(1, x.shape[-1] + 1)
        inside = 1 + count * best > best.cumsum(-1)
        size = inside.sum(-1, keepdim=True)
        threshold = ((best * inside).sum(-1, keepdim=True) - 1) / size
        return (z - threshold).clamp(min=0)

    def top_k(x, k, keep=None):
        z = x if keep is None else x.masked_fill(~keep, -torch.inf)
        best = z.topk(k, -1).indices
        return torch.full_like(z, -torch.inf).scatter(-1, best, z.gather(-1, best)).softmax(-1)

    yield case("sparsemax: rows", sparsemax, {"x": normal(2, 3, 5)})
    yield case("sparsemax: own mask", sparsemax, {"x": normal(2, 3, 5), "keep": keep(2, 3, 5)})
    yield case("top_k_softmax: two of five", top_k, {"x": normal(2, 3, 5)}, {"k": 2})
    yield case("top_k_softmax: own mask", top_k, {"x": normal(2, 3, 5), "keep": keep(2, 3, 5)}, {"k": 2})
    norm = lambda x, gain, bias, eps: F.layer_norm(x, x.shape[-1:], gain, bias, eps)
    for eps in (1e-5, 0.5):
        yield case(
            f"layer_norm: eps {eps:g}",
            norm,
            {"x": normal(2, 3, 6), "gain": normal(6), "bias": normal(6)},
            {"eps": eps},
        )
    unit = lambda x, eps: F.normalize(x, dim=-1, eps=eps)
    yield case("norm: rows", lambda x: torch.linalg.vector_norm(x, dim=-1), {"x": normal(2, 3, 5)})
    yield case("norm: zero rows", lambda x: torch.linalg.vector_norm(x, dim=-1), {"x": numbers([[0, 0], [3, 4]])})
    yield case("l2_normalize: rows", unit, {"x": normal(3, 5)}, {"eps": 1e-12})
    yield case(
        "l2_normalize: rows shorter than eps",
        unit,
        {"x": numbers([[3, 4], [0.1, -0.2], [0, 0]])},
        {"eps": 0.5},
    )
    # What is dropped is up to the generator: see draws.py.
    yield case(
        "dropout: rate 0",
        lambda x, rate: F.dropout(x, rate, training=True),
        {"x": normal(3, 4)},
        {"rate": 0.0},
    )
    yield case(
        "entropy: distributions", lambda p: torch.special.entr(p).sum(-1), {"p": distribution(2, 3, 5)}
    )


def cases():
    return together(*elementwise(), *choices(), *products(), *linear_attention(), *recurrence(), *sums_and_layout(), *tables(), *normalisers())
