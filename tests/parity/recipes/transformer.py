"""Multi-head attention and Transformer layers: PyTorch's own modules, with Fovea's paths for their parameters."""

import torch
import torch.nn as nn
import torch.nn.functional as F

try:
    from torch.func import functional_call
except ImportError:  # before PyTorch 2
    from torch.nn.utils.stateless import functional_call

from .common import case, normal, of_shape, together

B, T, S, WIDTH, HEADS, INNER = 2, 3, 4, 4, 2, 5
STEPS = 10


def path_of(name):
    """Fovea's path of a parameter of PyTorch's."""
    for theirs, ours in {
        "self_attn": "self_attention",
        "multihead_attn": "cross_attention",
        "in_proj_": "in.",
        "out_proj": "out",
        "linear": "feed_forward.linear",
    }.items():
        name = name.replace(theirs, ours)
    parts = name.split(".")
    if len(parts) > 1 and parts[-2].startswith("norm") and parts[-1] == "weight":
        parts[-1] = "gain"
    return ".".join(parts)


def parameters_of(module):
    """What a case draws for a module's parameters: small enough for scores that single precision gets right."""
    return {
        path_of(name): lambda label, shape=x.shape: normal(*shape)(label) / 2
        for name, x in module.named_parameters()
    }


def call(module, c, *args, **named):
    by_name = {name: c[path_of(name)] for name, _ in module.named_parameters()}
    return functional_call(module, by_name, args, named)


def beyond(lengths, count):
    return torch.arange(count)[None, :] >= torch.tensor(lengths)[:, None]


def later(count):
    return torch.ones(count, count, dtype=torch.bool).triu(1)


def attention(module):
    def run(**c):
        keys = c.get("keys", c["x"])
        padding = beyond(c["key_lengths"], keys.shape[1]) if "key_lengths" in c else None
        context, weights = call(
            module,
            c,
            c["x"],
            keys,
            c.get("values", keys),
            key_padding_mask=padding,
            attn_mask=later(keys.shape[1]) if "causal" in c else None,
            average_attn_weights=False,
        )
        return {"context": context, "weights": weights}

    return run


def encoder_layer(module):
    return lambda **c: call(module, c, c["x"], src_key_padding_mask=beyond(c["lengths"], T))


def decoder_layer(module):
    return lambda **c: call(
        module,
        c,
        c["x"],
        c["memory"],
        tgt_mask=later(T),
        memory_key_padding_mask=beyond(c["lengths"], S),
    )


def transformer(module):
    return lambda **c: call(module, c, c["source"], c["x"])


def settings_of(norm_first, activation):
    return {"norm_first": norm_first, "gelu": activation == "gelu"}


def kinds():
    for norm_first in (False, True):
        for activation in ("relu", "gelu"):
            name = f"{'pre' if norm_first else 'post'}-norm, {activation}"
            yield name, norm_first, activation


def steps(name, run, inputs, settings, data):
    """Ten steps of Adam: all losses, and the parameters after the last. (A key's bias has no influence, so that
    its gradient is what rounding leaves; eps keeps Adam from dividing that by itself.)"""
    values = {key: draw(f"{name}/{key}") for key, draw in inputs.items()}
    start = {key: of_shape(x) for key, x in values.items()}
    trained = {key: x.requires_grad_() for key, x in values.items() if key not in data}
    method = torch.optim.Adam(trained.values(), lr=0.01, eps=1e-3)
    losses = []
    for _ in range(STEPS):
        method.zero_grad()
        loss = F.mse_loss(run(**values, **settings), values["target"])
        loss.backward()
        method.step()
        losses.append(loss.item())
    outputs = {"losses": torch.tensor(losses), **trained}
    return {
        name: {
            "inputs": start,
            "settings": settings | {"eps": 1e-3, "rate": 0.01},
            "outputs": {key: {"value": of_shape(x)} for key, x in outputs.items()},
        }
    }


def all_transformers():
    module = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    parameters, x = parameters_of(module), {"x": normal(B, T, WIDTH)}
    other = {"keys": normal(B, S, WIDTH), "values": normal(B, S, WIDTH)}
    for kind, inputs, settings in (
        ("self", x, {}),
        ("self, key padding", x, {"key_lengths": [3, 1]}),
        ("self, causal, key padding", x, {"key_lengths": [2, 3], "causal": True}),
        ("cross", x | other, {}),
        ("cross, key padding", x | other, {"key_lengths": [2, 4]}),
    ):
        yield case(f"MultiHead: {kind}", attention(module), inputs | parameters, settings)
    yield steps(
        "ten steps of MultiHead: cross, key padding",
        lambda **c: attention(module)(**c)["context"],
        x | other | {"target": normal(B, T, WIDTH)} | parameters,
        {"key_lengths": [2, 4]},
        {"target", "x", "keys", "values"},
    )
    for name, norm_first, activation in kinds():
        settings = settings_of(norm_first, activation)
        options = dict(activation=activation, batch_first=True, norm_first=norm_first)
        module = nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, 0.0, **options)
        run, inputs = encoder_layer(module), x | parameters_of(module)
        data = {"target": normal(B, T, WIDTH)}
        yield case(f"EncoderLayer: {name}", run, inputs, settings | {"lengths": [3, 2]})
        yield steps(
            f"ten steps of EncoderLayer: {name}",
            run,
            inputs | data,
            settings | {"lengths": [2, 3]},
            {"target", "x"},
        )
        module = nn.TransformerDecoderLayer(WIDTH, HEADS, INNER, 0.0, **options)
        run, inputs = decoder_layer(module), x | {"memory": normal(B, S, WIDTH)} | parameters_of(module)
        yield case(f"DecoderLayer: {name}", run, inputs, settings | {"lengths": [3, 4]})
        yield steps(
            f"ten steps of DecoderLayer: {name}",
            run,
            inputs | data,
            settings | {"lengths": [4, 1]},
            {"target", "x", "memory"},
        )
    module = nn.Transformer(WIDTH, HEADS, 2, 2, INNER, 0.0, batch_first=True)
    yield case(
        "Transformer: two and two layers",
        transformer(module),
        x | {"source": normal(B, S, WIDTH)} | parameters_of(module),
        settings_of(False, "relu"),
    )


def cases():
    return together(*all_transformers())
